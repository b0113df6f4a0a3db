// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/causality.hpp"

#include <utility>

namespace rosia_trace {

// -- steps --------------------------------------------------------------------

causality::causality(const graph& declared, const processes& all)
  : declared_{declared}, is_replay_{all.front()->is_replay()},
    connections_(declared.connections().size()),
    nodes_(declared.nodes().size()), stop_after_{all.front()->stop_after()} {
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto& steps = all[i]->steps();
    for (std::size_t j = 0; j < steps.size(); ++j)
      record(steps[j], {i, j + 1});
  }
  if (!finals_.empty() && finals_.front().tag == stop_after_)
    unasked_ = 1;
}

void causality::record(const step& x, prefix until) {
  switch (x.kind) {
    case event_kind::execute:
      nodes_[x.node].last = x.last;
      break;
    case event_kind::send:
      // A STAT does not count the values of the last tag, for which the
      // receiver waits in another way.
      if (!nodes_[x.node].last)
        connections_[x.connection].messages.push_back({x.tag, x.value, until});
      break;
    case event_kind::done:
      nodes_[x.node].done = until;
      break;
    case event_kind::shutdown:
      nodes_[x.node].shutdown = until;
      break;
    case event_kind::request:
      proposals_.insert(x.tag);
      break;
    case event_kind::final:
      finals_.push_back({x.tag, until});
      break;
    case event_kind::aborted:
      aborted_ = until;
      break;
    default:
      break;
  }
}

// -- causes -------------------------------------------------------------------

std::vector<prefix> causality::causes(std::size_t process, const step& x) {
  process_ = process;
  causes_.clear();
  if (x.node != no_index)
    add_causes(nodes_[x.node], x);
  return std::move(causes_);
}

void causality::add_causes(node_history& self, const step& x) {
  switch (x.kind) {
    case event_kind::execute:
      add_messages(x);
      if (x.last)
        add_instant_senders(x.node);
      break;
    case event_kind::done:
      add_senders(x.node);
      break;
    case event_kind::input:
    case event_kind::tardy:
      if (x.connection == no_index)
        break;
      if (auto& connection = declared_.connections()[x.connection];
          connection.physical && !is_replay_)
        add_physical(x);
      else if (connection.has_wait())
        add_message(x);
      break;
    case event_kind::asked:
      // After the previous round, because a node is asked in each round until
      // it ends.
      if (auto i = self.questions++ + unasked_; i > 0 && i <= finals_.size())
        add(finals_[i - 1].until);
      break;
    case event_kind::final_taken:
      add_final(self, x);
      break;
    case event_kind::error:
      self.failed = true;
      break;
    case event_kind::shutdown:
      if (x.end == ending::done)
        add_senders(x.node);
      // The node's error is also a sufficient cause.
      else if (x.end == ending::aborted && !self.failed && aborted_)
        add(*aborted_);
      break;
    default:
      break;
  }
}

void causality::add(const prefix& x) {
  if (x.process != process_)
    causes_.push_back(x);
}

/// Adds the messages that arrive below its STAT, because no later message does.
/// The arrival tags of a connection increase.
void causality::add_messages(const step& x) {
  const auto& self = declared_.nodes()[x.node];
  for (auto i = self.first_input; i < self.last_input; ++i)
    for (auto c : declared_.inputs()[i].connections) {
      if (auto& connection = declared_.connections()[c];
          connection.physical || connection.has_wait())
        continue;
      auto& [messages, awaited] = connections_[c];
      auto before = awaited;
      while (awaited < messages.size() && messages[awaited].arrival < x.tag)
        ++awaited;
      if (awaited > before)
        add(messages[awaited - 1].until);
    }
}

/// Adds the message that arrives at the tag of `x`, if any: that of a tardy
/// value has its cause already.
void causality::add_message(const step& x) {
  auto& [messages, awaited] = connections_[x.connection];
  auto i = awaited;
  while (i < messages.size() && messages[i].arrival < x.tag)
    ++i;
  if (i == messages.size() || messages[i].arrival != x.tag)
    return;
  awaited = i + 1;
  add(messages[i].until);
}

/// Skips dropped values: the accepted values keep their order.
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

/// Skips the final tags that the node did not take.
void causality::add_final(node_history& self, const step& x) {
  for (auto i = self.finals_taken; i < finals_.size(); ++i)
    if (finals_[i].tag == x.tag) {
      self.finals_taken = i + 1;
      add(finals_[i].until);
      return;
    }
}

/// A node is done after all upstream nodes, except those in a loop with it.
void causality::add_senders(index node) {
  const auto& self = declared_.nodes()[node];
  for (auto i = self.first_input; i < self.last_input; ++i)
    for (auto c : declared_.inputs()[i].connections) {
      const auto& connection = declared_.connections()[c];
      auto in_loop = !connection.physical
                     && declared_.nodes()[connection.sender].loop == self.loop;
      const auto& sender = nodes_[connection.sender];
      if (!in_loop && (sender.done || sender.shutdown))
        add(sender.done ? *sender.done : *sender.shutdown);
    }
}

void causality::add_instant_senders(index node) {
  const auto& self = declared_.nodes()[node];
  for (auto i = self.first_input; i < self.last_input; ++i)
    for (auto c : declared_.inputs()[i].connections) {
      const auto& connection = declared_.connections()[c];
      const auto& sender = nodes_[connection.sender];
      if (connection.is_instant() && sender.shutdown)
        add(*sender.shutdown);
    }
}

// -- written lines ------------------------------------------------------------

void causality::write(const step& x) {
  if (x.kind == event_kind::request)
    proposals_written_.insert(x.tag);
}

bool causality::may_follow(const step& x) const {
  return x.kind != event_kind::asked || x.tag == stop_after_
         || proposals_written_.contains(x.tag) || !proposals_.contains(x.tag);
}

} // namespace rosia_trace
