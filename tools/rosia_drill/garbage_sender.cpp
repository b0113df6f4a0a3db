// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/garbage_sender.hpp"

#include <cerrno>
#include <utility>

#include <sys/socket.h>

namespace rosia_drill {

garbage_sender::garbage_sender(
  event_loop& loop, std::uint16_t port, std::string bytes,
  std::function<void()> on_begin)
  : loop_{&loop}, bytes_{std::move(bytes)}, on_begin_{std::move(on_begin)},
    socket_{connect_to_loopback(port)} {
  if (socket_)
    loop_->write(socket_.get(), [this] { send(); });
}

garbage_sender::~garbage_sender() {
  close();
}

void garbage_sender::send() {
  auto sent = ::send(socket_.get(), bytes_.data(), bytes_.size(), MSG_NOSIGNAL);
  if (sent > 0) {
    if (auto f = std::exchange(on_begin_, nullptr))
      f();
    bytes_.erase(0, static_cast<std::size_t>(sent));
  }
  if (bytes_.empty() || (sent < 0 && errno != EAGAIN))
    close();
}

void garbage_sender::close() {
  if (!socket_)
    return;
  loop_->forget(socket_.get());
  socket_.close();
}

} // namespace rosia_drill
