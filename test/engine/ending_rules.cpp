// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "ending_rules.hpp"

#include "network.hpp"

#include <algorithm>
#include <string>

namespace engine_test {

namespace {

using stage = engine::negotiation::stage;

/// The statuses of section 6.
constexpr int error_status = 1;
constexpr int second_signal_status = 128;
constexpr int deadline_status = 129;

} // namespace

ending_rules::ending_rules(const engine::negotiation& coordinator,
                           const std::optional<logical_time>& stop_after)
  : coordinator_(&coordinator) {
  if (stop_after) {
    finals_.push_back(*stop_after);
    proposal_ = *stop_after;
  }
}

// -- input of the coordinator -------------------------------------------------

void ending_rules::request(logical_time proposal, int status) {
  if (status_ == 0)
    status_ = status;
  if (!aborted_ && coordinator_->alive() > 0)
    requests_.push_back(proposal);
}

void ending_rules::answer(node_id node, logical_time tag) {
  if (coordinator_->owes_answer(node))
    highest_ = std::max(highest_, tag);
}

void ending_rules::exited(node_id node, engine::ending outcome,
                          logical_time last) {
  if (!coordinator_->is_alive(node))
    return;
  if (outcome == engine::ending::final_tag
      || (outcome == engine::ending::done && !finals_.empty()))
    highest_left_ = std::max(highest_left_, last);
  if (outcome == engine::ending::done)
    highest_done_ = std::max(highest_done_, last);
  std::erase(done_, node);
}

void ending_rules::done(node_id node, logical_time last) {
  // A node that was asked before its report arrived has answered as well.
  if (coordinator_->current() != stage::running)
    return;
  highest_done_ = std::max(highest_done_, last);
  done_.push_back(node);
}

void ending_rules::abort(int status) {
  if (aborted_ || coordinator_->current() == stage::over)
    return;
  aborted_ = true;
  status_ = status;
}

void ending_rules::failed() {
  abort(error_status);
}

void ending_rules::second_signal() {
  abort(second_signal_status);
}

void ending_rules::overdue() {
  switch (coordinator_->current()) {
    case stage::running:
    case stage::over:
      break;
    case stage::aborted:
      gave_up_ = true;
      status_ = deadline_status;
      break;
    default:
      abort(deadline_status);
  }
}

// -- actions of the coordinator -----------------------------------------------

void ending_rules::asks(logical_time proposal) {
  proposal_ = proposal;
}

void ending_rules::agreed(logical_time final) {
  if (requests_.empty() && finals_.empty()) {
    // The coordinator handles the last exit before it decides.
    if (done_.size() != coordinator_->alive()
        || final != std::max(highest_done_, began_))
      throw broken_rule("the application ends by itself at " + to_string(final)
                        + " instead of " + to_string(highest_done_));
    ended_by_itself_ = true;
    proposal_ = final;
    finals_.push_back(final);
    return;
  }
  auto expected = std::max({highest_, highest_left_, proposal_, began_});
  if (final != expected)
    throw broken_rule("the final tag is " + to_string(final) + " instead of "
                      + to_string(expected));
  if (!finals_.empty() && final > finals_.back())
    throw broken_rule("the final tag is raised from "
                      + to_string(finals_.back()) + " to " + to_string(final));
  finals_.push_back(final);
  if (requests_.empty() || requests_.front() != proposal_)
    throw broken_rule("a round without a request");
  requests_.erase(requests_.begin());
}

void ending_rules::ignored(logical_time proposal, logical_time final) {
  if (requests_.empty() || requests_.front() != proposal)
    throw broken_rule("what is ignored was not requested");
  if (proposal < final)
    throw broken_rule("a request for a lower tag is ignored");
  requests_.erase(requests_.begin());
}

void ending_rules::entered(stage stage) {
  if (stage == stage::asking)
    highest_ = never;
  if (stage == stage::aborted)
    requests_.clear();
}

void ending_rules::late(node_id node, stage stage) const {
  if (!coordinator_->is_alive(node)
      || (stage == stage::asking && !coordinator_->owes_answer(node)))
    throw broken_rule("node " + std::to_string(node)
                      + " is late although nothing waits for it");
}

void ending_rules::check() const {
  if (coordinator_->current() == stage::running && all_done())
    throw broken_rule("the coordinator does not end what is done");
  if (!requests_.empty() && !coordinator_->aborted()
      && coordinator_->alive() > 0 && coordinator_->current() != stage::asking)
    throw broken_rule("the coordinator forgets a request");
}

void ending_rules::check_end(int status) const {
  if (status != status_)
    throw broken_rule("the status is " + std::to_string(status) + " instead of "
                      + std::to_string(status_));
  if (coordinator_->aborted() != aborted_)
    throw broken_rule("it is aborted without reason, or not with one");
}

// -- properties ---------------------------------------------------------------

bool ending_rules::all_done() const noexcept {
  return !done_.empty() && done_.size() == coordinator_->alive();
}

bool ending_rules::knows_no_other_request() const noexcept {
  return requests_.size()
         <= (coordinator_->current() == stage::asking ? 1u : 0u);
}

bool ending_rules::was_final(logical_time tag) const {
  return std::find(finals_.begin(), finals_.end(), tag) != finals_.end();
}

void ending_rules::add_to(hasher& h) const {
  h.add(status_, aborted_, gave_up_, proposal_, highest_, highest_left_,
        highest_done_);
  h.add(done_.size());
  for (auto node : done_)
    h.add(node);
  for (auto xs : {&finals_, &requests_}) {
    h.add(xs->size());
    for (auto& x : *xs)
      h.add(x);
  }
}

} // namespace engine_test
