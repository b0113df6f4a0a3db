// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "support.hpp"

#include "rosia_trace/commands.hpp"
#include "temporary_folder.hpp"

#include <optional>
#include <sstream>
#include <string>

namespace run_diff_test {

using Catch::Matchers::StartsWith;
using test::temporary_folder;

namespace {

/// Writes 0, 1, 2, ... each millisecond.
struct clock_node : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0;; ++i) {
      out(i);
      co_await rosia::after(1ms);
    }
  }
};

/// Adds up its inputs and, from some value on, an additional amount.
struct tracker_node : rosia::node {
  tracker_node(int since, int extra) : since_{since}, extra_{extra} {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          sum_ += *in + (*in >= since_ ? extra_ : 0);
                          out(sum_);
                        }};

private:
  int since_;
  int extra_;
  int sum_ = 0;
};

/// Writes whether its input was greater than ten.
struct alarm_node : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<bool> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in > 10); }};
};

struct logger_node : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

struct recorded_as {
  std::string file;
  int since = 100;
  int extra = 0;
  std::string ports = "*.*";
  rosia::delay delay = {};
};

void record(const recorded_as& settings) {
  test_system sys;
  auto opts = fast_until(20ms);
  opts.record.file = settings.file;
  opts.record.ports = settings.ports;
  rosia::application app{sys, opts};
  auto clock = app.create<clock_node>("clock");
  auto tracker
    = app.create<tracker_node>("tracker", settings.since, settings.extra);
  auto alarm = app.create<alarm_node>("alarm");
  auto logger = app.create<logger_node>("logger");
  app.connect(clock, &clock_node::out, tracker, &tracker_node::in);
  app.connect(tracker, &tracker_node::out, alarm, &alarm_node::in);
  if (settings.delay.is_zero())
    app.connect(tracker, &tracker_node::out, logger, &logger_node::in);
  else
    app.connect(
      tracker, &tracker_node::out, logger, &logger_node::in, settings.delay);
  REQUIRE(app.run() == 0);
}

struct outcome {
  int code = 0;
  std::string text;
};

outcome diff(const std::string& left, const std::string& right,
             std::optional<rosia_trace::logical_time> up_to = std::nullopt) {
  std::ostringstream out;
  auto code = rosia_trace::diff_command({left, right, up_to, 20, false}, out);
  return {code, out.str()};
}

std::string diff_error(const std::string& left, const std::string& right) {
  return error_of<std::runtime_error>([&] { diff(left, right); });
}

} // namespace

TEST_CASE("rosia-trace diff: two run files of the same behavior are equal",
          "[recording]") {
  temporary_folder folder;
  record({folder.file("a.db")});
  record({folder.file("b.db")});
  auto x = diff(folder.file("a.db"), folder.file("b.db"));
  CHECK(x.code == 0);
  CHECK(x.text
        == "same: 4 nodes, 126 values of 6 ports, compared up to tag 20ms\n");
}

TEST_CASE("rosia-trace diff: names the node with equal inputs and different "
          "outputs, and the nodes that follow it",
          "[recording]") {
  temporary_folder folder;
  auto a = folder.file("a.db");
  auto b = folder.file("b.db");
  auto ports = GENERATE("*.*", "*.out");
  INFO(ports);
  record({a, 100, 0, ports});
  record({b, 7, 1, ports});
  auto x = diff(a, b);
  CHECK(x.code == 1);
  CHECK_THAT(
    x.text, StartsWith("different: 3 of 4 nodes, compared up to tag 20ms\n"
                       "tracker: same inputs, other outputs\n"));
  CHECK_THAT(
    x.text, ContainsSubstring("\nlogger: follows tracker\n")
              && ContainsSubstring("\nalarm: other inputs, same outputs\n"));
  CHECK_THAT(
    x.text,
    ContainsSubstring(
      "\ntracker.out differs first at tag 7ms\n"
      "  5ms\t15\n  6ms\t21\n< "
      + a + ": 7ms\t28\n< " + a + ": 8ms\t36\n< " + a + ": 9ms\t45\n> " + b
      + ": 7ms\t29\n"));
  // The runs are equal before.
  CHECK(diff(a, b, rosia_trace::logical_time{6'000'000, 0}).code == 0);
}

TEST_CASE("rosia-trace diff: delays are added to find the followers of a node",
          "[recording]") {
  temporary_folder folder;
  auto a = folder.file("a.db");
  auto b = folder.file("b.db");
  record({a, 100, 0, "*.out", 3ms});
  record({b, 7, 1, "*.out", 3ms});
  CHECK_THAT(diff(a, b).text, ContainsSubstring("\nlogger: follows tracker\n"));
  // Its inputs differ only later.
  auto x = diff(a, b, rosia_trace::logical_time{9'000'000, 0});
  CHECK_THAT(x.text, StartsWith("different: 2 of 4 nodes"));
}

TEST_CASE("rosia-trace diff: unrecorded inputs are reported", "[recording]") {
  temporary_folder folder;
  auto a = folder.file("a.db");
  auto b = folder.file("b.db");
  record({a, 100, 0, "tracker.out"});
  record({b, 7, 1, "tracker.out, clock.out"});
  auto x = diff(a, b);
  CHECK_THAT(
    x.text,
    ContainsSubstring("\ntracker: other outputs; not all of its inputs are "
                      "recorded (--rosia.record.ports)\n")
      && ContainsSubstring("1 port of one run only, such as clock.out\n")
      && ContainsSubstring("\nalarm: other inputs; its outputs are not "
                           "recorded")
      && ContainsSubstring("1 node has no recorded port"));
}

TEST_CASE("rosia-trace diff: different graphs are reported", "[recording]") {
  temporary_folder folder;
  record({folder.file("a.db")});
  record({folder.file("b.db"), 100, 0, "*.*", 3ms});
  auto x = diff(folder.file("a.db"), folder.file("b.db"));
  CHECK(x.code == 1);
  CHECK_THAT(x.text, ContainsSubstring("the graphs differ: there was "));
}

TEST_CASE("rosia-trace reports the kind of its file", "[recording]") {
  temporary_folder folder;
  auto run = folder.file("run.db");
  record({run});
  auto saved = folder.file("saved.db");
  {
    test_system sys;
    auto opts = fast_until(20ms);
    opts.checkpoint.file = saved;
    rosia::application app{sys, opts};
    app.create<rosia::timer>("clock", 1ms);
    REQUIRE(app.run() == 0);
  }
  auto trace = folder.write("run.jsonl", "{\"event\":\"application\"}\n");
  auto text = folder.write("notes", "some notes\n");
  auto json = folder.write("x.json", "{\"a\":1}\n");
  std::ostringstream out;
  auto info = [&](const std::string& file) {
    return error_of<std::runtime_error>([&] {
      rosia_trace::info_command({file}, out);
    });
  };
  auto check = [&](const std::string& file) {
    return error_of<std::runtime_error>([&] {
      rosia_trace::check_command({file, false}, out);
    });
  };
  SECTION("info") {
    CHECK(info(run) == "no exception");
    CHECK_THAT(
      out.str(), StartsWith(run + ": a run file with 1 recorded run, "));
    out.str({});
    CHECK(info(saved) == "no exception");
    CHECK_THAT(
      out.str(), StartsWith(saved + ": a run file with 1 checkpoint, "));
    CHECK_THAT(info(trace), ContainsSubstring("it is a trace, no database"));
    CHECK_THAT(info(json), ContainsSubstring("it is JSON, no database"));
    CHECK_THAT(info(folder.path()), ContainsSubstring("it is a folder"));
  }
  SECTION("check") {
    CHECK_THAT(
      check(run),
      ContainsSubstring(
        "it is a run file with 1 recorded run, not a "
        "trace; name a file that a run with "
        "--rosia.trace wrote, or use 'info'"));
    CHECK_THAT(check(saved),
               ContainsSubstring("it is a run file with 1 checkpoint, not"));
    CHECK_THAT(check(text), ContainsSubstring("it is text, not a trace"));
    CHECK_THAT(check(json), ContainsSubstring("it is JSON, not a trace"));
    CHECK_THAT(check(folder.path()), ContainsSubstring("it is a folder"));
    CHECK_THAT(check(folder.write("empty", "")), ContainsSubstring("is empty"));
  }
  SECTION("diff") {
    CHECK(diff_error(run, trace)
          == run + " is a run file with 1 recorded run, and " + trace
               + " is a trace: compare two traces, or two run files");
    CHECK_THAT(
      diff_error(run, folder.path()), ContainsSubstring("is a folder"));
    CHECK_THAT(diff_error(saved, run),
               ContainsSubstring("it is a run file with 1 checkpoint, and has "
                                 "no recording"));
    CHECK_THAT(diff_error(text, trace), ContainsSubstring("it is text, not"));
  }
}

} // namespace run_diff_test
