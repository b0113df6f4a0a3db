// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Starts and ends of runs while other threads use them.

#include "catch.hpp"

#include "caf/rosia/all.hpp"
#include "property/model/random.hpp"
#include "property/run.hpp"
#include "property/systems.hpp"

#include <caf/all.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace life_test {

namespace {

using namespace property;
using namespace std::chrono_literals;

constexpr std::uint32_t callers = 2;

struct call {
  std::uint32_t caller = 0;
  std::uint32_t number = 0;
};

template <class Inspector>
auto inspect(Inspector& f, call& x) {
  return caf::rosia::inspect_members(f, x, x.caller, x.number);
}

/// Accepts calls, and sends their values around a loop.
struct called_node : rosia::node {
  explicit called_node(std::uint32_t calls, bool kill)
    : end_after(calls), kills(kill) {
    // nop
  }

  rosia::input_port<int> back{this, "back"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_back{
    this, "on_back", {back}, [this] {
      if (*back > 0 && now() != wrote)
        send(*back - 1);
    }};

  rosia::physical_action<call> called{this, "called"};
  rosia::reaction on_called{
    this, "on_called", {called}, [this] {
      auto& x = *called;
      in_order = in_order && x.number >= next[x.caller];
      next[x.caller] = x.number + 1;
      if (now() != wrote)
        send(3);
      if (++executed == end_after) {
        if (kills)
          caf::anon_send_exit(self()->address(), caf::exit_reason::kill);
        else
          request_shutdown();
      }
    }};

  void shutdown() {
    ++shutdowns;
  }

  void send(int x) {
    wrote = now();
    out(x);
  }

  std::uint32_t end_after;
  bool kills;
  std::uint32_t executed = 0;
  std::array<std::uint32_t, callers> next{};
  bool in_order = true;
  int shutdowns = 0;
  rosia::logical_time wrote = rosia::never;
};

struct relay_node : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(in); }};
};

rosia::options quiet(bool realtime) {
  rosia::options result;
  result.realtime = realtime;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "off";
  result.max_in_flight = 8;
  result.grace_period = 1h;
  result.negotiation_timeout = 1h;
  return result;
}

/// Two nodes, one of them in a loop, that are called constantly: before the
/// run, when it begins, while it ends, and after it.
/// @returns the status.
int run_called(caf::actor_system& sys, bool realtime, bool kill,
               std::uint32_t calls) {
  rosia::application app{sys, quiet(realtime)};
  auto first = app.create<called_node>("first", calls, kill);
  auto second = app.create<called_node>("second", calls, false);
  auto relay = app.create<relay_node>("relay");
  auto end = app.create<relay_node>("end");
  app.connect(first, &called_node::out, relay, &relay_node::in);
  app.connect(
    relay, &relay_node::out, first, &called_node::back, rosia::after(1us));
  app.connect(relay, &relay_node::out, end, &relay_node::in);
  app.connect(second, &called_node::out, end, &relay_node::in);
  std::atomic<bool> over{false};
  std::atomic<std::uint32_t> ready{0};
  std::array<std::uint32_t, 2> taken{};
  std::vector<std::thread> threads;
  for (std::uint32_t i = 0; i < callers; ++i)
    threads.emplace_back([&, i] {
      auto& to = (i == 0 ? first : second)->called;
      for (std::uint32_t n = 0; !over; ++n) {
        if (to.schedule({i, n}))
          ++taken[i];
        else
          std::this_thread::yield();
        ready = ready | (1u << i);
      }
    });
  while (ready != (1u << callers) - 1)
    std::this_thread::yield();
  auto status = app.run();
  CHECK_FALSE(first->called.schedule({0, 0}));
  over = true;
  for (auto& x : threads)
    x.join();
  // A killed node executes nothing more. But the kill is queued behind the
  // messages of the coordinator, which may have ended the node in order.
  if (!kill || first->executed < calls)
    CHECK(status == 0);
  else
    CHECK((status == 0 || status == 1));
  CHECK(first->shutdowns == (status == 0 ? 1 : 0));
  CHECK(second->shutdowns == 1);
  CHECK(first->executed <= taken[0]);
  CHECK(second->executed <= taken[1]);
  CHECK(first->in_order);
  CHECK(second->in_order);
  return status;
}

} // namespace

TEST_CASE("physical actions may be scheduled at any time, from any thread") {
  systems all;
  for (auto i = 0; i < 300; ++i)
    for (auto threads : {1u, 2u, 4u})
      run_called(all.get(threads, i % 2 == 0), i / 2 % 2 == 0, false,
                 i % 3 == 0 ? 1 : 20);
}

TEST_CASE("a node that vanishes may still be called") {
  systems all;
  auto killed = 0;
  for (auto i = 0; i < 100; ++i)
    for (auto threads : {1u, 2u, 4u})
      killed += run_called(all.get(threads, i % 2 == 0), i / 2 % 2 == 0, true,
                           i % 3 == 0 ? 1 : 20);
  CHECK(killed > 0);
}

TEST_CASE("an actor system may end right after an application") {
  watchdog dog{10min};
  for (std::uint64_t i = 0; i < 200; ++i) {
    auto graph = model::make_graph(i, {.nodes = 10});
    auto expected
      = graph.physical
          ? std::optional<model::expectation>{}
          : model::run_sequentially(graph);
    // Only the objects that the run's actors hold still exist.
    auto result = [&] {
      systems all;
      return run(
        graph, all.get(i % 4 + 1, i / 4 % 2 == 0), {}, dog, "a system's end");
    }();
    CHECK(judge(graph, result, expected ? &*expected : nullptr)
          == std::vector<std::string>{});
  }
}

} // namespace life_test
