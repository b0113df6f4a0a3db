// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/negotiation.hpp"

#include <algorithm>

namespace rosia_trace {

namespace {

/// Section 6 of the semantics.
constexpr std::int64_t status_done = 0;
constexpr std::int64_t status_error = 1;
constexpr std::int64_t status_second_signal = 128;
constexpr std::int64_t status_deadline = 129;

} // namespace

// -- requests -----------------------------------------------------------------

void negotiation::stop_after(logical_time tag) {
  stop_after_ = tag;
  proposals_.insert(tag);
  zero_status_ = true;
}

void negotiation::request(std::optional<index> node, const event& x) {
  if (node) {
    auto name = run_.declared.node_name(*node);
    run_.rules.require(rule::agreement, x.tag == run_.nodes[*node].now, [&] {
      return "node " + name + " requests a shutdown with tag "
             + to_string(x.tag) + "; it is at "
             + to_string(run_.nodes[*node].now);
    });
    // A request that is repeated after a resume may be older.
    auto again = !run_.nodes[*node].started;
    run_.rules.require(rule::agreement, again || x.proposal >= x.tag, [&] {
      return "node " + name + " proposes the final tag " + to_string(x.proposal)
             + ", before its own tag " + to_string(x.tag);
    });
  }
  // In a replay, requests change nothing.
  if (node && !run_.replay) {
    auto& held = run_.nodes[*node].own_barrier;
    held = std::min(held, x.proposal);
  }
  proposals_.insert(x.proposal);
  if (x.status == status_done)
    zero_status_ = true;
  else
    statuses_.insert(x.status);
}

// -- questions and answers ----------------------------------------------------

void negotiation::asked(index node, const event& x) {
  auto& self = run_.nodes[node];
  // A node that is about to exit may still receive the question. It counts as
  // answered, whatever its answer.
  if (run_.aborted || self.ended != ending::none)
    return;
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(rule::agreement, proposals_.contains(x.proposal), [&] {
    return name() + " is asked for a final tag from " + to_string(x.proposal)
           + " on, which was not requested";
  });
  if (!open_) {
    run_.rules.require(
      rule::agreement, finals_.empty() || x.proposal < finals_.back(), [&] {
        return name() + " is asked for a final tag from "
               + to_string(x.proposal) + " on, though the final tag "
               + to_string(finals_.back()) + " is fixed already ("
               + at_line(final_line_) + ')';
      });
    open_ = true;
    ++rounds_;
    proposal_ = x.proposal;
  }
  run_.rules.require(rule::agreement, x.proposal == proposal_, [&] {
    return name() + " is asked for a final tag from " + to_string(x.proposal)
           + " on; other nodes are asked for one from " + to_string(proposal_)
           + " on";
  });
  run_.rules.require(rule::agreement, self.asked_in != rounds_, [&] {
    return name() + " is asked a second time before a final tag is fixed";
  });
  self.asked_in = rounds_;
  self.proposal = x.proposal;
}

void negotiation::answer(index node, const event& x) {
  auto& self = run_.nodes[node];
  if (run_.aborted || self.ended != ending::none)
    return;
  auto name = [&] { return run_.name_of(node); };
  run_.rules.require(rule::agreement, self.asked_in != self.answered_in, [&] {
    return name() + " answers " + to_string(x.tag) + ", but was not asked";
  });
  auto expected = std::max(self.last_before_end(), self.proposal);
  run_.rules.require(rule::agreement, x.tag == expected, [&] {
    return name() + " answers " + to_string(x.tag) + "; expected "
           + to_string(expected) + ", the later of its tag "
           + to_string(self.last_before_end()) + " and the proposal "
           + to_string(self.proposal);
  });
  self.answered_in = self.asked_in;
  self.answer = x.tag;
  self.barrier = x.tag;
}

// -- the final tag ------------------------------------------------------------

void negotiation::fix_final(const event& x) {
  if (!run_.aborted) {
    if (proposals_.empty())
      return fix_end(x);
    run_.rules.require(
      rule::agreement, finals_.empty() || x.tag <= finals_.back(), [&] {
        return "the final tag " + to_string(x.tag)
               + " is fixed; expected none above the earlier one, "
               + to_string(finals_.back()) + " (" + at_line(final_line_) + ')';
      });
    require_asked_all(x);
    require_final_bounds(x);
  }
  note_final(x.tag);
}

void negotiation::note_final(logical_time tag) {
  if (finals_.empty())
    first_final_line_ = run_.line;
  finals_.push_back(tag);
  decided_.push_back(open_ ? proposal_ : tag);
  open_ = false;
  final_line_ = run_.line;
}

/// Checks the final tag of an application that ends by itself.
void negotiation::fix_end(const event& x) {
  auto greatest = run_.resumed.value_or(never);
  for (index i = 0; i < run_.nodes.size(); ++i) {
    const auto& node = run_.nodes[i];
    run_.rules.require(
      rule::agreement, node.done || node.ended == ending::done, [&] {
        return "the final tag " + to_string(x.tag)
               + " is fixed, but no shutdown was requested, and node "
               + run_.declared.node_name(i) + " is not done";
      });
    greatest = std::max(greatest, node.now);
  }
  run_.rules.require(rule::last_tag, x.tag == greatest, [&] {
    return "the final tag is " + to_string(x.tag)
           + "; expected the greatest tag that was executed, "
           + to_string(greatest);
  });
  note_final(x.tag);
}

/// Checks that all nodes were asked. Only a final tag that was set before the
/// start needs no question.
void negotiation::require_asked_all(const event& x) {
  if (!open_ && finals_.empty() && x.tag == stop_after_)
    return;
  for (index i = 0; i < run_.nodes.size(); ++i) {
    const auto& node = run_.nodes[i];
    auto answered
      = node.ended != ending::none || (open_ && node.answered_in == rounds_);
    run_.rules.require(rule::agreement, answered, [&] {
      return "the final tag " + to_string(x.tag) + " is fixed, but node "
             + run_.declared.node_name(i) + " has not left and did not answer";
    });
  }
}

void negotiation::require_final_bounds(const event& x) {
  auto greatest
    = std::max(open_ ? proposal_ : never, run_.resumed.value_or(never));
  if (open_)
    run_.rules.require(rule::agreement, x.tag >= proposal_, [&] {
      return "the final tag is " + to_string(x.tag) + ", but requested was "
             + to_string(proposal_);
    });
  for (index i = 0; i < run_.nodes.size(); ++i) {
    const auto& node = run_.nodes[i];
    auto name = [&] { return run_.name_of(i); };
    auto answered = open_ && node.answered_in == rounds_;
    if (answered)
      greatest = std::max(greatest, node.answer);
    // A node that ended by itself after its answer need not agree.
    if (answered && node.ended != ending::done)
      run_.rules.require(rule::agreement, x.tag >= node.answer, [&] {
        return "the final tag is " + to_string(x.tag) + ", but " + name()
               + " answered " + to_string(node.answer);
      });
    // Below a final tag, a node may also be done because its senders have left
    // at this tag. The coordinator may be informed later.
    auto was_done = node.ended == ending::done && !finals_.empty();
    if (saves_final_ && node.ended == ending::done)
      greatest = std::max(greatest, node.last_before_end());
    if (node.ended != ending::final && !was_done)
      continue;
    greatest = std::max(greatest, node.last_before_end());
    if (was_done && node.ended_line < first_final_line_)
      continue;
    run_.rules.require(rule::agreement, x.tag >= node.last_before_end(), [&] {
      return "the final tag is " + to_string(x.tag) + ", but " + name()
             + " executed " + to_string(node.last_before_end())
             + " up to an earlier final tag";
    });
  }
  if (open_)
    run_.rules.require(rule::agreement, x.tag <= greatest, [&] {
      return "the final tag is " + to_string(x.tag)
             + "; expected the greatest answer, " + to_string(greatest);
    });
}

void negotiation::take_final(index node, const event& x) {
  auto& self = run_.nodes[node];
  if (self.ended != ending::none)
    return;
  if (!run_.aborted)
    require_final_known(node, x.tag);
  else // the value no longer matters
    self.own_barrier = forever;
  self.final_taken = x.tag;
  self.barrier = x.tag;
}

void negotiation::require_final_known(index node, logical_time tag) {
  auto& self = run_.nodes[node];
  auto name = [&] { return run_.name_of(node); };
  auto next = finals_.begin() + static_cast<std::ptrdiff_t>(self.finals_seen);
  auto taken = std::find(next, finals_.end(), tag);
  run_.rules.require(rule::agreement, taken != finals_.end(), [&] {
    auto result = name() + " takes the final tag " + to_string(tag);
    if (next == finals_.end())
      return result + ", but none was fixed that it has not taken";
    return result + "; expected " + to_string(finals_.back()) + " ("
           + at_line(final_line_) + ')';
  });
  run_.rules.require(rule::agreement, tag >= self.last_before_end(), [&] {
    return name() + " takes the final tag " + to_string(tag)
           + ", but already executed " + to_string(self.now) + " ("
           + at_line(self.execute_line) + ')';
  });
  auto n = static_cast<std::size_t>(taken - finals_.begin());
  self.finals_seen = n + 1;
  if (decided_[n] == self.own_barrier)
    self.own_barrier = forever;
}

// -- the end ------------------------------------------------------------------

void negotiation::require_agreed(index node) {
  auto taken = run_.nodes[node].final_taken.has_value();
  run_.rules.require(rule::agreement, taken, [&] {
    return run_.name_of(node) + " shuts down for a final tag, but took none";
  });
}

void negotiation::require_status(std::int64_t status) {
  auto expected = statuses_;
  if (run_.aborted) {
    expected.insert({status_error, status_second_signal, status_deadline});
    // A request may end the application before its start.
    if (zero_status_ && run_.unstarted)
      expected.insert(status_done);
  } else if (run_.any_error)
    expected.insert({status_done, status_error});
  else if (zero_status_ || statuses_.empty())
    expected.insert(status_done);
  run_.rules.require(rule::termination, expected.contains(status), [&] {
    auto result = "the application ends with status " + std::to_string(status)
                  + "; expected ";
    auto first = true;
    for (auto x : expected) {
      if (!first)
        result += " or ";
      first = false;
      result += std::to_string(x);
    }
    return result;
  });
}

} // namespace rosia_trace
