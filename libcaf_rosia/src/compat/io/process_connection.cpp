// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/process_connection.hpp"

#include "network/sockets.hpp"

#include <caf/io/network/operation.hpp>
#include <spdlog/fmt/fmt.h>

#include <utility>

#include <sys/socket.h>

namespace caf::rosia::detail {

using caf::io::network::rw_state;

namespace {

constexpr std::chrono::seconds pause_between_lines{10};

} // namespace

// -- watching -----------------------------------------------------------------

void connection_watch::hang_up() noexcept {
  std::lock_guard guard{mutex_};
  if (connection_ != nullptr)
    shutdown(connection_->stream().fd(), SHUT_RDWR);
}

void connection_watch::end_output() {
  std::lock_guard guard{mutex_};
  if (connection_ == nullptr)
    return;
  connection_->end_output();
  drains_ = connection_->writing();
}

bool connection_watch::wait_for_output(clock::time_point deadline) {
  std::unique_lock guard{mutex_};
  return changed_.wait_until(guard, deadline, [this] { return !drains_; });
}

bool connection_watch::over() const noexcept {
  std::lock_guard guard{mutex_};
  return connection_ == nullptr;
}

void process_connections::add(connection_watch_ptr x) {
  std::lock_guard guard{mutex_};
  std::erase_if(all_, [](auto& y) { return y->over(); });
  all_.push_back(std::move(x));
}

std::vector<connection_watch_ptr> process_connections::all() {
  std::lock_guard guard{mutex_};
  std::erase_if(all_, [](auto& y) { return y->over(); });
  return all_;
}

// -- the log ------------------------------------------------------------------

refusals::refusals(std::shared_ptr<spdlog::logger> log) : log_(std::move(log)) {
  // nop
}

void refusals::note(const std::string& who, const std::string& why) {
  if (auto unsaid = may_say())
    log_->warn(
      "the connection with {} is closed: {}{}", who, why,
      *unsaid == 0 ? std::string{}
                   : fmt::format(" ({} more were closed before)", *unsaid));
}

void refusals::note_waiting(const std::string& why) {
  if (may_say())
    log_->warn("new connections wait: {}", why);
}

std::optional<std::size_t> refusals::may_say() {
  std::lock_guard guard{mutex_};
  auto now = clock::now();
  if (last_ && now - *last_ < pause_between_lines) {
    ++unsaid_;
    return std::nullopt;
  }
  last_ = now;
  return std::exchange(unsaid_, 0);
}

// -- connections --------------------------------------------------------------

channel connection_terms::make_channel(int fd, bool accepts) const {
  return tls ? channel{fd, tls.get(), accepts} : channel{fd};
}

namespace {

/// CAF goes on when the socket is ready again.
rw_state result_of(channel::state x) noexcept {
  return x == channel::state::failed ? rw_state::failure : rw_state::success;
}

} // namespace

rw_state channel_policy::read_some(
  std::size_t& n, caf::io::network::native_socket, void* to, std::size_t size) {
  return result_of(way_.read(to, size, n));
}

rw_state channel_policy::write_some(
  std::size_t& n, caf::io::network::native_socket, const void* from,
  std::size_t size) {
  n = 0;
  if (size == 0)
    return rw_state::indeterminate;
  return result_of(way_.write(from, size, n));
}

process_connection::process_connection(
  caf::io::network::default_multiplexer& home, const connection_terms& terms,
  channel way)
  : super(home, way.fd(), std::move(way)), refused_(terms.refused),
    guard_(terms.make_guard ? terms.make_guard() : nullptr),
    watch_(std::make_shared<connection_watch>()) {
  watch_->connection_ = this;
  caf::io::network::keepalive(stream().fd(), true);
  terms.connections->add(watch_);
}

process_connection::~process_connection() {
  // Its descriptor will be another one's.
  std::lock_guard guard{watch_->mutex_};
  watch_->connection_ = nullptr;
  watch_->drains_ = false;
  watch_->changed_.notify_all();
}

bool process_connection::consume(
  caf::execution_unit* ctx, const void* data, std::size_t size) {
  watch_->heard.store(true);
  if (guard_ && !detached())
    if (auto why = guard_->check({static_cast<const std::byte*>(data), size});
        !why.empty()) {
      refuse(ctx, why);
      return false;
    }
  return super::consume(ctx, data, size);
}

void process_connection::output_drained() noexcept {
  if (!watch_->drains_)
    return;
  std::lock_guard guard{watch_->mutex_};
  watch_->drains_ = false;
  watch_->changed_.notify_all();
}

void process_connection::refuse(
  caf::execution_unit* ctx, const std::string& why) {
  refused_->note(peer_text(stream().fd()), why);
  watch_->hang_up();
  io_failure(ctx, caf::io::network::operation::read);
}

} // namespace caf::rosia::detail
