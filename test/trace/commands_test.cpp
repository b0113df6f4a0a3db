// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/read_file.hpp"
#include "catch.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/comparison.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"
#include "trace/random_trace.hpp"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace commands_test {

using namespace trace_test;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using rosia_trace::unreadable_file;

namespace {

/// A folder for this test's files, which the destructor removes.
class scratch {
public:
  scratch()
    : path_{std::filesystem::temp_directory_path()
            / ("rosia_trace_test_" + std::to_string(::getpid()))} {
    std::filesystem::create_directory(path_);
  }

  scratch(const scratch&) = delete;

  scratch& operator=(const scratch&) = delete;

  ~scratch() {
    std::filesystem::remove_all(path_);
  }

  std::string path() const {
    return path_.string();
  }

  std::string write(const std::string& name, const std::string& text) const {
    auto result = (path_ / name).string();
    std::ofstream{result, std::ios::binary} << text;
    return result;
  }

private:
  std::filesystem::path path_;
};

struct outcome {
  int code;
  std::string text;
};

outcome check(const std::string& file, bool quiet = false) {
  std::ostringstream out;
  auto code = rosia_trace::check_command({file, quiet}, out);
  return {code, out.str()};
}

outcome diff(const std::string& left, const std::string& right,
             std::optional<logical_time> up_to = std::nullopt,
             std::size_t shown = 20) {
  std::ostringstream out;
  auto code
    = rosia_trace::diff_command({left, right, up_to, shown, false}, out);
  return {code, out.str()};
}

outcome summary(const std::string& file) {
  std::ostringstream out;
  auto code = rosia_trace::summary_command({file}, out);
  return {code, out.str()};
}

bool same(const trace& left, const trace& right,
          std::optional<logical_time> up_to = std::nullopt) {
  return compare({left.text(), "left"}, {right.text(), "right"}, up_to).same();
}

} // namespace

// -- deadlines
// -----------------------------------------------------------------

TEST_CASE("10.3.4 summary: missed deadlines are counted by reaction",
          "[trace]") {
  scratch files;
  trace t{
    application(),
    node_line{"b"}.action("x").reaction_on("on_x", "x").deadline(3).str(),
    start("b"),
  };
  CHECK(summary(files.write("a", t.text())).text.find("missed deadlines")
        == std::string::npos);
  for (auto ns : {5, 9}) {
    t.lines.push_back(execute("b", {ns, 0}, forever));
    t.lines.push_back(reaction("b", {ns, 0}, "on_x"));
    t.lines.push_back(missed("b", {ns, 0}, "on_x", 3));
  }
  CHECK_THAT(summary(files.write("a", t.text())).text,
             ContainsSubstring("\nmissed deadlines:\n  b, on_x: 2\n"));
  CHECK_FALSE(same(t, t.without(6)));
}

// -- modes --------------------------------------------------------------------

TEST_CASE("10.7.7 diff: modes are entered in the same way", "[trace]") {
  auto t = switched_modes();
  CHECK(same(t, t));
  CHECK_FALSE(same(t, t.with(24, "true", "false")));
  CHECK_FALSE(same(t, t.without(16)));
  CHECK_FALSE(same(t, t.with(2, R"(,"mode":"m"})", "}")));
}

// -- watchdogs ----------------------------------------------------------------

TEST_CASE("summary and diff: expiries of watchdogs, and their starts",
          "[trace]") {
  scratch files;
  auto t = expiring_watchdogs();
  CHECK_THAT(summary(files.write("a", t.text())).text,
             ContainsSubstring("\nexpired watchdogs:\n  b, v: 2\n  b, w: 1\n"));
  CHECK(same(t, t.with(5, "\"elapsed\":6", "\"elapsed\":7")));
  CHECK(same(t, t.without(5)));
  CHECK_FALSE(same(t, t.with(9, "\"expiry\":15", "\"expiry\":16")));
  CHECK_FALSE(same(t, t.without(18)));
}

// -- maximal waits ------------------------------------------------------------

TEST_CASE("summary, diff and graph: tardy values and maximal waits",
          "[trace]") {
  scratch files;
  auto t = tardy_values();
  CHECK_THAT(summary(files.write("a", t.text())).text,
             ContainsSubstring("\ntardy values:\n  b, in: 2\n"));
  // The tag of a tardy value shows where it is set.
  CHECK(same(t, t.without(35)));
  CHECK_FALSE(same(t, t.with(4, "\"wait\":2", "\"wait\":3")));
}

// -- check --------------------------------------------------------------------

TEST_CASE("check: a valid trace has status 0, counts, and the number of checks "
          "of each rule",
          "[trace]") {
  scratch files;
  auto file = files.write("good.jsonl", natural_end().text());
  auto result = check(file);
  CHECK(result.code == 0);
  CHECK_THAT(result.text, ContainsSubstring(file + ": all rules hold\n"));
  CHECK_THAT(result.text, ContainsSubstring("3 nodes, 3 connections; 11 tags"));
  CHECK_THAT(result.text, ContainsSubstring("ended by itself with status 0"));
  CHECK_THAT(result.text, ContainsSubstring("nothing-lost"));
  CHECK_THAT(result.text, ContainsSubstring("[5.5, 5.6, 5.7, 5.8, 5.10, 7.4]"));
  CHECK(check(file, true).text.empty());
  CHECK(check(file, true).code == 0);
}

TEST_CASE("check: the way in which the run ended", "[trace]") {
  scratch files;
  CHECK_THAT(check(files.write("a", requested_end().text())).text,
             ContainsSubstring("ended by request with status 0"));
  CHECK_THAT(check(files.write("b", aborted_end().text())).text,
             ContainsSubstring("aborted with status 1"));
}

TEST_CASE("check: a broken rule has status 1 and one line with file and line",
          "[trace]") {
  scratch files;
  auto t = natural_end();
  auto line = t.find({"shutdown"});
  auto file
    = files.write("bad.jsonl", t.inserted(line, t.lines[line - 1]).text());
  auto result = check(file);
  CHECK(result.code == 1);
  CHECK(result.text
        == file + ':' + std::to_string(line + 1)
             + ": cleanup [5.15]: node \"source\" "
               "shuts down a second time\n");
  CHECK(check(file, true).text == result.text);
}

TEST_CASE("check: an unreadable file is an error with file and line",
          "[trace]") {
  scratch files;
  CHECK_THROWS_AS(check(files.path() + "/none.jsonl"), unreadable_file);
  CHECK_THROWS_AS(check(files.path()), unreadable_file);
  CHECK_THROWS_WITH(
    check("/dev/zero"), "/dev/zero: it is a device; name a file or a pipe");
  CHECK_THROWS_WITH(check(files.write("empty", "")),
                    ContainsSubstring("empty: the trace is empty"));
  CHECK_THROWS_WITH(check(files.write("text", application() + "\nhello\n")),
                    ContainsSubstring("text:2: not JSON at column 1"));
}

TEST_CASE("check: a file is read in parts", "[trace]") {
  // Longer than any buffer, with lines that cross its borders.
  auto t = physical_run();
  auto line = t.find({"drop"});
  auto copy = t.lines[line - 1];
  t.lines.insert(
    t.lines.begin() + static_cast<std::ptrdiff_t>(line), 20000, copy);
  scratch files;
  CHECK(check(files.write("long", t.text())).code == 0);
  auto bad = t.without(t.lines.size());
  auto result = check(files.write("cut", bad.text()));
  CHECK(result.code == 1);
  CHECK_THAT(result.text,
             ContainsSubstring(
               "cut:" + std::to_string(bad.lines.size()) + ": termination"));
}

TEST_CASE("check: all rules can be listed", "[trace]") {
  std::ostringstream out;
  rosia_trace::list_rules(out);
  CHECK_THAT(out.str(), ContainsSubstring("no-late-message [7.2]"));
  std::istringstream lines{out.str()};
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 80);
  }
}

// -- diff ---------------------------------------------------------------------

TEST_CASE("diff: a trace equals itself", "[trace]") {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto t = random_trace(seed);
    CHECK(same(t, t));
  }
  scratch files;
  auto file = files.write("a", requested_end().text());
  auto result = diff(file, file);
  CHECK(result.code == 0);
  CHECK(result.text == "same: 3 nodes, 38 events, compared up to tag 10ns\n");
}

TEST_CASE("diff: the interleaving of nodes and data that depends on the "
          "schedule do not count",
          "[trace]") {
  auto t = natural_end();
  auto other = t;
  // sink's whole beginning before relay's.
  for (auto i = 0; i < 4; ++i) {
    auto from = other.find(
      {"\"node\":\"sink\"", "[0,1]"}, static_cast<std::size_t>(i + 1));
    other
      = other.moved(from, t.find({"execute"}) + static_cast<std::size_t>(i));
  }
  REQUIRE(other.lines != t.lines);
  CHECK(same(t, other));
  auto line = t.find({"promise"});
  CHECK(same(t, t.without(line)));
  line = t.find({"execute"});
  CHECK(same(t, t.with(line, "\"stat\":[5,0]", "\"stat\":[4,0]")
                  .with(line, "\"elapsed\":12", "\"elapsed\":99")));
}

TEST_CASE("diff: every difference in a node's actions counts", "[trace]") {
  auto t = natural_end();
  auto differs
    = [&](const trace& other) { return !same(t, other) && !same(other, t); };
  auto line = t.find({"\"input\"", "relay"});
  CHECK(differs(t.with(line, digest(1), digest(2))));
  CHECK(differs(t.with(line, digest(1), "null")));
  CHECK(differs(t.with(line, "source.out", "other.out")));
  CHECK(differs(t.with(line, "\"port\":\"in\"", "\"port\":\"on\"")));
  CHECK(differs(t.without(line)));
  CHECK(differs(t.swapped(line, line + 1)));
  line = t.find({"send"});
  CHECK(differs(t.with(line, "\"arrival\":[0,0]", "\"arrival\":[0,1]")));
  CHECK(differs(t.with(line, "\"arrival\":[0,0]", "\"arrival\":null")));
  line = t.find({"resume"});
  CHECK(differs(t.with(line, "\"start\"", "\"other\"")));
  line = t.find({"execute"}, 2);
  CHECK(differs(t.with(line, "\"tag\":[0,1]", "\"tag\":[0,2]")));
  line = t.find({"execute"}, 11);
  auto shorter = t.without(line).without(line).without(line).without(line);
  CHECK(differs(shorter));
}

TEST_CASE("diff: the first difference of each node, the earliest first",
          "[trace]") {
  auto t = natural_end();
  auto late = t.find({"\"input\"", "\"node\":\"relay\"", "[10,0]"});
  auto early = t.find({"\"input\"", "\"node\":\"sink\"", "[5,1]"});
  auto other
    = t.with(late, digest(3), digest(9)).with(early, digest(2), digest(9));
  scratch files;
  auto left = files.write("left", t.text());
  auto right = files.write("right", other.text());
  auto result = diff(left, right);
  CHECK(result.code == 1);
  auto numbered
    = [](const std::string& file, std::size_t line, const trace& from) {
        return file + ':' + std::to_string(line) + ": " + from.lines[line - 1]
               + '\n';
      };
  CHECK_THAT(
    result.text,
    ContainsSubstring(
      "different: 2 of 3 nodes, compared to the end\n"
      "\n"
      "node \"sink\" differs first at tag 5ns+1\n"));
  CHECK_THAT(result.text, ContainsSubstring("  " + numbered(left, early - 1, t)
                                            + "< " + numbered(left, early, t)));
  CHECK_THAT(
    result.text, ContainsSubstring("> " + numbered(right, early, other)));
  CHECK(result.text.find("node \"sink\" differs")
        < result.text.find("node \"relay\" differs"));
  result = diff(left, right, std::nullopt, 1);
  CHECK_THAT(result.text, !ContainsSubstring("node \"relay\" differs"));
  CHECK_THAT(result.text, ContainsSubstring("more differ"));
}

TEST_CASE("diff: for a run that does less, the end is shown", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute"}, 11);
  auto shorter = t.without(line).without(line).without(line).without(line);
  scratch files;
  auto left = files.write("left", t.text());
  auto right = files.write("right", shorter.text());
  CHECK_THAT(diff(left, right).text,
             ContainsSubstring("> " + right + ": nothing more of this node"));
}

TEST_CASE("diff: by default up to the lesser of both final tags", "[trace]") {
  auto t = requested_end();
  // The other run agreed on [7,0], and did less.
  auto other = t;
  auto line = other.find({"execute", "source", "[10,0]"});
  for (auto i = 0; i < 4; ++i)
    other = other.without(line);
  for (auto i = 0; i < 4; ++i)
    other
      = other.without(other.find({"\"node\":\"relay\"", "\"tag\":[10,0]"}, 2));
  for (auto& text : other.lines)
    for (std::size_t i = 0; (i = text.find("[10,0]", i)) != std::string::npos;)
      text.replace(i, 6, "[7,0]");
  CHECK(same(t, other));
  CHECK(same(other, t));
  CHECK(!same(t, other, logical_time{10, 0}));
  CHECK(same(t, other, logical_time{9, 9}));
  CHECK(same(t, natural_end()));
  CHECK(!same(t, natural_end(), forever));
}

TEST_CASE("diff: --up-to is inclusive", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"\"input\"", "\"node\":\"relay\"", "[5,0]"});
  auto other = t.with(line, digest(2), digest(9));
  CHECK(!same(t, other, logical_time{5, 0}));
  CHECK(same(t, other, logical_time{4, 9}));
}

TEST_CASE("diff: an aborted or truncated run is compared as far as it went",
          "[trace]") {
  auto t = natural_end();
  CHECK(same(t, aborted_end()));
  CHECK(same(aborted_end(), t));
  scratch files;
  auto left = files.write("left", t.text());
  auto cut = t.text();
  cut.resize(cut.size() / 2);
  auto right = files.write("right", cut);
  auto result = diff(left, right);
  CHECK(result.code == rosia_trace::exit_cut_off);
  CHECK_THAT(
    result.text, ContainsSubstring("were aborted or cut off in one of the "
                                   "runs, and compared as far as both went"));
  auto line = t.find({"\"input\"", "relay"});
  CHECK(!same(t.with(line, digest(1), digest(2)), aborted_end()));
}

TEST_CASE(
  "diff: a trace without an end equals a complete one only as far as it goes",
  "[trace]") {
  auto t = natural_end();
  scratch files;
  auto whole = files.write("whole", t.text());
  auto cut = t;
  while (cut.lines.back().find("\"execute\"") == std::string::npos)
    cut.lines.pop_back();
  auto cut_off = files.write("cut", cut.text());
  for (auto& [left, right] : {std::pair{whole, cut_off}, {cut_off, whole}}) {
    auto result = diff(left, right);
    CHECK(result.code == rosia_trace::exit_cut_off);
    CHECK_THAT(result.text, StartsWith("same as far as both go: 3 nodes, "));
    CHECK_THAT(
      result.text,
      ContainsSubstring(cut_off + " is cut off: it has no line \"end\""));
    CHECK_THAT(result.text, !ContainsSubstring(whole + " is"));
  }
  SECTION("except up to a tag that all nodes passed") {
    auto up_to = logical_time{0, 0};
    CHECK(diff(whole, cut_off, up_to).code == rosia_trace::exit_good);
  }
  SECTION("also if a line without a node is missing") {
    auto almost = t;
    almost.lines.pop_back();
    auto file = files.write("almost", almost.text());
    CHECK(diff(whole, file).code == rosia_trace::exit_cut_off);
  }
  SECTION("a difference takes precedence") {
    auto line = cut.find({"\"input\"", "relay"});
    auto other
      = files.write("other", cut.with(line, digest(1), digest(2)).text());
    auto result = diff(whole, other);
    CHECK(result.code == rosia_trace::exit_bad);
    CHECK_THAT(result.text, ContainsSubstring(other + " is cut off"));
  }
}

TEST_CASE("diff: different graphs are shown", "[trace]") {
  scratch files;
  auto t = natural_end();
  auto left = files.write("left", t.text());
  auto show = [&](const trace& other) {
    auto result = diff(left, files.write("right", other.text()));
    CHECK(result.code == 1);
    return result.text;
  };
  CHECK_THAT(show(t.with(7, "[3,0]", "[4,0]")),
             ContainsSubstring("connection \"relay.out\" -> \"sink.slow\" is "
                               "declared differently"));
  CHECK_THAT(show(t.with(7, "\"physical\":false", "\"physical\":true")),
             ContainsSubstring("declared differently"));
  CHECK_THAT(show(t.without(7)),
             ContainsSubstring("\"sink.slow\" is in " + left + " only"));
  CHECK_THAT(show(t.inserted(5, node_line{"more"}.str())),
             ContainsSubstring("node \"more\" is in "));
  for (auto [before, after] :
       {std::pair{"\"name\":\"slow\"", "\"name\":\"snow\""},
        std::pair{"\"type\":\"int\"", "\"type\":\"long\""},
        std::pair{"\"triggers\":[\"slow\"]", "\"triggers\":[]"},
        std::pair{"\"eager\":false", "\"eager\":true"}})
    CHECK_THAT(show(t.with(4, before, after)),
               ContainsSubstring("node \"sink\" is declared differently"));
}

TEST_CASE("diff: an unreadable file is an error with file and line",
          "[trace]") {
  scratch files;
  auto good = files.write("good", natural_end().text());
  CHECK_THROWS_AS(diff(good, files.path() + "/none"), unreadable_file);
  CHECK_THROWS_WITH(diff(good, files.write("bad", application() + "\n{\n")),
                    ContainsSubstring("bad:2: not JSON"));
  CHECK_THROWS_WITH(
    diff(good, files.write("bad", application() + "\n{\"event\":\"x\"}\n")),
    ContainsSubstring("bad:2: trace format 3 has no event \"x\""));
  CHECK_THROWS_WITH(
    diff(files.write("empty", ""), good), ContainsSubstring("empty"));
}

// -- summary ------------------------------------------------------------------

TEST_CASE("summary: a table of the nodes' actions", "[trace]") {
  scratch files;
  auto file = files.write("a", requested_end().text());
  auto result = summary(file);
  CHECK(result.code == 0);
  CHECK(result.text == file + R"(: Rosia 0.1.0, as fast as possible
graph: 3 nodes, 3 connections, 3 inputs, 2 outputs, 4 reactions

node    tags  reactions  in  out  promises  drops  first  last  ended
source     2          0   0    6         0      0    5ns  10ns  at the final tag
relay      3          3   3    3         0      0     0s  10ns  at the final tag
sink       4          8   4    0         0      0   0s+1   8ns  at the final tag
total      9         11   7    9         0      0     0s  10ns

shutdown:
  line 25: sink at 3ns requests to end at 7ns, status 0
  lines 26 to 43: 3 nodes are asked for 7ns or later; 3 answers from 7ns to 10ns
  line 44: final tag 10ns, taken by 3 nodes

ended with status 0; 66 lines, the last tag began 12ns after the start
)");
}

TEST_CASE("summary: errors and aborts", "[trace]") {
  scratch files;
  auto result = summary(files.write("a", aborted_end().text()));
  CHECK_THAT(
    result.text,
    ContainsSubstring(": error in relay, hand_on at 5ns: \"it failed\""));
  CHECK_THAT(result.text, ContainsSubstring(": aborted\n"));
  CHECK_THAT(result.text, ContainsSubstring("ended with status 1"));
}

TEST_CASE("summary: physical values, drops and requests from outside",
          "[trace]") {
  scratch files;
  auto result = summary(files.write("a", physical_run().text()));
  CHECK_THAT(result.text, ContainsSubstring("1 connection (1 physical)"));
  CHECK_THAT(result.text,
             ContainsSubstring(
               "requested from outside to end as soon as possible, status 0"));
  CHECK_THAT(
    result.text,
    ContainsSubstring(
      "log        3          3   3    0         0      1    6ns    9ns"));
}

TEST_CASE("summary: a truncated trace is reported", "[trace]") {
  scratch files;
  auto text = natural_end().text();
  text.resize(text.size() - 60);
  auto result = summary(files.write("a", text));
  CHECK(result.code == 0);
  CHECK_THAT(result.text, ContainsSubstring("breaks off without an end"));
  CHECK_THAT(result.text, ContainsSubstring("10s") || ContainsSubstring("not"));
}

TEST_CASE("summary: an unreadable file is an error with file and line",
          "[trace]") {
  scratch files;
  CHECK_THROWS_AS(summary(files.path() + "/none"), unreadable_file);
  CHECK_THROWS_WITH(summary(files.write("bad", application() + "\n{\n")),
                    ContainsSubstring("bad:2: not JSON"));
  CHECK_THROWS_WITH(
    summary(files.write("empty", "")), ContainsSubstring("the trace is empty"));
}

TEST_CASE("summary: of many requests only the first are shown", "[trace]") {
  auto t = requested_end();
  auto line = t.find({"request"});
  for (auto i = 0; i < 30; ++i)
    t = t.inserted(line, t.lines[line - 1]);
  scratch files;
  auto result = summary(files.write("a", t.text()));
  CHECK_THAT(result.text, ContainsSubstring("and 11 requests more"));
}

// -- graph --------------------------------------------------------------------

namespace {

std::string graph(const std::string& file) {
  std::ostringstream out;
  auto code = rosia_trace::graph_command({file, {}}, out);
  CHECK(code == 0);
  return out.str();
}

/// Returns a loop of two nodes, and a node downstream over a physical
/// connection.
std::string small_trace() {
  return trace{
    application(),
    node_line{"a", "left"}
      .input("back")
      .input("press", true)
      .output("out")
      .reaction("on_back", {"back"})
      .reaction("on_press", {"press"})
      .str(),
    node_line{"b", "left"}
      .input("x")
      .input("y", true)
      .output("out")
      .reaction("second", {"y", "x"})
      .startup("begin")
      .str(),
    node_line{"c", "right"}
      .input("in", true)
      .action("unused")
      .action("retry")
      .reaction_on("again", "retry")
      .str(),
    connection("a.out", "b.x"),
    connection("b.out", "a.back", {5'000'000, 0}),
    connection("b.out", "c.in", origin, true)}
    .text();
}

} // namespace

TEST_CASE("graph: the declarations of a trace, as DOT", "[trace]") {
  scratch files;
  auto text = graph(files.write("a", small_trace()));
  CHECK_THAT(text, StartsWith("// Drawn by libcaf_rosia."));
  CHECK_THAT(text, ContainsSubstring("<B>left</B>")
                     && ContainsSubstring("<B>right</B>"));
  CHECK_THAT(
    text,
    ContainsSubstring(">1 second<BR/>")
      && ContainsSubstring(">physical action y, x<")
      && ContainsSubstring(">at the start<")
      && ContainsSubstring(">physical action press<")
      && ContainsSubstring(">action retry<"));
  CHECK_THAT(text, ContainsSubstring("n0:o0:e -> n1:i0:w [class=loop"));
  CHECK_THAT(text, ContainsSubstring("n1:o0:e -> n0:i0:w [class=loop")
                     && ContainsSubstring("label=\"after 5ms\""));
  CHECK_THAT(text, ContainsSubstring("n1:o0:e -> n2:i0:w [class=physical"));
  CHECK_THAT(text, !ContainsSubstring("cluster_group"));
}

TEST_CASE("graph: the groups are those of the end", "[trace]") {
  scratch files;
  auto text = small_trace() + group("a", "a") + '\n' + group("b", "a") + '\n';
  CHECK_THAT(
    graph(files.write("a", text)), ContainsSubstring("cluster_group_0"));
  text += group("b", "") + '\n';
  CHECK_THAT(
    graph(files.write("b", text)), !ContainsSubstring("cluster_group"));
}

TEST_CASE("graph: the name of the output selects the format", "[trace]") {
  scratch files;
  auto file = files.write("a", small_trace());
  auto drawn = files.path() + "/a.mmd";
  std::ostringstream out;
  CHECK(rosia_trace::graph_command({file, drawn}, out) == 0);
  CHECK(out.str().empty());
  CHECK_THAT(caf::rosia::detail::read_file(drawn).text,
             ContainsSubstring("flowchart LR"));
  CHECK_THROWS_AS(rosia_trace::graph_command({file, drawn + ".png"}, out),
                  std::invalid_argument);
}

TEST_CASE("graph: a truncated trace is drawn as far as it goes", "[trace]") {
  scratch files;
  CHECK_THAT(graph(files.write("a", small_trace() + "{\"event\":\"sta")),
             ContainsSubstring("<B>c</B>"));
}

TEST_CASE("graph: an unreadable file is an error with file and line",
          "[trace]") {
  scratch files;
  CHECK_THROWS_AS(graph(files.path() + "/none"), unreadable_file);
  CHECK_THROWS_WITH(
    graph(files.write("empty", "")), ContainsSubstring("the trace is empty"));
  CHECK_THROWS_WITH(graph(files.write("bad", application() + "\n{\n")),
                    ContainsSubstring("bad:2: not JSON"));
  CHECK_THROWS_WITH(
    graph(files.write(
      "lost", application() + '\n' + connection("a.out", "b.in") + '\n')),
    ContainsSubstring("lost:2: no output \"a.out\" is declared"));
  CHECK_THROWS_WITH(
    graph(files.write("group", small_trace() + group("d", "") + '\n')),
    ContainsSubstring("group:8: no node \"d\" is declared"));
}

// -- tables -------------------------------------------------------------------

TEST_CASE("tables: columns adapt to their content", "[trace]") {
  rosia_trace::table t{
    {{"name"}, {"n", rosia_trace::table::align::right}, {"x"}}};
  t.add({"caf\xc3\xa9s", "1", "a"});
  t.add({"b", "1234", ""});
  std::ostringstream out;
  t.print(out);
  CHECK(out.str() == "name      n  x\ncaf\xc3\xa9s     1  a\nb      1234\n");
}

// -- join ---------------------------------------------------------------------

TEST_CASE("join: a run and the run that resumes it give the undisturbed one",
          "[trace]") {
  scratch files;
  auto first = files.write("first", saved_run().text() + R"({"event":"exec)");
  auto second = files.write("second", continued_run().text());
  std::ostringstream out;
  CHECK(rosia_trace::join_command({{first, second}, {}}, out) == 0);
  CHECK(out.str() == whole_run().text());
  auto file = files.path() + "/whole";
  CHECK(rosia_trace::join_command({{first, second}, file}, out) == 0);
  CHECK(check(file).code == 0);
}

TEST_CASE("join: a value that was to be tardy after the checkpoint is dropped",
          "[trace]") {
  scratch files;
  auto before = tardy_values();
  // The process is killed after the value was found to be tardy.
  before.lines.resize(25);
  trace after;
  after.lines.assign(before.lines.begin(), before.lines.begin() + 4);
  for (auto& line :
       {resumed({4, 0}), restored("a", {3, 0}), restored("b", {3, 0}),
        pending("a", "x", {9, 0}, 1), start("a"), start("b"),
        execute("a", {9, 0}, forever), action("a", {9, 0}, "x", 1),
        reaction("a", {9, 0}, "on_x"),
        send("a", {9, 0}, "out", "b.in", {9, 0}, 19),
        shutdown("a", {9, 0}, "done"), exit("a"), execute("b", {9, 0}, forever),
        input("b", {9, 0}, "in", "a.out", 19), reaction("b", {9, 0}, "on_in"),
        shutdown("b", {9, 0}, "done"), exit("b"), end()})
    after.lines.push_back(line);
  auto file = files.path() + "/whole";
  std::ostringstream out;
  CHECK(rosia_trace::join_command(
          {{files.write("first", before.text()),
            files.write("second", after.text())},
           file},
          out)
        == 0);
  INFO(check(file).text);
  CHECK(check(file).code == 0);
  CHECK_THAT(
    summary(file).text, ContainsSubstring("\ntardy values:\n  b, in: 1\n"));
}

TEST_CASE("join: promises do not decrease when nodes resume", "[trace]") {
  scratch files;
  auto with_promise = [](trace x, std::ptrdiff_t index, logical_time tag) {
    x.lines.insert(x.lines.begin() + index, promise("a", "out", "b.in", tag));
    return x;
  };
  auto first
    = files.write("first", with_promise(saved_run(), 12, {4, 0}).text());
  auto second
    = files.write("second", with_promise(continued_run(), 11, {3, 1}).text());
  std::ostringstream out;
  CHECK(rosia_trace::join_command({{first, second}, {}}, out) == 0);
  CHECK(out.str() == with_promise(whole_run(), 12, {4, 0}).text());
}

TEST_CASE("join: traces that do not belong together are refused", "[trace]") {
  scratch files;
  auto first = files.write("first", saved_run().text());
  auto second = files.write("second", continued_run().text());
  auto other = files.write("other", scheduled_events().text());
  std::ostringstream out;
  auto join = [&](const std::string& x, const std::string& y) {
    rosia_trace::join_command({{x, y}, {}}, out);
  };
  CHECK_THROWS_WITH(
    join(second, first), ContainsSubstring("continues no other run"));
  CHECK_THROWS_WITH(
    join(other, second), ContainsSubstring("it does not continue " + other));
  CHECK_THROWS_WITH(
    join(first, files.write("empty", "")), ContainsSubstring("is empty"));
  CHECK_THROWS_WITH(join(first, files.write("text", "text\n")),
                    ContainsSubstring("text: it is text, not a trace"));
  CHECK_THROWS_AS(join(first, files.path()), unreadable_file);
  CHECK(out.str().empty());
}

} // namespace commands_test
