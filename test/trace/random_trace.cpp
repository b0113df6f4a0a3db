// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "trace/random_trace.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <set>

namespace trace_test {

namespace {

/// A line before it is placed in the trace.
struct item {
  std::string text;
  /// Lines that must precede it.
  std::vector<std::size_t> after;
  // The data for STAT and promises, which are filled in when the order is
  // known.
  std::optional<std::size_t> executes;
  logical_time tag;
  std::optional<std::size_t> sends_on;
  logical_time arrival;
  std::optional<std::size_t> owner;
  bool may_promise = false;
};

struct random_connection {
  std::size_t from_node, from_port, to_node, to_port;
  logical_time delay;
  bool physical;
  std::string from, to;
  logical_time last_arrival = never;
};

struct something {
  enum kind_t { resume, input, outside } kind;
  /// A reaction (none: start()), a connection, or a port.
  std::optional<std::size_t> where;
  std::uint64_t value = 0;
  /// The line that caused it.
  std::optional<std::size_t> cause;
};

struct random_node {
  std::string name;
  std::size_t inputs = 0, outputs = 0;
  /// The triggers of each.
  std::vector<std::vector<std::size_t>> reactions;
  std::int64_t period = 0;
  std::size_t ticks = 0;
  /// The input that is a physical action.
  std::optional<std::size_t> action;

  // -- the run ----------------------------------------------------------------
  std::map<logical_time, std::vector<something>> queue;
  logical_time now = origin;
  logical_time last_stamp = origin;
  std::uint64_t state = 0;
  std::set<std::size_t> written;
  logical_time barrier = forever;
  /// The least undecided request of the node.
  logical_time own = forever;
  bool asked = false, answered = false;
  std::size_t finals_taken = 0;
  bool ended = false;
  std::optional<std::size_t> end_item;
};

class simulator {
public:
  explicit simulator(std::uint64_t seed) : rng_{seed} {
    mode_ = static_cast<mode_t>(below(4));
    make_nodes();
    make_connections();
    find_loops();
    declare();
  }

  trace run() {
    start_all();
    while (step()) {
      // run until no event is possible
    }
    end_all();
    return mixed();
  }

  random_features features;

private:
  enum mode_t { natural, requested, stopped, failing };

  // -- chance -----------------------------------------------------------------

  std::size_t below(std::size_t x) {
    return static_cast<std::size_t>(rng_() % x);
  }

  bool chance(unsigned percent) {
    return below(100) < percent;
  }

  logical_time some_delay() {
    constexpr logical_time all[] = {{1, 0}, {2, 0}, {7, 0}, {0, 1}, {0, 2}};
    return all[below(std::size(all))];
  }

  static logical_time plus(logical_time x, logical_time d) {
    return d.ns > 0 ? logical_time{x.ns + d.ns, d.microstep}
                    : logical_time{x.ns, x.microstep + d.microstep};
  }

  static std::uint64_t mix(std::uint64_t x, std::uint64_t y) {
    x = (x ^ y) * 0x9e3779b97f4a7c15ull;
    return x ^ x >> 29;
  }

  // -- the graph --------------------------------------------------------------

  bool may_be_physical() const {
    return mode_ == requested || mode_ == stopped;
  }

  void make_nodes() {
    auto count = 1 + below(6);
    for (std::size_t i = 0; i < count; ++i) {
      auto& x = nodes_.emplace_back();
      x.name = std::string(1, static_cast<char>('a' + i)) + "_node";
      x.state = rng_();
      x.inputs = below(3);
      x.outputs = below(3);
      if (x.inputs > 0)
        for (auto r = 1 + below(3); r > 0; --r) {
          auto& triggers = x.reactions.emplace_back();
          for (std::size_t p = 0; p < x.inputs; ++p)
            if (chance(60))
              triggers.push_back(p);
          if (triggers.empty())
            triggers.push_back(below(x.inputs));
        }
      if (chance(50)) {
        x.period = 1 + static_cast<std::int64_t>(below(5));
        x.ticks = 1 + below(6);
      }
      if (may_be_physical() && chance(25)) {
        x.action = x.inputs++;
        auto at = below(x.reactions.size() + 1);
        x.reactions.insert(
          x.reactions.begin() + static_cast<std::ptrdiff_t>(at),
          std::vector<std::size_t>{*x.action});
      } else if (may_be_physical() && x.inputs > 0 && chance(20)) {
        x.action = below(x.inputs);
      }
      features.outside |= x.action.has_value();
    }
  }

  void make_connections() {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (std::size_t o = 0; o < nodes_[i].outputs; ++o)
        for (std::size_t j = 0; j < nodes_.size(); ++j)
          for (std::size_t p = 0; p < nodes_[j].inputs; ++p)
            if (chance(30))
              connect(i, o, j, p);
    std::shuffle(connections_.begin(), connections_.end(), rng_);
  }

  void connect(std::size_t i, std::size_t o, std::size_t j, std::size_t p) {
    auto delay = i < j && chance(60) ? origin : some_delay();
    auto physical = may_be_physical() && chance(15);
    features.physical |= physical;
    connections_.push_back(
      {i, o, j, p, delay, physical, port(i, "out", o), port(j, "in", p)});
  }

  std::string port(std::size_t node, const char* kind, std::size_t p) const {
    return nodes_[node].name + '.' + kind + std::to_string(p);
  }

  void find_loops() {
    auto n = nodes_.size();
    reaches_.assign(n, std::vector<bool>(n));
    for (const auto& c : connections_)
      if (!c.physical)
        reaches_[c.from_node][c.to_node] = true;
    for (std::size_t k = 0; k < n; ++k)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t j = 0; j < n; ++j)
          if (reaches_[i][k] && reaches_[k][j])
            reaches_[i][j] = true;
    for (std::size_t i = 0; i < n; ++i)
      features.loop |= reaches_[i][i];
  }

  bool in_one_loop(const random_connection& c) const {
    return !c.physical
           && (c.from_node == c.to_node || reaches_[c.to_node][c.from_node]);
  }

  void declare() {
    std::string more;
    if (mode_ == stopped) {
      final_ = logical_time{static_cast<std::int64_t>(below(25)),
                            static_cast<std::int64_t>(below(2))};
      more = ",\"stop_after\":" + json(*final_);
      features.stop_after = true;
    }
    result_.lines.push_back(application(more));
    for (const auto& x : nodes_) {
      node_line line{x.name};
      for (std::size_t p = 0; p < x.inputs; ++p)
        line.input("in" + std::to_string(p), x.action == p);
      for (std::size_t o = 0; o < x.outputs; ++o)
        line.output("out" + std::to_string(o));
      for (std::size_t r = 0; r < x.reactions.size(); ++r) {
        std::vector<std::string> triggers;
        for (auto p : x.reactions[r])
          triggers.push_back("in" + std::to_string(p));
        line.reaction(reaction_name(r), triggers);
      }
      result_.lines.push_back(line.str());
    }
    for (const auto& c : connections_)
      result_.lines.push_back(connection(c.from, c.to, c.delay, c.physical));
  }

  static std::string reaction_name(std::size_t r) {
    return "r" + std::to_string(r);
  }

  // -- lines ------------------------------------------------------------------

  /// Adds a line of a node, or of the coordinator.
  std::size_t add(std::optional<std::size_t> owner, std::string text,
                  std::vector<std::size_t> after = {}) {
    auto id = items_.size();
    auto& last = last_of_[owner];
    if (last)
      after.push_back(*last);
    last = id;
    auto& x = items_.emplace_back();
    x.text = std::move(text);
    x.after = std::move(after);
    x.owner = owner;
    x.may_promise = owner.has_value();
    return id;
  }

  // -- running ----------------------------------------------------------------

  void start_all() {
    if (final_) {
      if (chance(70))
        add(std::nullopt, request_outside(*final_));
      final_items_.push_back(add(std::nullopt, final_tag(*final_)));
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      start_node(i);
    schedule_physical();
  }

  void start_node(std::size_t i) {
    auto& x = nodes_[i];
    if (final_ && chance(30))
      take_final(i);
    add(i, start(x.name));
    if (x.period > 0) {
      if (chance(50))
        write_some(i);
      x.queue[{x.period, 0}].push_back({something::resume, {}, 0, {}});
    } else if (chance(30)) {
      write_some(i);
    }
  }

  void schedule_physical() {
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      auto& x = nodes_[i];
      if (x.action)
        for (auto count = below(4); count > 0; --count)
          offer(i, *x.action);
    }
  }

  /// A value arrives from outside at some time.
  void offer(std::size_t i, std::size_t action) {
    // Evaluated one after the other, because the order of evaluating arguments
    // depends on the compiler, and a seed must mean the same everywhere.
    auto value = rng_();
    auto wait = below(12);
    stamp(i, {something::outside, action, value, {}}, wait);
  }

  /// A physical value is stamped some ns from now.
  void stamp(std::size_t i, something stamped, std::size_t wait) {
    auto& x = nodes_[i];
    auto least = std::max(x.last_stamp, latest_);
    x.last_stamp = std::max(
      logical_time{latest_.ns + static_cast<std::int64_t>(wait), 0},
      logical_time{least.ns, least.microstep + 1});
    x.queue[x.last_stamp].push_back(stamped);
  }

  /// Executes the least tag of all nodes.
  bool step() {
    if (aborted_)
      return false;
    if (chance(10))
      end_some_node();
    std::optional<std::size_t> next;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].ended && !nodes_[i].queue.empty()
          && (!next
              || nodes_[i].queue.begin()->first
                   < nodes_[*next].queue.begin()->first))
        next = i;
    if (!next) {
      if (!wants_request())
        return false;
      // There are no more events; a signal ends nodes that would wait forever.
      request_from_outside();
      return true;
    }
    auto tag = nodes_[*next].queue.begin()->first;
    if (asking_ && chance(30))
      go_on_asking(false);
    auto holds
      = [&] { return tag > nodes_[*next].barrier || tag > nodes_[*next].own; };
    while (asking_ && holds())
      go_on_asking(true);
    if (final_ && !asking_ && tag > *final_)
      return false;
    if (holds() || (pending_final(*next) && chance(30)))
      while (pending_final(*next))
        take_final(*next);
    execute_tag(*next, tag);
    if (mode_ == requested && requests_ < 2 && chance(8))
      request_from(*next);
    else if (mode_ == failing && chance(3))
      fail(*next);
    return true;
  }

  void execute_tag(std::size_t i, logical_time tag) {
    auto& x = nodes_[i];
    auto events = std::move(x.queue.begin()->second);
    x.queue.erase(x.queue.begin());
    if (tag != x.now)
      x.written.clear();
    x.now = latest_ = tag;
    std::vector<std::size_t> after;
    for (const auto& e : events)
      if (e.cause)
        after.push_back(*e.cause);
    auto line = add(i, "", after);
    items_[line].executes = i;
    items_[line].tag = tag;
    resume_all(i, events);
    std::set<std::size_t> present;
    set_inputs(i, events, present);
    react(i, present);
  }

  void resume_all(std::size_t i, const std::vector<something>& events) {
    auto& x = nodes_[i];
    for (const auto& e : events) {
      if (e.kind != something::resume)
        continue;
      auto name = e.where ? reaction_name(*e.where) : "start";
      add(i, resume(x.name, x.now, name));
      x.state = mix(x.state, 1);
      if (!e.where) {
        if (--x.ticks > 0)
          x.queue[{x.now.ns + x.period, 0}].push_back(e);
        write_some(i);
      } else if (lively()) {
        write_some(i);
      }
    }
  }

  void set_inputs(std::size_t i, const std::vector<something>& events,
                  std::set<std::size_t>& present) {
    auto& x = nodes_[i];
    auto sorted = events;
    std::stable_sort(
      sorted.begin(), sorted.end(),
      [](const something& a, const something& b) { return a.where < b.where; });
    for (const auto& e : sorted) {
      if (e.kind == something::input) {
        const auto& c = connections_[*e.where];
        add(i, input(x.name, x.now, "in" + std::to_string(c.to_port), c.from,
                     e.value));
        present.insert(c.to_port);
      } else if (e.kind == something::outside) {
        add(i,
            input(x.name, x.now, "in" + std::to_string(*e.where), "", e.value));
        present.insert(*e.where);
      }
      x.state = mix(x.state, e.value);
    }
  }

  void react(std::size_t i, const std::set<std::size_t>& present) {
    auto& x = nodes_[i];
    for (std::size_t r = 0; r < x.reactions.size(); ++r) {
      auto runs = std::any_of(
        x.reactions[r].begin(), x.reactions[r].end(),
        [&](std::size_t p) { return present.contains(p); });
      if (!runs)
        continue;
      add(i, reaction(x.name, x.now, reaction_name(r)));
      if (!lively())
        continue;
      if (chance(60))
        write_some(i);
      if (chance(25))
        yield(i, r);
    }
  }

  /// The instances of one reaction resume a microstep apart.
  void yield(std::size_t i, std::size_t r) {
    auto& queue = nodes_[i].queue;
    auto tag = plus(nodes_[i].now, some_delay());
    auto is_instance = [r](const something& e) {
      return e.kind == something::resume && e.where == r;
    };
    while (std::any_of(queue[tag].begin(), queue[tag].end(), is_instance))
      tag = {tag.ns, tag.microstep + 1};
    queue[tag].push_back({something::resume, r, 0, {}});
  }

  /// Returns whether reactions still have effects; every run must end.
  bool lively() {
    return ++reactions_ < 40;
  }

  void write_some(std::size_t i) {
    auto& x = nodes_[i];
    for (std::size_t o = 0; o < x.outputs; ++o)
      if (chance(70) && x.written.insert(o).second)
        write(i, o);
  }

  void write(std::size_t i, std::size_t o) {
    auto& x = nodes_[i];
    auto value = mix(x.state, o);
    for (std::size_t n = 0; n < connections_.size(); ++n) {
      auto& c = connections_[n];
      if (c.from_node != i || c.from_port != o)
        continue;
      auto name = "out" + std::to_string(o);
      if (c.physical) {
        auto line = add(i, send_physical(x.name, x.now, name, c.to, value));
        if (nodes_[c.to_node].ended)
          continue;
        if (chance(15))
          add(n + nodes_.size(),
              drop(nodes_[c.to_node].name, "in" + std::to_string(c.to_port),
                   "queue full"),
              {line});
        else
          stamp(c.to_node, {something::input, n, value, line}, below(3));
        continue;
      }
      auto arrival = plus(x.now, c.delay);
      if (arrival <= c.last_arrival)
        arrival = {c.last_arrival.ns, c.last_arrival.microstep + 1};
      c.last_arrival = arrival;
      auto line = add(i, send(x.name, x.now, name, c.to, arrival, value));
      items_[line].sends_on = n;
      items_[line].arrival = arrival;
      nodes_[c.to_node].queue[arrival].push_back(
        {something::input, n, value, line});
    }
  }

  // -- ending by itself -------------------------------------------------------

  bool is_done(std::size_t i) const {
    const auto& x = nodes_[i];
    if (x.ended || !x.queue.empty() || x.action)
      return false;
    for (const auto& c : connections_) {
      if (c.to_node != i)
        continue;
      if (!in_one_loop(c) && !nodes_[c.from_node].ended)
        return false;
    }
    if (!reaches_[i][i])
      return true;
    // A loop is done as a whole.
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      if (!reaches_[i][j] || !reaches_[j][i])
        continue;
      if (!nodes_[j].queue.empty() || nodes_[j].action)
        return false;
      for (const auto& c : connections_)
        if (c.to_node == j && !in_one_loop(c) && !nodes_[c.from_node].ended)
          return false;
    }
    return true;
  }

  void end_done(std::size_t i) {
    std::vector<std::size_t> after;
    for (const auto& c : connections_)
      if (c.to_node == i && !in_one_loop(c))
        after.push_back(*nodes_[c.from_node].end_item);
    end_node(i, "done", after);
  }

  void end_node(std::size_t i, std::string_view ending,
                const std::vector<std::size_t>& after = {}) {
    auto& x = nodes_[i];
    x.ended = true;
    x.end_item = add(i, shutdown(x.name, x.now, ending), after);
    auto line = add(i, exit(x.name));
    items_[line].may_promise = false;
  }

  void end_some_node() {
    auto i = below(nodes_.size());
    if (!is_done(i))
      return;
    end_done(i);
    features.done_before_final |= mode_ != natural;
    if (asking_)
      finish_round_if_possible();
  }

  void end_all() {
    for (auto progress = true; progress && !aborted_;) {
      progress = false;
      for (std::size_t i = 0; i < nodes_.size(); ++i)
        if (is_done(i) && (!final_ || chance(50))) {
          end_done(i);
          progress = true;
        }
    }
    if (asking_)
      go_on_asking(true);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].ended)
        continue;
      if (aborted_) {
        end_node(i, "aborted", {*aborted_});
        continue;
      }
      while (pending_final(i))
        take_final(i);
      end_node(i, "final");
    }
    features.by_abort = aborted_.has_value();
    features.by_request = mode_ == requested && !final_items_.empty();
    features.by_itself = !aborted_ && final_items_.empty();
    std::vector<std::size_t> all(items_.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      all[i] = i;
    add(std::nullopt, end(aborted_ ? 1 : status_), all);
  }

  // -- ending by request ------------------------------------------------------

  bool wants_request() const {
    auto waits = false;
    for (const auto& x : nodes_)
      waits |= !x.ended;
    return mode_ == requested && waits && !final_ && !asking_;
  }

  void request_from(std::size_t i) {
    auto& x = nodes_[i];
    auto proposal = chance(40) ? x.now : plus(x.now, some_delay());
    if (requests_ == 0)
      status_ = chance(30) ? 3 : 0;
    x.own = std::min(x.own, proposal);
    request_arrives(
      add(i, request(x.name, x.now, proposal, status_)), proposal);
  }

  void request_from_outside() {
    request_arrives(add(std::nullopt, request_outside(never, 0)), never);
  }

  void request_arrives(std::size_t line, logical_time proposal) {
    ++requests_;
    if (asking_) {
      waiting_ = {line, proposal};
      return;
    }
    if (final_ && proposal >= *final_)
      return;
    begin_round(line, proposal);
  }

  void begin_round(std::size_t line, logical_time proposal) {
    features.two_rounds |= final_.has_value();
    asking_ = true;
    proposal_ = proposal;
    round_causes_ = {line};
    if (!final_items_.empty())
      round_causes_.push_back(final_items_.back());
    final_causes_ = round_causes_;
    highest_ = proposal;
    for (auto& x : nodes_)
      x.asked = x.answered = false;
  }

  void go_on_asking(bool all) {
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!nodes_[i].ended && !nodes_[i].asked && (all || chance(40)))
        ask(i);
    finish_round_if_possible();
  }

  void ask(std::size_t i) {
    auto& x = nodes_[i];
    // The final tag of the previous round precedes the question.
    while (pending_final(i))
      take_final(i);
    x.asked = x.answered = true;
    x.barrier = std::max(x.now, proposal_);
    highest_ = std::max(highest_, x.barrier);
    add(i, asked(x.name, proposal_), round_causes_);
    final_causes_.push_back(add(i, answer(x.name, x.barrier)));
  }

  void finish_round_if_possible() {
    for (const auto& x : nodes_)
      if (!x.ended && !x.answered)
        return;
    for (const auto& x : nodes_)
      if (x.ended)
        final_causes_.push_back(*x.end_item);
    asking_ = false;
    final_ = highest_;
    final_items_.push_back(
      add(std::nullopt, final_tag(*final_), final_causes_));
    finals_.push_back(*final_);
    final_proposals_.push_back(proposal_);
    if (waiting_) {
      auto [line, proposal] = *waiting_;
      waiting_.reset();
      if (proposal < *final_)
        begin_round(line, proposal);
    }
  }

  bool pending_final(std::size_t i) const {
    return nodes_[i].finals_taken < final_items_.size();
  }

  void take_final(std::size_t i) {
    auto& x = nodes_[i];
    auto n = x.finals_taken++;
    auto tag = mode_ == stopped ? *final_ : finals_[n];
    x.barrier = tag;
    if (mode_ != stopped && final_proposals_[n] == x.own)
      x.own = forever;
    add(i, final_taken(x.name, tag), {final_items_[n]});
  }

  // -- aborting ---------------------------------------------------------------

  void fail(std::size_t i) {
    const auto& x = nodes_[i];
    auto line = add(i, error(x.name, "start", x.now, "it failed"));
    aborted_ = add(std::nullopt, aborted(), {line});
  }

  // -- mixing -----------------------------------------------------------------

  /// Returns the lines in a random order that keeps causes before effects.
  trace mixed() {
    std::vector<std::size_t> missing(items_.size());
    std::vector<std::vector<std::size_t>> allows(items_.size());
    for (std::size_t i = 0; i < items_.size(); ++i) {
      missing[i] = items_[i].after.size();
      for (auto before : items_[i].after)
        allows[before].push_back(i);
    }
    std::vector<std::size_t> ready, order;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (missing[i] == 0)
        ready.push_back(i);
    while (!ready.empty()) {
      auto pick = below(ready.size());
      auto next = ready[pick];
      ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(pick));
      order.push_back(next);
      for (auto i : allows[next])
        if (--missing[i] == 0)
          ready.push_back(i);
    }
    write_lines(order);
    return std::move(result_);
  }

  /// From the end, because STAT and promises refer to later lines.
  void write_lines(const std::vector<std::size_t>& order) {
    std::vector<std::string> lines;
    std::vector<logical_time> next_at(nodes_.size(), forever);
    std::vector<logical_time> next_on(connections_.size(), forever);
    for (auto i = order.rbegin(); i != order.rend(); ++i) {
      auto& x = items_[*i];
      if (x.may_promise && *x.owner < nodes_.size() && chance(15))
        promise_after(*x.owner, next_on, lines);
      if (x.sends_on) {
        auto& at = next_at[connections_[*x.sends_on].to_node];
        at = std::min(at, x.arrival);
        next_on[*x.sends_on] = x.arrival;
      }
      if (x.executes) {
        auto least = logical_time{x.tag.ns, x.tag.microstep + 1};
        auto stat = chance(50) ? least : next_at[*x.executes];
        x.text = execute(nodes_[*x.executes].name, x.tag, stat);
      }
      lines.push_back(x.text);
    }
    result_.lines.insert(result_.lines.end(), lines.rbegin(), lines.rend());
  }

  void promise_after(std::size_t node, const std::vector<logical_time>& next_on,
                     std::vector<std::string>& lines) {
    for (std::size_t n = 0; n < connections_.size(); ++n) {
      const auto& c = connections_[n];
      if (c.from_node == node && !c.physical && chance(50))
        lines.push_back(promise(
          nodes_[node].name, "out" + std::to_string(c.from_port), c.to,
          next_on[n]));
    }
  }

  std::mt19937_64 rng_;
  mode_t mode_;
  std::vector<random_node> nodes_;
  std::vector<random_connection> connections_;
  std::vector<std::vector<bool>> reaches_;
  trace result_;
  std::vector<item> items_;
  /// The last line of each node and of the coordinator.
  std::map<std::optional<std::size_t>, std::optional<std::size_t>> last_of_;
  logical_time latest_ = origin;
  std::size_t reactions_ = 0;

  std::size_t requests_ = 0;
  int status_ = 0;
  bool asking_ = false;
  logical_time proposal_;
  logical_time highest_;
  std::vector<std::size_t> round_causes_;
  std::vector<std::size_t> final_causes_;
  std::optional<std::pair<std::size_t, logical_time>> waiting_;
  std::optional<logical_time> final_;
  std::vector<logical_time> finals_;
  std::vector<logical_time> final_proposals_;
  std::vector<std::size_t> final_items_;
  std::optional<std::size_t> aborted_;
};

} // namespace

trace random_trace(std::uint64_t seed, random_features* features) {
  simulator x{seed};
  auto result = x.run();
  if (features)
    *features = x.features;
  return result;
}

} // namespace trace_test
