// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "drills/scratch.hpp"
#include "rosia_drill/event_loop.hpp"
#include "rosia_drill/round_processes.hpp"

#include <csignal>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace round_process_test {

using namespace rosia_drill;
using drill_test::scratch;

namespace {

/// Runs a process with `sh`, until its end.
struct fixture {
  int run(const std::string& program) {
    process_command command;
    command.arguments = {files.script("program", program).string()};
    command.folder = files.path();
    process.start(command);
    auto ended = false;
    int status = 0;
    auto take = [this](auto& line) { lines.push_back(line); };
    event_loop loop;
    loop.read(process.handle(), [&] {
      status = process.end(take);
      ended = true;
    });
    if (process.output() >= 0)
      loop.read(process.output(), [&] {
        if (!process.read_output(take))
          loop.forget(process.output());
      });
    loop.run([&] { return ended; });
    return status;
  }

  std::string log() const {
    std::ifstream in{process.log(), std::ios::binary};
    return {
      std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  }

  scratch files;
  round_process process{"left", files.path() / "left.log"};
  std::vector<std::string> lines;
};

} // namespace

TEST_CASE("a process's output is read by line, and kept as it is") {
  fixture x;
  CHECK(x.run("echo one; echo; printf two >&2; exit 3") == 3);
  CHECK(x.lines == std::vector<std::string>{"one", "", "two"});
  CHECK(x.log() == "one\n\ntwo");
  CHECK_FALSE(x.process.is_running());
}

TEST_CASE("the output of a process is complete after its end") {
  fixture x;
  CHECK(
    x.run("i=0; while [ $i -lt 20000 ]; do echo $i; i=$((i+1)); done") == 0);
  REQUIRE(x.lines.size() == 20000);
  CHECK(x.lines.back() == "19999");
}

TEST_CASE("the lines of a process that writes its log itself are not read") {
  fixture x;
  x.process.let_it_write_log();
  CHECK(x.run("echo one") == 0);
  CHECK(x.lines.empty());
  CHECK(x.log() == "one\n");
}

TEST_CASE(
  "actions on a process have no effect before its start and after its end") {
  fixture x;
  CHECK_FALSE(x.process.signal(SIGCONT));
  CHECK_FALSE(x.process.limit_files(0));
  x.process.kill_group();
  CHECK(x.run("exit 0") == 0);
  CHECK_FALSE(x.process.signal(SIGCONT));
}

TEST_CASE("processes are found by their names and by their nodes") {
  scratch files;
  drill definition;
  definition.processes = {"left", "right"};
  round_processes x{definition, files.path()};
  REQUIRE(x.size() == 3);
  x[2].take_nodes({"camera"});
  CHECK(x.find("") == &x.coordinator());
  CHECK(x.find("coordinator") == &x[0]);
  CHECK(x.find("camera") == nullptr);
  CHECK(x.find_by_node("camera") == &x[2]);
  CHECK(x.find_by_node("left") == &x[1]);
  CHECK(x.index_of("right") == 2);
  CHECK(x[1].port() != x[2].port());
  CHECK_FALSE(x.any_running());
}

} // namespace round_process_test
