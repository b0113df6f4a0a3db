// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "oracle.hpp"

#include "behavior.hpp"
#include "spaced_event.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

namespace engine_test {

namespace {

class sequential_application;

/// A node and its pending events, by tag.
class sequential_node : public environment {
public:
  struct arrival {
    std::uint32_t connection; // that of a physical action is last
    std::uint32_t port;
    std::uint64_t value;
  };

  struct due {
    std::vector<continuation> resumed;
    std::vector<arrival> inputs;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> actions;
  };

  struct port {
    bool present = false;
    std::vector<std::uint64_t> values;
  };

  sequential_node(sequential_application& app, const node_plan& plan)
    : app_(app), plan_(plan), code_(plan), ports_(plan.inputs),
      actions_(plan.actions + plan.modes), events_(plan.actions),
      was_active_(plan.modes), suspended_(plan.modes) {
    // nop
  }

  void start() {
    trace.push_back({now_, record::kind::start, 0, 0, 0});
    if (plan_.modes > 0) {
      was_active_[0] = true;
      queue[now_].actions.emplace_back(plan_.actions, 0);
    }
    code_.start(*this);
  }

  logical_time next_tag() const {
    return queue.empty() ? forever : queue.begin()->first;
  }

  /// Begins a tag: reactions that yielded until then are resumed.
  void begin(logical_time tag);

  /// Begins the last tag.
  void begin_last(logical_time tag);

  /// Runs a reaction if it is triggered at the tag.
  void react(logical_time tag, std::uint32_t reaction);

  void end(logical_time tag);

  // -- overridden functions of environment ------------------------------------

  logical_time now() const override {
    return now_;
  }

  bool present(std::uint32_t input) const override {
    return ports_[input].present;
  }

  const std::vector<std::uint64_t>& values(std::uint32_t input) override {
    return ports_[input].values;
  }

  void write(std::uint32_t output, std::uint64_t value) override;

  void promise(std::uint32_t, const delay&) override {
    // The oracle needs none.
  }

  void wait(const delay& d, const continuation& next) override {
    // Only one instance of a reaction resumes at a tag; the next one a
    // microstep later.
    auto tag = now_ + d;
    while (tag != forever && resumes_at(tag, next.reaction))
      tag = caf::rosia::next_microstep(tag);
    queue[tag].resumed.push_back(next);
  }

  bool resumes_at(logical_time tag, std::uint32_t reaction) const {
    auto i = queue.find(tag);
    return i != queue.end()
           && std::any_of(i->second.resumed.begin(), i->second.resumed.end(),
                          [=](auto& x) { return x.reaction == reaction; });
  }

  void schedule(std::uint32_t action, const delay& d,
                std::uint64_t value) override {
    std::optional tag = now_ + d;
    if (action < plan_.spacings.size() && plan_.spacings[action]
        && *tag != forever) {
      auto event = ::test::space_event(
        events_[action], *plan_.spacings[action], *tag, now_);
      if (event.replaced)
        withdraw(action, *event.replaced);
      tag = event.tag;
    }
    if (!tag || *tag == forever)
      return;
    events_[action].push_back(*tag);
    queue[*tag].actions.emplace_back(action, value);
  }

  const std::vector<std::uint64_t>& scheduled(std::uint32_t action) override {
    return actions_[action];
  }

  void enter(std::uint32_t mode, bool by_history) override {
    auto next = caf::rosia::next_microstep(now_);
    auto& actions = queue[next].actions;
    if (wanted_)
      std::erase_if(actions, [&](auto& x) {
        return x.first == plan_.actions + wanted_->mode;
      });
    wanted_ = {mode, by_history, now_};
    actions.emplace_back(plan_.actions + mode, by_history);
  }

  std::uint32_t active_mode() const override {
    return active_;
  }

  void request(const std::optional<delay>&, int) override {
    // The caller sets the end.
  }

  void fail() override {
    // The simulated node stops here. Its history until here is compared.
  }

  void note(std::uint64_t state) override {
    trace.push_back({now_, record::kind::state, 0, 0, state});
  }

  std::map<logical_time, due> queue;
  std::vector<arrival> last_inputs; // at the last tag
  history trace;

private:
  /// The events of a mode at one tag, with their distance from when the mode
  /// was left.
  struct suspended {
    delay distance;
    std::vector<continuation> resumed;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> actions;
  };

  struct wanted_mode {
    std::uint32_t mode;
    bool by_history;
    logical_time tag; // of the call
  };

  /// Takes what has arrived for a tag.
  void take_due(logical_time tag);

  /// Enters the mode that is wanted, if there is one.
  /// @param current the events of the current tag.
  void switch_mode(due& current);

  void suspend(logical_time from, logical_time tag, due& current);

  std::uint32_t mode_of_action(std::uint32_t action) const {
    return action < plan_.action_modes.size()
             ? plan_.action_modes[action]
             : no_mode;
  }

  std::uint32_t mode_of(const continuation& x) const {
    return x.reaction == start_reaction
             ? no_mode
             : plan_.reactions[x.reaction].mode;
  }

  void withdraw(std::uint32_t action, logical_time tag);

  sequential_application& app_;
  const node_plan& plan_;
  behavior code_;
  std::vector<port> ports_;
  std::vector<std::vector<std::uint64_t>> actions_;

  /// The tags of all events of each action that were not withdrawn.
  std::vector<std::vector<logical_time>> events_;
  std::vector<arrival> arrived_; // at the current tag, by connection

  std::uint32_t active_ = 0;
  std::vector<bool> was_active_;
  std::optional<wanted_mode> wanted_;
  std::vector<std::vector<suspended>> suspended_; // by mode
  logical_time now_;
  bool is_active_ = false; // executes the current tag
};

void sequential_node::suspend(
  logical_time from, logical_time tag, due& current) {
  suspended result;
  result.distance
    = tag.ns > from.ns
        ? delay::from_parts(tag.ns - from.ns, tag.microstep)
        : delay::from_parts(0, tag.microstep - from.microstep);
  auto move = [&](auto& xs, auto& to, auto&& mode) {
    for (auto& x : xs)
      if (mode(x) == active_)
        to.push_back(x);
    std::erase_if(xs, [&](auto& x) { return mode(x) == active_; });
  };
  move(current.resumed, result.resumed, [&](auto& x) { return mode_of(x); });
  move(current.actions, result.actions, [&](auto& x) {
    return mode_of_action(x.first);
  });
  if (!result.resumed.empty() || !result.actions.empty())
    suspended_[active_].push_back(std::move(result));
}

void sequential_node::switch_mode(due& current) {
  if (!wanted_)
    return;
  auto [mode, wants_history, called] = *wanted_;
  wanted_.reset();
  auto by_history = wants_history && was_active_[mode];
  trace.push_back({now_, record::kind::mode, mode, by_history, 0});
  was_active_[mode] = true;
  if (by_history && mode == active_)
    return;
  suspend(called, now_, current);
  for (auto i = queue.begin(); i != queue.end();) {
    auto& [tag, later] = *i;
    suspend(called, tag, later);
    auto is_empty
      = later.resumed.empty() && later.inputs.empty() && later.actions.empty();
    i = is_empty ? queue.erase(i) : std::next(i);
  }
  active_ = mode;
  auto events = std::exchange(suspended_[mode], {});
  if (!by_history) {
    code_.reset(mode);
    return;
  }
  for (auto& x : events) {
    auto tag = called + x.distance;
    if (tag == forever)
      continue;
    auto& to = tag == now_ ? current : queue[tag];
    to.resumed.insert(to.resumed.end(), x.resumed.begin(), x.resumed.end());
    to.actions.insert(to.actions.end(), x.actions.begin(), x.actions.end());
  }
}

void sequential_node::withdraw(std::uint32_t action, logical_time tag) {
  auto there = queue.find(tag);
  std::erase_if(there->second.actions, [action](auto& x) {
    return x.first == action;
  });
  if (there->second.actions.empty() && there->second.resumed.empty()
      && there->second.inputs.empty())
    queue.erase(there);
}

class sequential_application {
public:
  explicit sequential_application(const plan& planned)
    : plan_(planned), delays_(effective_delays(planned)),
      last_(planned.connections.size(), never) {
    nodes.reserve(planned.nodes.size());
    for (auto& x : planned.nodes)
      nodes.emplace_back(*this, x);
  }

  void send(const sequential_node& from, std::uint32_t output,
            std::uint64_t value) {
    auto source = static_cast<node_id>(&from - nodes.data());
    for (std::uint32_t i = 0; i < delays_.size(); ++i) {
      auto& c = plan_.connections[i];
      if (c.source != source || c.output != output || c.physical)
        continue;
      if (is_last) {
        if (delays_[i].is_zero())
          nodes[c.target].last_inputs.push_back({i, c.input, value});
        continue;
      }
      auto arrival = from.now() + delays_[i];
      if (arrival <= last_[i])
        arrival = {last_[i].ns, last_[i].microstep + 1};
      last_[i] = arrival;
      nodes[c.target].queue[arrival].inputs.push_back({i, c.input, value});
    }
  }

  /// Returns the reactions in their order at one tag.
  reaction_order order() const {
    return order_reactions(plan_, delays_);
  }

  std::vector<sequential_node> nodes;
  bool is_last = false; // the nodes execute the last tag

private:
  const plan& plan_;
  std::vector<delay> delays_;
  std::vector<logical_time> last_;
};

void sequential_node::write(std::uint32_t output, std::uint64_t value) {
  app_.send(*this, output, value);
}

void sequential_node::begin(logical_time tag) {
  now_ = tag;
  is_active_ = true;
  auto events = std::move(queue.extract(tag).mapped());
  switch_mode(events);
  auto resumed = std::exchange(events.resumed, {});
  queue[tag] = std::move(events);
  for (auto& x : resumed) {
    trace.push_back({tag, record::kind::resume, x.reaction, 0, 0});
    code_.resume(*this, x);
  }
}

void sequential_node::begin_last(logical_time tag) {
  now_ = tag;
  is_active_ = true;
}

void sequential_node::take_due(logical_time tag) {
  due events;
  if (app_.is_last)
    events.inputs = std::exchange(last_inputs, {});
  else if (auto found = queue.find(tag); found != queue.end())
    events = std::move(queue.extract(found).mapped());
  else
    return;
  auto by_connection
    = [](auto& x, auto& y) { return x.connection < y.connection; };
  std::stable_sort(events.inputs.begin(), events.inputs.end(), by_connection);
  for (auto& x : events.inputs) {
    now_ = tag;
    is_active_ = true;
    trace.push_back({tag, record::kind::input, x.port, x.connection, x.value});
    ports_[x.port].present = true;
    arrived_.push_back(x);
  }
  std::stable_sort(arrived_.begin(), arrived_.end(), by_connection);
  for (auto& x : events.inputs)
    ports_[x.port].values.clear();
  for (auto& x : events.inputs)
    if (auto& to = ports_[x.port]; to.values.empty())
      for (auto& y : arrived_)
        if (y.port == x.port)
          to.values.push_back(y.value);
  for (auto& [action, value] : events.actions) {
    trace.push_back({tag, record::kind::action, action, 0, value});
    actions_[action].push_back(value);
  }
}

void sequential_node::react(logical_time tag, std::uint32_t reaction) {
  take_due(tag);
  auto& planned = plan_.reactions[reaction];
  auto is_present = [this](auto x) { return !actions_[x].empty(); };
  auto triggered
    = std::ranges::any_of(
        planned.triggers, [this](auto x) { return ports_[x].present; })
      || std::ranges::any_of(planned.acts, is_present)
      || std::ranges::any_of(planned.on_modes, [&](auto x) {
           return is_present(plan_.actions + x);
         });
  auto has_mode = planned.mode != no_mode;
  auto runs
    = (triggered && (!has_mode || planned.mode == active_))
      || (app_.is_last && planned.at_shutdown
          && (!has_mode || was_active_[planned.mode]));
  if (!is_active_ || !runs)
    return;
  trace.push_back({tag, record::kind::reaction, reaction, 0, 0});
  code_.react(*this, reaction);
}

void sequential_node::end(logical_time tag) {
  take_due(tag);
  is_active_ = false;
  arrived_.clear();
  for (auto& x : ports_)
    x.present = false;
  for (auto& x : actions_)
    x.clear();
}

} // namespace

std::vector<history> run_oracle(
  const plan& planned, logical_time until, const std::vector<stamp>& stamps,
  bool has_last) {
  sequential_application app{planned};
  for (auto& x : stamps) {
    auto& due = app.nodes[x.node].queue[x.tag];
    switch (x.type) {
      case stamp::kind::connection:
        due.inputs.push_back(
          {x.index, planned.connections[x.index].input, x.value});
        break;
      case stamp::kind::input:
        due.inputs.push_back({~std::uint32_t{0}, x.index, x.value});
        break;
    }
  }
  for (auto& x : app.nodes)
    x.start();
  auto order = app.order();
  auto run_tag = [&](logical_time tag) {
    for (auto& x : order.sorted)
      app.nodes[x.node].react(tag, x.reaction);
    for (auto& x : app.nodes)
      x.end(tag);
  };
  for (;;) {
    auto tag = forever;
    for (auto& x : app.nodes)
      tag = std::min(tag, x.next_tag());
    if (tag == forever || tag > until)
      break;
    for (auto& x : app.nodes)
      if (x.next_tag() == tag)
        x.begin(tag);
    run_tag(tag);
  }
  app.is_last = has_last;
  if (has_last) {
    auto tag = caf::rosia::next_microstep(until);
    for (auto& x : app.nodes)
      x.begin_last(tag);
    run_tag(tag);
  }
  std::vector<history> result;
  for (auto& x : app.nodes)
    result.push_back(std::move(x.trace));
  return result;
}

} // namespace engine_test
