// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/process_connection.hpp"

#include "compat/io/frame_head.hpp"
#include "compat/io/loop_events.hpp"
#include "compat/io/node_name.hpp"
#include "compat/io/proxy_scope.hpp"
#include "network/sockets.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/io/abstract_broker.hpp>
#include <caf/io/basp/header.hpp>
#include <caf/io/network/event_handler.hpp>
#include <caf/io/network/native_socket.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <span>
#include <utility>

namespace caf::rosia::detail {

using caf::io::network::operation;

namespace {

constexpr std::chrono::seconds pause_between_lines{10};

/// Number of reads before other sockets are handled.
constexpr int most_reads = 4;

/// Minimum time between two signs of life for CAF.
constexpr std::chrono::milliseconds pause_between_signs{10};

std::span<const std::byte> bytes_of(std::string_view x) noexcept {
  return std::as_bytes(std::span{x.data(), x.size()});
}

/// Returns a heartbeat of CAF's protocol.
loop_buffer heartbeat() {
  loop_buffer result(caf::io::basp::header_size);
  result.front() = static_cast<loop_buffer::value_type>(
    caf::io::basp::message_type::heartbeat);
  return result;
}

} // namespace

// -- the log ------------------------------------------------------------------

refusals::refusals(std::shared_ptr<spdlog::logger> log) : log_(std::move(log)) {
  // nop
}

void refusals::note(const std::string& peer, const std::string& problem) {
  if (auto unsaid = may_say())
    log_->warn(
      "the connection with {} is closed: {}{}", peer, problem,
      *unsaid == 0 ? std::string{}
                   : fmt::format(" ({} more were closed before)", *unsaid));
}

void refusals::note_waiting(const std::string& problem) {
  if (may_say())
    log_->warn("new connections wait: {}", problem);
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

channel connection_terms::make_channel(int fd, bool accepts) const {
  return tls ? channel{fd, tls.get(), accepts} : channel{fd};
}

// -- events of the loop -------------------------------------------------------

/// The socket in the loop. Keeps the connection alive while the loop waits for
/// the socket.
class process_connection::socket_events
  : public caf::io::network::event_handler {
public:
  explicit socket_events(process_connection& owner)
    : event_handler(owner.loop_, owner.link_->fd()), owner_(owner) {
    // nop
  }

  ~socket_events() override {
    // The link owns it.
    fd_ = caf::io::network::invalid_native_socket;
  }

  void wait_for(operation event) {
    (event == operation::read ? reading_ : writing_).reset(&owner_);
    backend().add(event, fd(), this);
  }

  void stop(operation event) {
    backend().del(event, fd(), this);
    // If an event is removed before the loop has told the system to add it, CAF
    // reports no removal, and the connection would be kept forever. The caller
    // still uses the connection, so the removal is posted.
    if (!waits_for(*this, event))
      backend().post(
        [self = caf::intrusive_ptr<process_connection>{&owner_}, event] {
          if (!waits_for(*self->events_, event))
            self->events_->removed_from_loop(event);
        });
  }

  void handle_event(operation event) override {
    caf::intrusive_ptr<process_connection> guard{&owner_};
    switch (event) {
      case operation::read:
        owner_.read();
        break;
      case operation::write:
        if (auto left = owner_.link_->resume();
            left != process_link::rest::blocked) {
          stop(operation::write);
          owner_.go_on(left);
        }
        break;
      case operation::propagate_error:
        owner_.io_failure(&backend(), operation::read);
        break;
    }
  }

  void removed_from_loop(operation event) override {
    // This may be the last reference.
    auto last = std::move(event == operation::read ? reading_ : writing_);
  }

  void graceful_shutdown() override {
    owner_.link_->end_output();
  }

private:
  process_connection& owner_;
  caf::intrusive_ptr<process_connection> reading_;
  caf::intrusive_ptr<process_connection> writing_;
};

// -- constructors, destructors ------------------------------------------------

process_connection::process_connection(
  caf::io::network::default_multiplexer& home, const connection_terms& terms,
  channel way)
  : deferred_scribe(home, caf::io::network::conn_hdl_from_socket(way.fd())),
    loop_(home), refused_(terms.refused), frames_(terms.frames),
    guard_(terms.make_guard ? terms.make_guard() : nullptr),
    link_(std::make_shared<process_link>(home, std::move(way))),
    events_(std::make_unique<socket_events>(*this)) {
  link_->attach(*this);
  caf::io::network::keepalive(link_->fd(), true);
  terms.links->add(link_);
}

process_connection::~process_connection() {
  link_->detach();
}

// -- writing ------------------------------------------------------------------

loop_buffer& process_connection::wr_buf() {
  return wr_buf_;
}

void process_connection::flush() {
  // CAF flushes after each read, even if there is nothing to write.
  if (wr_buf_.empty())
    return;
  link_->add(text_of(wr_buf_));
  wr_buf_.clear();
  if (!defer())
    link_->flush();
}

void process_connection::write() {
  if (take_back())
    link_->flush();
}

void process_connection::written() {
  // nop
}

void process_connection::go_on(process_link::rest x) {
  if (x == process_link::rest::blocked)
    events_->wait_for(operation::write);
  else if (x == process_link::rest::failed)
    io_failure(&loop_, operation::write);
}

void process_connection::ack_writes(bool) {
  // nop
}

// -- reading ------------------------------------------------------------------

loop_buffer& process_connection::rd_buf() {
  return rd_buf_;
}

void process_connection::configure_read(
  caf::io::receive_policy::config config) {
  wanted_ = std::max<std::size_t>(config.second, 1);
  if (!std::exchange(launched_, true))
    add_to_loop();
}

void process_connection::add_to_loop() {
  events_->wait_for(operation::read);
  // Data that followed the introduction may be available already.
  read_rest();
}

void process_connection::remove_from_loop() {
  events_->stop(operation::read);
}

void process_connection::read() {
  for (auto i = 0; i < most_reads && !detached(); ++i) {
    auto room = input_.room(needed_);
    std::size_t n = 0;
    auto state = link_->read(room.data(), room.size(), n);
    if (state == channel::state::failed) {
      io_failure(&loop_, operation::read);
      return;
    }
    // The loop continues when the socket is ready again.
    if (state != channel::state::done)
      return;
    input_.add(n);
    link_->has_received.store(true);
    excused_ = false;
    if (!take_input()) {
      remove_from_loop();
      return;
    }
    if (n < room.size() && !link_->pending())
      return;
  }
  read_rest();
}

void process_connection::read_rest() {
  if (link_->pending())
    loop_.post([self = caf::intrusive_ptr<process_connection>{this}] {
      self->read();
    });
}

bool process_connection::take_input() {
  needed_ = 0;
  auto had_frames = false;
  auto last = taken::all;
  while (last == taken::all && !input_.bytes().empty()) {
    auto is_frame = is_frame_next();
    had_frames = had_frames || is_frame;
    last = is_frame ? take_frame() : take_for_caf();
  }
  if (last == taken::over)
    return false;
  // Not while CAF waits for the rest of one of its frames.
  return !had_frames || !guard_->at_boundary() || simulate_heartbeat();
}

bool process_connection::is_frame_next() const {
  return guard_ && guard_->at_boundary() && frame_head::begins(input_.bytes());
}

process_connection::taken process_connection::take_frame() {
  auto bytes = input_.bytes();
  needed_ = frame_head::size;
  if (bytes.size() < needed_)
    return taken::part;
  auto size = frame_head::read(bytes);
  if (auto problem = guard_->check_frame(size); !problem.empty()) {
    refuse(problem);
    return taken::over;
  }
  needed_ += size;
  if (bytes.size() < needed_)
    return taken::part;
  hand_over(bytes.substr(frame_head::size, size));
  input_.take(std::exchange(needed_, 0));
  return taken::all;
}

void process_connection::hand_over(std::string_view frame) {
  if (!frames_ || detached())
    return;
  proxy_scope scope{loop_, parent()->proxy_registry_ptr(), peer_};
  frames_->receive(peer_, frame, loop_);
}

process_connection::taken process_connection::take_for_caf() {
  needed_ = wanted_;
  auto bytes = input_.bytes();
  if (bytes.size() < needed_)
    return taken::part;
  auto piece = bytes.substr(0, needed_);
  if (auto problem = check(piece); !problem.empty()) {
    refuse(problem);
    return taken::over;
  }
  know_peer();
  assign(rd_buf_, piece);
  input_.take(std::exchange(needed_, 0));
  return consume(&loop_, rd_buf_.data(), rd_buf_.size())
           ? taken::all
           : taken::over;
}

std::string process_connection::check(std::string_view piece) {
  if (!guard_ || detached())
    return {};
  proxy_scope scope{loop_, parent()->proxy_registry_ptr(), peer_};
  return guard_->check(bytes_of(piece));
}

void process_connection::know_peer() {
  if (peer_ || !guard_)
    return;
  auto name = guard_->peer();
  if (name.empty())
    return;
  peer_ = read_node_name(loop_.system(), name);
  link_->peer(peer_);
}

bool process_connection::simulate_heartbeat() {
  auto now = clock::now();
  if (now < shown_ + pause_between_signs)
    return true;
  shown_ = now;
  rd_buf_ = heartbeat();
  return consume(&loop_, rd_buf_.data(), rd_buf_.size());
}

void process_connection::excuse_silence() {
  // Not before the handshake, nor while CAF waits for the rest of a frame.
  if (!peer_ || detached() || !guard_->at_boundary()
      || std::exchange(excused_, true))
    return;
  caf::intrusive_ptr<process_connection> self{this};
  shown_ = {};
  if (!simulate_heartbeat())
    remove_from_loop();
}

void process_connection::refuse(const std::string& problem) {
  refused_->note(peer_text(link_->fd()), problem);
  link_->hang_up();
  io_failure(&loop_, operation::read);
}

// -- other overridden functions of CAF ----------------------------------------

void process_connection::graceful_shutdown() {
  take_back();
  link_->end_output();
  detach(&loop_, false);
}

std::string process_connection::addr() const {
  auto x = caf::io::network::remote_addr_of_fd(link_->fd());
  return x ? *x : std::string{};
}

std::uint16_t process_connection::port() const {
  auto x = caf::io::network::remote_port_of_fd(link_->fd());
  return x ? *x : std::uint16_t{0};
}

} // namespace caf::rosia::detail
