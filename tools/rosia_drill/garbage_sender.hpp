// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"
#include "rosia_drill/event_loop.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace rosia_drill {

/// A stranger, who connects to a port of the loopback device and sends bytes
/// that mean nothing. Gives up if the other side hangs up. For the thread of
/// the loop.
class garbage_sender {
public:
  /// @param loop outlives it.
  /// @param on_begin called when the first bytes are sent.
  garbage_sender(event_loop& loop, std::uint16_t port, std::string bytes,
                 std::function<void()> on_begin);

  garbage_sender(const garbage_sender&) = delete;

  garbage_sender& operator=(const garbage_sender&) = delete;

  ~garbage_sender();

  /// Tells whether all is sent, or cannot be.
  bool is_over() const noexcept {
    return !socket_;
  }

private:
  void send();

  void close();

  event_loop* loop_;
  std::string bytes_;
  std::function<void()> on_begin_; // null once it was called
  descriptor socket_;
};

} // namespace rosia_drill
