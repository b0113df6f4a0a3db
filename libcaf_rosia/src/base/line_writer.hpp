// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace caf::rosia::detail {

/// Writes lines to an open file on a separate thread, so that a pipe without a
/// reader does not block the caller. Any thread may call all members. Tests:
/// test/base/line_writer_test.cpp.
class line_writer {
public:
  using clock = std::chrono::steady_clock;

  /// There is room while fewer bytes than this wait.
  static constexpr std::size_t enough = 256 * 1024;

  /// @param fd stays open.
  /// @param on_room called when there is room again, until `forget_listener`.
  ///   Must return at once, and not call members of this object.
  /// @throws std::system_error if no thread can be started.
  line_writer(int fd, std::function<void()> on_room);

  line_writer(const line_writer&) = delete;

  line_writer& operator=(const line_writer&) = delete;

  /// Drops the lines that were not written yet.
  ~line_writer();

  /// Adds a line, with its newline, even if there is no room.
  void write(std::string line);

  bool has_room() const;

  void forget_listener();

  /// Waits until all lines are written, or the deadline.
  /// @returns the number of lines that were not written.
  std::size_t finish(clock::time_point deadline) const;

private:
  struct shared;

  static void run(shared& x);

  std::shared_ptr<shared> shared_; // shared with the thread, which may be
                                   // blocked
  std::thread thread_;
};

} // namespace caf::rosia::detail
