// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/deadlines.hpp"

namespace rosia_trace {

void deadlines::missed(index node, const event& x) {
  auto id = run_.declared.find_reaction(node, x.reaction);
  auto& self = run_.nodes[node];
  auto& state = run_.reactions[id];
  const auto& declared = run_.declared.reactions()[id];
  auto name
    = [&] { return run_.here(node) + " reaction " + quoted(x.reaction); };
  run_.require_tag(rule::deadlines, node, x);
  run_.rules.require(
    rule::deadlines,
    state.ran_in == self.execution && self.reacted == id
      && state.missed_in != self.execution,
    [&] { return name() + " misses a deadline, but is not about to run"; });
  run_.rules.require(
    rule::deadlines,
    x.deadline >= 0
      && (declared.deadline == x.deadline
          || (declared.has_deadline && declared.deadline < 0)),
    [&] {
      return name() + " misses a deadline of " + std::to_string(x.deadline)
             + " ns; "
             + (declared.deadline < 0
                  ? std::string{"it has none"}
                  : "it is declared with one of "
                      + std::to_string(declared.deadline) + " ns");
    });
  state.missed_in = self.execution;
  state.deadline = x.deadline;
}

void deadlines::require_deadline(index node, index reaction, const event& x) {
  const auto& declared = run_.declared.reactions()[reaction];
  auto& self = run_.nodes[node];
  auto& state = run_.reactions[reaction];
  // Before the reaction runs at a tag, an instance of it may resume.
  if (run_.replay || !declared.has_deadline || !self.executed
      || state.ran_in != self.execution)
    return;
  auto name
    = [&] { return run_.here(node) + " reaction " + quoted(x.reaction); };
  auto end = logical_time{self.now.ns, 0};
  if (state.missed_in == self.execution) {
    end = end + time_delay{state.deadline, 0};
    run_.rules.require(rule::deadlines, x.ended >= end.ns, [&] {
      return name() + " misses its deadline, but ended "
             + std::to_string(x.ended) + " ns after the start, before "
             + std::to_string(end.ns) + " ns";
    });
  } else if (declared.deadline >= 0) {
    end = end + time_delay{declared.deadline, 0};
    run_.rules.require(rule::deadlines, x.began < end.ns, [&] {
      return name() + " does not miss its deadline, but begins "
             + std::to_string(x.began) + " ns after the start, not before "
             + std::to_string(end.ns) + " ns";
    });
  }
}

void deadlines::ran(index node, const event& x) {
  if (x.reaction != "start")
    require_deadline(node, run_.declared.find_reaction(node, x.reaction), x);
  run_.rules.require(rule::format, x.began <= x.ended, [&] {
    return run_.here(node) + " ends " + quoted(x.reaction)
           + " before it begins";
  });
}

} // namespace rosia_trace
