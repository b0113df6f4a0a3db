// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "drills/scratch.hpp"
#include "rosia_drill/campaign.hpp"
#include "rosia_drill/report_files.hpp"
#include "rosia_drill/runner.hpp"

#include <rapidjson/document.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <string>

namespace runner_test {

using namespace rosia_drill;
using Catch::Matchers::ContainsSubstring;
using drill_test::scratch;

namespace {

/// Rounds of programs without nodes, run by `sh`.
struct fixture {
  /// @param lines of the drill file, in addition to the required ones.
  drill make(const std::string& program, const std::string& lines) const {
    ::signal(SIGXFSZ, SIG_IGN);
    auto path = files.script("program", program);
    auto file = files.write(
      "test.ini", "[drill]\nprogram = " + path.string()
                    + "\nnodes = no\nexpect = status 0\n" + lines);
    return read_drill(file);
  }

  outcome run(const std::string& program, const std::string& lines,
              std::uint64_t seed = 1) const {
    round_settings settings;
    settings.program = files.path() / "program";
    settings.folder = files.path() / "round";
    settings.socket = files.path() / "socket";
    settings.seed = seed;
    settings.stop = &stop;
    auto definition = make(program, lines);
    return runner{definition, settings}.run();
  }

  campaign_result run_all(const std::string& program,
                          const std::string& lines) const {
    campaign_options options;
    options.jobs = 2;
    options.output = files.path() / "output";
    return run_campaign({make(program, lines)}, options, stop);
  }

  scratch files;
  std::atomic<bool> stop{false};
};

/// A script that waits for signals, and prints when it is ready.
const std::string patient
  = "trap 'echo got INT; i=$((i+1))' INT\n"
    "trap 'echo got TERM; i=$((i+1))' TERM\n"
    "i=0\necho ready\n"
    "while [ $i -lt ${1:-1} ]; do sleep 0.01; done\nexit 3\n";

bool has_event(const outcome& x, round_event_kind kind,
               const std::string& text) {
  return std::any_of(x.events.begin(), x.events.end(), [&](auto& y) {
    return y.kind == kind && y.text.find(text) != std::string::npos;
  });
}

} // namespace

TEST_CASE("signals are sent when a line is printed, with the specified count") {
  fixture x;
  auto once = x.run(patient, "fault = terminate when=log:ready\n");
  CHECK(once.problems.empty());
  CHECK(once.processes[0].status == 3);
  CHECK(has_event(once, round_event_kind::log, "got TERM"));
  CHECK(has_event(once, round_event_kind::fault, "terminate"));
  CHECK(has_event(once, round_event_kind::end, "status 3"));
  auto twice = x.run(
    patient,
    "arguments = 2\nfault = interrupt when=log:ready times=2 every=50ms\n");
  CHECK(twice.processes[0].status == 3);
  CHECK(twice.problems.empty());
}

TEST_CASE("a process is killed, and its status shows that") {
  fixture x;
  auto result = x.run(patient, "fault = kill when=log:ready\n");
  CHECK(result.problems.empty());
  CHECK(result.processes[0].status == 137);
  CHECK(result.last_fault.has_value());
  CHECK(*result.last_fault <= result.processes[0].ended);
}

TEST_CASE("a process that is stopped continues after its time") {
  fixture x;
  auto result = x.run(
    "echo ready\nsleep 0.01\necho done\n",
    "fault = stop when=log:ready for=100ms optional\n"
    "fault = stop when=start for=50ms\n");
  CHECK(result.processes[0].status == 0);
  CHECK(has_event(result, round_event_kind::fault, "the process is continued"));
  CHECK(result.processes[0].ended >= 50'000'000);
}

TEST_CASE("a storm ends with all processes continued, and a signal to end") {
  fixture x;
  // The script ends by the signal at the end of the storm.
  auto result = x.run(
    patient, "fault = storm when=log:ready times=3 every=1ms..5ms with=stop\n");
  CHECK(result.problems.empty());
  CHECK(result.processes[0].status == 3);
  CHECK(has_event(result, round_event_kind::fault, "storm: stop"));
  CHECK(has_event(
    result, round_event_kind::fault, "the storm has ended: terminate"));
  // If the storm itself sent such a signal, there is no other.
  result = x.run(
    patient, "fault = storm when=log:ready times=1 every=1ms with=terminate\n");
  CHECK(result.processes[0].status == 3);
  CHECK_FALSE(
    has_event(result, round_event_kind::fault, "the storm has ended"));
  result = x.run(
    patient, "fault = storm when=log:ready times=1 every=1ms with=kill\n");
  CHECK(result.processes[0].status == 137);
  CHECK(result.problems.empty());
}

TEST_CASE("a process that is stopped forever is killed at the end") {
  fixture x;
  auto result = x.run(patient, "fault = stop when=log:ready\n");
  CHECK(result.processes[0].status == 137);
  CHECK(result.problems.empty());
}

TEST_CASE("a fault that does not happen is a failure, unless optional") {
  fixture x;
  auto never = x.run("exit 0\n", "fault = kill when=\"log:not said\"\n");
  REQUIRE(never.problems.size() == 1);
  CHECK_THAT(never.problems[0].actual, ContainsSubstring("has not happened"));
  CHECK(x.run("exit 0\n", "fault = kill when=\"log:not said\" optional\n")
          .problems.empty());
}

TEST_CASE("a round has an end") {
  fixture x;
  auto result = x.run("sleep 100\n", "limit = 100ms\n");
  REQUIRE(result.problems.size() == 1);
  CHECK(result.problems[0].expectation == "limit 0.1 s");
  CHECK(result.processes[0].status == 137);
}

TEST_CASE("a disk is full until space is available again") {
  fixture x;
  auto result = x.run(
    "echo before > file\necho ready\n"
    "while echo more >> file; do sleep 0.01; done 2> /dev/null\n"
    "echo no room\nuntil echo more >> file; do sleep 0.01; done 2> /dev/null\n"
    "echo room\n",
    "fault = full when=log:ready\n"
    "fault = full when=\"log:no room\" for=1ms\n");
  CHECK(result.problems.empty());
  CHECK(has_event(result, round_event_kind::log, "no room"));
  CHECK(result.processes[0].status == 0);
}

TEST_CASE("a log on a full disk is incomplete") {
  fixture x;
  auto result = x.run(
    "echo before\n",
    "fault = full when=launch what=all "
    "optional\n");
  CHECK(result.processes[0].status <= 1);
  auto held = x.run("exit 0\n", "");
  CHECK(held.processes[0].status == 0);
}

TEST_CASE("a process that starts late does not start early") {
  fixture x;
  auto result = x.run("exit 0\n", "fault = late target=coordinator by=100ms\n");
  CHECK(result.problems.empty());
  CHECK(result.processes[0].started >= 100'000'000);
}

TEST_CASE("leftover processes and files are found") {
  fixture x;
  // The script ends when the other process runs its program.
  auto result = x.run(
    "echo x > $TMPDIR/forgotten\nsetsid sleep 100 &\n"
    "until [ \"$(cat /proc/$!/comm)\" = sleep ]; do :; done\n",
    "");
  REQUIRE(result.processes_left.size() == 1);
  CHECK_THAT(result.processes_left[0], ContainsSubstring("sleep"));
  CHECK(result.files_left == std::vector<std::string>{"forgotten"});
  auto clean = x.run("sleep 0 & wait\n", "");
  CHECK(clean.processes_left.empty());
  CHECK(x.run("exit 0\n", "").processes_left.empty());
}

TEST_CASE("arguments contain the round's seed and folder") {
  fixture x;
  auto result = x.run(
    "echo \"$@\" > $2/said\necho $1\n", "arguments = {seed} {folder}\n", 42);
  CHECK(has_event(result, round_event_kind::log, "42"));
  CHECK(std::filesystem::exists(x.files.path() / "round" / "said"));
}

TEST_CASE("a campaign keeps only failed rounds") {
  fixture x;
  auto good = x.run_all("exit 0\n", "rounds = 3\n");
  CHECK(good.held());
  REQUIRE(good.drills.size() == 1);
  CHECK(good.drills[0].rounds.size() == 3);
  CHECK_FALSE(std::filesystem::exists(x.files.path() / "output" / "test"));
  auto bad = x.run_all("[ $1 != 2 ]\n", "rounds = 3\narguments = {round}\n");
  CHECK_FALSE(bad.held());
  CHECK(bad.drills[0].failed() == 1);
  auto& round = bad.drills[0].rounds[1];
  REQUIRE(round.failures.size() == 1);
  CHECK(round.failures[0].expectation == "status 0");
  CHECK(round.seed == 2);
  CHECK(std::filesystem::exists(round.folder / "logs" / "coordinator.log"));
  CHECK_FALSE(
    std::filesystem::exists(x.files.path() / "output" / "test" / "1"));
  CHECK_THAT(
    summary(bad),
    ContainsSubstring("1 of 3 rounds did not hold")
      && ContainsSubstring("status 0: the status")
      && ContainsSubstring("seed 2"));
}

TEST_CASE("a campaign that is interrupted has the results so far") {
  fixture x;
  x.stop = true;
  auto result = x.run_all("sleep 100\n", "rounds = 3\n");
  CHECK(result.not_run == 3);
  CHECK_FALSE(result.held());
  CHECK_THAT(summary(result), ContainsSubstring("interrupted: 3 rounds"));
}

TEST_CASE("reports describe the events, for programs and for people") {
  fixture x;
  auto result = x.run_all(
    "echo '</script> & <!-- <script> <b>'\n[ $1 != 2 ]\n",
    "rounds = 2\narguments = {round}\n");
  auto json = to_json(result);
  rapidjson::Document read;
  read.Parse(json.c_str());
  REQUIRE_FALSE(read.HasParseError());
  CHECK(read["format"].GetInt() == 1);
  CHECK_FALSE(read["held"].GetBool());
  auto& drill = read["drills"][0];
  CHECK(drill["name"].GetString() == std::string{"test"});
  CHECK(drill["rounds"][0]["held"].GetBool());
  auto& round = drill["rounds"][1];
  CHECK_FALSE(round["held"].GetBool());
  CHECK(round["failures"][0]["what"].GetString()
        == std::string{"the status of 'coordinator' is 1; it printed: "
                       "</script> & <!-- <script> <b>"});
  CHECK(round["processes"][0]["status"].GetString() == std::string{"1"});
  CHECK(round["report"].IsNull());
  auto xml = to_junit(result);
  CHECK_THAT(xml, ContainsSubstring("tests=\"2\" failures=\"1\"")
                    && ContainsSubstring("<failure message=\"status 0\">"));
  auto html = to_html(json);
  CHECK_THAT(html, ContainsSubstring("\\u003c/script> & \\u003c!-- "
                                     "\\u003cscript> \\u003cb>"));
  CHECK(html.find("ROSIA_DRILL_REPORT") == std::string::npos);
}

TEST_CASE("a round is found in a report") {
  fixture x;
  auto result
    = x.run_all("exit 1\n", "rounds = 2\nseed = 40\narguments = {round} x\n");
  write_reports(result, x.files.path());
  auto report = x.files.path() / "report.json";
  auto past = find_round(report, "test:2");
  CHECK(past.number == 2);
  CHECK(past.seed == 41);
  CHECK(past.arguments == std::vector<std::string>{"{round}", "x"});
  CHECK(past.program == x.files.path() / "program");
  auto problem = [&](const std::string& which) {
    try {
      find_round(report, which);
    } catch (const mistake& e) {
      return std::string{e.what()};
    }
    return std::string{};
  };
  CHECK_THAT(problem("tset:1"), ContainsSubstring("did you mean 'test'?"));
  CHECK_THAT(problem("test:3"), ContainsSubstring("has no round 3"));
  CHECK_THAT(problem("test"), ContainsSubstring("of the form DRILL:ROUND"));
  report = x.files.write("broken.json", "{");
  CHECK_THAT(
    problem("test:1"), ContainsSubstring("not a report of rosia-drill"));
}

TEST_CASE("a missing program is reported before any run") {
  CHECK_THROWS_AS(find_program("surely-not-there", {}), mistake);
  CHECK_THROWS_AS(find_program("./surely-not-there", {}), mistake);
  CHECK(find_program("sh", {}).filename() == "sh");
}

} // namespace runner_test
