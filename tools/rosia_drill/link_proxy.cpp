// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/link_proxy.hpp"

#include <algorithm>
#include <cerrno>
#include <tuple>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace rosia_drill {

namespace {

constexpr std::size_t block_size = 1 << 16;

/// Maximum size of the buffer in bytes. Further data stays in the sender's
/// system, as in a network.
constexpr std::size_t most_waiting = 1 << 22;

/// Interval in nanoseconds at which a throttled link forwards data.
constexpr std::int64_t throttle_step = 1'000'000;

bool would_block() {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR
         || errno == ENOTCONN;
}

} // namespace

link_proxy::link_proxy(event_loop& loop, std::uint16_t target)
  : loop_{&loop}, target_{target} {
  std::tie(listener_, port_) = listen_on_loopback();
  loop_->read(listener_.get(), [this] { accept(); });
}

link_proxy::~link_proxy() {
  loop_->forget(listener_.get());
  for (auto& x : connections_)
    drop(x);
}

// -- disturbances -------------------------------------------------------------

void link_proxy::cut() {
  cut_ = true;
  for (auto& x : connections_)
    drop(x);
  end_broken();
}

void link_proxy::hold() {
  held_ = true;
}

void link_proxy::delay(std::chrono::nanoseconds by) {
  delay_ = by.count();
}

void link_proxy::throttle(std::uint64_t rate) {
  rate_ = rate;
}

void link_proxy::restore() {
  cut_ = held_ = false;
  delay_ = 0;
  rate_ = 0;
  pass_all();
}

// -- connections --------------------------------------------------------------

void link_proxy::accept() {
  descriptor near{
    ::accept4(listener_.get(), nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC)};
  if (!near || cut_)
    return;
  int on = 1;
  ::setsockopt(near.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  auto far = connect_to_loopback(target_);
  if (!far)
    return;
  auto& x = connections_.emplace_back();
  x.near = std::move(near);
  x.far = std::move(far);
  x.there.from = x.back.to = &x.near;
  x.there.to = x.back.from = &x.far;
  watch(x, x.there);
  watch(x, x.back);
}

void link_proxy::watch(connection& x, direction& way) {
  loop_->read(way.from->get(), [this, &x, &way] {
    take(x, way);
    pass(x, way);
    end_broken();
  });
}

void link_proxy::take(connection& x, direction& way) {
  if (x.broken)
    return;
  if (way.waiting >= most_waiting) {
    // Stops reading until data was forwarded.
    loop_->read(way.from->get(), nullptr);
    return;
  }
  std::string bytes(block_size, '\0');
  auto count = ::recv(way.from->get(), bytes.data(), bytes.size(), 0);
  if (count < 0 && would_block())
    return;
  if (count < 0) {
    drop(x);
    return;
  }
  auto due = monotonic_now() + delay_;
  if (count == 0) {
    way.ended = true;
    loop_->read(way.from->get(), nullptr);
    way.pieces.push_back({due, {}});
    return;
  }
  bytes.resize(static_cast<std::size_t>(count));
  way.waiting += bytes.size();
  way.pieces.push_back({due, std::move(bytes)});
}

void link_proxy::pass(connection& x, direction& way) {
  while (!x.broken && !held_ && !way.pieces.empty()) {
    auto& first = way.pieces.front();
    auto now = monotonic_now();
    auto when = std::max(first.due, rate_ > 0 ? way.free_at : 0);
    if (when > now) {
      pass_later(way, when);
      return;
    }
    if (first.bytes.empty()) {
      ::shutdown(way.to->get(), SHUT_WR);
      way.closed = true;
      way.pieces.pop_front();
      if (x.there.closed && x.back.closed)
        drop(x);
      return;
    }
    auto size = first.bytes.size();
    if (rate_ > 0)
      size = std::clamp<std::size_t>(
        rate_ * static_cast<std::uint64_t>(throttle_step) / 1'000'000'000, 1,
        size);
    auto count = ::send(way.to->get(), first.bytes.data(), size, MSG_NOSIGNAL);
    if (count < 0 && would_block()) {
      loop_->write(way.to->get(), [this, &x, &way] {
        loop_->forget_write(way.to->get());
        pass(x, way);
        end_broken();
      });
      return;
    }
    if (count < 0) {
      drop(x);
      return;
    }
    auto sent = static_cast<std::size_t>(count);
    if (rate_ > 0)
      way.free_at
        = now + static_cast<std::int64_t>(sent * 1'000'000'000 / rate_);
    passed_ += sent;
    way.waiting -= sent;
    first.bytes.erase(0, sent);
    if (first.bytes.empty())
      way.pieces.pop_front();
    if (!way.ended)
      watch(x, way);
  }
}

void link_proxy::pass_later(direction& way, std::int64_t when) {
  if (way.timer > monotonic_now() && way.timer <= when)
    return;
  way.timer = when;
  loop_->call_at(when, [this, alive = std::weak_ptr<bool>{alive_}] {
    if (!alive.expired())
      pass_all();
  });
}

void link_proxy::pass_all() {
  for (auto& x : connections_) {
    pass(x, x.there);
    pass(x, x.back);
  }
  end_broken();
}

void link_proxy::drop(connection& x) {
  if (x.broken)
    return;
  x.broken = true;
  loop_->forget(x.near.get());
  loop_->forget(x.far.get());
}

void link_proxy::end_broken() {
  connections_.remove_if([](auto& x) { return x.broken; });
}

} // namespace rosia_drill
