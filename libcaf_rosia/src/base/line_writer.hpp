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

/// Writes lines to an open file on a thread of its own, so that a pipe without
/// a reader does not block the caller. All members may be called from any
/// thread.
class line_writer {
public:
  using clock = std::chrono::steady_clock;

  /// There is room for more as long as fewer bytes than that wait.
  static constexpr std::size_t enough = 256 * 1024;

  /// @param fd stays open.
  /// @param on_room called when there is room again, until `forget_listener`;
  ///        returns at once, and calls nothing of this.
  /// @throws std::system_error without threads left.
  line_writer(int fd, std::function<void()> on_room);

  line_writer(const line_writer&) = delete;

  line_writer& operator=(const line_writer&) = delete;

  /// Drops what was not written yet.
  ~line_writer();

  /// Takes in a line, with its newline, even if there is no room.
  void write(std::string line);

  bool has_room() const;

  void forget_listener();

  /// Waits until all is written, but not for longer than until the deadline.
  /// @returns how many lines were not.
  std::size_t finish(clock::time_point deadline) const;

private:
  struct shared;

  static void run(shared& x);

  std::shared_ptr<shared> shared_; // with the thread, which may be held up
  std::thread thread_;
};

} // namespace caf::rosia::detail
