// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distributed/process_messages.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// The functions that wait for the start of a distributed application: those of
/// this process and, in the coordinator's process, those for the others. If the
/// application does not start, all are called with the reason. Tests:
/// test/distributed/start_waiters_test.cpp.
class start_waiters {
public:
  // -- member types -----------------------------------------------------------

  using join_listener = std::function<void(join_reply)>;

  using start_listener = std::function<void(start_reply)>;

  /// Called with the problem; empty if there is none.
  using hello_listener = std::function<void(std::string)>;

  using handles = std::vector<process_handle>;

  using peers_listener = std::function<void(handles)>;

  // -- refusal ----------------------------------------------------------------

  /// Ends all waiting, because the application does not start. The first reason
  /// counts.
  /// @param ended whether the reason is a request to end the application.
  void refuse(const std::string& problem, bool ended);

  bool is_refused() const noexcept {
    return !problem_.empty();
  }

  const std::string& problem() const noexcept {
    return problem_;
  }

  /// Returns the reply for processes that wait to join. It has no problem
  /// before `refuse`.
  join_reply no_join() const;

  /// Returns the reply for processes that wait for the start.
  start_reply no_start() const;

  // -- waiting ----------------------------------------------------------------

  void await_join(join_listener fun);

  void await_start(start_listener fun);

  void await_hello(hello_listener fun);

  /// @param processes those whose handles are awaited.
  void await_peers(std::vector<engine::process_id> processes,
                   peers_listener fun);

  bool has_start_waiter() const noexcept {
    return !on_start_.empty();
  }

  // -- answers to functions that still wait -----------------------------------

  void answer_join(const join_reply& reply);

  void answer_start(const start_reply& reply);

  void answer_hello(const std::string& problem);

  /// @param known by process; invalid if it is not known yet.
  void check_peers(const handles& known);

private:
  std::string problem_; // why the application does not start
  bool ended_ = false;
  std::vector<join_listener> on_join_;
  std::vector<start_listener> on_start_;
  hello_listener on_hello_;
  std::vector<engine::process_id> awaited_peers_;
  peers_listener on_peers_;
};

} // namespace caf::rosia::detail
