// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "drills/scratch.hpp"
#include "rosia_drill/injector.hpp"

#include <algorithm>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <sys/socket.h>

namespace injector_test {

using namespace rosia_drill;
using Catch::Matchers::ContainsSubstring;
using drill_test::scratch;

namespace {

/// Faults of two processes that do not run. The calls to nodes and the runner
/// are recorded.
struct fixture {
  explicit fixture(const std::vector<std::string>& texts) {
    definition.processes = {"left", "right"};
    for (auto& x : texts)
      definition.faults.push_back(parse_fault(x));
    processes.emplace(definition, files.path());
    auto plan = plan_faults(definition.faults, random);
    links.emplace(loop, *processes, plan);
    tested.emplace(
      loop, *processes, *links, events, std::move(plan), random,
      injector::hooks{
        [this](auto& x) { armed.push_back(x.spec->target); },
        [this](auto&, auto& reason) { refused.push_back(reason); }});
    events.start();
  }

  void step(const std::string& name, const std::string& node = {}) {
    tested->take_step("left", {name, node, 0, 0, events.started_at()});
  }

  scratch files;
  drill definition;
  std::mt19937_64 random{1};
  event_loop loop;
  timeline events;
  std::optional<round_processes> processes;
  std::optional<round_links> links;
  std::optional<injector> tested;
  std::vector<std::string> armed;
  std::vector<std::string> refused;
};

using strings = std::vector<std::string>;

} // namespace

TEST_CASE("a fault begins at the step of its injection point, and once") {
  fixture x{{"throw target=a when=answered:2", "throw target=b when=left@c"}};
  x.step("answered", "a");
  CHECK(x.armed.empty());
  x.step("answered", "b");
  x.step("answered", "c");
  CHECK(x.armed == strings{"a"});
  x.step("left", "a");
  CHECK(x.armed == strings{"a"});
  x.step("left", "c");
  CHECK(x.armed == strings{"a", "b"});
}

TEST_CASE("a fault begins when a line with its text is printed") {
  fixture x{{"throw target=a when=log:ready"}};
  x.tested->take_line("read");
  CHECK(x.armed.empty());
  x.tested->take_line("it is ready now");
  CHECK(x.armed == strings{"a"});
}

TEST_CASE("a fault begins when its process reaches a logical time") {
  fixture x{{"throw target=a when=logical:5ms@b"}};
  x.step("reached:1", "b");
  CHECK(x.armed == strings{"a"});
}

TEST_CASE("a fault begins after its time") {
  fixture x{{"throw target=a when=1ns"}};
  x.tested->begin_time(x.events.started_at());
  x.loop.run([&] { return !x.armed.empty(); });
  CHECK(x.armed == strings{"a"});
}

TEST_CASE("a node's fault has happened when its process reports it") {
  fixture x{
    {"throw target=a when=answered", "throw target=b", "kill optional"}};
  x.step("answered");
  CHECK(x.tested->missing().size() == 2);
  CHECK_FALSE(x.tested->last_fault());
  x.step("fault:2", "b");
  REQUIRE(x.tested->missing().size() == 1);
  CHECK(
    x.tested->missing()[0].expectation == "fault throw target=a when=answered");
  CHECK_THAT(
    x.tested->missing()[0].actual, ContainsSubstring("has not happened"));
  CHECK(x.tested->last_fault());
}

TEST_CASE("a signal to a process that does not run is not a fault") {
  fixture x{{"kill target=left when=launch"}};
  x.tested->launch(fault_place::process);
  CHECK(x.tested->missing().size() == 1);
  CHECK(x.refused.empty());
}

TEST_CASE("a fault with an unknown target is refused, once") {
  fixture x{{"kill target=camra when=launch"}};
  x.tested->launch(fault_place::process);
  x.tested->check_names({"camera"});
  REQUIRE(x.refused.size() == 1);
  CHECK_THAT(x.refused[0], ContainsSubstring("unknown process 'camra'"));
  CHECK(x.tested->missing().empty());
  fixture y{{"kill target=left when=left@camra", "kill target=camera"}};
  y.tested->check_names({"camera"});
  REQUIRE(y.refused.size() == 1);
  CHECK(y.refused[0]
        == "unknown node 'camra'; known are 'camera'; did you mean 'camera'?");
}

TEST_CASE("a disturbed link is between its two processes, in either order") {
  fixture x{{"hold link=right-left when=launch"}};
  auto addresses = x.links->addresses(2);
  REQUIRE(addresses.size() == 1);
  CHECK(addresses[0].process == "left");
  CHECK(addresses[0].port == x.links->port(1, 2));
  CHECK(addresses[0].port != (*x.processes)[1].port());
  CHECK(x.links->addresses(1).empty());
  CHECK(x.links->port(0, 2) == x.processes->coordinator().port());
  x.tested->launch(fault_place::link);
  CHECK(x.tested->missing().empty());
  CHECK(x.events.take().front().process == "right");
}

TEST_CASE("a stranger sends the specified number of bytes") {
  event_loop loop;
  auto [listener, port] = listen_on_loopback();
  auto begun = 0;
  garbage_sender tested{
    loop, port, std::string(3'000'000, 'x'), [&] { ++begun; }};
  std::size_t received = 0;
  auto ended = false;
  descriptor far;
  loop.read(listener.get(), [&, fd = listener.get()] {
    far = descriptor{::accept(fd, nullptr, nullptr)};
    loop.read(far.get(), [&] {
      char block[4096];
      auto count = ::recv(far.get(), block, sizeof block, 0);
      received += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
      ended = count <= 0;
    });
  });
  loop.run([&] { return ended; });
  CHECK(received == 3'000'000);
  CHECK(begun == 1);
  CHECK(tested.is_over());
}

TEST_CASE("a stranger gives up if the other side closes") {
  event_loop loop;
  auto [listener, port] = listen_on_loopback();
  garbage_sender tested{loop, port, std::string(30'000'000, 'x'), [] {}};
  loop.read(listener.get(), [fd = listener.get()] {
    descriptor{::accept(fd, nullptr, nullptr)}; // closed at once
  });
  loop.run([&] { return tested.is_over(); });
  CHECK(tested.is_over());
}

} // namespace injector_test
