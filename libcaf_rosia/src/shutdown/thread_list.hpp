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

/// The threads on which a shutdown runs code of the program.
class thread_list {
public:
  explicit thread_list(shutdown_state& state) : state_(state) {
    // nop
  }

  /// Runs `code` on a new thread, unless the list is closed: then nobody would
  /// wait for it. Takes the lock.
  /// @param owner is kept until the code has returned and is destroyed; has
  ///              what it uses, and the list.
  /// @returns false if it is closed.
  /// @throws std::system_error if there are too many threads.
  bool start(std::shared_ptr<const void> owner, std::function<void()> code);

  /// The same, but logs the error. @param role see `shutdown_state::run`.
  /// @returns the error; empty if there is none.
  std::string try_start(
    const char* role, const std::string& name,
    std::shared_ptr<const void> owner, std::function<void()> code);

  /// Whether all threads have returned from their code.
  /// @pre The lock is held.
  bool all_done() const;

  /// Starts no more threads. Leaves alone what has not returned.
  /// @param held is free meanwhile.
  void close(shutdown_state::lock& held);

private:
  struct record {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
  };

  /// Removes those that are done. @returns them, to be joined without the lock.
  std::vector<record> take_done();

  shutdown_state& state_;
  std::vector<record> threads_;
  bool closed_ = false;
};

} // namespace caf::rosia::detail
