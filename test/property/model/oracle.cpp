// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/oracle.hpp"

#include "spaced_event.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

namespace model {

namespace {

class simulation;

/// One node and its queue.
class oracle_node : public world {
public:
  oracle_node(simulation& all, const graph_spec& graph, std::uint32_t id);

  machine& code() noexcept {
    return code_;
  }

  logical_time next() const {
    return queue_.empty() ? forever : queue_.begin()->first;
  }

  /// @param intended as in `view`.
  void arrive(logical_time tag, std::uint32_t connection, const message& x,
              logical_time intended = never) {
    auto input = graph_->connections[connection].input;
    queue_[tag].arrivals.push_back({connection, input, x, intended});
  }

  void add(const stamp& x) {
    queue_[x.tag].arrivals.push_back({connection_of(x), x.input, x.content});
  }

  void add(const expiry& x) {
    queue_[x.tag].expiries.push_back(x.watchdog);
  }

  void set_deadlines(const std::vector<lateness>& all) {
    deadlines_.assign(all.begin(), all.end());
  }

  void start() {
    go_on(code_.begin_start(*this), false);
  }

  /// Begins a tag at which it has events: reactions that yielded resume.
  void begin(logical_time tag);

  /// Begins the last tag. All other events are forgotten.
  void begin_last(logical_time tag);

  /// Runs a reaction if it is triggered at the tag.
  void react(logical_time tag, std::uint32_t reaction);

  /// @returns whether it executed the tag.
  bool end(logical_time tag);

  // -- overridden functions of world ------------------------------------------

  logical_time now() override {
    return now_;
  }

  void look(std::uint32_t input, view& into) override {
    into = inputs_[input];
  }

  void write(std::uint32_t output, const message& x,
             const std::optional<delay>&) override;

  void forward(std::uint32_t output, std::uint32_t input,
               const std::optional<delay>&) override {
    write(output, inputs_[input].last, {});
  }

  void promise(std::uint32_t, const delay&) override {
    // Promises have no effect.
  }

  bool schedule(std::uint32_t action, const delay& d,
                const message& x) override;

  bool is_late() override {
    if (deadlines_.empty() || deadlines_.front().tag != now_)
      return false;
    auto result = deadlines_.front().is_late;
    deadlines_.pop_front();
    return result;
  }

  mode_view look_at_mode(std::uint32_t mode) override {
    return modes_[mode].seen;
  }

  void count_reaction(std::uint32_t mode) override {
    ++modes_[mode].seen.reactions;
  }

  bool has_expired(std::uint32_t watchdog) override {
    return expired_[watchdog];
  }

  void start_watchdog(std::uint32_t watchdog, const delay& extra) override {
    expiries_[watchdog].push_back(
      now_.ns + code_.spec().watchdogs[watchdog].timeout + extra.ns());
  }

  void stop_watchdog(std::uint32_t) override {
    // It may have expired before.
  }

  void enter(std::uint32_t mode, bool by_history) override {
    wanted_ = {mode, by_history, now_};
    if (!is_last_)
      queue_[caf::rosia::next_microstep(now_)];
  }

  void look_at_action(std::uint32_t action,
                      std::vector<message>& into) override {
    into = actions_[action];
  }

  bool request(const std::optional<delay>&, std::int32_t) override {
    return true; // the machine stores it
  }

  void call(std::uint32_t, std::uint32_t, std::uint64_t) override {
    // The stamp contains it.
  }

  void fail(std::uint32_t) override {
    // The application ends, so no node continues after this.
  }

private:
  struct arrival {
    std::uint32_t connection; // of a value from outside, it is the last one
    std::uint32_t input;
    message content;
    logical_time intended = never; // of a tardy value
  };

  struct events {
    bool empty() const noexcept {
      return resumed.empty() && arrivals.empty() && scheduled.empty()
             && ticks.empty() && expiries.empty();
    }

    std::vector<std::unique_ptr<machine::instance>> resumed; // in the order of
                                                             // scheduling
    std::vector<arrival> arrivals;
    std::vector<std::pair<std::uint32_t, message>> scheduled; // by action
    std::vector<std::uint32_t> ticks;
    std::vector<std::uint32_t> expiries; // of watchdogs
  };

  /// A mode, and its events while it is not active, by their distance from when
  /// it was left.
  struct mode_state {
    mode_view seen;
    std::vector<std::pair<delay, events>> suspended;
  };

  /// A call of `enter`.
  struct wanted_mode {
    std::uint32_t number;
    bool by_history;
    logical_time tag;
  };

  std::uint32_t connection_of(const stamp& x) const;

  /// Enters the mode that is wanted.
  void switch_mode();

  /// Removes the events of a mode from those of a tag.
  events take_events_of(std::uint32_t mode, events& from) const;

  void suspend_events(mode_state& left, std::uint32_t number,
                      logical_time from);

  void restore_events(mode_state& entered, logical_time from);

  void restart_ticks(std::uint32_t mode, logical_time from);

  /// Takes the events that arrived for the tag. In a loop without delay, some
  /// follow reactions that do not read them.
  void take_events(logical_time tag);

  /// Returns whether a watchdog can be present: each call of `start` lets it
  /// expire once, later than its timeout.
  bool can_expire(std::uint32_t watchdog);

  bool is_triggered(const reaction_spec& x) const;

  void go_on(machine::instance x, bool resumed);

  bool resumes_at(logical_time tag, std::uint32_t reaction) const;

  void withdraw(std::uint32_t action, logical_time tag);

  simulation* all_;
  const graph_spec* graph_;
  machine::memory mind_;
  machine code_;
  std::vector<view> inputs_;
  std::vector<std::vector<message>> actions_; // at the current tag
  std::vector<bool> ticks_;                   // whether present
  std::vector<bool> expired_;                 // watchdogs at the current tag

  /// The times at which each watchdog may expire.
  std::vector<std::vector<std::int64_t>> expiries_;

  /// The tags of all events of each action, except those that were withdrawn.
  std::vector<std::vector<logical_time>> occurrences_;
  std::vector<std::uint32_t> outgoing_;
  std::map<logical_time, events> queue_;
  std::vector<arrival> arrived_; // at the current tag
  std::deque<lateness> deadlines_;
  std::vector<mode_state> modes_;
  std::optional<wanted_mode> wanted_;
  logical_time now_{};
  bool is_active_ = false; // executes the current tag
  bool is_last_ = false;   // which is the last one
};

class simulation {
public:
  explicit simulation(const graph_spec& graph)
    : graph_(&graph), last_arrival_(graph.connections.size(), never) {
    for (std::uint32_t i = 0; i < graph.nodes.size(); ++i)
      nodes_.push_back(std::make_unique<oracle_node>(*this, graph, i));
  }

  expectation run(const outside_events& outside, logical_time last,
                  bool has_last_tag) {
    expectation result;
    for (std::size_t i = 0; i < outside.stamps.size(); ++i)
      for (auto& x : outside.stamps[i])
        nodes_[i]->add(x);
    for (std::size_t i = 0; i < outside.expiries.size(); ++i)
      for (auto& x : outside.expiries[i])
        nodes_[i]->add(x);
    for (std::size_t i = 0; i < outside.deadlines.size(); ++i)
      nodes_[i]->set_deadlines(outside.deadlines[i]);
    for (auto& x : outside.tardy)
      tardy_[{x.connection, x.intended}] = x.tag;
    for (auto& x : nodes_)
      x->start();
    auto order = reaction_order(*graph_);
    auto run_tag = [&](logical_time tag) {
      for (auto& x : order)
        nodes_[x.node]->react(tag, x.reaction);
      for (auto& x : nodes_)
        result.tags += x->end(tag);
    };
    for (;;) {
      auto tag = forever;
      for (auto& x : nodes_)
        tag = std::min(tag, x->next());
      if (tag == forever || tag > last)
        break;
      for (auto& x : nodes_)
        if (x->next() == tag)
          x->begin(tag);
      run_tag(tag);
    }
    is_last_ = has_last_tag;
    if (has_last_tag) {
      auto tag = caf::rosia::next_microstep(last);
      for (auto& x : nodes_)
        x->begin_last(tag);
      run_tag(tag);
    }
    for (auto& x : nodes_) {
      auto& code = x->code();
      result.logs.push_back(code.log());
      result.stamps.push_back(code.stamps());
      result.proposals.insert(
        result.proposals.end(), code.proposals().begin(),
        code.proposals().end());
    }
    return result;
  }

  void send(std::uint32_t connection, logical_time now, const message& sent) {
    auto& c = graph_->connections[connection];
    if (c.physical)
      return; // the stamp contains it
    if (is_last_) {
      if (c.effective.is_zero())
        nodes_[c.target]->arrive(now, connection, sent);
      return;
    }
    auto arrival = now + c.effective;
    auto& last = last_arrival_[connection];
    if (arrival <= last)
      arrival = last + delay{microsteps(1)};
    if (arrival == forever)
      return;
    last = arrival;
    auto tardy = tardy_.find({connection, arrival});
    if (tardy == tardy_.end())
      nodes_[c.target]->arrive(arrival, connection, sent);
    else if (tardy->second != forever)
      nodes_[c.target]->arrive(tardy->second, connection, sent, arrival);
  }

private:
  const graph_spec* graph_;
  std::vector<std::unique_ptr<oracle_node>> nodes_;
  std::vector<logical_time> last_arrival_;

  /// The tags of tardy values, by connection and intended tag.
  std::map<std::pair<std::uint32_t, logical_time>, logical_time> tardy_;
  bool is_last_ = false; // the nodes execute the last tag
};

oracle_node::oracle_node(simulation& all, const graph_spec& graph,
                         std::uint32_t id)
  : all_(&all), graph_(&graph), code_(graph, id, mind_),
    inputs_(graph.nodes[id].inputs.size()), actions_(graph.nodes[id].actions),
    ticks_(graph.nodes[id].ticks.size()),
    expired_(graph.nodes[id].watchdogs.size()),
    expiries_(graph.nodes[id].watchdogs.size()),
    occurrences_(graph.nodes[id].actions) {
  auto& ticks = code_.spec().ticks;
  for (std::uint32_t i = 0; i < ticks.size(); ++i)
    if (!ticks[i].mode || *ticks[i].mode == 0)
      queue_[{ticks[i].offset, 0}].ticks.push_back(i);
  modes_.resize(code_.spec().modes);
  if (!modes_.empty()) {
    modes_[0].seen = {.is_present = true, .is_active = true, .entries = 1};
    queue_[{}];
  }
  for (std::uint32_t i = 0; i < graph.connections.size(); ++i)
    if (graph.connections[i].source == id)
      outgoing_.push_back(i);
}

void oracle_node::begin(logical_time tag) {
  now_ = tag;
  is_active_ = true;
  switch_mode();
  auto resumed = std::exchange(queue_[tag].resumed, {});
  for (auto& x : resumed)
    go_on(std::move(*x), true);
}

void oracle_node::begin_last(logical_time tag) {
  queue_.clear();
  now_ = tag;
  is_active_ = is_last_ = true;
}

void oracle_node::switch_mode() {
  if (!wanted_ || wanted_->tag == now_)
    return;
  auto [number, wants_history, called] = *wanted_;
  wanted_.reset();
  auto& entered = modes_[number];
  auto by_history = wants_history && entered.seen.entries > 0;
  entered.seen.by_history = by_history;
  entered.seen.is_present = true;
  ++entered.seen.entries;
  if (by_history && entered.seen.is_active)
    return;
  for (std::uint32_t i = 0; i < modes_.size(); ++i)
    if (modes_[i].seen.is_active)
      suspend_events(modes_[i], i, called);
  entered.seen.is_active = true;
  if (by_history) {
    restore_events(entered, called);
    return;
  }
  entered.suspended.clear();
  entered.seen.reactions = 0;
  restart_ticks(number, called);
}

oracle_node::events oracle_node::take_events_of(
  std::uint32_t mode, events& from) const {
  events result;
  auto& spec = code_.spec();
  auto take = [&](auto& of, auto& to, auto mode_of) {
    auto rest = std::stable_partition(of.begin(), of.end(), [&](auto& x) {
      return mode_of(x) != mode;
    });
    std::move(rest, of.end(), std::back_inserter(to));
    of.erase(rest, of.end());
  };
  take(from.resumed, result.resumed, [&](auto& x) {
    return x->reaction == log_entry::start
             ? mode_number{}
             : spec.reactions[x->reaction].mode;
  });
  take(from.scheduled, result.scheduled, [&](auto& x) {
    return spec.mode_of(x.first);
  });
  take(from.ticks, result.ticks, [&](auto x) { return spec.ticks[x].mode; });
  return result;
}

void oracle_node::suspend_events(
  mode_state& left, std::uint32_t number, logical_time from) {
  left.seen.is_active = false;
  for (auto i = queue_.begin(); i != queue_.end();) {
    auto& [tag, all] = *i;
    auto distance
      = tag.ns > from.ns
          ? delay::from_parts(tag.ns - from.ns, tag.microstep)
          : delay::from_parts(0, tag.microstep - from.microstep);
    if (auto taken = take_events_of(number, all); !taken.empty())
      left.suspended.emplace_back(distance, std::move(taken));
    i = all.empty() && tag != now_ ? queue_.erase(i) : std::next(i);
  }
}

void oracle_node::restore_events(mode_state& entered, logical_time from) {
  auto append = [](auto& to, auto& xs) {
    std::move(xs.begin(), xs.end(), std::back_inserter(to));
  };
  for (auto& [distance, all] : std::exchange(entered.suspended, {})) {
    auto tag = saturating_add(from, distance);
    if (tag == forever)
      continue;
    auto& to = queue_[tag];
    append(to.resumed, all.resumed);
    append(to.scheduled, all.scheduled);
    append(to.ticks, all.ticks);
  }
}

void oracle_node::restart_ticks(std::uint32_t mode, logical_time from) {
  auto& all = code_.spec().ticks;
  for (std::uint32_t i = 0; i < all.size(); ++i)
    if (all[i].mode == mode) {
      auto tag
        = all[i].offset == 0 ? now_ : logical_time{from.ns + all[i].offset, 0};
      queue_[tag].ticks.push_back(i);
    }
}

std::uint32_t oracle_node::connection_of(const stamp& x) const {
  auto& all = graph_->connections;
  auto found = std::find_if(all.begin(), all.end(), [&](auto& c) {
    return c.physical && c.target == code_.id() && c.input == x.input
           && origin_of(c.source, c.output) == x.content.origin;
  });
  return static_cast<std::uint32_t>(found - all.begin());
}

void oracle_node::take_events(logical_time tag) {
  if (next() != tag)
    return;
  now_ = tag;
  is_active_ = true;
  auto now = std::move(queue_.extract(queue_.begin()).mapped());
  std::set<std::uint32_t> changed;
  for (auto& x : now.arrivals) {
    changed.insert(x.input);
    arrived_.push_back(x);
  }
  // In the order of declaration, including physical connections.
  std::stable_sort(arrived_.begin(), arrived_.end(), [](auto& x, auto& y) {
    return x.connection < y.connection;
  });
  for (auto i : changed) {
    auto& in = inputs_[i];
    in.has_value = in.is_present = true;
    in.all.clear();
    for (auto& x : arrived_)
      if (x.input == i)
        in.all.push_back(x.content);
    in.last = in.all.back();
    for (auto& x : arrived_)
      if (x.input == i && x.intended != never)
        in.intended = x.intended;
  }
  for (auto& [action, x] : now.scheduled)
    actions_[action].push_back(x);
  for (auto i : now.expiries)
    expired_[i] = can_expire(i);
  for (auto i : now.ticks) {
    ticks_[i] = true;
    if (auto period = code_.spec().ticks[i].period; period > 0)
      queue_[{tag.ns + period, 0}].ticks.push_back(i);
  }
}

bool oracle_node::can_expire(std::uint32_t watchdog) {
  auto& all = expiries_[watchdog];
  auto found = std::find_if(all.begin(), all.end(), [this](auto x) {
    return x <= now_.ns;
  });
  if (found == all.end())
    return false;
  all.erase(found);
  return true;
}

bool oracle_node::is_triggered(const reaction_spec& reaction) const {
  auto any = [](auto& xs, auto is_present) {
    return std::any_of(xs.begin(), xs.end(), is_present);
  };
  if (is_last_ && reaction.at_shutdown)
    return !reaction.mode || modes_[*reaction.mode].seen.entries > 0;
  if (reaction.mode && !modes_[*reaction.mode].seen.is_active)
    return false;
  return any(reaction.triggers,
             [this](auto i) { return inputs_[i].is_present; })
         || any(reaction.acts, [this](auto i) { return !actions_[i].empty(); })
         || any(reaction.ticks, [this](auto i) { return ticks_[i]; })
         || any(reaction.on_watchdogs, [this](auto i) { return expired_[i]; })
         || any(reaction.on_modes,
                [this](auto i) { return modes_[i].seen.is_present; });
}

void oracle_node::react(logical_time tag, std::uint32_t reaction) {
  take_events(tag);
  auto& spec = code_.spec().reactions[reaction];
  if (is_active_ && is_triggered(spec))
    go_on(code_.begin(reaction, *this, spec.handler && is_late()), false);
}

bool oracle_node::end(logical_time tag) {
  take_events(tag);
  arrived_.clear();
  for (auto& x : inputs_) {
    x.is_present = false;
    x.all.clear();
    x.intended = never;
  }
  for (auto& x : actions_)
    x.clear();
  ticks_.assign(ticks_.size(), false);
  expired_.assign(expired_.size(), false);
  if (is_active_)
    for (auto& x : modes_)
      x.seen.is_present = false;
  return std::exchange(is_active_, false);
}

void oracle_node::go_on(machine::instance activation, bool resumed) {
  auto wait = resumed ? code_.resume(activation, *this)
                      : code_.go_on(activation, *this);
  if (!wait)
    return;
  auto tag = now_ + *wait;
  // Instances of one reaction resume at separate tags.
  while (tag != forever && resumes_at(tag, activation.reaction))
    tag = tag + delay{microsteps(1)};
  if (tag != forever)
    queue_[tag].resumed.push_back(
      std::make_unique<machine::instance>(std::move(activation)));
}

bool oracle_node::resumes_at(logical_time tag, std::uint32_t reaction) const {
  auto i = queue_.find(tag);
  return i != queue_.end()
         && std::any_of(i->second.resumed.begin(), i->second.resumed.end(),
                        [=](auto& x) { return x->reaction == reaction; });
}

bool oracle_node::schedule(
  std::uint32_t action, const delay& d, const message& content) {
  std::optional tag = now_ + d;
  if (auto spacing = code_.spec().spacing_of(action);
      spacing && *tag != forever) {
    auto event
      = ::test::space_event(occurrences_[action], *spacing, *tag, now_);
    if (event.replaced)
      withdraw(action, *event.replaced);
    tag = event.tag;
  }
  if (!tag || *tag == forever)
    return false;
  occurrences_[action].push_back(*tag);
  queue_[*tag].scheduled.emplace_back(action, content);
  return true;
}

void oracle_node::withdraw(std::uint32_t action, logical_time tag) {
  auto& there = queue_[tag];
  std::erase_if(there.scheduled, [action](auto& x) {
    return x.first == action;
  });
  if (there.empty())
    queue_.erase(tag);
}

void oracle_node::write(std::uint32_t output, const message& x,
                        const std::optional<delay>&) {
  for (auto i : outgoing_)
    if (graph_->connections[i].output == output)
      all_->send(i, now_, x);
}

} // namespace

expectation run_sequentially(
  const graph_spec& graph, const outside_events& outside, logical_time last,
  bool has_last_tag) {
  // Ticks continue forever.
  last = std::min(last, graph.stop_after.value_or(forever));
  return simulation{graph}.run(outside, last, has_last_tag);
}

std::int64_t some_moment(const expectation& x, random& rng) {
  auto& log = x.logs[rng.below(x.logs.size())];
  return log.empty() ? 0 : log[rng.below(log.size())].tag.ns;
}

} // namespace model
