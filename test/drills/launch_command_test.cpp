// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_drill/launch_command.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace launch_command_test {

using namespace rosia_drill;

namespace {

using strings = std::vector<std::string>;

struct fixture {
  fixture() {
    definition.processes = {"left", "right"};
    settings.program = "/bin/program";
    settings.folder = "/round";
    settings.socket = "/socket";
  }

  strings arguments(std::size_t index) const {
    return launch_command(definition, settings, index, {1, 2}).arguments;
  }

  drill definition;
  round_settings settings;
};

bool has(const strings& xs, const std::string& x) {
  return std::find(xs.begin(), xs.end(), x) != xs.end();
}

} // namespace

TEST_CASE("the coordinator expects the other processes, which join it") {
  fixture x;
  auto first = x.arguments(0);
  CHECK(first.front() == "/bin/program");
  CHECK(has(first, "--rosia.network.listen=127.0.0.1:1"));
  CHECK(has(first, "--rosia.network.expect=left,right"));
  auto last = x.arguments(2);
  CHECK(has(last, "--rosia.network.listen=127.0.0.1:1"));
  CHECK(has(last, "--rosia.network.join=127.0.0.1:2"));
  CHECK(has(last, "--rosia.network.process=right"));
}

TEST_CASE("processes use certificates if the drill says so") {
  fixture x;
  CHECK(has(x.arguments(0), "--rosia.network.insecure=true"));
  x.definition.certificates = true;
  x.settings.certificates = {"c", "k", "a"};
  auto secure = x.arguments(0);
  CHECK_FALSE(has(secure, "--rosia.network.insecure=true"));
  CHECK(has(secure, "--rosia.tls.certificate=c"));
  CHECK(has(secure, "--rosia.tls.key=k"));
  CHECK(has(secure, "--rosia.tls.ca=a"));
}

TEST_CASE("a program without nodes gets only its own arguments") {
  fixture x;
  x.definition.processes.clear();
  x.definition.nodes = false;
  x.definition.arguments = {"{process}-{seed}-{round}", "{folder}/{folder}"};
  x.settings.seed = 5;
  x.settings.number = 6;
  CHECK(x.arguments(0)
        == strings{"/bin/program", "coordinator-5-6", "/round//round"});
  auto command = launch_command(x.definition, x.settings, 0, {});
  CHECK(command.folder == "/round/work/coordinator");
  CHECK(has(command.environment, round_mark(x.settings)));
  CHECK(has(command.environment, "TMPDIR=/round/tmp"));
  CHECK_FALSE(has(command.environment, "ROSIA_DRILL=/socket"));
}

TEST_CASE("a process with nodes connects to the tool, and may take part") {
  fixture x;
  x.definition.processes.clear();
  auto command = launch_command(x.definition, x.settings, 0, {});
  CHECK(has(command.environment, "ROSIA_DRILL=/socket"));
  CHECK(command.arguments
        == strings{"/bin/program", "--rosia.drills=allow",
                   "--rosia.trace=/round/traces/trace.jsonl",
                   "--rosia.report=/round/report.json"});
}

} // namespace launch_command_test
