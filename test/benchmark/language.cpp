// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The costs of members of the language: a stream with a member, against the
// same stream without it. Both run as fast as possible, so no deadline is
// missed and no watchdog expires.

#include "light_nodes.hpp"
#include "pairs.hpp"

#include "caf/rosia/action.hpp"
#include "caf/rosia/application.hpp"
#include "caf/rosia/bank.hpp"
#include "caf/rosia/deadline.hpp"
#include "caf/rosia/mode.hpp"
#include "caf/rosia/spacing.hpp"
#include "caf/rosia/tick.hpp"
#include "caf/rosia/watchdog.hpp"

#include <benchmark/benchmark.h>

#include <string>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

using bench::summing_sink;
using bench::ticker;

constexpr int rounds = 300'000;

/// Runs a source, a node of this class and a sink, beside other nodes.
/// @returns seconds for each value.
template <class Node, class... Others>
double stream(caf::actor_system& sys, const std::string& groups = "auto") {
  auto opts = bench::fast();
  opts.groups = groups;
  rosia::application app{sys, opts};
  (app.create<Others>("other"), ...);
  auto from = app.create<ticker>("from", rounds);
  auto middle = app.create<Node>("middle");
  auto to = app.create<summing_sink>("to");
  app.connect(from, &ticker::out, middle, &Node::in);
  app.connect(middle, &Node::out, to, &summing_sink::in);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / rounds;
}

/// Compares a node that uses a member with one that does not.
template <class With, class Without>
void compare(benchmark::State& state, bench::row result,
             const std::string& groups = "auto") {
  bench::run_pairs(
    state, [&](caf::actor_system& sys) { return stream<With>(sys, groups); },
    [&](caf::actor_system& sys) { return stream<Without>(sys, groups); },
    std::move(result));
}

struct ports : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
};

struct plain : ports {
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 1); }};
};

struct declared : ports {
  rosia::reaction on_in{
    this, "on_in", {in}, rosia::writes(out), [this] { out(*in + 1); }};
};

struct hurried : ports {
  rosia::reaction on_in{
    this, "on_in", {in}, rosia::deadline{1h}, [this] { out(*in + 1); }};
};

struct watched : ports {
  rosia::watchdog dog{this, "dog", 1h};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          if (*in + 1 < rounds)
                            dog.start();
                          else
                            dog.stop();
                          out(*in + 1);
                        }};
  rosia::reaction on_dog{this, "on_dog", {dog}, [this] { out(0); }};
};

/// Sends each value half a microsecond later.
struct later : ports {
  rosia::action<int> due{this, "due"};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { due.schedule(500ns, *in); }};
  rosia::reaction on_due{this, "on_due", {due}, [this] { out(*due); }};
};

struct spaced : ports {
  rosia::action<int> due{this, "due", rosia::spacing{1us}};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { due.schedule(500ns, *in); }};
  rosia::reaction on_due{this, "on_due", {due}, [this] { out(*due); }};
};

/// Its reaction is of a mode that is always active.
struct modal : ports {
  rosia::mode normal{this, "normal"};
  rosia::mode failed{this, "failed"};
  rosia::reaction on_in{normal, "on_in", {in}, [this] { out(*in + 1); }};
};

/// A node with all members and little to do.
struct versatile : rosia::node {
  rosia::mode normal{this, "normal"};
  rosia::mode failed{this, "failed"};
  rosia::tick begin{normal, "begin", rosia::once};
  rosia::action<int> due{this, "due", rosia::spacing{1us}};
  rosia::watchdog dog{this, "dog", 1h};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_begin{
    normal,
    "on_begin",
    {begin, due, dog},
    rosia::writes(out),
    rosia::deadline{1h},
    [this] { out(1); }};
  rosia::reaction at_end{
    this, "at_end", {rosia::at_shutdown}, rosia::writes(out), [this] {
      out(2);
    }};
};

// -- a loop without delay, against one with a microstep -----------------------

/// Asks every microsecond, and takes the answer.
struct asking : rosia::node {
  rosia::input_port<int> answer{this, "answer"};
  rosia::output_port<int> question{this, "question"};
  rosia::tick next{this, "next", 1us};
  int sum = 0;

  rosia::reaction on_next{
    this, "on_next", {next}, rosia::writes(question), [this] {
      question(sum);
    }};
  rosia::reaction on_answer{
    this, "on_answer", {answer}, rosia::writes(), [this] { sum += *answer; }};
};

/// @returns seconds for each question.
double ask(caf::actor_system& sys, std::size_t relays,
           const rosia::connection_kind& back) {
  auto count = rounds / static_cast<int>(relays);
  auto opts = bench::fast();
  opts.stop_after = count * 1us;
  rosia::application app{sys, opts};
  auto from = app.create<asking>("from");
  auto to = app.create_bank<plain>("to", relays);
  from[&asking::question] >>= to[0][&plain::in];
  for (std::size_t i = 1; i < relays; ++i)
    to[i - 1][&plain::out] >>= to[i][&plain::in];
  app.connect(to[relays - 1][&plain::out], from[&asking::answer], back);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / count;
}

// -- a tick, against a task that yields ---------------------------------------

struct ticking : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::tick next{this, "next", 1us};
  rosia::reaction on_next{this, "on_next", {next}, [this] { out(1); }};
};

struct yielding : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (;;) {
      out(1);
      co_await rosia::after(1us);
    }
  }
};

template <class Source>
double source(caf::actor_system& sys) {
  auto opts = bench::fast();
  opts.stop_after = rounds * 1us;
  rosia::application app{sys, opts};
  auto from = app.create<Source>("from");
  auto to = app.create<summing_sink>("to");
  app.connect(from, &Source::out, to, &summing_sink::in);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / rounds;
}

// -- rows ---------------------------------------------------------------------

void language_none(benchmark::State& state) {
  bench::run_pairs(
    state, [](caf::actor_system& sys) { return stream<plain, versatile>(sys); },
    [](caf::actor_system& sys) { return stream<plain>(sys); },
    {.name = "language, none",
     .quantity
     = "nodes without these members beside one with all, against alone",
     .limit = 1.05});
}

void language_declared(benchmark::State& state) {
  compare<declared, plain>(
    state,
    {.name = "language, writes",
     .quantity
     = "a node that declares what it writes, against one that does not",
     .limit = 1.5});
}

void language_deadline(benchmark::State& state) {
  compare<hurried, plain>(
    state, {.name = "language, deadline",
            .quantity = "a reaction with a deadline, against one without",
            .limit = 2});
}

void language_watchdog(benchmark::State& state) {
  compare<watched, plain>(
    state,
    {.name = "language, watchdog",
     .quantity = "a watchdog that each value starts, against none, in no group",
     .limit = 2},
    "off");
}

void language_spacing(benchmark::State& state) {
  compare<spaced, later>(
    state, {.name = "language, spacing",
            .quantity = "an action with a spacing, against one without",
            .limit = 1.5});
}

void language_mode(benchmark::State& state) {
  compare<modal, plain>(
    state, {.name = "language, mode",
            .quantity = "a reaction of a mode, against one without",
            .limit = 1.5});
}

/// Compares a loop without delay with one that has a microstep.
void compare_loops(benchmark::State& state, std::size_t relays,
                   bench::row result) {
  bench::run_pairs(
    state, [=](caf::actor_system& sys) { return ask(sys, relays, {}); },
    [=](caf::actor_system& sys) {
      return ask(sys, relays, rosia::after(rosia::microsteps(1)));
    },
    std::move(result));
}

void language_loop(benchmark::State& state) {
  compare_loops(
    state, 1,
    {.name = "language, loop",
     .quantity
     = "a loop of two nodes without delay, against one with a microstep",
     .limit = 4});
}

void language_long_loop(benchmark::State& state) {
  compare_loops(
    state, 1000,
    {.name = "language, long loop",
     .quantity
     = "a loop of 1,001 nodes without delay, against one with a microstep",
     .limit = 5.5});
}

void language_tick(benchmark::State& state) {
  bench::run_pairs(
    state, source<ticking>, source<yielding>,
    {.name = "language, tick",
     .quantity = "a tick, against a task that yields",
     .limit = 2.2});
}

BENCHMARK(language_none)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_declared)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_deadline)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_watchdog)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_spacing)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_mode)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_loop)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_long_loop)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(language_tick)->Iterations(15)->Unit(benchmark::kMillisecond);

} // namespace
