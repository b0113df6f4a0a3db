// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "distributed/process_messages.hpp"

#include <functional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Those who wait until an application over several processes starts: this
/// process, and where it coordinates the others, too. If there will be no
/// start, all learn why.
class start_waiters {
public:
  // -- member types -----------------------------------------------------------

  using join_listener = std::function<void(join_reply)>;

  using start_listener = std::function<void(start_reply)>;

  /// Called with the problem, if there is one.
  using hello_listener = std::function<void(std::string)>;

  using handles = std::vector<process_handle>;

  using peers_listener = std::function<void(handles)>;

  // -- refusal ----------------------------------------------------------------

  /// There will be no start: tells all who wait. The first reason stays.
  /// @param ended whether the reason is that somebody wants it to end.
  void refuse(const std::string& problem, bool ended);

  bool is_refused() const noexcept {
    return !problem_.empty();
  }

  const std::string& problem() const noexcept {
    return problem_;
  }

  /// What those learn who wait to join; without a problem if there is none.
  join_reply no_join() const;

  /// What those learn who wait for the start; the same.
  start_reply no_start() const;

  // -- waiting ----------------------------------------------------------------

  void await_join(join_listener fun);

  void await_start(start_listener fun);

  void await_hello(hello_listener fun);

  /// @param processes whose handles are awaited.
  void await_peers(std::vector<engine::process_id> processes,
                   peers_listener fun);

  bool has_start_waiter() const noexcept {
    return !on_start_.empty();
  }

  // -- answers, to those who still wait ---------------------------------------

  void answer_join(const join_reply& reply);

  void answer_start(const start_reply& reply);

  void answer_hello(const std::string& problem);

  /// @param known by process; invalid if it is not known yet.
  void check_peers(const handles& known);

private:
  std::string problem_; // why there will be no start
  bool ended_ = false;
  std::vector<join_listener> on_join_;
  std::vector<start_listener> on_start_;
  hello_listener on_hello_;
  std::vector<engine::process_id> awaited_peers_;
  peers_listener on_peers_;
};

} // namespace caf::rosia::detail
