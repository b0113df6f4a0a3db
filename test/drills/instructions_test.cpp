// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_drill/instructions.hpp"

#include <random>
#include <string>
#include <vector>

namespace instructions_test {

using namespace rosia_drill;

namespace {

using lines = std::vector<std::string>;

/// Returns the instructions for `process` about one fault.
lines told(const std::string& fault, const std::string& process = "left") {
  std::vector<rosia_drill::fault> faults{parse_fault(fault)};
  std::mt19937_64 random{1};
  return instructions_for(process, plan_faults(faults, random), {});
}

} // namespace

TEST_CASE(
  "a process receives the addresses of processes behind a relayed link") {
  CHECK(instructions_for("left", {}, {{"coordinator", 7}, {"right", 8}})
        == lines{"address\tcoordinator\t127.0.0.1\t7",
                 "address\tright\t127.0.0.1\t8"});
}

TEST_CASE("a process waits at the steps that are injection points") {
  CHECK(told("kill when=node_asked") == lines{"watch\tnode_asked\t*"});
  CHECK(told("kill when=left:2@a") == lines{"watch\tleft\ta"});
  CHECK(told("kill when=logical:5ns@a") == lines{"milestone\t1\ta\t5\t0"});
}

TEST_CASE(
  "a process receives no instruction about faults that the tool injects") {
  for (auto* fault : {"kill when=5ms", "kill when=log:ready", "stop",
                      "kill when=launch", "never target=left"})
    CHECK(told(fault).empty());
}

TEST_CASE("a process only shifts its own clock") {
  CHECK(told("clock target=left by=-1s") == lines{"clock\t-1000000000"});
  CHECK(told("clock target=right by=1s").empty());
}

TEST_CASE("a node's fault begins at its injection point, or on instruction") {
  auto by_itself = [](const std::string& from) {
    return lines{"fault\t1\tslow\ta\t3\t9\t" + from};
  };
  CHECK(told("slow target=a by=3ns for=9ns") == by_itself("0\t0"));
  CHECK(told("slow target=a by=3ns for=9ns when=launch") == by_itself("0\t0"));
  CHECK(told("slow target=a by=3ns for=9ns when=logical:7ns@a")
        == by_itself("7\t0"));
  CHECK(told("slow target=a by=3ns for=9ns when=1s") == by_itself("later\t"));
  CHECK(
    told("request target=a status=4 when=logical:7ns@b")
    == lines{"milestone\t1\tb\t7\t0", "fault\t1\trequest\ta\t4\t0\tlater\t"});
}

TEST_CASE("the same seed plans the same faults") {
  std::vector<rosia_drill::fault> faults{
    parse_fault("kill when=1ms..900ms"), parse_fault("storm"),
    parse_fault("kill when=left:1..100")};
  auto plan = [&](std::uint64_t seed) {
    std::mt19937_64 random{seed};
    std::vector<std::int64_t> result;
    for (auto& x : plan_faults(faults, random)) {
      CHECK(x.gusts.empty() == (x.spec->kind != fault_kind::storm));
      result.push_back(x.where);
    }
    return result;
  };
  CHECK(plan(3) == plan(3));
  CHECK(plan(3) != plan(4));
}

} // namespace instructions_test
