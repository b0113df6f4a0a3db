// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>

namespace caf::rosia::detail {

/// Lets a thread wait for other threads and for signal handlers at once.
class event_descriptor {
public:
  /// @throws std::system_error if the process has no free descriptor.
  event_descriptor();

  event_descriptor(const event_descriptor&) = delete;

  event_descriptor& operator=(const event_descriptor&) = delete;

  ~event_descriptor();

  /// Returns the descriptor, for a signal handler to write to.
  int get() const noexcept {
    return fd_;
  }

  /// Ends the current wait, or else the next one. Any thread may call this.
  /// Ends the process if another part of the program closed the descriptor.
  void notify() const noexcept {
    notify(fd_);
  }

  /// Calls `notify` of the object with this descriptor. Safe in a signal
  /// handler.
  static void notify(int fd) noexcept;

  /// Waits for a notification, at most for `limit`; `max()` means forever. Ends
  /// the process if another part of the program closed the descriptor.
  void wait(std::chrono::nanoseconds limit) const;

  /// Ends the process with status 1 and a message on stderr if another part of
  /// the program closed the descriptor.
  void require_open() const noexcept;

private:
  int fd_;
};

} // namespace caf::rosia::detail
