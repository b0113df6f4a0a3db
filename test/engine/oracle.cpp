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

  sequential_node(sequential_application& app, const node_plan& what)
    : app_(app), plan_(what), code_(what), ports_(what.inputs),
      actions_(what.actions + what.modes), events_(what.actions),
      was_active_(what.modes), suspended_(what.modes) {
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

  void execute(logical_time tag);

  /// Executes the last tag, if there is anything to do.
  void execute_last(logical_time tag);

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

  void handle(due what, bool is_last);

  /// Enters the mode that is wanted, if there is one.
  /// @param what the events of the current tag.
  void switch_mode(due& what);

  void suspend(logical_time from, logical_time tag, due& what);

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

  std::uint32_t active_ = 0;
  std::vector<bool> was_active_;
  std::optional<wanted_mode> wanted_;
  std::vector<std::vector<suspended>> suspended_; // by mode
  logical_time now_;
};

void sequential_node::suspend(logical_time from, logical_time tag, due& what) {
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
  move(what.resumed, result.resumed, [&](auto& x) { return mode_of(x); });
  move(what.actions, result.actions, [&](auto& x) {
    return mode_of_action(x.first);
  });
  if (!result.resumed.empty() || !result.actions.empty())
    suspended_[active_].push_back(std::move(result));
}

void sequential_node::switch_mode(due& what) {
  if (!wanted_)
    return;
  auto [mode, wants_history, called] = *wanted_;
  wanted_.reset();
  auto by_history = wants_history && was_active_[mode];
  trace.push_back({now_, record::kind::mode, mode, by_history, 0});
  was_active_[mode] = true;
  if (by_history && mode == active_)
    return;
  suspend(called, now_, what);
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
    auto& to = tag == now_ ? what : queue[tag];
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
  explicit sequential_application(const plan& what)
    : plan_(what), delays_(effective_delays(what)),
      last_(what.connections.size(), never) {
    nodes.reserve(what.nodes.size());
    for (auto& x : what.nodes)
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

  /// Returns nodes before those downstream of them without delay.
  std::vector<node_id> order() const {
    std::vector<node_id> result;
    std::vector<bool> placed(nodes.size());
    auto blocked = [&](node_id x) {
      for (std::uint32_t i = 0; i < delays_.size(); ++i) {
        auto& c = plan_.connections[i];
        if (c.target == x && !c.physical && delays_[i].is_zero()
            && !placed[c.source])
          return true;
      }
      return false;
    };
    while (result.size() < nodes.size())
      for (node_id i = 0; i < nodes.size(); ++i)
        if (!placed[i] && !blocked(i)) {
          placed[i] = true;
          result.push_back(i);
        }
    return result;
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

void sequential_node::execute(logical_time tag) {
  now_ = tag;
  handle(std::move(queue.extract(tag).mapped()), false);
}

void sequential_node::execute_last(logical_time tag) {
  auto reacts
    = std::any_of(plan_.reactions.begin(), plan_.reactions.end(), [](auto& x) {
        return x.at_shutdown;
      });
  if (!reacts && last_inputs.empty())
    return;
  now_ = tag;
  handle({{}, std::move(last_inputs), {}}, true);
}

void sequential_node::handle(due what, bool is_last) {
  auto tag = now_;
  if (!is_last)
    switch_mode(what);
  for (auto& x : what.resumed) {
    trace.push_back({tag, record::kind::resume, x.reaction, 0, 0});
    code_.resume(*this, x);
  }
  std::stable_sort(
    what.inputs.begin(), what.inputs.end(),
    [](auto& x, auto& y) { return x.connection < y.connection; });
  std::vector<bool> triggered(plan_.reactions.size());
  for (std::uint32_t i = 0; i < triggered.size(); ++i)
    triggered[i]
      = is_last && plan_.reactions[i].at_shutdown
        && (plan_.reactions[i].mode == no_mode
            || was_active_[plan_.reactions[i].mode]);
  for (auto& x : what.inputs) {
    trace.push_back({tag, record::kind::input, x.port, x.connection, x.value});
    auto& to = ports_[x.port];
    if (!to.present)
      to.values.clear();
    to.present = true;
    to.values.push_back(x.value);
  }
  auto is_active = [&](std::uint32_t i) {
    auto mode = plan_.reactions[i].mode;
    return mode == no_mode || mode == active_;
  };
  for (std::uint32_t i = 0; i < triggered.size(); ++i)
    for (auto trigger : plan_.reactions[i].triggers)
      if (ports_[trigger].present && is_active(i))
        triggered[i] = true;
  for (auto& [action, value] : what.actions) {
    trace.push_back({tag, record::kind::action, action, 0, value});
    actions_[action].push_back(value);
  }
  for (std::uint32_t i = 0; i < triggered.size(); ++i) {
    auto& reaction = plan_.reactions[i];
    auto acts = reaction.acts;
    for (auto mode : reaction.on_modes)
      acts.push_back(plan_.actions + mode);
    for (auto action : acts)
      if (!actions_[action].empty() && is_active(i))
        triggered[i] = true;
  }
  for (std::uint32_t i = 0; i < triggered.size(); ++i)
    if (triggered[i]) {
      trace.push_back({tag, record::kind::reaction, i, 0, 0});
      code_.react(*this, i);
    }
  for (auto& x : ports_)
    x.present = false;
  for (auto& x : actions_)
    x.clear();
}

} // namespace

std::vector<history> run_oracle(
  const plan& what, logical_time until, const std::vector<stamp>& stamps,
  bool has_last) {
  sequential_application app{what};
  for (auto& x : stamps) {
    auto& due = app.nodes[x.node].queue[x.tag];
    switch (x.what) {
      case stamp::kind::connection:
        due.inputs.push_back(
          {x.index, what.connections[x.index].input, x.value});
        break;
      case stamp::kind::input:
        due.inputs.push_back({~std::uint32_t{0}, x.index, x.value});
        break;
    }
  }
  for (auto& x : app.nodes)
    x.start();
  auto order = app.order();
  for (;;) {
    auto tag = forever;
    for (auto& x : app.nodes)
      tag = std::min(tag, x.next_tag());
    if (tag == forever || tag > until)
      break;
    for (auto i : order)
      if (app.nodes[i].next_tag() == tag)
        app.nodes[i].execute(tag);
  }
  app.is_last = has_last;
  if (has_last)
    for (auto i : order)
      app.nodes[i].execute_last(caf::rosia::next_microstep(until));
  std::vector<history> result;
  for (auto& x : app.nodes)
    result.push_back(std::move(x.trace));
  return result;
}

} // namespace engine_test
