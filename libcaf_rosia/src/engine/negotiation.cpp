// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/negotiation.hpp"

#include <algorithm>

namespace caf::rosia::engine {

namespace {

/// The status of an application that a deadline aborts.
constexpr int deadline_status = 129;

} // namespace

negotiation::host::~host() {
  // nop
}

negotiation::negotiation(std::size_t nodes,
                         std::optional<logical_time> stop_after, host& env)
  : host_(&env), nodes_(nodes, node_state::running), alive_(nodes) {
  if (stop_after)
    final_ = *stop_after;
}

// -- events -------------------------------------------------------------------

void negotiation::begin() {
  if (nodes_.empty())
    finish();
  else if (final_ != forever)
    enter(stage::executing);
}

void negotiation::request(logical_time proposal, int status) {
  if (status_ == 0)
    status_ = status;
  if (aborted_ || alive_ == 0)
    return;
  requests_.push_back(proposal);
  if (stage_ != stage::asking)
    next_request();
}

void negotiation::answer(node_id node, logical_time tag) {
  if (nodes_[node] != node_state::asked)
    return;
  nodes_[node] = node_state::answered;
  highest_.answered = std::max(highest_.answered, tag);
  --unanswered_;
  if (unanswered_ == 0 && !aborted_)
    end_round();
}

void negotiation::done(node_id node, logical_time last) {
  // A node that was asked has answered as well.
  if (nodes_[node] != node_state::running)
    return;
  nodes_[node] = node_state::done;
  ++done_;
  highest_.done = std::max(highest_.done, last);
  end_if_done();
}

void negotiation::exited(node_id node, ending outcome, logical_time last) {
  if (nodes_[node] == node_state::gone)
    return;
  auto owed = nodes_[node] == node_state::asked;
  if (nodes_[node] == node_state::done)
    --done_;
  nodes_[node] = node_state::gone;
  --alive_;
  // Once a final tag is known, a node may be done because its senders left at
  // that tag. A lower final tag must not be below the node's last tag.
  if (outcome == ending::final_tag
      || (outcome == ending::done && final_ != forever))
    highest_.left = std::max(highest_.left, last);
  if (outcome == ending::done)
    highest_.done = std::max(highest_.done, last);
  if (owed && --unanswered_ == 0 && !aborted_)
    end_round();
  if (alive_ == 0)
    finish();
  else
    end_if_done();
}

void negotiation::abort(int status) {
  if (aborted_ || stage_ == stage::over)
    return;
  aborted_ = true;
  if (status != 0)
    status_ = status;
  requests_.clear();
  // No answer is awaited after an abort.
  unanswered_ = 0;
  for (auto& x : nodes_)
    if (x == node_state::asked)
      x = node_state::answered;
  enter(stage::aborted);
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (is_alive(i))
      host_->abort_node(i);
}

void negotiation::overdue(std::uint64_t deadline) {
  if (deadline != deadline_ || stage_ == stage::running
      || stage_ == stage::over)
    return;
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (stage_ == stage::asking ? owes_answer(i) : is_alive(i))
      host_->late(i, stage_);
  if (stage_ != stage::aborted) {
    abort(deadline_status);
    return;
  }
  status_ = deadline_status;
  for (auto& x : nodes_)
    x = node_state::gone;
  alive_ = 0;
  finish();
}

// -- implementation -----------------------------------------------------------

void negotiation::enter(stage next) {
  stage_ = next;
  host_->entered(next, ++deadline_);
}

void negotiation::finish() {
  enter(stage::over);
  host_->finished(status_);
}

void negotiation::begin_round(logical_time proposal) {
  proposal_ = proposal;
  highest_.answered = never;
  unanswered_ = alive_;
  enter(stage::asking);
  for (auto& x : nodes_)
    if (x != node_state::gone)
      x = node_state::asked;
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (is_alive(i))
      host_->ask(i, proposal);
}

void negotiation::end_round() {
  auto last = std::max({highest_.answered, highest_.left, proposal_});
  if (saves_final_)
    last = std::max(last, highest_.done);
  decide(last, proposal_);
  next_request();
}

void negotiation::end_if_done() {
  if (stage_ == stage::running && done_ > 0 && done_ == alive_)
    decide(highest_.done, highest_.done);
}

void negotiation::decide(logical_time last, logical_time requested) {
  final_ = std::max(last, began_);
  host_->agreed(final_);
  enter(stage::executing);
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (is_alive(i))
      host_->tell_final(i, final_, requested);
}

void negotiation::next_request() {
  while (!requests_.empty() && stage_ != stage::asking && alive_ > 0) {
    auto proposal = requests_.front();
    requests_.pop_front();
    if (proposal < final_)
      begin_round(proposal);
    else
      host_->ignored(proposal, final_);
  }
}

} // namespace caf::rosia::engine
