// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Expiries of watchdogs are external events: sections 8.1, 8.2 and 10.8 of the
// semantics.

#include "recorded_run.hpp"

#include "rosia_trace/commands.hpp"

#include <sstream>

namespace watchdogs_test {

using recording::ask;
using recording::work;

namespace {

/// Is too slow for its watchdog at some of its tags, stops another one in time,
/// starts a third one that has expired already, and stops a fourth one that has
/// expired, but is not present yet.
struct worker : rosia::node {
  rosia::tick step{this, "step", 2ms};
  rosia::output_port<int> out{this, "out"};
  rosia::watchdog dog{this, "dog", 5ms, [this] { ++handled; }};
  rosia::watchdog calm{this, "calm", 1h};
  rosia::watchdog late{this, "late", 0ms, [this] { ++handled; }};
  rosia::watchdog passed{this, "passed", 5ms};

  void start() {
    late.start();
  }

  rosia::reaction on_step{
    this, "on_step", {step}, [this] {
      dog.start();
      if (now().ns / 2'000'000 % 7 == 3) {
        calm.stop();
        late.start();
        passed.start();
        if (live)
          work(*this, 7ms);
      } else {
        calm.start();
        passed.stop();
      }
      note(1);
    }};

  rosia::reaction on_dog{
    this, "on_dog", {dog, late, calm, passed}, [this] {
      note(dog.is_present()    ? 2
           : late.is_present() ? 3
           : calm.is_present()
             ? 4
             : 5);
    }};

  void note(int x) {
    history.emplace_back(now(), x);
    if (sent != now())
      out(x);
    sent = now();
  }

  bool live = true;
  std::atomic<int> handled = 0;
  logical_time sent = rosia::never;
  record<int> history;
};

struct result {
  int status = 0;
  recording::steps steps;
  std::vector<record<int>> histories;
  int handled = 0;
  rosia::application_report report;
};

result run(const rosia::options& opts, std::size_t threads = 2) {
  test_system sys{threads};
  rosia::application app{sys, opts};
  recording::kept_trace trace{app};
  std::vector<rosia::node_ref<worker>> all;
  for (auto* name : {"a", "b"}) {
    auto node = app.create<worker>(name);
    node->live = opts.replay.empty();
    auto sink = app.create<::recorder<int>>(std::string{name} + "_sink");
    app.connect(node, &worker::out, sink, &::recorder<int>::in);
    all.push_back(node);
  }
  result x;
  x.status = app.run();
  x.steps = trace.steps();
  for (auto& node : all) {
    x.histories.push_back(node->history);
    x.handled += node->handled;
  }
  x.report = app.status();
  return x;
}

rosia::options recorded(const std::string& file) {
  auto opts = real_time();
  opts.record.file = file;
  opts.stop_after = at(60ms);
  return opts;
}

/// Returns how often the watchdogs of a node have expired.
std::vector<std::uint64_t> expiries_of(const result& x, std::size_t node) {
  std::vector<std::uint64_t> result;
  for (auto& dog : x.report.nodes[node].watchdogs)
    result.push_back(dog.expiries);
  return result;
}

} // namespace

TEST_CASE("10.8.3 a replay takes expiries from the file, and runs no handler",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  CHECK(first.status == 0);
  auto expiries = expiries_of(first, 0);
  REQUIRE(expiries.size() == 4);
  CHECK(expiries[0] > 0);
  CHECK(expiries[1] == 0);
  CHECK(expiries[2] > 0);
  CHECK(expiries[3] > 0);
  CHECK(first.handled > 0);
  recording::for_each_replay(file, {1, 2}, [&](auto& opts, auto threads) {
    auto again = run(opts, threads);
    CHECK(again.status == 0);
    CHECK(again.histories == first.histories);
    CHECK(again.steps == first.steps);
    CHECK(again.handled == 0);
  });
}

TEST_CASE("10.8.3 the recording of a replay has the expiries of the original",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto copy = folder.file("copy.db");
  auto first = run(recorded(file));
  auto opts = recording::replayed(file);
  opts.record.file = copy;
  CHECK(run(opts).status == 0);
  auto* all
    = "SELECT group_concat(x) FROM (SELECT node || ' ' || name || ' ' "
      "|| ns || ' ' || microstep AS x FROM event WHERE "
      "source = 'watchdog' ORDER BY node, ns, microstep)";
  auto events = ask(file, all);
  CHECK_THAT(
    events, ContainsSubstring("a dog ") && ContainsSubstring("b late 0 1"));
  CHECK(ask(copy, all) == events);
  CHECK(run(recording::replayed(copy)).histories == first.histories);
  std::ostringstream out;
  CHECK(rosia_trace::diff_command({file, copy, {}, 20, false}, out) == 0);
  INFO(out.str());
  CHECK(out.str().find("same") != std::string::npos);
}

namespace {

/// Waits for nothing but its watchdog.
struct lonely : rosia::node {
  rosia::watchdog dog{this, "dog", 10ms};
  rosia::reaction on_dog{
    this, "on_dog", {dog}, [this] { tags.push_back(now()); }};
  std::vector<logical_time> tags;

  void start() {
    dog.start();
  }
};

} // namespace

TEST_CASE(
  "10.8.3 a run that ends by itself after an expiry does so in a replay",
  "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto run_lonely = [](const rosia::options& opts) {
    test_system sys;
    rosia::application app{sys, opts};
    auto node = app.create<lonely>("lonely");
    CHECK(app.run() == 0);
    return node->tags;
  };
  auto opts = real_time();
  opts.record.file = file;
  CHECK(run_lonely(opts) == std::vector{at(10ms)});
  CHECK(run_lonely(recording::replayed(file)) == std::vector{at(10ms)});
}

} // namespace watchdogs_test
