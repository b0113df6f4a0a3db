// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Deadlines that have passed are external events: sections 8.1, 8.2 and 10.3 of
// the semantics.

#include "recorded_run.hpp"

#include "rosia_trace/commands.hpp"
#include "run_file/recording.hpp"

#include <algorithm>
#include <sstream>

namespace deadlines_test {

using recording::ask;
using recording::work;

namespace {

/// Is late at some of its tags, asks for its deadline at all, and yields.
struct worker : rosia::node {
  rosia::tick step{this, "step", 2ms};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_step{
    this,
    "on_step",
    {step},
    rosia::deadline{3ms, [this] { note(-1); }},
    [this]() -> rosia::task {
      note(count_calls());
      if (live && now().ns / 2'000'000 % 4 == 1)
        work(*this, 5ms);
      co_await rosia::after(rosia::microsteps(1));
      note(count_calls());
    }};

  /// Its deadline has always passed.
  rosia::reaction on_every_step{
    this, "on_every_step", {step}, rosia::deadline{0ms}, [this] { note(-2); }};

  /// Its loop ends before its deadline.
  rosia::reaction on_some{
    this, "on_some", {step}, rosia::deadline{1h}, [this] {
      auto steps = 0;
      while (!deadline_missed() && steps < 3)
        ++steps;
      note(steps);
    }};

  int count_calls() {
    auto result = 0;
    while (!deadline_missed())
      ++result;
    return result;
  }

  void note(int x) {
    history.emplace_back(now(), x);
    if (sent != now())
      out(x);
    sent = now();
  }

  bool live = true;
  logical_time sent = rosia::never;
  record<int> history;
};

struct result {
  int status = 0;
  recording::steps steps;
  std::vector<record<int>> histories;
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
  for (auto& node : all)
    x.histories.push_back(node->history);
  x.report = app.status();
  return x;
}

rosia::options recorded(const std::string& file) {
  auto opts = real_time();
  opts.record.file = file;
  opts.stop_after = at(40ms);
  opts.log_level = "error";
  return opts;
}

rosia::options replayed(const std::string& file) {
  auto opts = recording::replayed(file);
  opts.log_level = "error";
  return opts;
}

auto misses_of(const result& x, std::size_t node) {
  return x.report.nodes[node].missed_deadlines;
}

} // namespace

TEST_CASE("10.3.3 a replay takes misses and answers from the file, on any "
          "number of threads and in groups",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  CHECK(first.status == 0);
  auto misses = misses_of(first, 0);
  REQUIRE(misses.size() == 3);
  CHECK(misses[0].first == "on_step");
  CHECK(misses[0].second > 0);
  CHECK(misses[1].second == 21);
  CHECK(misses[2].second == 0);
  recording::for_each_replay(file, {1, 2}, [&](auto& opts, auto threads) {
    opts.log_level = "error";
    auto again = run(opts, threads);
    CHECK(again.status == 0);
    CHECK(again.histories == first.histories);
    CHECK(again.steps == first.steps);
    CHECK(misses_of(again, 0) == misses);
  });
}

TEST_CASE("10.3.3 the recording of a replay has the misses and answers of the "
          "original",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto copy = folder.file("copy.db");
  auto first = run(recorded(file));
  auto opts = replayed(file);
  opts.record.file = copy;
  CHECK(run(opts).status == 0);
  auto* all
    = "SELECT group_concat(x) FROM (SELECT node || ' ' || name || ' ' "
      "|| ns || ' ' || microstep || ' ' || text AS x FROM event WHERE "
      "source = 'deadline' ORDER BY node, ns, microstep, name, text)";
  auto events = ask(file, all);
  CHECK(events.find("on_step") != std::string::npos);
  CHECK(events.find("at the start") != std::string::npos);
  CHECK(events.find("in the reaction, calls: ") != std::string::npos);
  CHECK(events.find("after a yield, calls: ") != std::string::npos);
  CHECK(ask(copy, all) == events);
  CHECK(run(replayed(copy)).histories == first.histories);
  std::ostringstream out;
  CHECK(rosia_trace::diff_command({file, copy, {}, 20, false}, out) == 0);
  INFO(out.str());
  CHECK(out.str().find("same") != std::string::npos);
}

namespace {

/// Asks for its deadline in a loop that nothing else ends.
struct searcher : rosia::node {
  rosia::tick step{this, "step", 1ms};
  rosia::reaction on_step{
    this, "on_step", {step}, rosia::deadline{1h}, [this] {
      ++started;
      // The process is killed here, before the deadline has passed.
      if (killed && started > 100)
        while (!deadline_missed())
          std::this_thread::yield();
      else
        static_cast<void>(deadline_missed());
      ++returned;
    }};

  bool killed = false;
  std::atomic<int> started = 0;
  int returned = 0;
};

} // namespace

TEST_CASE("10.3.3 a loop until the deadline ends in the replay of a run that "
          "was killed in it",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto killed = status_in_child([&] {
    auto opts = recorded(file);
    opts.stop_after.reset();
    test_system sys{1};
    rosia::application app{sys, opts};
    auto node = app.create<searcher>("searcher");
    node->killed = true;
    std::thread caller{[&] {
      // The file has to reach beyond the tag of the endless loop.
      for (;;) {
        std::this_thread::sleep_for(10ms);
        if (node->started > 100
            && ask(file, "SELECT reaches_ns > 500000000 FROM run") == "1")
          ::kill(::getpid(), SIGKILL);
      }
    }};
    return app.run();
  });
  CHECK(killed == 1000 + SIGKILL);
  test_system sys{1};
  rosia::application app{sys, replayed(file)};
  auto node = app.create<searcher>("searcher");
  node->killed = true;
  CHECK(app.run() == 0);
  CHECK(node->returned > 100);
  CHECK(node->returned == node->started);
}

namespace {

/// A worker with fewer reactions, which ask less often.
struct changed : rosia::node {
  rosia::tick step{this, "step", 4ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_step{
    this, "on_step", {step}, rosia::deadline{3ms, [this] { ++late; }}, [this] {
      ++in_time;
    }};
  int late = 0;
  int in_time = 0;
};

} // namespace

TEST_CASE("10.3.3 a replay with other code takes the misses of tags and "
          "reactions that it still has",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  run(recorded(file));
  test_system sys{1};
  rosia::application app{sys, replayed(file)};
  std::vector<rosia::node_ref<changed>> all;
  for (auto* name : {"a", "b"}) {
    all.push_back(app.create<changed>(name));
    auto sink = app.create<::recorder<int>>(std::string{name} + "_sink");
    app.connect(all.back(), &changed::out, sink, &::recorder<int>::in);
  }
  CHECK(app.run() == 0);
  CHECK(std::to_string(all[0]->late)
        == ask(file, "SELECT count(*) FROM event WHERE node = 'a' AND name = "
                     "'on_step' AND text = 'at the start' AND ns % 4000000 = "
                     "0 AND microstep = 0"));
  CHECK(all[0]->late + all[0]->in_time == 11);
}

TEST_CASE("10.3.3 a garbled deadline in a file is an error, not a hang",
          "[recording]") {
  test::temporary_folder folder;
  for (auto* change :
       {"UPDATE event SET text = 'never' WHERE source = 'deadline'",
        "UPDATE event SET text = 'in the reaction, calls: -3' WHERE source = "
        "'deadline'",
        "UPDATE event SET ns = -5 WHERE source = 'deadline'",
        "UPDATE event SET ns = 40000000 - ns WHERE source = 'deadline'"}) {
    INFO(change);
    auto file = folder.file("run.db");
    std::filesystem::remove(file);
    run(recorded(file));
    {
      rosia::run_file::database to{
        file, rosia::run_file::database::access::write};
      to.execute("garble a test's file", change);
    }
    CHECK(run(replayed(file)).status == 1);
    std::ostringstream out;
    CHECK(rosia_trace::verify_command({file}, out) != 0);
  }
}

} // namespace deadlines_test
