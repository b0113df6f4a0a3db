// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "drills/scratch.hpp"
#include "rosia_drill/verdict.hpp"

#include <set>
#include <string>

namespace verdict_test {

using namespace rosia_drill;
using Catch::Matchers::ContainsSubstring;
using drill_test::scratch;

namespace {

using kind = expectation_kind;

const std::string header
  = R"({"event":"application","format":3,"version":"0.1.0","realtime":true}
{"event":"node","node":"a","inputs":[],"outputs":[{"name":"out","type":"int"}],"reactions":[]}
{"event":"node","node":"b","inputs":[{"name":"in","type":"int","physical":false}],"outputs":[],"reactions":[{"name":"r","triggers":["in"],"eager":false}]}
{"event":"connection","from":"a.out","to":"b.in","delay":[0,0],"physical":false}
{"event":"start","node":"b","elapsed":1}
{"event":"start","node":"a","elapsed":1}
{"event":"send","node":"a","tag":[0,0],"port":"out","to":"b.in","arrival":[0,0],"digest":"0000000000000001"}
)";

const std::string receiving
  = R"({"event":"execute","node":"b","tag":[0,0],"stat":[5,0],"elapsed":2}
{"event":"input","node":"b","tag":[0,0],"port":"in","from":"a.out","digest":"0000000000000001"}
{"event":"reaction","node":"b","tag":[0,0],"reaction":"r"}
)";

const std::string ending
  = R"({"event":"shutdown","node":"a","tag":[0,0],"how":"done"}
{"event":"exit","node":"a"}
{"event":"shutdown","node":"b","tag":[0,0],"how":"done"}
{"event":"exit","node":"b"}
{"event":"end","status":0}
)";

/// An end by request, in which node `b` takes a different final tag.
const std::string disagreeing
  = R"({"event":"request","node":null,"tag":"never","proposal":"never","status":0}
{"event":"asked","node":"a","proposal":"never"}
{"event":"answer","node":"a","tag":[0,0]}
{"event":"asked","node":"b","proposal":"never"}
{"event":"answer","node":"b","tag":[0,0]}
{"event":"final","tag":[0,0]}
{"event":"final_taken","node":"a","tag":[0,0]}
{"event":"final_taken","node":"b","tag":[7,0]}
)";

const std::string report = R"({"reason":"error in 'r' of node 'b' at tag 0s",
 "nodes":[
 {"name":"a","stage":"running","code":null,"held_back":{"by":"input","waits_for":"c.out"}},
 {"name":"b","stage":"failed","code":{"name":"r","running":false}},
 {"name":"d","stage":"running","code":{"name":"r","running":true}}]})";

/// A successful round.
struct good_round {
  good_round() {
    x.processes.resize(2);
    x.processes[0]
      = {"coordinator", files.write("c.log", "all is well\n"),
         true,          0,
         2'000'000'000, 0};
    x.processes[1]
      = {"left", files.write("l.log", "a line\n"), true, 0, 1, 137};
    x.last_fault = 1'500'000'000;
    x.trace = files.write("trace", header + receiving + ending);
    undisturbed.trace = files.write("undisturbed", header + receiving + ending);
  }

  /// Returns the violation of an expectation; empty if it holds.
  std::string check(const std::string& text) {
    drill definition;
    definition.program = "bin/ticks";
    definition.expectations.push_back(parse_expectation(text));
    auto wrong = judge(definition, x, undisturbed);
    if (wrong.empty())
      return {};
    CHECK(wrong[0].expectation == text);
    return wrong[0].actual;
  }

  void trace(const std::string& text) {
    x.trace = files.write("other", text);
  }

  scratch files;
  outcome x;
  undisturbed_run undisturbed;
};

} // namespace

TEST_CASE("a status is expected of one process, or of all") {
  good_round x;
  CHECK(x.check("status 0").empty());
  CHECK(x.check("status 1 or 0").empty());
  CHECK(x.check("status signal 9 of left").empty());
  CHECK(x.check("status 0 or 137 of all").empty());
  CHECK_THAT(x.check("status 1"), ContainsSubstring("'coordinator' is 0"));
  CHECK_THAT(x.check("status 0 of all"), ContainsSubstring("'left' is 137"));
  x.x.processes[1].ran = false;
  CHECK(x.check("status 0 of all").empty());
  CHECK_THAT(x.check("status 0 of left"), ContainsSubstring("not started"));
}

TEST_CASE("a wrong status is reported with the process's message about it") {
  good_round x;
  auto& left = x.x.processes[1];
  left.status = 2;
  auto verdict_on = [&](const std::string& log) {
    left.log = x.files.write("l.log", log);
    return x.check("status 0 of left");
  };
  const std::string begin = "the status of 'left' is 2";
  CHECK(verdict_on("") == begin);
  const std::string info = "2024-05-17 14:03:21.118240 info     a: ready\n";
  const std::string error = "2024-05-17 14:03:21.118250 error    a: no disk";
  CHECK(verdict_on(info) == begin);
  CHECK(verdict_on("42\n" + info) == begin + "; it printed: 42");
  CHECK(verdict_on(error + '\n' + info + "42\n")
        == begin + "; it printed: " + error);
  auto refusal = "ticks: rosia.placement: unknown node";
  CHECK(verdict_on(error + "\n" + refusal + "\n42\n" + info)
        == begin + "; it printed: " + refusal);
  const std::string long_line(1000, 'x');
  CHECK(verdict_on(long_line)
        == begin + "; it printed: " + long_line.substr(0, 300));
  // A signal is not a refusal.
  left.status = 137;
  CHECK(verdict_on(error) == "the status of 'left' is 137 (128 and 9)");
}

TEST_CASE("a round that takes too long fails") {
  good_round x;
  CHECK(x.check("ends within 2s").empty());
  CHECK(x.check("ends within 500ms after faults").empty());
  CHECK_THAT(x.check("ends within 1999ms"), ContainsSubstring("it took 2s"));
  CHECK_THAT(
    x.check("ends within 499ms after faults"), ContainsSubstring("500ms"));
  x.x.last_fault.reset();
  CHECK_THAT(x.check("ends within 1h after faults"),
             ContainsSubstring("no fault happened"));
}

TEST_CASE("a report names only nodes that held the end up") {
  good_round x;
  CHECK_THAT(x.check("report names b"), ContainsSubstring("no report"));
  CHECK_THAT(x.check("report contains b"), ContainsSubstring("no report"));
  CHECK(x.check("no report").empty());
  x.x.report = report;
  CHECK(x.check("report names b").empty());
  CHECK(x.check("report names c").empty());
  CHECK(x.check("report names d").empty());
  CHECK_THAT(x.check("report names a"),
             ContainsSubstring("does not say that 'a' held it up"));
  CHECK(x.check("report contains \"at tag 0s\"").empty());
  CHECK_FALSE(x.check("report contains \"at tag 1s\"").empty());
  CHECK_FALSE(x.check("no report").empty());
  x.x.report = "{";
  CHECK_THAT(x.check("report names b"), ContainsSubstring("not JSON"));
}

TEST_CASE("the rules of the semantics are checked by the trace's checker") {
  good_round x;
  for (auto* text : {"all rules", "agreement", "nothing lost", "nothing late"})
    CHECK(x.check(text).empty());
  x.trace(header + ending);
  CHECK_FALSE(x.check("all rules").empty());
  CHECK_THAT(x.check("nothing lost"), ContainsSubstring("nothing-lost"));
  // An unknown result is not a success.
  CHECK_THAT(x.check("nothing late"), ContainsSubstring("unknown, because"));
  CHECK_THAT(x.check("agreement"), ContainsSubstring("unknown, because"));
  x.trace(header + receiving + disagreeing + ending);
  CHECK_THAT(x.check("agreement"), ContainsSubstring("other:18: agreement"));
  auto late = receiving;
  late.replace(late.find(R"("input","node":"b","tag":[0,0])"), 30,
               R"("input","node":"b","tag":[4,0])");
  x.trace(header + late + ending);
  CHECK_THAT(x.check("nothing late"), ContainsSubstring("no-late-message"));
  x.trace("nonsense\n");
  CHECK_FALSE(x.check("all rules").empty());
  x.x.trace.clear();
  x.x.no_trace = "there is none";
  CHECK(x.check("all rules") == "there is none");
  CHECK(x.check("agreement") == "there is none");
  CHECK(x.check("same") == "there is none");
}

TEST_CASE("a run is compared with the undisturbed run") {
  good_round x;
  CHECK(x.check("same").empty());
  CHECK(x.check("same up to 0s").empty());
  auto other = receiving;
  other.replace(other.find("0001"), 4, "0002");
  x.trace(header + other + ending);
  CHECK_THAT(x.check("same"), ContainsSubstring("node 'b' differs first"));
  x.undisturbed.trace.clear();
  x.undisturbed.problem = "it did not end";
  CHECK_THAT(x.check("same"), ContainsSubstring("it did not end"));
}

TEST_CASE(
  "an expectation with a condition counts only if the condition holds") {
  good_round x;
  CHECK(x.check("log contains \"is bad\" if status 1 or 2").empty());
  CHECK(x.check("log contains \"is bad\" if status 0 of all").empty());
  CHECK_FALSE(x.check("log contains \"is bad\" if status 0").empty());
  CHECK_FALSE(
    x.check("log contains \"is bad\" if status signal 9 of left").empty());
  // A run that did not begin has no trace.
  x.x.trace.clear();
  x.x.no_trace = "there is none";
  CHECK(x.check("all rules if status 0").empty());
  x.x.began = 1;
  CHECK(x.check("all rules if status 0") == "there is none");
  CHECK(x.check("all rules if status 1").empty());
}

TEST_CASE("leftovers are reported") {
  good_round x;
  CHECK(x.check("no process left").empty());
  CHECK(x.check("no port left").empty());
  CHECK(x.check("no file left").empty());
  x.x.processes_left = {"one"};
  x.x.ports_left = {"4711"};
  x.x.files_left = {"some/file"};
  CHECK_THAT(x.check("no process left"), ContainsSubstring("one"));
  CHECK_THAT(x.check("no port left"), ContainsSubstring("4711"));
  CHECK_THAT(x.check("no file left"), ContainsSubstring("some/file"));
}

TEST_CASE("logs are searched for a text") {
  good_round x;
  CHECK(x.check("log contains \"is well\"").empty());
  CHECK(x.check("log of coordinator contains \"is well\"").empty());
  CHECK(x.check("log of left lacks \"is well\"").empty());
  CHECK_FALSE(x.check("log of left contains \"is well\"").empty());
  CHECK_FALSE(x.check("log contains \"is bad\"").empty());
  CHECK_THAT(
    x.check("log lacks \"is well\""), ContainsSubstring("all is well"));
}

TEST_CASE("problems count independent of expectations") {
  good_round x;
  x.x.problems = {{"fault kill", "it has not happened"}};
  CHECK(judge({}, x.x, x.undisturbed).size() == 1);
}

TEST_CASE("there is a test for each kind of expectation") {
  // The kinds that fail in the tests above.
  std::set<kind> all;
  for (auto* text :
       {"status 0", "ends within 2s", "report names b", "report contains b",
        "no report", "agreement", "nothing lost", "nothing late", "all rules",
        "same", "no process left", "no port left", "no file left",
        "log contains a", "log lacks z"})
    all.insert(parse_expectation(text).kind);
  CHECK(all.size() == static_cast<std::size_t>(kind::no_log) + 1);
}

} // namespace verdict_test
