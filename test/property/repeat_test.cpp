// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"

#include "caf/rosia/all.hpp"
#include "property/systems.hpp"

#include <cstdio>
#include <string>

namespace repeat_test {

namespace {

using namespace property;
using namespace std::chrono_literals;
namespace rosia = caf::rosia;

/// Sends measurements: not before it has worked for a while, and not always.
struct sensor : rosia::node {
  explicit sensor(std::uint32_t seed) : state(seed) {
    // nop
  }

  rosia::input_port<rosia::logical_time> tick{this, "tick"};
  rosia::output_port<double> sample{this, "sample"};

  rosia::reaction on_tick{
    this, "on_tick", {tick}, [this]() -> rosia::task {
      state = state * 1664525 + 1013904223;
      auto x = static_cast<double>(state >> 8) / 1e6;
      co_await rosia::after(
        std::chrono::microseconds{state >> 30}); // 0 to 3, then a microstep
      if (state % 5 != 0)
        sample(x);
    }};

  std::uint32_t state;
};

/// Fuses its value with the last one, and with its own last correction.
struct filter : rosia::node {
  rosia::input_port<double> fast{this, "fast"};
  rosia::input_port<double> slow{this, "slow"};
  rosia::input_port<double> correction{this, "correction"};
  rosia::output_port<double> estimate{this, "estimate"};

  rosia::reaction on_any{
    this, "on_any", {fast, slow, correction}, [this] {
      for (auto x : fast.all())
        value = 0.9 * value + 0.1 * x;
      if (slow.has_value() && slow.is_present())
        value = 0.5 * value + 0.5 * *slow;
      if (correction.has_value())
        value -= 0.01 * *correction;
      estimate(value);
    }};

  double value = 0;
};

struct controller : rosia::node {
  rosia::input_port<double> in{this, "in"};
  rosia::output_port<double> out{this, "out"};
  rosia::reaction on_in{
    this,
    "on_in",
    {in},
    [this] {
      if (++count % 7 == 0)
        out(*in);
    },
    rosia::eager};
  int count = 0;
};

/// Writes a table.
struct recorder : rosia::node {
  rosia::input_port<double> estimate{this, "estimate"};
  rosia::input_port<double> raw{this, "raw"};

  rosia::reaction on_any{
    this, "on_any", {estimate, raw}, [this] {
      char row[128];
      std::snprintf(
        row, sizeof(row), "%lld,%u,%.17g,%.17g,%zu\n",
        static_cast<long long>(now().ns), now().microstep,
        estimate.has_value() ? *estimate : 0.0, raw.has_value() ? *raw : 0.0,
        raw.all().size());
      table += row;
    }};

  std::string table = "ns,microstep,estimate,raw,values\n";
};

std::string table_of_a_run(caf::actor_system& sys, std::size_t in_flight) {
  rosia::options opts;
  opts.realtime = false;
  opts.signals = rosia::signal_behavior::none;
  opts.max_in_flight = in_flight;
  opts.stop_after = rosia::logical_time{5'000'000, 3};
  rosia::application app{sys, opts};
  auto fast_clock = app.create<rosia::timer>("fast clock", 10us);
  auto slow_clock = app.create<rosia::timer>("slow clock", 70us, 5us);
  auto first = app.create<sensor>("first", 1u);
  auto second = app.create<sensor>("second", 2u);
  auto third = app.create<sensor>("third", 3u);
  auto fusion = app.create<filter>("fusion");
  auto control = app.create<controller>("control");
  auto table = app.create<recorder>("table");
  app.connect(fast_clock, &rosia::timer::output, first, &sensor::tick);
  app.connect(fast_clock, &rosia::timer::output, second, &sensor::tick);
  app.connect(slow_clock, &rosia::timer::output, third, &sensor::tick);
  app.connect(first, &sensor::sample, fusion, &filter::fast);
  app.connect(second, &sensor::sample, fusion, &filter::fast);
  app.connect(third, &sensor::sample, fusion, &filter::slow);
  app.connect(fusion, &filter::estimate, control, &controller::in);
  app.connect(control, &controller::out, fusion, &filter::correction);
  app.connect(fusion, &filter::estimate, table, &recorder::estimate);
  app.connect(first, &sensor::sample, table, &recorder::raw);
  app.connect(
    second, &sensor::sample, table, &recorder::raw, rosia::after(10us));
  REQUIRE(app.run() == 0);
  return table->table;
}

} // namespace

TEST_CASE("a table is byte for byte the same in a hundred runs, on any number "
          "of threads") {
  systems all;
  auto expected = table_of_a_run(all.get(1, false), 1024);
  CHECK(std::count(expected.begin(), expected.end(), '\n') > 1'000);
  auto different = 0;
  for (auto i = 0; i < 25; ++i)
    for (auto threads : {1u, 2u, 4u, 8u})
      different
        += table_of_a_run(all.get(threads, i % 2 == 0), i % 3 == 0 ? 1 : 1024)
           != expected;
  CHECK(different == 0);
}

} // namespace repeat_test
