// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/start_waiters.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

// -- refusal ------------------------------------------------------------------

void start_waiters::refuse(const std::string& problem, bool ended) {
  if (!is_refused()) {
    problem_ = problem;
    ended_ = ended;
  }
  answer_join(no_join());
  answer_start(no_start());
  answer_hello(problem_);
  if (auto fun = std::exchange(on_peers_, nullptr))
    fun({});
}

join_reply start_waiters::no_join() const {
  join_reply result;
  result.problem = problem_;
  result.ended = ended_;
  return result;
}

start_reply start_waiters::no_start() const {
  return {problem_, ended_, 0};
}

// -- waiting ------------------------------------------------------------------

void start_waiters::await_join(join_listener fun) {
  on_join_.push_back(std::move(fun));
}

void start_waiters::await_start(start_listener fun) {
  on_start_.push_back(std::move(fun));
}

void start_waiters::await_hello(hello_listener fun) {
  on_hello_ = std::move(fun);
}

void start_waiters::await_peers(
  std::vector<engine::process_id> processes, peers_listener fun) {
  awaited_peers_ = std::move(processes);
  on_peers_ = std::move(fun);
}

// -- answers ------------------------------------------------------------------

void start_waiters::answer_join(const join_reply& reply) {
  for (auto& fun : std::exchange(on_join_, {}))
    fun(reply);
}

void start_waiters::answer_start(const start_reply& reply) {
  for (auto& fun : std::exchange(on_start_, {}))
    fun(reply);
}

void start_waiters::answer_hello(const std::string& problem) {
  if (auto fun = std::exchange(on_hello_, nullptr))
    fun(problem);
}

void start_waiters::check_peers(const handles& known) {
  if (on_peers_
      && std::all_of(awaited_peers_.begin(), awaited_peers_.end(),
                     [&](auto process) { return bool{known[process]}; }))
    std::exchange(on_peers_, nullptr)(known);
}

} // namespace caf::rosia::detail
