// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/shutdown_state.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace caf::rosia::detail {

/// The threads on which a shutdown runs code of the program. Tests:
/// test/shutdown/rooms_test.cpp.
class thread_list {
public:
  explicit thread_list(shutdown_state& state) : state_(state) {
    // nop
  }

  /// Runs `code` on a new thread, unless the list is closed. Takes the lock.
  /// @param owner released after the code returned and was destroyed. It owns
  ///        the objects that the code uses, and the list.
  /// @returns false if the list is closed.
  /// @throws std::system_error if there are too many threads.
  bool start(std::shared_ptr<const void> owner, std::function<void()> code);

  /// Calls `start`, and logs its error.
  /// @param role see `shutdown_state::run`.
  /// @returns the error; empty if there is none.
  std::string try_start(
    const char* role, const std::string& name,
    std::shared_ptr<const void> owner, std::function<void()> code);

  /// Returns whether all threads returned from their code.
  /// @pre The lock is held.
  bool all_done() const;

  /// Closes the list. Detaches the threads that did not return.
  /// @param held unlocked while it joins threads.
  void close(shutdown_state::lock& held);

private:
  struct record {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
  };

  /// Removes the finished threads. @returns them, to be joined without the
  /// lock.
  std::vector<record> take_done();

  shutdown_state& state_;
  std::vector<record> threads_;
  bool closed_ = false;
};

} // namespace caf::rosia::detail
