// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/causality.hpp"

#include <algorithm>
#include <utility>

namespace rosia_trace {

// -- what happened ------------------------------------------------------------

causality::causality(const graph& declared, const processes& all)
  : declared_{declared}, connections_(declared.connections().size()),
    nodes_(declared.nodes().size()), stop_after_{all.front()->stop_after()} {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& steps = all[i]->steps();
    for (std::size_t j = 0; j < steps.size(); ++j) {
      if (steps[j].node != no_index)
        nodes_[steps[j].node].all = {i, steps.size()};
      record(steps[j], {i, j + 1});
    }
  }
  if (!forced_)
    agreed_ = finals_.size();
  if (agreed_ > 0 && finals_.front().tag == stop_after_)
    unasked_ = 1;
}

void causality::record(const step& x, prefix until) {
  switch (x.kind) {
    case event_kind::send:
      connections_[x.connection].messages.push_back({x.tag, x.value, until});
      break;
    case event_kind::asked:
      if (!nodes_[x.node].shutdown)
        nodes_[x.node].asked.push_back(until);
      break;
    case event_kind::answer:
      if (!nodes_[x.node].shutdown)
        nodes_[x.node].answers.push_back({x.tag, until});
      break;
    case event_kind::shutdown:
      nodes_[x.node].shutdown = until;
      nodes_[x.node].how = x.how;
      nodes_[x.node].last = x.tag;
      break;
    case event_kind::error:
      failed_ = true;
      break;
    case event_kind::request:
      proposals_.insert(x.tag);
      break;
    case event_kind::final:
      finals_.push_back({x.tag, until});
      break;
    case event_kind::forced:
      if (!std::exchange(forced_, true))
        agreed_ = finals_.size();
      break;
    default:
      break;
  }
}

// -- causes -------------------------------------------------------------------

std::vector<prefix> causality::causes(std::size_t process, const step& x) {
  process_ = process;
  causes_.clear();
  if (x.kind == event_kind::final)
    add_final(finals_seen_++);
  else if (x.node != no_index && !nodes_[x.node].ended)
    add_node_causes(x);
  return std::move(causes_);
}

void causality::add_node_causes(const step& x) {
  auto& self = nodes_[x.node];
  switch (x.kind) {
    case event_kind::execute:
      // Nothing that is sent from now on arrives below its STAT.
      add_messages(x.node, [&](auto arrival) { return arrival < x.tag; });
      break;
    case event_kind::input:
      if (x.connection != no_index
          && declared_.connections()[x.connection].physical)
        add_physical(x);
      break;
    case event_kind::asked:
      // The round before is over.
      if (auto i = self.questions++ + unasked_; i > 0 && i <= finals_.size())
        add(finals_[i - 1].until);
      break;
    case event_kind::final_taken:
      add_final_taken(x);
      break;
    case event_kind::shutdown:
      self.ended = true;
      add_shutdown(x);
      break;
    default:
      break;
  }
}

void causality::add(const prefix& x) {
  if (x.process != process_)
    causes_.push_back(x);
}

/// Those that the node must know of by now. The arrival tags of a connection
/// increase.
template <class Condition>
void causality::add_messages(index node, Condition&& comes_before) {
  const auto& self = declared_.nodes()[node];
  for (auto i = self.first_input; i < self.last_input; ++i)
    for (auto c : declared_.inputs()[i].connections) {
      if (declared_.connections()[c].physical)
        continue;
      auto& [messages, awaited] = connections_[c];
      auto before = awaited;
      while (
        awaited < messages.size() && comes_before(messages[awaited].arrival))
        ++awaited;
      if (awaited > before)
        add(messages[awaited - 1].until);
    }
}

/// Values that were dropped are skipped: what is taken keeps its order.
void causality::add_physical(const step& x) {
  auto& [messages, awaited] = connections_[x.connection];
  while (awaited < messages.size()) {
    const auto& next = messages[awaited++];
    if (next.value == x.value) {
      add(next.until);
      return;
    }
  }
}

void causality::add_final_taken(const step& x) {
  auto& self = nodes_[x.node];
  self.final_tag = x.tag;
  for (auto i = self.finals_taken; i < finals_.size(); ++i)
    if (finals_[i].tag == x.tag) {
      self.finals_taken = i + 1;
      add(finals_[i].until);
      return;
    }
}

void causality::add_shutdown(const step& x) {
  if (x.how == ending::final)
    add_messages(x.node, [last = nodes_[x.node].final_tag](auto arrival) {
      return arrival <= last;
    });
  if (x.how == ending::done) {
    add_messages(x.node, [](auto arrival) { return arrival != forever; });
    add_senders(x.node);
  }
}

/// A node is done after all upstream of it, but for what is in a loop with it.
void causality::add_senders(index node) {
  const auto& self = declared_.nodes()[node];
  for (auto i = self.first_input; i < self.last_input; ++i)
    for (auto c : declared_.inputs()[i].connections) {
      const auto& connection = declared_.connections()[c];
      auto in_loop = !connection.physical
                     && declared_.nodes()[connection.sender].loop == self.loop;
      if (!in_loop && nodes_[connection.sender].shutdown)
        add(*nodes_[connection.sender].shutdown);
    }
}

// -- the final tag ------------------------------------------------------------

/// A final tag comes after the answers of all who are there. So the question
/// that a node has as its nth belongs to the nth round.
void causality::add_final(std::size_t position) {
  if (position >= agreed_ || position < unasked_)
    return;
  auto round = position - unasked_;
  for (const auto& x : nodes_) {
    add_round(x, round, finals_[position].tag);
    // Who is done beyond a later final tag was so before there was one.
    if (position == 0 && x.how == ending::done
        && x.last > finals_[agreed_ - 1].tag)
      add(*x.shutdown);
  }
}

void causality::add_round(const node_history& x, std::size_t round,
                          logical_time tag) {
  auto answered = round < x.answers.size();
  if (answered)
    add(x.answers[round].until);
  else if (round < x.asked.size())
    add(x.asked[round]);
  // Who is done by itself need not agree any more.
  if (answered && (x.how != ending::done || x.answers[round].tag <= tag))
    return;
  add(x.shutdown ? *x.shutdown : x.all);
}

// -- what is written ----------------------------------------------------------

void causality::write(const step& x) {
  if (x.kind == event_kind::request)
    proposals_written_.insert(x.tag);
  else if (x.kind == event_kind::forced)
    forced_written_ = true;
  else if (x.kind == event_kind::error)
    failed_written_ = true;
}

bool causality::may_follow(const step& x) const {
  if (x.kind == event_kind::asked)
    return x.tag == stop_after_ || proposals_written_.contains(x.tag)
           || !proposals_.contains(x.tag);
  if (x.kind == event_kind::shutdown && x.how == ending::forced)
    return forced_written_ || failed_written_ || !(forced_ || failed_);
  return true;
}

bool causality::awaits_force(const step& x) const {
  return x.kind == event_kind::shutdown && x.how == ending::forced && forced_
         && !forced_written_;
}

} // namespace rosia_trace
