// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/engine/negotiation.hpp"

#include <algorithm>

namespace caf::rosia::engine {

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

void negotiation::request(logical_time proposal, int status) {
  if (status_ == 0)
    status_ = status;
  if (forced_ || alive_ == 0)
    return;
  requests_.push_back(proposal);
  if (!in_round_)
    next_request();
}

void negotiation::answer(node_id node, logical_time tag) {
  if (nodes_[node] != node_state::asked)
    return;
  nodes_[node] = node_state::answered;
  highest_ = std::max(highest_, tag);
  --unanswered_;
  if (unanswered_ == 0 && !forced_)
    end_round();
}

void negotiation::exited(node_id node, ending how, logical_time last) {
  if (nodes_[node] == node_state::gone)
    return;
  auto owed = nodes_[node] == node_state::asked;
  nodes_[node] = node_state::gone;
  --alive_;
  if (how == ending::final_tag)
    highest_left_ = std::max(highest_left_, last);
  if (owed && --unanswered_ == 0 && !forced_)
    end_round();
  if (alive_ == 0)
    host_->finished(status_);
}

void negotiation::force(int status) {
  if (forced_)
    return;
  forced_ = true;
  if (status != 0)
    status_ = status;
  requests_.clear();
  // Whatever was asked, nobody waits for the answers any more.
  in_round_ = false;
  unanswered_ = 0;
  for (auto& x : nodes_)
    if (x == node_state::asked)
      x = node_state::answered;
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (is_alive(i))
      host_->force(i);
}

// -- implementation -----------------------------------------------------------

void negotiation::begin_round(logical_time proposal) {
  in_round_ = true;
  proposal_ = proposal;
  highest_ = never;
  unanswered_ = alive_;
  for (auto& x : nodes_)
    if (x != node_state::gone)
      x = node_state::asked;
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (is_alive(i))
      host_->ask(i, proposal);
}

void negotiation::end_round() {
  in_round_ = false;
  final_ = std::max({highest_, highest_left_, proposal_});
  host_->agreed(final_);
  for (node_id i = 0; i < nodes_.size(); ++i)
    if (is_alive(i))
      host_->tell_final(i, final_, proposal_);
  next_request();
}

void negotiation::next_request() {
  while (!requests_.empty() && !in_round_ && alive_ > 0) {
    auto proposal = requests_.front();
    requests_.pop_front();
    if (proposal < final_)
      begin_round(proposal);
    else
      host_->ignored(proposal, final_);
  }
}

} // namespace caf::rosia::engine
