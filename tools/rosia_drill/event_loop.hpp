// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace rosia_drill {

/// Returns the time of the monotonic clock, which all processes of a machine
/// share, in nanoseconds.
std::int64_t monotonic_now();

/// Waits for descriptors and times. `run` calls all callbacks. All members must
/// be called from one thread.
class event_loop {
public:
  using ready_function = std::function<void()>;

  /// Calls `ready` whenever data can be read, or the other side has closed.
  void read(int fd, ready_function ready);

  /// Calls `ready` whenever data can be written.
  void write(int fd, ready_function ready);

  void forget_write(int fd);

  /// Removes a descriptor. Call before it is closed.
  void forget(int fd);

  /// Calls `function` at this time of the monotonic clock, in nanoseconds.
  void call_at(std::int64_t when, std::function<void()> function);

  /// Runs until `over` returns true. Calls it after each event.
  void run(const std::function<bool()>& over);

private:
  struct watched {
    ready_function read;
    ready_function write;
  };

  struct call {
    std::int64_t when;
    std::uint64_t number;
    std::function<void()> function;
  };

  void run_calls();

  void wait();

  std::map<int, watched> watched_;
  std::vector<call> calls_;
  std::uint64_t count_ = 0;
};

} // namespace rosia_drill
