// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The cost of a message: around a loop, and along a stream. Each iteration runs
// Rosia and bare CAF one after the other, on the same actor system. The ratio
// is the median over these pairs, because machines are noisy.

#include "light_nodes.hpp"
#include "pairs.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/detail/signature.hpp"
#include "caf_version.hpp"

#include <benchmark/benchmark.h>

#include <caf/send.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <string>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int hops = 400'000;
constexpr int stream_length = 1'000'000;

// -- around a loop ------------------------------------------------------------

struct opener : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  void start() {
    out(0);
  }

  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    [this] {
      if (*in < hops)
        out(*in + 1);
    },
    rosia::eager};
};

struct returner : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 1); }};
};

double rosia_hops(caf::actor_system& sys) {
  rosia::application app{sys, bench::fast()};
  auto a = app.create<opener>("a");
  auto b = app.create<returner>("b");
  app.connect(a, &opener::out, b, &returner::in);
  app.connect(b, &returner::out, a, &opener::in);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / hops;
}

using player = caf::typed_actor<rosia::detail::signature<void, int>>;

struct player_state {
  player other;
};

player::behavior_type play(
  player::stateful_pointer<player_state> self, player first) {
  test::state_of(self).other = first;
  return {[self](int x) {
    auto& other = test::state_of(self).other;
    if (!other)
      other = caf::actor_cast<player>(self->current_sender());
    if (x < hops) {
      self->send(other, x + 1);
      return;
    }
    self->send_exit(other, caf::exit_reason::user_shutdown);
    self->quit();
  }};
}

double caf_hops(caf::actor_system& sys) {
  auto start = bench::clock::now();
  {
    auto a = sys.spawn(play, player{});
    auto b = sys.spawn(play, a);
    caf::anon_send(b, 0);
  }
  sys.await_all_actors_done();
  return bench::seconds_since(start) / hops;
}

// -- along a stream -----------------------------------------------------------

struct source : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < stream_length; ++i) {
      out(i);
      co_await rosia::after(1us);
    }
  }
};

struct sink : rosia::node {
  rosia::input_port<int> in{this, "in"};
  long sum = 0;

  rosia::reaction on_in{this, "on_in", {in}, [this] { sum += *in; }};
};

double rosia_stream(caf::actor_system& sys) {
  rosia::application app{sys, bench::fast()};
  auto from = app.create<source>("from");
  auto to = app.create<sink>("to");
  app.connect(from, &source::out, to, &sink::in);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / stream_length;
}

using receiver = caf::typed_actor<rosia::detail::signature<void, int>>;

receiver::behavior_type receive(receiver::stateful_pointer<long> self) {
  return {[self](int x) {
    test::state_of(self) += x;
    if (x == stream_length - 1)
      self->quit();
  }};
}

receiver::behavior_type send_all(receiver::pointer self, receiver to) {
  return {[self, to](int) {
    for (auto i = 0; i < stream_length; ++i)
      self->send(to, i);
    self->quit();
  }};
}

double caf_stream(caf::actor_system& sys) {
  auto start = bench::clock::now();
  {
    auto to = sys.spawn(receive);
    caf::anon_send(sys.spawn(send_all, to), 0);
  }
  sys.await_all_actors_done();
  return bench::seconds_since(start) / stream_length;
}

// -- through many light nodes -------------------------------------------------

using bench::summing_sink;
using bench::ticker;

constexpr int relays = 100;
constexpr int rounds = 10'000;

struct relay : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 1); }};
};

double rosia_chain(caf::actor_system& sys) {
  rosia::application app{sys, bench::fast()};
  auto from = app.create<ticker>("from", rounds);
  auto to = app.create<summing_sink>("to");
  auto last = app.create<relay>("relay 0");
  app.connect(from, &ticker::out, last, &relay::in);
  for (auto i = 1; i < relays; ++i) {
    auto next = app.create<relay>("relay " + std::to_string(i));
    app.connect(last, &relay::out, next, &relay::in);
    last = next;
  }
  app.connect(last, &relay::out, to, &summing_sink::in);
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / rounds / (relays + 1);
}

double rosia_fan(caf::actor_system& sys) {
  rosia::application app{sys, bench::fast()};
  auto from = app.create<ticker>("from", rounds);
  auto to = app.create<summing_sink>("to");
  for (auto i = 0; i < relays; ++i) {
    auto next = app.create<relay>("relay " + std::to_string(i));
    app.connect(from, &ticker::out, next, &relay::in);
    app.connect(next, &relay::out, to, &summing_sink::in);
  }
  auto start = bench::clock::now();
  app.run();
  return bench::seconds_since(start) / rounds / (2 * relays);
}

// -- pairs --------------------------------------------------------------------

void hop(benchmark::State& state) {
  bench::run_pairs(
    state, rosia_hops, caf_hops,
    {.name = "hop",
     .quantity = "one message around a loop of two nodes, per hop",
     .limit = 0.15});
}

void stream(benchmark::State& state) {
  bench::run_pairs(
    state, rosia_stream, caf_stream,
    {.name = "stream",
     .quantity = "a source to a sink, per message",
     .limit = 0.25});
}

void chain(benchmark::State& state) {
  bench::run_pairs(
    state, rosia_chain, caf_stream,
    {.name = "chain",
     .quantity = "a source through 100 relays to a sink, per message",
     .limit = 0.12});
}

void fan(benchmark::State& state) {
  bench::run_pairs(
    state, rosia_fan, caf_stream,
    {.name = "fan",
     .quantity = "a source to 100 relays to one sink, per message",
     .limit = 0.12});
}

BENCHMARK(chain)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(fan)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(hop)->Iterations(15)->Unit(benchmark::kMillisecond);
BENCHMARK(stream)->Iterations(15)->Unit(benchmark::kMillisecond);

} // namespace
