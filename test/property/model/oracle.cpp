// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/model/oracle.hpp"

#include "spaced_event.hpp"

#include <algorithm>
#include <deque>
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

  void arrive(logical_time tag, std::uint32_t connection, const message& x) {
    auto input = graph_->connections[connection].input;
    queue_[tag].arrivals.push_back({connection, input, x});
  }

  void add(const stamp& x) {
    queue_[x.tag].arrivals.push_back({connection_of(x), x.input, x.content});
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
  };

  struct events {
    bool empty() const noexcept {
      return resumed.empty() && arrivals.empty() && scheduled.empty()
             && ticks.empty();
    }

    std::vector<std::unique_ptr<machine::instance>> resumed; // in the order of
                                                             // scheduling
    std::vector<arrival> arrivals;
    std::vector<std::pair<std::uint32_t, message>> scheduled; // by action
    std::vector<std::uint32_t> ticks;
  };

  std::uint32_t connection_of(const stamp& x) const;

  /// Takes the events that arrived for the tag. In a loop without delay, some
  /// follow reactions that do not read them.
  void take_events(logical_time tag);

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

  /// The tags of all events of each action, except those that were withdrawn.
  std::vector<std::vector<logical_time>> occurrences_;
  std::vector<std::uint32_t> outgoing_;
  std::map<logical_time, events> queue_;
  std::vector<arrival> arrived_; // at the current tag
  std::deque<lateness> deadlines_;
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
    for (std::size_t i = 0; i < outside.deadlines.size(); ++i)
      nodes_[i]->set_deadlines(outside.deadlines[i]);
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

  void send(std::uint32_t connection, logical_time now, const message& x) {
    auto& c = graph_->connections[connection];
    if (c.physical)
      return; // the stamp contains it
    if (is_last_) {
      if (c.effective.is_zero())
        nodes_[c.target]->arrive(now, connection, x);
      return;
    }
    auto arrival = now + c.effective;
    auto& last = last_arrival_[connection];
    if (arrival <= last)
      arrival = last + delay{microsteps(1)};
    if (arrival == forever)
      return;
    last = arrival;
    nodes_[c.target]->arrive(arrival, connection, x);
  }

private:
  const graph_spec* graph_;
  std::vector<std::unique_ptr<oracle_node>> nodes_;
  std::vector<logical_time> last_arrival_;
  bool is_last_ = false; // the nodes execute the last tag
};

oracle_node::oracle_node(simulation& all, const graph_spec& graph,
                         std::uint32_t id)
  : all_(&all), graph_(&graph), code_(graph, id, mind_),
    inputs_(graph.nodes[id].inputs.size()), actions_(graph.nodes[id].actions),
    ticks_(graph.nodes[id].ticks.size()),
    occurrences_(graph.nodes[id].actions) {
  for (std::uint32_t i = 0; i < ticks_.size(); ++i)
    queue_[{graph.nodes[id].ticks[i].offset, 0}].ticks.push_back(i);
  for (std::uint32_t i = 0; i < graph.connections.size(); ++i)
    if (graph.connections[i].source == id)
      outgoing_.push_back(i);
}

void oracle_node::begin(logical_time tag) {
  now_ = tag;
  is_active_ = true;
  auto resumed = std::exchange(queue_[tag].resumed, {});
  for (auto& x : resumed)
    go_on(std::move(*x), true);
}

void oracle_node::begin_last(logical_time tag) {
  queue_.clear();
  now_ = tag;
  is_active_ = is_last_ = true;
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
  }
  for (auto& [action, x] : now.scheduled)
    actions_[action].push_back(x);
  for (auto i : now.ticks) {
    ticks_[i] = true;
    if (auto period = code_.spec().ticks[i].period; period > 0)
      queue_[{tag.ns + period, 0}].ticks.push_back(i);
  }
}

bool oracle_node::is_triggered(const reaction_spec& x) const {
  auto any = [](auto& xs, auto is_present) {
    return std::any_of(xs.begin(), xs.end(), is_present);
  };
  return any(x.triggers, [this](auto i) { return inputs_[i].is_present; })
         || any(x.acts, [this](auto i) { return !actions_[i].empty(); })
         || any(x.ticks, [this](auto i) { return ticks_[i]; })
         || (is_last_ && x.at_shutdown);
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
  }
  for (auto& x : actions_)
    x.clear();
  ticks_.assign(ticks_.size(), false);
  return std::exchange(is_active_, false);
}

void oracle_node::go_on(machine::instance x, bool resumed) {
  auto wait = resumed ? code_.resume(x, *this) : code_.go_on(x, *this);
  if (!wait)
    return;
  auto tag = now_ + *wait;
  // Instances of one reaction resume at separate tags.
  while (tag != forever && resumes_at(tag, x.reaction))
    tag = tag + delay{microsteps(1)};
  if (tag != forever)
    queue_[tag].resumed.push_back(
      std::make_unique<machine::instance>(std::move(x)));
}

bool oracle_node::resumes_at(logical_time tag, std::uint32_t reaction) const {
  auto i = queue_.find(tag);
  return i != queue_.end()
         && std::any_of(i->second.resumed.begin(), i->second.resumed.end(),
                        [=](auto& x) { return x->reaction == reaction; });
}

bool oracle_node::schedule(
  std::uint32_t action, const delay& d, const message& x) {
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
  queue_[*tag].scheduled.emplace_back(action, x);
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
