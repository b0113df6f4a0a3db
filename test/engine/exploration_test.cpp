// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Explores all executions of small applications: nodes of the engine and its
// coordinator, in which each event may be late or immediate.
//
//   ROSIA_EXPLORATION_EDGES  maximum number of connections in graphs of three
//                            nodes, in all scenarios (a few; 9 for all graphs,
//                            which takes hours)
//   ROSIA_EXPLORATION_NAME   only the scenarios with this text in their names
//   ROSIA_EXPLORATION_PART   2/8 is the second of eight parts, so that several
//                            processes share the work

#include "explorer.hpp"

#include "catch.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace exploration_test {

using namespace engine_test;
using caf::rosia::microsteps;

namespace {

delay ns(std::int64_t x) {
  return delay{std::chrono::nanoseconds{x}};
}

delay steps(std::uint32_t n) {
  return delay{microsteps(n)};
}

// -- graphs -------------------------------------------------------------------

/// The senders and receivers, as one bit for each pair.
using edges = std::uint32_t;

bool joined(edges x, node_id size, node_id from, node_id to) {
  return (x >> (from * size + to) & 1u) != 0;
}

/// The smallest loop of three nodes.
constexpr edges ring_of_three = 98;

/// Returns all graphs without duplicates. If graphs differ only in the order of
/// nodes, the one with the least number represents them.
std::vector<edges> graphs(node_id size) {
  std::vector<edges> result;
  for (edges x = 0; x < 1u << (size * size); ++x) {
    std::vector<node_id> order(size);
    for (node_id i = 0; i < size; ++i)
      order[i] = i;
    auto least = true;
    do {
      edges y = 0;
      for (node_id i = 0; i < size; ++i)
        for (node_id j = 0; j < size; ++j)
          if (joined(x, size, i, j))
            y |= 1u << (order[i] * size + order[j]);
      least = least && x <= y;
    } while (std::next_permutation(order.begin(), order.end()));
    if (least)
      result.push_back(x);
  }
  return result;
}

/// Kinds of delays.
enum class delays { mixed, by_time };

/// Returns nodes that relay their first value. Nodes without inputs send one at
/// the start, or the first node if all have inputs.
plan make_application(node_id size, edges graph, delays kind) {
  plan result;
  auto has_source = false;
  for (node_id i = 0; i < size; ++i) {
    auto& x = result.nodes.emplace_back();
    x.seed = i + 1;
    x.inputs = x.outputs = 1;
    x.limit = 1;
    auto& reaction = x.reactions.emplace_back();
    reaction.triggers = {0};
    reaction.effect = action::relay;
    reaction.outputs = 1;
    auto gets = false;
    for (node_id j = 0; j < size; ++j)
      gets = gets || joined(graph, size, j, i);
    if (!gets) {
      has_source = true;
      x.start_outputs = 1;
    }
  }
  if (!has_source)
    result.nodes[0].start_outputs = 1;
  for (node_id i = 0; i < size; ++i)
    for (node_id j = 0; j < size; ++j)
      if (joined(graph, size, i, j)) {
        auto& x = result.connections.emplace_back();
        x.source = i;
        x.target = j;
        if (kind == delays::by_time)
          x.distance = i == j ? steps(1) : ns(1);
        else
          x.distance = i < j ? delay{} : i == j ? ns(1) : steps(1);
      }
  return result;
}

// -- scenarios ----------------------------------------------------------------

constexpr logical_time at(std::int64_t ns, std::uint32_t microstep = 0) {
  return {ns, microstep};
}

void request_from_outside(exploration& x, logical_time proposal) {
  x.subject.outside_requests.push_back({std::nullopt, 0, proposal});
}

/// Nodes that send at the start have a further event in the distant future.
void add_distant_future(plan& x) {
  for (auto& node : x.nodes)
    if (node.start_outputs != 0)
      node.timer = {ns(9), ns(1), 1, 1, {}};
}

/// Lets the node write at the last tag; the receivers forward what they get.
void react_to_last_tag(plan& x, node_id node) {
  x.nodes[node].reactions[0].at_shutdown = true;
  for (auto& y : x.nodes)
    y.limit = 2;
}

/// The possible events of an application. `x` and `y` are two of its nodes.
struct scenario {
  const char* name;
  int edges; // maximum for three nodes, by default
  void (*apply)(exploration& app, node_id x, node_id y);
  bool concerns_x = false;
  bool concerns_y = false;
};

const scenario scenarios[] = {
  {"ends by itself", 9, [](auto&, auto, auto) {}},
  {"stop_after", 9,
   [](auto& e, auto, auto) { e.subject.stop_after = at(0, 1); }},
  {"signal", 2, [](auto& e, auto, auto) { request_from_outside(e, never); }},
  {"two signals", 1,
   [](auto& e, auto, auto) {
     request_from_outside(e, never);
     e.second_signal = true;
   }},
  {"two requests from outside", 1,
   [](auto& e, auto, auto) {
     request_from_outside(e, at(0, 1));
     request_from_outside(e, never);
   }},
  {"requests of start() and of a reaction", 1,
   [](auto& e, auto x, auto y) {
     e.subject.nodes[x].requests.push_back({0, ns(1), 3});
     e.subject.nodes[y].requests.push_back({1, std::nullopt, 4});
   },
   true, true},
  {"two requests of reactions", 2,
   [](auto& e, auto x, auto y) {
     e.subject.nodes[x].requests.push_back({1, std::nullopt, 0});
     e.subject.nodes[y].requests.push_back({1, steps(1), 5});
   },
   true, true},
  {"distant request, then a signal", 1,
   [](auto& e, auto x, auto) {
     add_distant_future(e.subject);
     e.subject.nodes[x].requests.push_back({0, ns(5), 6});
     request_from_outside(e, never);
   },
   true},
  {"a reaction throws, and a signal", 1,
   [](auto& e, auto x, auto) {
     e.subject.nodes[x].fails_at = 1;
     request_from_outside(e, never);
   },
   true},
  {"two start() throw", 3,
   [](auto& e, auto x, auto y) {
     e.subject.nodes[x].fails_at = 0;
     e.subject.nodes[y].fails_at = 0;
   },
   true, true},
  {"a node vanishes, and a signal", 1,
   [](auto& e, auto x, auto) {
     e.vanishes = x;
     request_from_outside(e, never);
   },
   true},
  {"stages take too long", 1,
   [](auto& e, auto, auto) {
     request_from_outside(e, never);
     e.deadlines = 2;
   }},
  {"a node gets stuck", 1,
   [](auto& e, auto x, auto) {
     request_from_outside(e, never);
     e.bound_to_come = true;
     e.sticks = x;
     e.deadlines = 2;
   },
   true},
  {"a node reacts to the last tag", 3,
   [](auto& e, auto x, auto) { react_to_last_tag(e.subject, x); }, true},
  {"two nodes react to the last tag, and a signal", 1,
   [](auto& e, auto x, auto y) {
     react_to_last_tag(e.subject, x);
     react_to_last_tag(e.subject, y);
     request_from_outside(e, never);
   },
   true, true},
  {"a node reacts to the last tag, and two signals", 1,
   [](auto& e, auto x, auto) {
     react_to_last_tag(e.subject, x);
     request_from_outside(e, never);
     e.second_signal = true;
   },
   true},
  {"a node reacts to the last tag, and two requests", 1,
   [](auto& e, auto x, auto) {
     react_to_last_tag(e.subject, x);
     request_from_outside(e, at(0, 1));
     request_from_outside(e, never);
   },
   true},
  {"a node reacts to the last tag, and a node gets stuck", 1,
   [](auto& e, auto x, auto y) {
     react_to_last_tag(e.subject, x);
     request_from_outside(e, never);
     e.bound_to_come = true;
     e.sticks = y;
     e.deadlines = 2;
   },
   true, true},
  {"a node fails at the last tag", 1,
   [](auto& e, auto x, auto) {
     react_to_last_tag(e.subject, x);
     e.subject.nodes[x].fails_at = 2;
   },
   true},
  {"shutdown() throws, and a signal", 1,
   [](auto& e, auto x, auto) {
     e.subject.nodes[x].shutdown_fails = true;
     request_from_outside(e, never);
   },
   true},
};

/// The sums over all explorations of a kind.
struct row {
  std::uint64_t explorations = 0;
  std::uint64_t states = 0;
  std::uint64_t transitions = 0;
  std::uint64_t ends = 0;
  std::uint64_t longest = 0;
  std::uint64_t cut_off = 0;
  double seconds = 0;

  void add(const row& x) {
    explorations += x.explorations;
    states += x.states;
    transitions += x.transitions;
    ends += x.ends;
    longest = std::max(longest, x.longest);
    cut_off += x.cut_off;
    seconds += x.seconds;
  }

  void print(const std::string& name) const {
    std::cout
      << std::left << std::setw(40) << name << std::right << std::setw(6)
      << explorations << std::setw(11) << states << std::setw(12) << transitions
      << std::setw(8) << ends << std::setw(8) << longest << std::setw(9)
      << std::fixed << std::setprecision(2) << seconds
      << (cut_off > 0 ? ", cut off: " + std::to_string(cut_off) : "")
      << std::endl;
  }
};

/// They take 6 GiB; few machines have memory for more.
constexpr std::uint64_t most_states = 150'000'000;

/// @returns false if a rule was broken.
bool run(const exploration& app, row& sum) {
  auto began = std::chrono::steady_clock::now();
  auto x = explore(app, faultless(app), {most_states});
  sum.seconds
    += std::chrono::duration<double>(std::chrono::steady_clock::now() - began)
         .count();
  ++sum.explorations;
  sum.states += x.states;
  sum.transitions += x.transitions;
  sum.ends += x.ends;
  sum.longest = std::max(sum.longest, x.longest);
  sum.cut_off += x.cut_off;
  if (x.mistake)
    FAIL_CHECK(to_string(app.subject) << to_string(x));
  return !x.mistake;
}

/// Returns whether the build is slow. Without optimization, or with checks, an
/// exploration takes ten times as long.
constexpr bool is_slow() {
#if defined(__SANITIZE_ADDRESS__) || !defined(__OPTIMIZE__)
  return true;
#elif defined(__has_feature)
  return __has_feature(address_sanitizer);
#else
  return false;
#endif
}

int most_edges(const scenario& x, node_id size) {
  if (size < explored_application::max_nodes)
    return static_cast<int>(size * size);
  if (auto text = std::getenv("ROSIA_EXPLORATION_EDGES"))
    return std::atoi(text);
  return is_slow() ? std::min(1, x.edges - 1) : x.edges;
}

/// Distributes the applications of a scenario over processes.
class share {
public:
  share() {
    auto text = std::getenv("ROSIA_EXPLORATION_PART");
    if (text == nullptr)
      return;
    if (std::sscanf(text, "%u/%u", &part_, &parts_) != 2 || part_ < 1
        || part_ > parts_)
      throw std::invalid_argument(
        "ROSIA_EXPLORATION_PART is no part like 2/8: " + std::string{text});
  }

  bool is_mine() {
    return next_++ % parts_ == part_ - 1;
  }

private:
  unsigned part_ = 1;
  unsigned parts_ = 1;
  unsigned next_ = 0;
};

/// Explores all applications of a size.
void run(const scenario& scene, node_id size, share& mine, row& sum) {
  for (auto graph : graphs(size)) {
    auto most = most_edges(scene, size);
    if (std::popcount(graph) > most && (graph != ring_of_three || most < 2))
      continue;
    for (auto kind : {delays::mixed, delays::by_time}) {
      if (kind == delays::by_time && (graph == 0 || is_slow()))
        continue;
      for (node_id x = 0; x < (scene.concerns_x ? size : 1); ++x)
        for (node_id y = 0; y < (scene.concerns_y ? size : 1); ++y) {
          if (!mine.is_mine())
            continue;
          exploration app;
          app.subject = make_application(size, graph, kind);
          scene.apply(app, x, y);
          if (!run(app, sum))
            return;
        }
    }
  }
}

// -- nodes in physical time ---------------------------------------------------

/// Returns two nodes joined by a physical connection, one of which has a
/// physical action with a pending value.
exploration make_physical() {
  exploration result;
  result.subject = make_application(2, 2, delays::mixed);
  result.subject.connections[0].physical = true;
  auto& node = result.subject.nodes[0];
  auto input = node.inputs++;
  node.physical_actions.push_back(input);
  auto& reaction = node.reactions.emplace_back();
  reaction.triggers = {input};
  reaction.effect = action::relay;
  reaction.outputs = 1;
  node.limit = 2;
  result.subject.calls.push_back({0, 0, input, 7});
  result.bound_to_come = true;
  return result;
}

/// Returns a loop of two nodes, one of which has a physical action.
exploration make_physical_loop() {
  auto result = make_physical();
  result.subject.connections
    = make_application(2, 6, delays::mixed).connections;
  return result;
}

/// Returns a node in real time that sends to one that is not.
exploration make_realtime() {
  exploration result;
  result.subject = make_application(2, 2, delays::by_time);
  result.subject.nodes[0].realtime = true;
  add_distant_future(result.subject);
  return result;
}

// -- samples ------------------------------------------------------------------

/// Returns some graphs of three nodes for each scenario.
std::vector<exploration> samples() {
  std::vector<exploration> result;
  for (auto& x : scenarios)
    for (edges graph : {2u, 98u, 107u, 47u}) {
      auto& app = result.emplace_back();
      app.subject = make_application(3, graph, delays::mixed);
      x.apply(app, 0, 1);
    }
  return result;
}

/// Returns applications in physical time, with two requests.
std::vector<exploration> physical_samples() {
  std::vector<exploration> result{
    make_physical(), make_physical_loop(), make_realtime()};
  for (auto& app : result) {
    request_from_outside(app, at(2));
    request_from_outside(app, at(1));
  }
  return result;
}

// -- mistakes -----------------------------------------------------------------

/// Possible mistakes in the protocol.
enum class mistake {
  maximum_over_those_asked,
  minimum_of_answers,
  final_tag_before_all_have_answered,
  exit_is_no_answer,
  different_final_tags,
  final_tag_not_told_to_all,
  abort_not_told_to_all,
  second_request_lost,
  barrier_set_late,
  failure_forgotten,
};

/// An application with a mistake: the messages between the engine's coordinator
/// and nodes are distorted.
class mistaken_application : public explored_application {
public:
  mistaken_application(const exploration& app, mistake which)
    : explored_application(app), which_(which) {
    // nop
  }

private:
  void handle(node_id id, const report& x) override {
    auto y = x;
    auto owes = negotiation_.owes_answer(id);
    switch (which_) {
      case mistake::maximum_over_those_asked:
        if (x.type == report::kind::exit)
          negotiation_.answer(id, x.tag);
        break;
      case mistake::minimum_of_answers:
        if (x.type == report::kind::answer)
          y.tag = std::min(lowest_, x.tag);
        lowest_ = y.tag;
        break;
      case mistake::final_tag_before_all_have_answered:
        if (x.type == report::kind::answer && owes)
          for (node_id i = 0; i < size(); ++i)
            explored_application::notify(
              i, {notice::kind::final, x.tag, x.tag});
        break;
      case mistake::exit_is_no_answer:
        if (x.type == report::kind::exit && owes)
          return;
        break;
      case mistake::second_request_lost:
        if (x.type == report::kind::request && requested_++ > 0)
          return;
        break;
      case mistake::failure_forgotten:
        if (x.type == report::kind::failed)
          return;
        break;
      default:
        break;
    }
    explored_application::handle(id, y);
  }

  void notify(node_id id, const notice& x) override {
    auto y = x;
    if (which_ == mistake::different_final_tags && id == 1
        && x.type == notice::kind::final)
      y.tag = next_microstep(x.tag);
    if (which_ == mistake::final_tag_not_told_to_all && id == 1
        && x.type == notice::kind::final)
      return;
    if (which_ == mistake::abort_not_told_to_all && id == 1
        && x.type == notice::kind::abort)
      return;
    explored_application::notify(id, y);
  }

  void inform(node_id id, const notice& x) override {
    if (which_ != mistake::barrier_set_late || x.type != notice::kind::ask)
      explored_application::inform(id, x);
    else if (!left(id))
      pledge_only(id, x.tag);
  }

  mistake which_;
  logical_time lowest_ = forever;
  int requested_ = 0;
};

/// An application whose fingerprints ignore messages in transit, so that
/// different states look the same.
class forgetful_application : public explored_application {
public:
  using explored_application::explored_application;

  fingerprint state() const override {
    hasher h;
    h.add(possible());
    for (node_id i = 0; i < size(); ++i)
      add_state(h, at(i), [](void*) { return std::uint64_t{0}; });
    return h.get();
  }
};

const scenario& scenario_of(std::string_view name) {
  return *std::find_if(std::begin(scenarios), std::end(scenarios),
                       [=](auto& x) { return x.name == name; });
}

} // namespace

TEST_CASE("a small application ends correctly, whatever happens",
          "[exploration]") {
  row all;
  auto only = std::getenv("ROSIA_EXPLORATION_NAME");
  std::cout << std::left << std::setw(46) << "what may happen, to how many"
            << "     states transitions    ends longest  seconds\n";
  for (auto& x : scenarios) {
    if (only && std::string_view{x.name}.find(only) == std::string_view::npos)
      continue;
    row sum;
    share mine;
    for (node_id size = 1; size <= explored_application::max_nodes; ++size)
      run(x, size, mine, sum);
    sum.print(x.name);
    all.add(sum);
    CHECK(sum.ends >= sum.explorations);
  }
  row physical;
  for (auto& app : {make_physical(), make_physical_loop(), make_realtime()}) {
    auto with_signal = app;
    request_from_outside(with_signal, never);
    run(with_signal, physical);
    auto with_requests = app;
    request_from_outside(with_requests, at(2));
    request_from_outside(with_requests, at(1));
    run(with_requests, physical);
  }
  physical.print("what follows physical time");
  all.add(physical);
  all.print("in all");
  CHECK(all.cut_off == 0);
}

TEST_CASE("an exploration finds mistakes in the protocol", "[exploration]") {
  struct test {
    mistake kind;
    const char* where;
    const char* found; // part of the message
  };
  auto x = GENERATE(values<test>({
    {mistake::maximum_over_those_asked, "distant request, then a signal",
     "the final tag is"},
    {mistake::minimum_of_answers, "distant request, then a signal",
     "the final tag is"},
    {mistake::final_tag_before_all_have_answered,
     "distant request, then a signal", ""},
    {mistake::exit_is_no_answer, "signal", "no node continues"},
    {mistake::different_final_tags, "signal", "final tag"},
    {mistake::final_tag_not_told_to_all, "signal", "no node continues"},
    {mistake::abort_not_told_to_all, "two signals", "no node continues"},
    {mistake::second_request_lost, "two requests of reactions",
     "forgets a request"},
    {mistake::barrier_set_late, "signal", "past its barrier"},
    {mistake::failure_forgotten, "a reaction throws, and a signal", ""},
  }));
  CAPTURE(static_cast<int>(x.kind));
  exploration app;
  app.subject = make_application(2, 2, delays::by_time);
  app.subject.nodes[1].start_outputs = 1;
  scenario_of(x.where).apply(app, 1, 1);
  REQUIRE_FALSE(explore(app, faultless(app)).mistake);
  auto found = explore(app, [&] {
    return std::make_unique<mistaken_application>(app, x.kind);
  });
  INFO(to_string(found));
  REQUIRE(found.mistake);
  CHECK(found.mistake->find(x.found) != std::string::npos);
  CHECK(found.path.size() <= 25);
}

TEST_CASE("omitting equivalent orders loses no outcome", "[exploration]") {
  for (auto& x : scenarios)
    for (edges graph : {2u, 3u, 6u}) {
      if (is_slow() && graph != 6)
        continue;
      CAPTURE(x.name, graph);
      exploration app;
      app.subject = make_application(2, graph, delays::by_time);
      x.apply(app, 0, 1);
      auto some = explore(app, faultless(app));
      auto all = explore(app, faultless(app), {most_states, true});
      CHECK((some.outcomes == all.outcomes));
      CHECK(some.states <= all.states);
    }
}

TEST_CASE("states that an exploration takes for equal have the same future",
          "[exploration]") {
  std::uint64_t compared = 0;
  auto seed = std::uint64_t{1};
  for (auto& app : samples())
    compared += compare_futures(faultless(app), seed++, 60);
  for (auto& app : physical_samples())
    compared += compare_futures(faultless(app), seed++, 100);
  CHECK(compared > 1000);
}

TEST_CASE("a restored application is in its earlier state", "[exploration]") {
  auto seed = std::uint64_t{1};
  for (auto& app : samples())
    CHECK(compare_restored(faultless(app), seed++, 10) >= 10);
  for (auto& app : physical_samples())
    CHECK(compare_restored(faultless(app), seed++, 20) >= 20);
  // Reactions that yield, and nodes under back-pressure.
  for (edges graph : {98u, 107u}) {
    exploration app;
    app.subject = make_application(3, graph, delays::mixed);
    app.subject.max_in_flight = 1;
    for (auto& node : app.subject.nodes) {
      node.limit = 5;
      node.reactions[0].effect = action::yield_twice;
      node.reactions[0].pause = steps(1);
    }
    request_from_outside(app, at(5));
    CHECK(compare_restored(faultless(app), seed++, 20) >= 20);
  }
}

TEST_CASE("an incomplete fingerprint is detected", "[exploration]") {
  exploration app;
  app.subject = make_application(3, 98, delays::mixed);
  scenario_of("two requests of reactions").apply(app, 0, 1);
  auto make = [&app] { return std::make_unique<forgetful_application>(app); };
  CHECK_THROWS_AS(compare_futures(make, 1, 2000), broken_rule);
}

} // namespace exploration_test
