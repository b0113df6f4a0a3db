// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_trace/checker.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/comparison.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/trace_file.hpp"
#include "trace/random_trace.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

namespace merge_test {

using namespace trace_test;
using Catch::Matchers::ContainsSubstring;
using rosia_trace::event_kind;
using rosia_trace::unreadable_file;

namespace {

using files = std::vector<std::string>;

/// A folder for this test's files, which the destructor removes.
class scratch {
public:
  scratch()
    : path_{std::filesystem::temp_directory_path()
            / ("rosia_merge_test_" + std::to_string(::getpid()))} {
    std::filesystem::create_directory(path_);
  }

  scratch(const scratch&) = delete;

  scratch& operator=(const scratch&) = delete;

  ~scratch() {
    std::filesystem::remove_all(path_);
  }

  std::string path(const std::string& name) const {
    return (path_ / name).string();
  }

  std::string write(const std::string& name, const std::string& text) const {
    // On some file systems, overwriting a file takes much longer.
    std::filesystem::remove(path(name));
    std::ofstream{path(name), std::ios::binary} << text;
    return path(name);
  }

  files write(const std::vector<trace>& parts) const {
    files result;
    for (std::size_t i = 0; i < parts.size(); ++i)
      result.push_back(
        write(std::string(1, static_cast<char>('a' + i)), parts[i].text()));
    return result;
  }

private:
  std::filesystem::path path_;
};

struct merged {
  std::string text;
  std::string warnings;
};

merged merge(const files& names) {
  std::ostringstream out;
  std::ostringstream warnings;
  auto code = rosia_trace::merge_command({names, {}}, out, warnings);
  CHECK(code == 0);
  return {out.str(), warnings.str()};
}

std::string with_process(std::string application, const std::string& name) {
  application.insert(application.size() - 1, ",\"process\":\"" + name + '"');
  return application;
}

/// Splits a trace into the traces of an application's processes.
class splitter {
public:
  /// @param names of the processes.
  splitter(std::uint64_t seed, std::vector<std::string> names)
    : rng_{seed}, names_{std::move(names)}, parts_(names_.size()),
      clocks_(names_.size()) {
    coordinator_ = any();
    for (auto& x : clocks_)
      x.rate = std::array<std::uint64_t, 4>{1, 2, 10, 1000}[rng_() % 4];
  }

  std::vector<trace> split(const trace& whole) {
    for (const auto& line : whole.lines)
      add(line);
    return std::move(parts_);
  }

private:
  std::size_t any() {
    return rng_() % parts_.size();
  }

  void add(const std::string& line) {
    parser_.parse(line);
    const auto& x = parser_.get();
    switch (x.kind) {
      case event_kind::application:
        for (std::size_t i = 0; i < parts_.size(); ++i)
          parts_[i].lines.push_back(with_process(line, names_[i]));
        break;
      case event_kind::node:
      case event_kind::connection:
      case event_kind::end:
        for (auto& part : parts_)
          part.lines.push_back(line);
        break;
      default: {
        auto part
          = x.has(rosia_trace::member::node)
              ? owners_.try_emplace(std::string{x.node}, any()).first->second
              : coordinator_;
        parts_[part].lines.push_back(clocked(line, part));
      }
    }
  }

  /// A process's clock, which may differ from those of other processes.
  struct clock {
    std::uint64_t now = 0;
    std::uint64_t rate = 1;
  };

  std::string clocked(std::string line, std::size_t part) {
    auto at = line.find("\"elapsed\":");
    if (at == std::string::npos)
      return line;
    auto& [now, rate] = clocks_[part];
    now += rng_() % 3 * rate;
    auto digits = at + 10;
    return line.replace(
      digits, line.find_first_of(",}", digits) - digits, std::to_string(now));
  }

  std::mt19937_64 rng_;
  std::vector<std::string> names_;
  std::vector<trace> parts_;
  std::vector<clock> clocks_;
  std::size_t coordinator_;
  std::map<std::string, std::size_t> owners_;
  rosia_trace::line_parser parser_;
};

/// Splits a trace into two: of one node, and of the rest.
std::vector<trace> two_parts(
  const trace& whole = natural_end(), const std::string& node = "source") {
  std::vector<trace> result(2);
  for (const auto& line : whole.lines) {
    auto owned = line.find("\"node\":\"" + node + '"') != std::string::npos;
    if (line.find("\"application\"") != std::string::npos) {
      result[0].lines.push_back(with_process(line, "left"));
      result[1].lines.push_back(with_process(line, "right"));
    } else if (line.find("\"inputs\"") != std::string::npos
               || line.find("\"connection\"") != std::string::npos
               || line.find("\"end\"") != std::string::npos) {
      result[0].lines.push_back(line);
      result[1].lines.push_back(line);
    } else {
      result[owned ? 0 : 1].lines.push_back(line);
    }
  }
  return result;
}

std::size_t header_size(const trace& x) {
  std::size_t result = 1;
  while (x.lines[result].find("\"inputs\"") != std::string::npos
         || x.lines[result].find("\"connection\"") != std::string::npos)
    ++result;
  return result;
}

/// Returns whether `part` has its lines of `whole`, in order.
bool keeps_order(const trace& part, const std::string& whole) {
  std::size_t at = 0;
  for (std::size_t i = 1; i < part.lines.size(); ++i) {
    at = whole.find(part.lines[i] + '\n', at);
    if (at == std::string::npos)
      return false;
    at += part.lines[i].size();
  }
  return true;
}

} // namespace

TEST_CASE("merge: the traces of several processes become that of one",
          "[trace]") {
  scratch folder;
  random_features seen;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    random_features features;
    auto whole = random_trace(seed, &features);
    std::vector<std::string> names{"main", "b", "sensors", "z", "arm"};
    names.resize(2 + seed % 4);
    auto parts = splitter{seed, names}.split(whole);
    auto result = merge(folder.write(parts));
    CHECK(result.warnings.empty());
    auto broken = rosia_trace::check(result.text);
    INFO((broken ? to_string(*broken, "merged") : ""));
    REQUIRE(!broken);
    REQUIRE(rosia_trace::compare(
              {whole.text(), "whole"}, {result.text, "merged"}, std::nullopt)
              .same());
    auto lines = std::count(result.text.begin(), result.text.end(), '\n');
    REQUIRE(static_cast<std::size_t>(lines) == whole.lines.size());
    REQUIRE(result.text.starts_with(whole.lines[0] + '\n'));
    for (const auto& part : parts)
      REQUIRE(keeps_order(part, result.text));
    seen.two_rounds |= features.two_rounds;
    seen.stop_after |= features.stop_after;
    seen.by_abort |= features.by_abort;
    seen.loop |= features.loop;
    seen.physical |= features.physical;
  }
  CHECK(seen.two_rounds);
  CHECK(seen.stop_after);
  CHECK(seen.by_abort);
  CHECK(seen.loop);
  CHECK(seen.physical);
}

TEST_CASE("merge: the order of the files does not matter", "[trace]") {
  scratch folder;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto parts = splitter{seed, {"x", "b", "c"}}.split(random_trace(seed));
    auto names = folder.write(parts);
    auto first = merge(names).text;
    while (std::next_permutation(names.begin(), names.end()))
      REQUIRE(merge(names).text == first);
  }
}

TEST_CASE("merge: one process may be all", "[trace]") {
  scratch folder;
  auto whole = requested_end();
  auto part = whole;
  part.lines[0] = with_process(part.lines[0], "main");
  CHECK(merge(folder.write({part})).text == whole.text());
}

TEST_CASE("merge: it can write to a file, even to one of its inputs",
          "[trace]") {
  scratch folder;
  auto names = folder.write(two_parts());
  auto expected = merge(names).text;
  std::ostringstream out;
  CHECK(rosia_trace::merge_command({names, names[0]}, out, out) == 0);
  CHECK(out.str().empty());
  CHECK(rosia_trace::read_all(names[0]) == expected);
}

TEST_CASE("check, diff and summary accept a trace of one process of several",
          "[trace]") {
  scratch folder;
  auto part = natural_end();
  part.lines[0] = with_process(part.lines[0], "main");
  auto file = folder.write("a", part.text());
  std::ostringstream out;
  CHECK(rosia_trace::check_command({file}, out) == 0);
  CHECK(rosia_trace::diff_command(
          {file, folder.write("b", natural_end().text()), std::nullopt}, out)
        == 0);
  CHECK(rosia_trace::summary_command({file}, out) == 0);
}

TEST_CASE("check says that a trace that breaks a rule has one process only",
          "[trace]") {
  scratch folder;
  auto part = natural_end();
  part.lines.pop_back();
  auto of = [&](const trace& x) {
    std::ostringstream out;
    CHECK(rosia_trace::check_command({folder.write("a", x.text())}, out) == 1);
    return out.str();
  };
  CHECK_THAT(of(part), !ContainsSubstring("alone"));
  part.lines[0] = with_process(part.lines[0], "left");
  CHECK_THAT(
    of(part),
    ContainsSubstring(
      "this is the trace of process \"left\" alone; "
      "'rosia-trace merge' makes one trace of those of "
      "all processes\n"));
}

TEST_CASE("merge: a question follows the final tag of the previous round, even "
          "if the node did not take it",
          "[trace]") {
  scratch folder;
  auto asks = [](logical_time proposal) {
    return trace{asked("source", proposal), answer("source", proposal),
                 asked("other", proposal), answer("other", proposal)};
  };
  auto set_before = GENERATE(false, true);
  trace whole{application(set_before ? ",\"stop_after\":[20,0]" : ""),
              node_line{"source"}.input("go", true).str(),
              node_line{"other"}.input("go", true).str()};
  auto add = [&](const trace& x) {
    whole.lines.insert(whole.lines.end(), x.lines.begin(), x.lines.end());
  };
  if (set_before)
    add({request_outside({20, 0}), final_tag({20, 0})});
  add({start("source"), start("other"), request("other", origin, {10, 0})});
  add(asks({10, 0}));
  add({request("source", origin, {5, 0}), final_tag({10, 0})});
  add(asks({5, 0}));
  add(
    {final_tag({5, 0}), final_taken("source", {5, 0}),
     final_taken("other", {5, 0}), shutdown("source", origin, "final"),
     exit("source"), shutdown("other", origin, "final"), exit("other"), end()});
  require_good(whole);
  auto result = merge(folder.write(two_parts(whole)));
  CHECK(result.warnings.empty());
  auto broken = rosia_trace::check(result.text);
  INFO((broken ? broken->text : ""));
  CHECK(!broken);
}

TEST_CASE("merge: in a replay, a physical value may precede what its sender "
          "sends",
          "[trace]") {
  scratch folder;
  trace whole{
    application(R"(,"stop_after":[9,0],"replay":true)"),
    node_line{"source"}
      .input("back")
      .output("out")
      .reaction("on_back", {"back"})
      .str(),
    node_line{"sink"}
      .input("in")
      .output("out")
      .action("x")
      .reaction("on_in", {"in"})
      .reaction_on("on_x", "x")
      .str(),
    connection("source.out", "sink.in"),
    connection("sink.out", "source.back", origin, true),
    request_outside({9, 0}),
    final_tag({9, 0}),
    start("source"),
    start("sink"),
    execute("source", {4, 0}, forever),
    input("source", {4, 0}, "back", "sink.out", 7),
    reaction("source", {4, 0}, "on_back"),
    send("source", {4, 0}, "out", "sink.in", {4, 0}, 1),
    final_taken("source", {9, 0}),
    shutdown("source", {4, 0}, "final"),
    exit("source"),
    execute("sink", {4, 0}, forever),
    input("sink", {4, 0}, "in", "source.out", 1),
    reaction("sink", {4, 0}, "on_in"),
    schedule("sink", {4, 0}, "x", {6, 0}, 2),
    execute("sink", {6, 0}, forever),
    action("sink", {6, 0}, "x", 2),
    reaction("sink", {6, 0}, "on_x"),
    send_physical("sink", {6, 0}, "out", "source.back", 7),
    final_taken("sink", {9, 0}),
    shutdown("sink", {6, 0}, "final"),
    exit("sink"),
    end(),
  };
  require_good(whole);
  auto result = merge(folder.write(two_parts(whole)));
  CHECK(result.warnings.empty());
  auto broken = rosia_trace::check(result.text);
  INFO((broken ? broken->text : ""));
  CHECK(!broken);
}

TEST_CASE("merge: the last tag does not wait for messages beyond the end",
          "[trace]") {
  scratch folder;
  trace whole{
    application(R"(,"stop_after":[6,0])"),
    node_line{"source"}
      .output("out")
      .action("x")
      .reaction_on("on_x", "x")
      .str(),
    node_line{"middle"}.input("in").output("out").at_shutdown("at_end").str(),
    node_line{"sink"}.input("in").at_shutdown("at_end").str(),
    connection("source.out", "middle.in", {0, 1}),
    connection("middle.out", "sink.in"),
    request_outside({6, 0}),
    final_tag({6, 0}),
    start("source"),
    schedule("source", origin, "x", {6, 0}, 2),
    start("middle"),
    start("sink"),
    final_taken("middle", {6, 0}),
    execute_last("middle", {6, 1}),
    reaction("middle", {6, 1}, "at_end"),
    shutdown("middle", {6, 1}, "final"),
    exit("middle"),
    final_taken("sink", {6, 0}),
    execute_last("sink", {6, 1}),
    reaction("sink", {6, 1}, "at_end"),
    shutdown("sink", {6, 1}, "final"),
    exit("sink"),
    final_taken("source", {6, 0}),
    execute("source", {6, 0}, forever),
    action("source", {6, 0}, "x", 2),
    reaction("source", {6, 0}, "on_x"),
    send("source", {6, 0}, "out", "middle.in", {6, 1}, 3),
    shutdown("source", {6, 0}, "final"),
    exit("source"),
    end(),
  };
  require_good(whole);
  auto result = merge(folder.write(two_parts(whole, "middle")));
  CHECK(result.warnings.empty());
  CHECK(!rosia_trace::check(result.text));
}

TEST_CASE("merge: a failed node may end before the other nodes are aborted",
          "[trace]") {
  scratch folder;
  trace whole{
    application(),
    node_line{"source"}.output("out").str(),
    node_line{"sink"}.input("in").str(),
    connection("source.out", "sink.in"),
    start("source"),
    start("sink"),
    error("source", "start", origin, "it failed"),
    shutdown("source", origin, "aborted"),
    exit("source"),
    shutdown("sink", origin, "done"),
    exit("sink"),
    aborted(),
    end(1)};
  require_good(whole);
  auto result = merge(folder.write(two_parts(whole)));
  CHECK(result.warnings.empty());
  CHECK(!rosia_trace::check(result.text));
}

TEST_CASE(
  "merge: an application that ends before its start may lack some traces",
  "[trace]") {
  scratch folder;
  trace whole{
    application(),
    node_line{"source"}.output("out").str(),
    node_line{"sink"}.input("in").str(),
    connection("source.out", "sink.in"),
    request_outside(never, 0),
    unstarted(),
    shutdown("source", origin, "aborted"),
    exit("source"),
    shutdown("sink", origin, "aborted"),
    exit("sink"),
    end(0)};
  auto names = folder.write(two_parts(whole));
  auto merged = merge(names);
  CHECK(merged.warnings.empty());
  CHECK(!rosia_trace::check(merged.text));
  // The coordinator's trace exists.
  CHECK(!rosia_trace::check(merge({names.back()}).text));
  CHECK(rosia_trace::check(merge({names.front()}).text));
}

// -- processes that were killed -----------------------------------------------

TEST_CASE("merge: the lines of a killed process are included", "[trace]") {
  scratch folder;
  auto parts = two_parts();
  auto& killed = parts[1];
  killed.lines.resize(killed.find({"\"execute\"", "\"sink\""}));
  auto place = folder.path("b") + ':' + std::to_string(killed.lines.size());
  SECTION("its trace ends with a line") {
    auto names = folder.write(parts);
    auto result = merge(names);
    CHECK_THAT(result.text, ContainsSubstring(killed.lines.back()));
    CHECK(result.text.ends_with(end() + '\n'));
    CHECK(result.warnings
          == folder.path("b") + ':' + std::to_string(killed.lines.size() + 1)
               + ": the trace breaks off before this line: the process "
                 "\"right\" crashed or was killed, or still runs\n");
    auto broken = rosia_trace::check(result.text);
    REQUIRE(broken);
    CHECK(broken->broken == rosia_trace::rule::cleanup);
    CHECK_THAT(broken->text, ContainsSubstring("did not shut down"));
  }
  SECTION("its trace ends within a line") {
    auto text = killed.text();
    auto names = folder.write(parts);
    folder.write("b", text.substr(0, text.size() - 9));
    auto result = merge(names);
    CHECK(result.text.find(killed.lines.back()) == std::string::npos);
    CHECK(result.warnings
          == place
               + ": the trace breaks off in the middle of this line: the "
                 "process \"right\" crashed or was killed, or still runs\n");
  }
}

TEST_CASE("merge: a trace that breaks off in its header is omitted",
          "[trace]") {
  scratch folder;
  auto parts = two_parts();
  auto alone = merge(folder.write({parts[0]}));
  auto names = folder.write(parts);
  auto text = parts[1].text();
  auto line = text.find('\n');
  for (auto size : {std::size_t{0}, line - 1, line + 1, line + 9}) {
    INFO("size " << size);
    folder.write("b", text.substr(0, size));
    for (auto& order : {names, files{names.rbegin(), names.rend()}}) {
      auto result = merge(order);
      CHECK(result.text == alone.text);
      CHECK(result.warnings
            == folder.path("b")
                 + ": the trace is omitted, because it breaks off in its "
                   "header: the process crashed or was killed\n");
    }
  }
  CHECK_THROWS_WITH(merge({folder.write("b", text.substr(0, line - 1))}),
                    ContainsSubstring("b: the trace is empty, or breaks off"));
}

TEST_CASE("merge: no line waits for unwritten lines of a killed process",
          "[trace]") {
  scratch folder;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    auto parts = splitter{seed, {"main", "b", "c"}}.split(random_trace(seed));
    auto header = header_size(parts[1]);
    auto& lines = parts[1].lines;
    lines.resize(header + seed % (lines.size() - header));
    auto result = merge(folder.write(parts));
    CHECK_THAT(result.warnings, ContainsSubstring("crashed or was killed"));
    for (const auto& part : parts)
      REQUIRE(keeps_order(part, result.text));
    CHECK(result.text.find("\"event\":\"end\"") != std::string::npos);
  }
}

TEST_CASE("merge: if all processes were killed there is no end", "[trace]") {
  scratch folder;
  auto parts = two_parts();
  for (auto& part : parts)
    part.lines.pop_back();
  auto result = merge(folder.write(parts));
  CHECK(result.text + end() + '\n' == merge(folder.write(two_parts())).text);
  auto broken = rosia_trace::check(result.text);
  REQUIRE(broken);
  CHECK(broken->broken == rosia_trace::rule::termination);
}

// -- inconsistent traces ------------------------------------------------------

TEST_CASE("merge: traces of different applications are refused", "[trace]") {
  scratch folder;
  auto parts = two_parts();
  SECTION("a different graph") {
    auto line = parts[1].find({"\"connection\""});
    auto other = parts[1].with(line, "[0,0]", "[0,1]");
    auto place = std::to_string(line);
    CHECK_THROWS_WITH(
      merge(folder.write({parts[0], other})),
      "the processes do not belong to one application:\n  " + folder.path("a")
        + ':' + place + ": " + parts[0].lines[line - 1] + "\n  "
        + folder.path("b") + ':' + place + ": " + other.lines[line - 1]);
  }
  SECTION("a different option") {
    auto other = parts[1].with(1, "\"realtime\":false", "\"realtime\":true");
    CHECK_THROWS_WITH(
      merge(folder.write({parts[0], other})),
      ContainsSubstring(folder.path("a") + ":1: " + application())
        && ContainsSubstring(folder.path("b") + ":1: {"));
  }
  SECTION("a header that is shorter") {
    auto other = parts[1].without(header_size(parts[1]));
    CHECK_THROWS_WITH(merge(folder.write({parts[0], other})),
                      ContainsSubstring(": the header ends"));
  }
}

TEST_CASE("merge: a file that is not of one process is refused", "[trace]") {
  scratch folder;
  auto parts = two_parts();
  SECTION("no process") {
    CHECK_THROWS_WITH(
      merge(folder.write({parts[0], natural_end()})),
      ContainsSubstring(folder.path("b") + ":1: ")
        && ContainsSubstring("has no \"process\""));
  }
  SECTION("the same process twice") {
    auto other
      = parts[1].with(1, "\"process\":\"right\"", "\"process\":\"left\"");
    CHECK_THROWS_WITH(
      merge(folder.write({parts[0], other})),
      folder.path("b") + ":1: the process \"left\" is also that of "
        + folder.path("a") + ":1");
  }
  SECTION("an empty file") {
    CHECK_THROWS_WITH(merge({folder.write("empty", "")}),
                      ContainsSubstring("empty: the trace is empty"));
  }
  SECTION("no file") {
    CHECK_THROWS_AS(merge({folder.path("none")}), unreadable_file);
  }
}

TEST_CASE("merge: a node belongs to one process", "[trace]") {
  scratch folder;
  auto parts = two_parts(physical_run());
  SECTION("a node") {
    parts = two_parts();
    auto from = parts[0].find({"\"start\"", "\"source\""});
    auto to = parts[1].find({"\"start\""});
    auto other = parts[1].inserted(to, parts[0].lines[from - 1]);
    CHECK_THROWS_WITH(
      merge(folder.write({parts[0], other})),
      folder.path("b") + ':' + std::to_string(to)
        + ": node \"source\" has its steps in " + folder.path("a") + ':'
        + std::to_string(from) + ", a trace of another process");
  }
  SECTION("a line without a node") {
    parts[0] = parts[0].inserted(parts[0].find({"\"end\""}), aborted());
    CHECK_THROWS_WITH(
      merge(folder.write(parts)), ContainsSubstring("what belongs to no node"));
  }
  SECTION("a node that is not declared") {
    parts[0] = parts[0].inserted(parts[0].find({"\"end\""}), start("nobody"));
    CHECK_THROWS_WITH(
      merge(folder.write(parts)),
      ContainsSubstring(folder.path("a") + ':')
        && ContainsSubstring("\"nobody\""));
  }
}

TEST_CASE("merge: the processes agree on the status", "[trace]") {
  scratch folder;
  auto parts = two_parts();
  parts[1].lines.back() = end(3);
  CHECK_THROWS_WITH(
    merge(folder.write(parts)),
    folder.path("b") + ':' + std::to_string(parts[1].lines.size())
      + ": the application ends with status 3, but with 0 in "
      + folder.path("a") + ':' + std::to_string(parts[0].lines.size()));
}

TEST_CASE("merge: a file that is not a trace is refused with file and line",
          "[trace]") {
  scratch folder;
  auto parts = two_parts();
  auto last = parts[0].lines.size();
  auto place = folder.path("a") + ':' + std::to_string(last);
  SECTION("not JSON") {
    parts[0] = parts[0].inserted(last, "{");
  }
  SECTION("not an event") {
    parts[0] = parts[0].inserted(last, "{\"event\":\"surprise\"}");
  }
  SECTION("a declaration too late") {
    parts[0] = parts[0].inserted(last, parts[0].lines[1]);
  }
  SECTION("a line after the end") {
    parts[0].lines.push_back(exit("source"));
    place = folder.path("a") + ':' + std::to_string(last + 1);
  }
  CHECK_THROWS_WITH(
    merge(folder.write(parts)), ContainsSubstring(place + ": "));
}

TEST_CASE("merge: invalid traces lose no line", "[trace]") {
  scratch folder;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    auto parts = splitter{seed, {"main", "b", "c"}}.split(random_trace(seed));
    std::mt19937_64 rng{seed};
    for (auto& part : parts) {
      auto first
        = part.lines.begin() + static_cast<std::ptrdiff_t>(header_size(part));
      std::shuffle(first, part.lines.end() - 1, rng);
    }
    auto result = merge(folder.write(parts));
    for (const auto& part : parts)
      REQUIRE(keeps_order(part, result.text));
  }
}

TEST_CASE("merge: lines that wait for each other are written, with a warning",
          "[trace]") {
  scratch folder;
  auto parts = two_parts(loop_end(), "left");
  // The other processes' answers precede the message that causes them.
  auto& spoilt = parts[0];
  spoilt
    = spoilt.moved(spoilt.find({"\"send\""}), spoilt.find({"\"execute\""}));
  auto result = merge(folder.write(parts));
  CHECK_THAT(result.warnings,
             ContainsSubstring("a line that must precede this line does not"));
  CHECK(std::count(result.warnings.begin(), result.warnings.end(), '\n') == 1);
  for (const auto& part : parts)
    CHECK(keeps_order(part, result.text));
  CHECK(rosia_trace::check(result.text));
}

} // namespace merge_test
