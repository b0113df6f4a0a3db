// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Tardy values are external events: sections 8.1, 8.2 and 10.10 of the
// semantics.

#include "recorded_run.hpp"

#include "rosia_trace/commands.hpp"

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>

namespace max_waits_test {

using recording::ask;

namespace {

/// The value at which the receiver ends the application.
constexpr int last = 9;

/// The last time, in nanoseconds, that a receiver has executed.
using progress = std::atomic<std::int64_t>;

/// Sends numbers. At some tags, it is late: it waits until the receiver is at
/// the tag as well.
struct sender : rosia::node {
  explicit sender(progress* other) : reached(other) {
    // nop
  }

  rosia::tick step{this, "step", 10ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (reached != nullptr && count % 3 == 1 && count < last)
        while (reached->load() < now().ns)
          std::this_thread::yield();
      out(count++);
    }};

  progress* reached; // null in a replay
  int count = 0;
};

/// A value, whether it was tardy, and its intended tag.
using arrival = std::tuple<int, bool, logical_time>;

struct receiver : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::tick step{this, "step", 2ms};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] { reached = now().ns; }};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] {
      history.emplace_back(now(), arrival{*in, in.is_tardy(), in.intended()});
      if (in.is_tardy())
        ++tardy;
      out(*in);
      for (auto& x : in.all())
        if (x == last)
          request_shutdown();
    }};

  progress reached = -1;
  int tardy = 0;
  record<arrival> history;
};

struct result {
  int status = 0;
  recording::steps steps;
  record<arrival> history;
  int tardy = 0;
  rosia::application_report report;
};

result run(const rosia::options& opts, std::size_t threads = 2) {
  test_system sys{threads};
  rosia::application app{sys, opts};
  recording::kept_trace trace{app};
  auto to = app.create<receiver>("to");
  auto from
    = app.create<sender>("from", opts.replay.empty() ? &to->reached : nullptr);
  auto sink = app.create<::recorder<int>>("sink");
  from[&sender::out] >>= rosia::maxwait(5ms) >>= to[&receiver::in];
  to[&receiver::out] >>= rosia::after(1ms) >>= sink[&::recorder<int>::in];
  result x;
  x.status = app.run();
  x.steps = trace.steps();
  x.history = to->history;
  x.tardy = to->tardy;
  x.report = app.status();
  return x;
}

rosia::options recorded(const std::string& file) {
  auto opts = real_time();
  opts.record.file = file;
  return opts;
}

constexpr auto* tardy_events
  = "SELECT group_concat(x) FROM (SELECT node || ' ' || name || ' ' || ns || "
    "' ' || microstep || ' ' || text AS x FROM event WHERE source = 'tardy' "
    "ORDER BY ns, microstep)";

} // namespace

TEST_CASE("10.10.1 a replay takes from the file which values are tardy",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  CHECK(first.status == 0);
  // Late for 10, 40 and 70 ms, and on a busy machine for other tags.
  CHECK(first.tardy >= 3);
  REQUIRE(first.report.nodes[0].tardy_values.size() == 1);
  auto [input, count] = first.report.nodes[0].tardy_values[0];
  CHECK(input == "in");
  CHECK(count >= 3);
  auto found
    = std::find_if(first.history.begin(), first.history.end(), [](auto& x) {
        return std::get<0>(x.value) == 1;
      });
  REQUIRE(found != first.history.end());
  CHECK(std::get<1>(found->value));
  CHECK(std::get<2>(found->value) == at(10ms));
  CHECK(found->tag > at(15ms));
  CHECK(ask(file, "SELECT count(*) FROM event WHERE source = 'tardy'")
        == std::to_string(count));
  CHECK_THAT(ask(file, tardy_events),
             ContainsSubstring("to from.out to to.in 10000000 0 at "));
  recording::for_each_replay(file, {1, 2}, [&](auto& opts, auto threads) {
    auto again = run(opts, threads);
    CHECK(again.status == 0);
    CHECK(again.history == first.history);
    CHECK(again.steps == first.steps);
    CHECK(
      again.report.nodes[0].tardy_values == first.report.nodes[0].tardy_values);
  });
}

namespace {

/// Sends numbers. Its second value is late: its receiver has failed before.
struct hanging : rosia::node {
  explicit hanging(progress* other) : reached(other) {
    // nop
  }

  rosia::tick step{this, "step", 10ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      if (reached != nullptr && count == 1)
        while (reached->load() < 30'000'000)
          std::this_thread::yield();
      out(count++);
    }};

  progress* reached; // null in a replay
  int count = 0;
};

/// Fails at 30 ms.
struct failing : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::tick step{this, "step", 2ms};
  rosia::reaction on_in{
    this, "on_in", {in}, [this] { history.emplace_back(now(), *in); }};
  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      reached = now().ns;
      if (now() == at(30ms))
        throw std::runtime_error("failure");
    }};

  progress reached = -1;
  record<int> history;
};

} // namespace

TEST_CASE("10.10.1 a replay of an aborted run ends before the values of a late "
          "sender",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto run_once = [](const rosia::options& opts) {
    test_system sys;
    rosia::application app{sys, opts};
    auto to = app.create<failing>("to");
    auto from = app.create<hanging>(
      "from", opts.replay.empty() ? &to->reached : nullptr);
    from[&hanging::out] >>= rosia::maxwait(5ms) >>= to[&failing::in];
    auto status = app.run();
    return std::tuple{status, app.status().final, to->history};
  };
  error_capture capture;
  auto [status, final, history] = run_once(recorded(file));
  CHECK(status == 1);
  CHECK(final == rosia::forever);
  auto [again, end, repeated] = run_once(recording::replayed(file));
  CHECK(again == 0);
  CHECK(end < at(10ms));
  std::erase_if(history, [last = end](auto& x) { return x.tag > last; });
  CHECK(repeated == history);
}

TEST_CASE("10.10.1 the recording of a replay has the tardy values of the "
          "original",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto copy = folder.file("copy.db");
  auto first = run(recorded(file));
  auto opts = recording::replayed(file);
  opts.record.file = copy;
  CHECK(run(opts).status == 0);
  CHECK(ask(copy, tardy_events) == ask(file, tardy_events));
  CHECK(run(recording::replayed(copy)).history == first.history);
  std::ostringstream out;
  CHECK(rosia_trace::diff_command({file, copy, {}, 20, false}, out) == 0);
  INFO(out.str());
  CHECK(out.str().find("same") != std::string::npos);
}

TEST_CASE("10.10.1 a replay is refused if a connection no longer has a maximal "
          "wait",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  test_system sys;
  rosia::application app{sys, recording::replayed(file)};
  auto to = app.create<receiver>("to");
  auto from = app.create<sender>("from", nullptr);
  auto sink = app.create<::recorder<int>>("sink");
  from[&sender::out] >>= to[&receiver::in];
  to[&receiver::out] >>= rosia::after(1ms) >>= sink[&::recorder<int>::in];
  CHECK_THROWS_WITH(app.run(), ContainsSubstring("with a maximal wait"));
}

} // namespace max_waits_test
