// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/schedule.hpp"
#include "rosia_trace/trace_file.hpp"
#include "rosia_trace/workload.hpp"
#include "temporary_folder.hpp"
#include "trace/random_trace.hpp"

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace scaling_test {

using namespace trace_test;
using Catch::Matchers::ContainsSubstring;
using rosia_trace::latest_before;
using rosia_trace::make_schedule;
using rosia_trace::time_delay;
using rosia_trace::unreadable_file;
using rosia_trace::workload;
using test::temporary_folder;

namespace {

/// Writes the trace of a run. Every node has an input and an output.
class run_text {
public:
  run_text(std::initializer_list<std::string_view> nodes) {
    lines_.push_back(application());
    add_nodes(nodes);
  }

  void add_nodes(std::initializer_list<std::string_view> nodes,
                 std::string_view process = {}) {
    for (auto x : nodes)
      lines_.push_back(node_line{x, process}.input("in").output("out").str());
  }

  void connect(const std::string& from, const std::string& to,
               logical_time delay = origin, bool physical = false) {
    lines_.push_back(connection(from + ".out", to + ".in", delay, physical));
  }

  /// Adds a tag of a node, whose code runs for `duration` nanoseconds.
  void run(std::string_view node, std::int64_t tag, std::int64_t duration,
           const std::vector<std::string>& more = {}) {
    lines_.push_back(execute(node, {tag, 0}, forever));
    lines_.insert(lines_.end(), more.begin(), more.end());
    lines_.push_back(ran(node, {tag, 0}, "on_in", clock_, clock_ + duration));
    clock_ += duration;
  }

  void start(std::string_view node, std::int64_t duration) {
    lines_.push_back(trace_test::start(node));
    lines_.push_back(ran(node, origin, "start", clock_, clock_ + duration));
    clock_ += duration;
  }

  void add(std::string line) {
    lines_.push_back(std::move(line));
  }

  std::string text() const {
    std::string result;
    for (auto& x : lines_)
      result += x + '\n';
    return result;
  }

private:
  std::vector<std::string> lines_;
  std::int64_t clock_ = 0;
};

workload read(const std::string& text) {
  workload result;
  rosia_trace::line_parser parser;
  std::istringstream lines{text};
  for (std::string line; std::getline(lines, line);) {
    REQUIRE(parser.parse(line) == rosia_trace::parse_result::event);
    result.add(parser.get());
  }
  result.finish();
  return result;
}

/// Returns the length of the critical path.
std::int64_t span(const run_text& x) {
  return make_schedule(read(x.text()), {}).duration;
}

std::int64_t duration(const run_text& x, std::size_t workers,
                      bool keep_groups = false) {
  return make_schedule(read(x.text()), {workers, keep_groups}).duration;
}

std::string scaling(const std::string& text) {
  temporary_folder folder;
  std::ostringstream out;
  // CHECK would keep an exception to itself.
  auto status = rosia_trace::scaling_command({folder.write("x", text)}, out);
  CHECK(status == 0);
  return out.str().substr(out.str().find('\n') + 1);
}

std::string problem(const std::string& text) {
  try {
    scaling(text);
  } catch (const unreadable_file& e) {
    std::string result = e.what();
    return result.substr(result.rfind('/') + 1);
  }
  return "none";
}

} // namespace

// -- order --------------------------------------------------------------------

TEST_CASE("scaling: independent nodes run in parallel, the tags of a node one "
          "after the other",
          "[trace]") {
  run_text x{"a", "b"};
  for (auto tag : {1, 2})
    for (auto node : {"a", "b"})
      x.run(node, tag, 100);
  CHECK(duration(x, 1) == 400);
  CHECK(duration(x, 2) == 200);
  CHECK(span(x) == 200);
}

TEST_CASE("scaling: three tasks of one length take two rounds on two threads",
          "[trace]") {
  run_text x{"a", "b", "c"};
  for (auto node : {"a", "b", "c"})
    x.run(node, 1, 100);
  CHECK(duration(x, 2) == 200);
  CHECK(duration(x, 3) == 100);
}

TEST_CASE("scaling: the nodes of a pipeline overlap", "[trace]") {
  run_text x{"a", "b"};
  x.connect("a", "b");
  for (auto tag : {1, 2, 3})
    for (auto node : {"a", "b"})
      x.run(node, tag, 100);
  CHECK(span(x) == 400);
  CHECK(duration(x, 2) == 400);
  CHECK(duration(x, 1) == 600);
}

TEST_CASE("scaling: a node waits for a sender that sends nothing, as far as "
          "the delay requires",
          "[trace]") {
  auto with_delay = [](std::int64_t delay) {
    run_text x{"a", "b"};
    x.connect("a", "b", {delay, 0});
    x.run("a", 5, 300);
    x.run("b", 6, 100);
    return span(x);
  };
  CHECK(with_delay(0) == 400);
  CHECK(with_delay(1) == 400);
  CHECK(with_delay(2) == 300);
}

TEST_CASE("scaling: a node waits for senders behind a sender that is idle",
          "[trace]") {
  auto with_delay = [](std::int64_t delay) {
    run_text x{"a", "idle", "b"};
    x.connect("a", "idle", {delay, 0});
    x.connect("idle", "b");
    x.run("a", 5, 300);
    x.run("b", 6, 100);
    return span(x);
  };
  CHECK(with_delay(1) == 400);
  CHECK(with_delay(2) == 300);
}

TEST_CASE("scaling: the delay of a loop determines how far its nodes overlap",
          "[trace]") {
  auto with_delay = [](std::int64_t delay) {
    run_text x{"a", "b"};
    x.connect("a", "b");
    x.connect("b", "a", {delay, 0});
    for (auto tag : {0, 10, 20, 30})
      for (auto node : {"a", "b"})
        x.run(node, tag, 100);
    return span(x);
  };
  CHECK(with_delay(10) == 800);
  CHECK(with_delay(11) == 500);
}

TEST_CASE("scaling: a start waits for nothing, and delays the receivers",
          "[trace]") {
  run_text x{"a", "b"};
  x.connect("a", "b");
  x.start("a", 300);
  x.start("b", 100);
  x.run("b", 0, 50);
  CHECK(span(x) == 350);
}

TEST_CASE("scaling: a value on a physical connection is waited for",
          "[trace]") {
  run_text x{"a", "b"};
  x.connect("a", "b", origin, true);
  x.run("a", 5, 100, {send_physical("a", {5, 0}, "out", "b.in", 1)});
  x.run("a", 6, 100, {send_physical("a", {6, 0}, "out", "b.in", 2)});
  x.run("a", 7, 100);
  // The first value was dropped.
  x.run("b", 3, 100, {input("b", {3, 0}, "in", "a.out", 2)});
  CHECK(span(x) == 300);
  CHECK(make_schedule(read(x.text()), {}).path
        == std::vector<std::size_t>{0, 1, 3});
}

TEST_CASE("scaling: a run that was earlier than the graph permits is scheduled "
          "to its end",
          "[trace]") {
  // The code of a promised more than its connection does.
  run_text x{"a", "b"};
  x.connect("a", "b");
  x.connect("b", "a", origin, true);
  x.run("b", 5, 100, {send_physical("b", {5, 0}, "out", "a.in", 1)});
  x.run("a", 5, 100, {input("a", {5, 0}, "in", "b.out", 1)});
  CHECK(span(x) == 200);
  CHECK(duration(x, 1) == 200);
}

TEST_CASE("scaling: one thread at a time executes a group", "[trace]") {
  run_text x{"a", "b", "c"};
  x.add(group("a", "a"));
  x.add(group("b", "a"));
  for (auto node : {"a", "b", "c"})
    x.run(node, 1, 100);
  CHECK(duration(x, 3) == 100);
  CHECK(duration(x, 3, true) == 200);
  CHECK(duration(x, 1, true) == 300);
}

TEST_CASE("scaling: each process has its own threads", "[trace]") {
  run_text x{};
  x.add_nodes({"a", "b", "c"}, "left");
  x.add_nodes({"d"}, "right");
  for (auto node : {"a", "b", "c", "d"})
    x.run(node, 1, 100);
  CHECK(duration(x, 1) == 300);
  CHECK(duration(x, 2) == 200);
}

TEST_CASE("scaling: the tag before a delay", "[trace]") {
  std::vector<logical_time> tags;
  for (std::int64_t ns = 0; ns < 5; ++ns)
    for (std::int64_t microstep = 0; microstep < 4; ++microstep)
      tags.push_back({ns, microstep});
  for (auto x : tags)
    for (std::int64_t ns = 0; ns < 5; ++ns)
      for (std::int64_t microsteps = 0; microsteps < 4; ++microsteps) {
        time_delay delay{ns, microsteps};
        for (auto y : tags)
          CHECK((y <= latest_before(x, delay)) == (y + delay <= x));
      }
  CHECK(latest_before(forever, {5, 0}) == forever);
  CHECK(latest_before({forever.ns, 0}, {forever.ns, 0})
        == logical_time{0, rosia_trace::max_microstep});
}

// -- random graphs ------------------------------------------------------------

namespace {

struct random_edge {
  std::size_t from;
  std::size_t to;
  time_delay delay;
};

struct random_activation {
  std::size_t node;
  std::int64_t tag;
  std::int64_t duration;
};

struct random_work {
  std::size_t nodes;
  std::vector<random_edge> edges;
  std::vector<random_activation> activations; // by tag, then by node

  explicit random_work(std::uint64_t seed) {
    std::mt19937_64 rng{seed};
    auto below = [&](std::uint64_t n) { return rng() % n; };
    nodes = 2 + below(6);
    std::map<std::pair<std::size_t, std::size_t>, time_delay> delays;
    for (auto n = below(3 * nodes); n > 0; --n) {
      auto from = below(nodes);
      auto to = below(nodes);
      auto delay = static_cast<std::int64_t>(below(8));
      delays[{from, to}] = {from < to ? delay : delay + 1, 0};
    }
    for (auto& [ends, delay] : delays)
      edges.push_back({ends.first, ends.second, delay});
    for (std::int64_t tag = 0; tag < 20; ++tag)
      for (std::size_t i = 0; i < nodes; ++i)
        if (below(3) == 0)
          activations.push_back(
            {i, tag, static_cast<std::int64_t>(below(100))});
    // The trace has durations.
    activations.push_back({0, 20, 1});
  }

  std::string text() const {
    run_text result{};
    for (std::size_t i = 0; i < nodes; ++i)
      result.add_nodes({name(i)});
    for (auto& x : edges)
      result.connect(name(x.from), name(x.to), {x.delay.ns, 0});
    for (auto& x : activations)
      result.run(name(x.node), x.tag, x.duration);
    return result.text();
  }

  std::int64_t sum() const {
    std::int64_t result = 0;
    for (auto& x : activations)
      result += x.duration;
    return result;
  }

  /// Returns the longest path through all pairs of activations of which one
  /// must wait for the other.
  std::int64_t span() const {
    constexpr std::int64_t far = 1'000;
    std::vector distances(nodes, std::vector(nodes, far));
    for (std::size_t i = 0; i < nodes; ++i)
      distances[i][i] = 0;
    for (auto& x : edges)
      distances[x.from][x.to] = std::min(distances[x.from][x.to], x.delay.ns);
    for (std::size_t k = 0; k < nodes; ++k)
      for (std::size_t i = 0; i < nodes; ++i)
        for (std::size_t j = 0; j < nodes; ++j)
          distances[i][j]
            = std::min(distances[i][j], distances[i][k] + distances[k][j]);
    std::vector<std::int64_t> ends;
    for (auto& x : activations) {
      std::int64_t begin = 0;
      for (std::size_t i = 0; i < ends.size(); ++i) {
        auto& before = activations[i];
        if (before.tag + distances[before.node][x.node] <= x.tag)
          begin = std::max(begin, ends[i]);
      }
      ends.push_back(begin + x.duration);
    }
    return std::ranges::max(ends);
  }

private:
  static std::string name(std::size_t i) {
    return "n" + std::to_string(i);
  }
};

} // namespace

TEST_CASE("scaling: the critical path of random graphs is the longest of all "
          "paths",
          "[trace]") {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    random_work x{seed};
    auto work = read(x.text());
    auto expected = x.span();
    auto found = make_schedule(work, {});
    CHECK(found.duration == expected);
    std::int64_t path = 0;
    for (auto i : found.path)
      path += work.activations()[i].duration;
    CHECK(path == expected);
    for (auto workers : std::vector<std::size_t>{1, 2, 3, 100}) {
      auto limited = make_schedule(work, {workers, false}).duration;
      auto n = static_cast<std::int64_t>(workers);
      CHECK(limited >= std::max(expected, x.sum() / n));
      CHECK(limited <= expected + x.sum() / n);
    }
    CHECK(make_schedule(work, {1, false}).duration == x.sum());
    CHECK(make_schedule(work, {100, false}).duration == expected);
  }
}

// -- the report ---------------------------------------------------------------

TEST_CASE("scaling: one heavy node on the critical path", "[trace]") {
  run_text x{"source", "heavy", "light"};
  x.connect("source", "heavy");
  x.connect("source", "light");
  for (auto tag : {0, 10, 20, 30}) {
    x.run("source", tag, 10'000);
    x.run("heavy", tag, 80'000);
    x.run("light", tag, 30'000);
  }
  CHECK(
    scaling(x.text())
    == "work: 480 us in 12 activations of 3 nodes\n"
       "run: 480 us; busy threads on average: 1\n"
       "critical path: 330 us in 5 activations, so the speed-up is at most "
       "1.45\n"
       "\n"
       "threads  speed-up  at most\n"
       "      1      1.00     1.00\n"
       "      2      1.45     1.45\n"
       "      4      1.45     1.45\n"
       "      8      1.45     1.45\n"
       "     16      1.45     1.45\n"
       "     32      1.45     1.45\n"
       "     64      1.45     1.45\n"
       "    128      1.45     1.45\n"
       "    256      1.45     1.45\n"
       "\n"
       "More than 2 threads do not help. The critical path:\n"
       "  97 % is \"heavy\", 4 activations of 80 us\n"
       "\"heavy\" limits the speed-up: divide the node, or give it "
       "workers.\n");
}

TEST_CASE("scaling: a loop with a small delay on the critical path",
          "[trace]") {
  run_text x{"plan", "drive", "other"};
  x.connect("plan", "drive");
  x.connect("drive", "plan", {1'000'000, 0});
  for (std::int64_t i = 0; i < 4; ++i) {
    x.run("plan", i * 1'000'000, 50'000);
    x.run("drive", i * 1'000'000, 40'000);
    x.run("other", i * 1'000'000, 10'000);
  }
  auto text = scaling(x.text());
  CHECK_THAT(text, ContainsSubstring("critical path: 360 us in 8 activations, "
                                     "so the speed-up is at most 1.11\n"));
  CHECK_THAT(
    text,
    ContainsSubstring(
      "More than 2 threads do not help. The critical path:\n"
      "  100 % is the loop \"plan\" -> \"drive\" -> \"plan\", whose delay is "
      "1ms\n"
      "The loop limits the speed-up: with a longer delay its nodes "
      "overlap.\n"));
}

TEST_CASE("scaling: many nodes that could use more threads", "[trace]") {
  run_text x{};
  for (auto i = 0; i < 600; ++i)
    x.add_nodes({"n" + std::to_string(i)});
  for (auto i = 0; i < 600; ++i)
    x.run("n" + std::to_string(i), 1, 5'000);
  auto text = scaling(x.text());
  CHECK_THAT(text, ContainsSubstring("      2      2.00     2.00\n"));
  CHECK_THAT(text, ContainsSubstring("    256    200.00   256.00\n"));
  CHECK_THAT(
    text, ContainsSubstring("\nMore threads help, up to 256 at least.\n"));
}

TEST_CASE("scaling: a critical path through many nodes", "[trace]") {
  run_text x{};
  for (auto i = 0; i < 40; ++i)
    x.add_nodes({"n" + std::to_string(i)});
  for (auto i = 1; i < 40; ++i)
    x.connect("n" + std::to_string(i - 1), "n" + std::to_string(i));
  for (auto i = 0; i < 40; ++i)
    x.run("n" + std::to_string(i), 1, 5'000);
  CHECK_THAT(
    scaling(x.text()),
    ContainsSubstring("More than 1 thread does not help. The critical path:\n"
                      "  100 % is in 40 nodes, one after the other\n"));
}

TEST_CASE("scaling: groups that limit the speed-up", "[trace]") {
  run_text x{"a", "b", "c"};
  x.add(group("a", "a"));
  x.add(group("b", "a"));
  for (auto node : {"a", "b", "c"})
    x.run(node, 1, 100);
  auto text = scaling(x.text());
  CHECK_THAT(
    text, ContainsSubstring("threads  speed-up  at most  in its groups\n"));
  CHECK_THAT(text, ContainsSubstring("      4      3.00     3.00           "
                                     "1.50\n"));
  CHECK_THAT(
    text,
    ContainsSubstring("Groups limit the speed-up to 1.50: the largest one, of "
                      "\"a\", has 67 % of the work. See --rosia.groups.\n"));
  CHECK_THAT(text, ContainsSubstring("An activation takes 100 ns on average"));
}

TEST_CASE("scaling: the work of several processes", "[trace]") {
  run_text x{};
  x.add_nodes({"a", "b", "c"}, "left");
  x.add_nodes({"d"}, "right");
  for (auto node : {"a", "b", "c", "d"})
    x.run(node, 1, 100);
  auto text = scaling(x.text());
  CHECK_THAT(
    text,
    ContainsSubstring(
      "processes: \"left\" with 75 % of the "
      "work, \"right\" with 25 % of the "
      "work\n"));
  CHECK_THAT(text, ContainsSubstring("\nthreads in each process  "));
  CHECK_THAT(text, ContainsSubstring(" 1      1.33     2.00\n"));
}

TEST_CASE("scaling: a run in real time says that it waits for the clock",
          "[trace]") {
  run_text x{"a"};
  x.run("a", 1, 100);
  auto text = x.text();
  CHECK_THAT(scaling(text), !ContainsSubstring("In real time"));
  auto i = text.find("\"realtime\":false");
  REQUIRE(i != std::string::npos);
  CHECK_THAT(scaling(text.replace(i, 16, "\"realtime\":true")),
             ContainsSubstring("In real time the run waits for the clock."));
}

TEST_CASE("scaling: a trace without durations is refused with a reason",
          "[trace]") {
  run_text x{"a"};
  CHECK(problem(x.text())
        == "x: no reaction ended, so there is nothing to schedule");
  CHECK(problem("") == "x: the trace is empty");
  CHECK(problem(application() + "\n{\n").starts_with("x:2: not JSON"));
  x.add(ran("a", origin, "start", 0, 5));
  CHECK_THAT(problem(x.text()), ContainsSubstring("x:3: node \"a\" runs before "
                                                  "its first"));
}

TEST_CASE("scaling: impossible times are refused", "[trace]") {
  auto with_times = [](std::int64_t began, std::int64_t ended) {
    run_text x{"a"};
    x.run("a", 1, 10);
    x.add(ran("a", {1, 0}, "on_in", began, ended));
    return problem(x.text());
  };
  CHECK(with_times(5, 5) == "none");
  CHECK_THAT(with_times(5, 4), ContainsSubstring("which is not possible"));
  CHECK_THAT(with_times(-5, 4), ContainsSubstring("which is not possible"));
  CHECK_THAT(
    with_times(0, forever.ns), ContainsSubstring("which is not possible"));
  run_text x{"a"};
  x.run("a", 2, 10);
  x.run("a", 1, 10);
  CHECK_THAT(
    problem(x.text()), ContainsSubstring("node \"a\" begins 1ns after 2ns"));
}

TEST_CASE("scaling: a truncated or damaged trace is used or refused",
          "[trace]") {
  std::mt19937_64 rng{1};
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    auto text = random_work{seed}.text();
    CHECK(problem(text.substr(0, rng() % text.size())).size() > 0);
    for (auto n = 1 + rng() % 4; n > 0; --n)
      text[rng() % text.size()] = static_cast<char>(rng() % 256);
    CHECK(problem(text).size() > 0);
  }
}

} // namespace scaling_test
