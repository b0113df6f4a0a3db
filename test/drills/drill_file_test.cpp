// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/explanation.hpp"

#include <string>

namespace drill_file_test {

using namespace rosia_drill;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string minimal = "[drill]\nprogram = x\nexpect = status 0\n";

drill parse(const std::string& more) {
  return parse_drill(minimal + more, "some/where.ini");
}

/// Returns the error in a drill file.
std::string problem(const std::string& text) {
  try {
    parse_drill(text, "some/where.ini");
  } catch (const mistake& e) {
    return e.what();
  }
  return {};
}

} // namespace

TEST_CASE("an error shows bytes of a drill file that cannot be printed") {
  CHECK_THAT(problem(minimal + std::string(2, '\0') + "\x1b\n"),
             ContainsSubstring("'\\x00\\x00\\x1b' is not of the form KEY"));
}

TEST_CASE("a drill file has the program, the faults and the expectations") {
  auto x = parse_drill(
    "# Part of libcaf_rosia: of no interest here.\n"
    "# Kills a worker,\n"
    "# and looks on.\n"
    "\n"
    "[drill]\n"
    "program = robot # not this\n"
    "arguments = --speed=3 \"two words\"\n"
    "arguments = --loud\n"
    "processes = left, right\n"
    "place = camera:left\n"
    "rounds = 7\n"
    "seed = 40\n"
    "load = 2\n"
    "limit = 1min\n"
    "certificates = yes\n"
    "fault = kill target=left when=answered:2@camera optional\n"
    "fault = stop target=right when=50ms..400ms for=7s\n"
    "expect = status 1 or 3 of all\n"
    "expect = same up to 20ms+3\n",
    "folder/crash.ini");
  CHECK(x.name == "crash");
  CHECK(x.purpose == "Kills a worker, and looks on.");
  CHECK(x.program == "robot");
  CHECK(x.arguments
        == std::vector<std::string>{"--speed=3", "two words", "--loud"});
  CHECK(x.process_names()
        == std::vector<std::string>{"coordinator", "left", "right"});
  REQUIRE(x.placement.size() == 1);
  CHECK(
    x.placement[0] == std::pair<std::string, std::string>{"camera", "left"});
  CHECK(x.rounds == 7);
  CHECK(x.seed == 40);
  CHECK(x.load == 2);
  CHECK(x.limit == std::chrono::minutes{1});
  CHECK(x.certificates);
  CHECK(x.nodes);
  REQUIRE(x.faults.size() == 2);
  auto& kill = x.faults[0];
  CHECK(kill.kind == fault_kind::kill);
  CHECK(kill.target == "left");
  CHECK(kill.optional);
  CHECK(kill.when.kind == injection_point_kind::step);
  CHECK(kill.when.step == "answered");
  CHECK(kill.when.node == "camera");
  CHECK(kill.when.where.first == 2);
  auto& stop = x.faults[1];
  CHECK(stop.kind == fault_kind::stop);
  CHECK(stop.duration == std::chrono::seconds{7});
  CHECK(stop.when.kind == injection_point_kind::time);
  CHECK(stop.when.where.first == 50'000'000);
  CHECK(stop.when.where.last == 400'000'000);
  REQUIRE(x.expectations.size() == 2);
  CHECK(x.expectations[0].statuses == std::set<int>{1, 3});
  CHECK(x.expectations[0].process == "all");
  CHECK(x.expectations[1].up_to == rosia_trace::logical_time{20'000'000, 3});
}

TEST_CASE("every fault can be written and explained") {
  auto written = [](const fault_description& x) {
    std::string result{x.name};
    result += x.where == fault_place::link ? " link=a-b" : " target=a";
    for (auto& word : x.needed)
      result += " " + std::string{word} + (word == "rate" ? "=5" : "=5ms");
    return result;
  };
  for (auto& x : all_faults()) {
    auto text = written(x);
    INFO(text);
    auto drill = parse("processes = a, b\nfault = " + text + '\n');
    REQUIRE(drill.faults.size() == 1);
    CHECK(drill.faults[0].kind == x.kind);
    CHECK(describe(x.kind).name == x.name);
    CHECK_THAT(explain(drill), ContainsSubstring(text));
    CHECK_THAT(
      explain_words(), ContainsSubstring("  " + std::string{x.name} + ' '));
  }
}

TEST_CASE("every step of the protocol is an injection point") {
  for (auto& x : all_steps()) {
    auto point = parse_injection_point(std::string{x.name} + ":2..5@camera");
    CHECK(point.kind == injection_point_kind::step);
    CHECK(point.where.first == 2);
    CHECK(point.where.last == 5);
    CHECK(point.node == "camera");
    CHECK(parse_injection_point(std::string{x.name}).where.last == 1);
  }
  CHECK(parse_injection_point("launch").kind == injection_point_kind::launch);
  CHECK(parse_injection_point("start").kind == injection_point_kind::start);
  auto logical = parse_injection_point("logical:1s..2s@motor");
  CHECK(logical.kind == injection_point_kind::logical);
  CHECK(logical.where.first == 1'000'000'000);
  CHECK(parse_injection_point("log:all is well").words == "all is well");
}

TEST_CASE("a random injection point is within its range, and depends only on "
          "the number") {
  range x{10, 14};
  std::set<std::int64_t> seen;
  for (std::uint64_t i = 0; i < 100; ++i) {
    CHECK(x.pick(i) == x.pick(i));
    CHECK(x.pick(i) >= 10);
    CHECK(x.pick(i) <= 14);
    seen.insert(x.pick(i));
  }
  CHECK(seen.size() == 5);
}

TEST_CASE("an error names file, line and key, and the permitted values") {
  auto after = [](const std::string& line) { return problem(minimal + line); };
  CHECK_THAT(
    after("round = 5\n"),
    ContainsSubstring("some/where.ini:4: unknown key 'round'; known are "
                      "'program', 'arguments', ")
      && ContainsSubstring("did you mean 'rounds'?"));
  CHECK_THAT(after("rounds = many\n"),
             ContainsSubstring("some/where.ini:4: rounds: ")
               && ContainsSubstring("'many' is not a number from 1 to"));
  CHECK_THAT(after("rounds = 0\n"), ContainsSubstring("not a number from 1"));
  CHECK_THAT(
    after("rounds = 1\nrounds = 2\n"),
    ContainsSubstring("some/where.ini:5: the key 'rounds' is given twice"));
  CHECK_THAT(
    after("limit = soon\n"), ContainsSubstring("'soon' is not a time"));
  CHECK_THAT(after("nodes = maybe\n"), ContainsSubstring("not yes or no"));
  CHECK_THAT(after("processes = a, a\n"), ContainsSubstring("two processes"));
  CHECK_THAT(after("place = camera\n"), ContainsSubstring("NODE:PROCESS"));
  CHECK_THAT(after("nonsense\n"), ContainsSubstring("some/where.ini:4: "));
  CHECK_THAT(after("[other]\n"), ContainsSubstring("the only one is [drill]"));
  CHECK_THAT(
    after("fault = kil target=a\n"),
    ContainsSubstring("some/where.ini:4: fault: unknown fault 'kil'; known "
                      "are 'interrupt', ")
      && ContainsSubstring("did you mean 'kill'?"));
  CHECK_THAT(
    after("fault = kill targt=a\n"),
    ContainsSubstring(
      "'kill': unknown word 'targt'; known are 'target', 'when', "
      "'optional'")
      && ContainsSubstring("did you mean 'target'?"));
  CHECK_THAT(after("fault = kill when=answred\n"),
             ContainsSubstring("unknown injection point 'answred'; known are ")
               && ContainsSubstring("did you mean 'answered'?"));
  CHECK_THAT(
    after("fault = kill when=logical:1s\n"),
    ContainsSubstring("'logical:1s' needs a node: write 'logical:1s@NODE'"));
  CHECK_THAT(after("fault = kill when=9ms..1ms\n"),
             ContainsSubstring("ends before it begins"));
  CHECK_THAT(after("fault = kill target\n"),
             ContainsSubstring("'target' needs a value"));
  CHECK_THAT(after("fault = slow target=a\n"), ContainsSubstring("needs 'by"));
  CHECK_THAT(after("fault = throw\n"), ContainsSubstring("needs 'target"));
  CHECK_THAT(after("fault = cut link=left\n"),
             ContainsSubstring("has to name two processes"));
  CHECK_THAT(
    after("fault = cut link=coordinator-left\n"),
    ContainsSubstring("unknown process 'left'; known are 'coordinator'"));
  CHECK_THAT(after("fault = garbage\n"), ContainsSubstring("needs a port"));
  CHECK_THAT(after("fault = kill when=\"log:x\n"),
             ContainsSubstring("a quotation mark (\") is not closed"));
  CHECK_THAT(after("expect = all is well\n"),
             ContainsSubstring("some/where.ini:4: expect: ")
               && ContainsSubstring("status N [or N...]"));
  CHECK_THAT(after("expect = status 1 of left\n"),
             ContainsSubstring("unknown process 'left'"));
  CHECK_THAT(after("expect = ends within soon\n"),
             ContainsSubstring("'soon' is not a time"));
  CHECK_THAT(problem("[drill]\nexpect = status 0\n"),
             ContainsSubstring("some/where.ini: the key 'program' is missing"));
  CHECK_THAT(problem("[drill]\nprogram = x\n"),
             ContainsSubstring("some/where.ini: the key 'expect' is missing"));
  CHECK_THAT(problem("program = x\n"),
             ContainsSubstring("some/where.ini:1: the section [drill]"));
}

TEST_CASE("a program without nodes cannot have the faults of nodes") {
  for (auto* line :
       {"fault = throw target=a", "fault = kill when=node_asked",
        "fault = kill when=logical:1s@a", "fault = clock target=a by=1s",
        "fault = cut link=coordinator-a when=1s\nprocesses = a",
        "fault = garbage when=1s\nprocesses = a", "expect = all rules",
        "expect = same", "expect = report names a", "expect = no report"}) {
    INFO(line);
    CHECK_THAT(problem(minimal + "nodes = no\n" + line + '\n'),
               ContainsSubstring("some/where.ini:5: ")
                 && ContainsSubstring("needs a program with nodes"));
  }
  CHECK(parse("nodes = no\nfault = kill when=200ms\n").faults.size() == 1);
}

TEST_CASE("a second run resumes") {
  auto x = parse("resume = --resume={folder}/a -v\nresume_program = other\n"
                 "spoil = rm a\nexpect = resumed same\nexpect = sound a\n");
  CHECK(x.resumes());
  CHECK(x.resume == std::vector<std::string>{"--resume={folder}/a", "-v"});
  CHECK(x.program_resumed() == "other");
  CHECK(x.spoil == "rm a");
  auto& last = x.expectations.back();
  CHECK(last.kind == expectation_kind::sound);
  CHECK_FALSE(last.resumed);
  CHECK(x.expectations[x.expectations.size() - 2].resumed);
  CHECK_THAT(
    explain(x),
    ContainsSubstring("afterwards: other --resume=")
      && ContainsSubstring("in between: rm a")
      && ContainsSubstring("undisturbed"));
}

TEST_CASE("an expectation about a second run needs one") {
  for (auto* line : {"spoil = rm a\n", "resume_program = other\n",
                     "expect = resumed status 0\n"}) {
    INFO(line);
    CHECK_THAT(problem(minimal + line), ContainsSubstring("with 'resume'"));
  }
}

} // namespace drill_file_test
