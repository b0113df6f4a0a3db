// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>

namespace caf::rosia::detail {

/// Lets a thread wait for other threads and for signal handlers at once.
class event_descriptor {
public:
  /// @throws std::system_error if there are no descriptors left.
  event_descriptor();

  event_descriptor(const event_descriptor&) = delete;

  event_descriptor& operator=(const event_descriptor&) = delete;

  ~event_descriptor();

  /// The descriptor, for a signal handler to write to.
  int get() const noexcept {
    return fd_;
  }

  /// Ends a wait, the next one if there is none. From any thread.
  void notify() const noexcept;

  /// Waits until somebody notifies, but no longer than this; `max()` stands for
  /// ever. Ends the process if another part of the program has closed it.
  void wait(std::chrono::nanoseconds limit) const;

  /// Ends the process, with status 1 and the reason on stderr, if another part
  /// of the program has closed it.
  void require_open() const noexcept;

private:
  int fd_;
};

} // namespace caf::rosia::detail
