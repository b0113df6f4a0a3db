// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/process_link.hpp"

#include "compat/io/frame_head.hpp"
#include "compat/io/process_connection.hpp"

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace caf::rosia::detail {

// -- constructors, destructors ------------------------------------------------

process_link::process_link(
  caf::io::network::default_multiplexer& home, channel way)
  : home_(home), way_(std::move(way)),
    session_(way_.protects() ? std::make_unique<std::mutex>() : nullptr) {
  // nop
}

process_link::~process_link() {
  close(way_.fd());
}

// -- sending ------------------------------------------------------------------

void process_link::add_frame(std::span<const std::string_view> pieces) {
  std::size_t size = 0;
  for (auto x : pieces)
    size += x.size();
  auto head = frame_head::write(static_cast<std::uint32_t>(size));
  std::lock_guard guard{mutex_};
  if (over_ || ending_)
    return;
  added_.insert(added_.end(), head.begin(), head.end());
  for (auto x : pieces)
    added_.insert(added_.end(), x.begin(), x.end());
}

void process_link::add(std::string_view bytes) {
  std::lock_guard guard{mutex_};
  if (!over_ && !ending_)
    added_.insert(added_.end(), bytes.begin(), bytes.end());
}

void process_link::flush() {
  lock guard{mutex_};
  // The sending thread checks again before it stops.
  if (sending_ || blocked_ || over_)
    return;
  auto left = send(guard);
  guard.unlock();
  tell(left);
}

void process_link::end_output() {
  {
    std::lock_guard guard{mutex_};
    ending_ = true;
  }
  flush();
}

bool process_link::wait_for_output(clock::time_point deadline) {
  lock guard{mutex_};
  return changed_.wait_until(guard, deadline, [this] { return over_; });
}

process_link::rest process_link::resume() {
  lock guard{mutex_};
  blocked_ = false;
  return over_ ? rest::none : send(guard);
}

process_link::rest process_link::send(lock& guard) {
  sending_ = true;
  auto result = rest::none;
  while (result == rest::none && !over_) {
    if (sent_ == output_.size()) {
      output_.clear();
      sent_ = 0;
      if (added_.empty())
        break;
      output_.swap(added_);
    }
    guard.unlock();
    std::size_t n = 0;
    auto state = write(n);
    guard.lock();
    sent_ += n;
    if (state == channel::state::failed)
      result = rest::failed;
    else if (state != channel::state::done)
      result = rest::blocked;
  }
  sending_ = false;
  blocked_ = result == rest::blocked;
  if (result == rest::failed)
    fail();
  else if (result == rest::none)
    end_if_sent();
  return result;
}

channel::state process_link::write(std::size_t& n) {
  lock guard;
  if (session_)
    guard = lock{*session_};
  return way_.write(output_.data() + sent_, output_.size() - sent_, n);
}

void process_link::end_if_sent() {
  if (!ending_ || over_)
    return;
  ::shutdown(way_.fd(), SHUT_WR);
  over_ = true;
  changed_.notify_all();
}

void process_link::fail() {
  over_ = true;
  changed_.notify_all();
}

// -- the other process --------------------------------------------------------

void process_link::hang_up() noexcept {
  std::lock_guard guard{mutex_};
  if (connection_ != nullptr)
    ::shutdown(way_.fd(), SHUT_RDWR);
}

bool process_link::over() const noexcept {
  std::lock_guard guard{mutex_};
  return connection_ == nullptr;
}

caf::node_id process_link::peer() const {
  std::lock_guard guard{mutex_};
  return peer_;
}

void process_link::peer(caf::node_id name) {
  std::lock_guard guard{mutex_};
  peer_ = std::move(name);
}

// -- for the connection -------------------------------------------------------

void process_link::attach(process_connection& x) {
  std::lock_guard guard{mutex_};
  connection_ = &x;
}

void process_link::detach() {
  std::lock_guard guard{mutex_};
  connection_ = nullptr;
  // The socket is closed when the last owner releases this object. Shutting it
  // down notifies the other side at once.
  ::shutdown(way_.fd(), SHUT_RDWR);
  fail();
}

void process_link::excuse_silence() {
  if (auto* connection = connection_here())
    connection->excuse_silence();
}

channel::state process_link::read(void* to, std::size_t size, std::size_t& n) {
  lock guard;
  if (session_)
    guard = lock{*session_};
  return way_.read(to, size, n);
}

bool process_link::pending() const {
  if (!session_)
    return false;
  std::lock_guard guard{*session_};
  return way_.pending();
}

void process_link::tell(rest x) {
  if (x == rest::none)
    return;
  // If the socket is full, wait for it at once if possible, because posted
  // functions may follow slow ones. A failure is always posted: CAF notifies
  // the broker, which may be handling another message, and could no longer
  // reply to it.
  if (x == rest::blocked && home_.thread_id() == std::this_thread::get_id())
    tell_here(x);
  else
    home_.post([self = shared_from_this(), x] { self->tell_here(x); });
}

void process_link::tell_here(rest x) {
  if (auto* connection = connection_here())
    connection->go_on(x);
}

process_connection* process_link::connection_here() const {
  // It cannot be destroyed during the call, because only this thread releases
  // it.
  std::lock_guard guard{mutex_};
  return connection_;
}

// -- all links ----------------------------------------------------------------

void process_links::add(process_link_ptr x) {
  std::lock_guard guard{mutex_};
  std::erase_if(all_, [](auto& y) { return y.expired(); });
  all_.push_back(std::move(x));
}

std::vector<process_link_ptr> process_links::all() {
  std::vector<process_link_ptr> result;
  std::lock_guard guard{mutex_};
  for (auto& x : all_)
    if (auto link = x.lock(); link && !link->over())
      result.push_back(std::move(link));
  return result;
}

process_link_ptr process_links::find(const caf::node_id& peer) {
  for (auto& x : all())
    if (x->peer() == peer)
      return x;
  return nullptr;
}

} // namespace caf::rosia::detail
