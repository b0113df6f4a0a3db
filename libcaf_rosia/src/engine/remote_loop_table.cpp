// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/remote_loop_table.hpp"

#include <algorithm>

namespace caf::rosia::engine {

namespace {

/// Returns whether the members have no events left.
bool is_done(const loop_part& x) {
  return std::all_of(x.lows.begin(), x.lows.end(), [](auto tag) {
    return tag == forever;
  });
}

} // namespace

// -- constructors, destructors ------------------------------------------------

remote_loop_table::remote_loop_table(
  loop_time_table& local, process_id self, std::vector<process_id> homes,
  std::vector<crossing> crossings)
  : loop_time_table_(local), self_(self), homes_(std::move(homes)),
    known_(*std::max_element(homes_.begin(), homes_.end()) + 1) {
  for (loop_time_table::member i = 0; i < homes_.size(); ++i)
    known_[homes_[i]].members.push_back(i);
  for (std::uint32_t i = 0; i < crossings.size(); ++i) {
    auto& x = crossings[i];
    auto from = homes_[x.from];
    auto to = homes_[x.to];
    auto& leaving = known_[from].part.sent;
    auto& entering = known_[to].part.received;
    routes_.push_back({from, to, leaving.size(), entering.size()});
    leaving.push_back(0);
    entering.push_back(0);
    by_connection_.emplace(x.connection, i);
    if (from == self_ && receiver_index(to) == receivers_.size())
      receivers_.push_back(to);
  }
  for (process_id i = 0; i < known_.size(); ++i) {
    auto& x = known_[i];
    x.part.process = i;
    x.last_sent.resize(receivers_.size());
    x.holders.resize(homes_.size());
  }
  look_at_self();
}

// -- messages -----------------------------------------------------------------

void remote_loop_table::sent(std::uint32_t connection) {
  auto& x = routes_[by_connection_.at(connection)];
  auto& part = known_[self_].part;
  ++part.sent[x.sent_at];
  ++part.version;
}

void remote_loop_table::received(std::uint32_t connection) {
  auto& x = routes_[by_connection_.at(connection)];
  auto& part = known_[self_].part;
  ++part.received[x.received_at];
  ++part.version;
}

// -- views --------------------------------------------------------------------

remote_loop_table::parts remote_loop_table::news_for(process_id other) {
  auto at = receiver_index(other);
  parts result;
  if (at == receivers_.size())
    return result;
  look_at_self();
  for (auto& x : known_) {
    if (x.part.process == other || x.last_sent[at].version == x.part.version)
      continue;
    x.last_sent[at] = x.part;
    result.push_back(x.part);
  }
  return result;
}

bool remote_loop_table::merge(const parts& news, std::vector<node_id>& wake) {
  if (!std::all_of(news.begin(), news.end(), [this](auto& x) {
        return is_valid(x);
      }))
    return false;
  for (auto& x : news) {
    auto& old = known_[x.process];
    if (x.process == self_ || x.version <= old.part.version)
      continue;
    old.part = x;
    // The members that wait may depend on a clock of this process.
    for (auto id : old.members)
      if (std::none_of(x.waits.begin(), x.waits.end(), [id](auto& y) {
            return y.waiter == id;
          }))
        loop_time_table_.stop_waiting(id);
    for (auto& y : x.waits)
      loop_time_table_.wait(y.waiter, y.awaited, wake);
  }
  refresh(wake);
  return true;
}

void remote_loop_table::refresh(std::vector<node_id>& wake) {
  look_at_self();
  if (!is_consistent_cut())
    return;
  // Lower entries first, then raise entries. Otherwise a tag that moved between
  // two members would briefly be in neither entry, and wake members for
  // nothing.
  auto take_over = [&](bool raise) {
    for (auto& x : known_) {
      if (x.part.process == self_)
        continue;
      for (std::size_t i = 0; i < x.members.size(); ++i) {
        auto id = x.members[i];
        auto low = x.part.lows[i];
        if ((low > loop_time_table_.low(id)) != raise)
          continue;
        loop_time_table_.absorb(id);
        loop_time_table_.update(id, low, wake);
      }
    }
  };
  take_over(false);
  take_over(true);
}

bool remote_loop_table::owes(process_id other) const {
  auto at = receiver_index(other);
  return std::any_of(known_.begin(), known_.end(), [&](auto& x) {
    return x.part.process != other && helps(x, x.last_sent[at]);
  });
}

// -- implementation -----------------------------------------------------------

std::size_t remote_loop_table::receiver_index(process_id x) const {
  return static_cast<std::size_t>(
    std::find(receivers_.begin(), receivers_.end(), x) - receivers_.begin());
}

bool remote_loop_table::is_valid(const loop_part& x) const {
  if (x.process >= known_.size())
    return false;
  auto& expected = known_[x.process];
  return x.lows.size() == expected.members.size()
         && x.sent.size() == expected.part.sent.size()
         && x.received.size() == expected.part.received.size()
         && std::all_of(x.waits.begin(), x.waits.end(), [&](auto& y) {
              return y.waiter < homes_.size() && homes_[y.waiter] == x.process;
            });
}

void remote_loop_table::look_at_self() {
  auto& part = known_[self_].part;
  lows_.clear();
  waits_.clear();
  for (auto id : known_[self_].members) {
    lows_.push_back(loop_time_table_.low(id));
    if (auto awaited = loop_time_table_.awaited_bound(id); awaited != forever)
      waits_.push_back({id, awaited});
  }
  if (part.version > 0 && lows_ == part.lows && waits_ == part.waits)
    return;
  ++part.version;
  part.lows.swap(lows_);
  part.waits.swap(waits_);
}

bool remote_loop_table::is_consistent_cut() const {
  if (std::any_of(known_.begin(), known_.end(), [](auto& x) {
        return x.part.version == 0 && !x.members.empty();
      }))
    return false;
  return std::all_of(routes_.begin(), routes_.end(), [this](auto& x) {
    return known_[x.from].part.sent[x.sent_at]
           == known_[x.to].part.received[x.received_at];
  });
}

bool remote_loop_table::permits(
  const loop_part& x, const loop_part::wait& y) const {
  auto& of = known_[x.process];
  auto& holder = of.holders[y.waiter];
  holder = loop_time_table_.find_holder(
    of.members, x.lows, y.waiter, y.awaited, holder);
  return holder == of.members.size();
}

bool remote_loop_table::helps(
  const known& x, const loop_part& last_sent) const {
  auto& now = x.part;
  if (now.version == last_sent.version)
    return false;
  auto& self = known_[self_].part;
  auto anew = last_sent.version == 0 || now.sent != last_sent.sent
              || now.received != last_sent.received;
  // Entries do not help while this process blocks the waiting member itself.
  // When it no longer does, it sends all entries. A process without events
  // waits until all processes are done.
  if (is_done(now) && is_done(self) && (anew || !is_done(last_sent)))
    return true;
  auto is_news = [&](const loop_part::wait& y) {
    return std::find(last_sent.waits.begin(), last_sent.waits.end(), y)
           == last_sent.waits.end();
  };
  for (auto& y : known_)
    for (auto& z : y.part.waits)
      if (permits(self, z) && (&now == &self || permits(now, z))
          && (anew || !permits(last_sent, z) || (&y == &x && is_news(z))))
        return true;
  return false;
}

} // namespace caf::rosia::engine
