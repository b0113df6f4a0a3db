// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"
#include "rosia_drill/event_loop.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace rosia_drill {

/// A stranger that connects to a port of the loopback device and sends invalid
/// data. Gives up if the other side closes the connection. All members must be
/// called from the loop's thread.
class garbage_sender {
public:
  /// @param loop must outlive this object.
  /// @param on_begin called when the first bytes are sent.
  garbage_sender(event_loop& loop, std::uint16_t port, std::string bytes,
                 std::function<void()> on_begin);

  garbage_sender(const garbage_sender&) = delete;

  garbage_sender& operator=(const garbage_sender&) = delete;

  ~garbage_sender();

  /// Returns whether all data was sent, or sending failed.
  bool is_over() const noexcept {
    return !socket_;
  }

private:
  void send();

  void close();

  event_loop* loop_;
  std::string bytes_;
  std::function<void()> on_begin_; // null after the call
  descriptor socket_;
};

} // namespace rosia_drill
