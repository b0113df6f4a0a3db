// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What an application over several processes tells of itself. The processes are
// actor systems of this one that share nothing.

#include "support.hpp"

#include "free_port.hpp"
#include "system_as_process.hpp"

#include <future>
#include <map>

using rosia::application_stage;

namespace {

constexpr int messages = 500;

struct feed : rosia::node {
  rosia::output_port<int> out{this, "out"};

  rosia::task start() {
    for (auto i = 0; i < messages; ++i) {
      out(i);
      co_await rosia::after(1us);
    }
  }
};

/// Stays in its last reaction until it is let go.
struct drain : rosia::node {
  explicit drain(std::atomic<bool>& x) : let_go(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          ++count;
                          while (count == messages && !let_go)
                            std::this_thread::sleep_for(1ms);
                        }};

  std::atomic<bool>& let_go;
  int count = 0;
};

/// What a process sees of the application.
struct sight {
  rosia::report held; // while the last reaction runs
  bool was_held = false;
  rosia::report over;
  int status = -1;
};

/// Runs `feed` in "left" and `drain` in "right", and lets all three processes
/// look at the application.
std::map<std::string, sight> run_and_look() {
  std::atomic<bool> let_go{false};
  std::atomic<int> looked{0};
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) {
    test::process_config cfg;
    caf::actor_system sys{cfg};
    auto opts = fast();
    test::take_part(opts, name, "coordinator", "left,right", address);
    rosia::application app{sys, opts};
    auto from = app.create<feed>("feed");
    auto to = app.create<drain>("drain", let_go);
    app.place(from, "left");
    app.place(to, "right");
    app.connect(from, &feed::out, to, &drain::in);
    sight result;
    std::thread looker{[&] {
      result.was_held = eventually([&] {
        auto& x = result.held = app.status();
        return x.nodes.size() == 2 && x.nodes[0].has_left && x.nodes[1].running
               && x.nodes[1].code_tag == at(1us * (messages - 1));
      });
      if (++looked == 3)
        let_go = true;
    }};
    result.status = app.run();
    looker.join();
    result.over = app.status();
    return result;
  };
  std::map<std::string, std::future<sight>> futures;
  for (std::string name : {"coordinator", "left", "right"})
    futures[name] = std::async(std::launch::async, run, name);
  std::map<std::string, sight> result;
  for (auto& [name, x] : futures)
    result[name] = x.get();
  return result;
}

} // namespace

TEST_CASE("every process's status() is that of the whole application",
          "[report]") {
  for (auto& [name, sight] : run_and_look()) {
    auto& x = sight.held;
    INFO("in process " << name << ": " << to_string(x));
    CHECK(sight.status == 0);
    REQUIRE(sight.was_held);
    CHECK(x.stage == application_stage::running);
    CHECK(x.nodes[0].name == "feed");
    CHECK(x.nodes[1].code == "on_in");
    REQUIRE(x.processes.size() == 3);
    for (auto& process : x.processes)
      CHECK(process.problem.empty());
    CHECK(x.processes[0].name == "coordinator");
    CHECK(x.processes[0].parcels == 0);
    CHECK(x.processes[1].name == "left");
    CHECK(x.processes[1].messages == messages);
    CHECK(x.processes[1].parcels > 0);
    CHECK(x.processes[1].parcels <= messages);
    CHECK(x.processes[2].name == "right");
    CHECK(x.processes[2].messages == 0);
  }
}

TEST_CASE("after the end the coordinator knows what all processes have sent",
          "[report]") {
  for (auto& [name, sight] : run_and_look()) {
    auto& x = sight.over;
    INFO("in process " << name << ": " << to_string(x));
    CHECK(x.stage == application_stage::over);
    REQUIRE(x.processes.size() == 3);
    auto knows
      = [&x = x](std::size_t i) { return x.processes[i].problem.empty(); };
    // The others know themselves.
    CHECK(knows(0) == (name == "coordinator"));
    CHECK(knows(1) == (name != "right"));
    CHECK(knows(2) == (name != "left"));
    if (knows(1))
      CHECK(x.processes[1].messages == messages);
  }
}

TEST_CASE("a process's line in a report says what it has sent, or why that is "
          "not known",
          "[report]") {
  rosia::report x;
  x.processes = {{"left", {}, 12, 1, 3}, {"right", "is gone"}};
  CHECK_THAT(
    to_string(x),
    ContainsSubstring(
      "process 'left': sent 12 messages of its nodes "
      "to others in 1 parcel, and 3 parcels without "
      "any\n")
      && ContainsSubstring("process 'right': is gone"));
  CHECK_THAT(to_json(x), ContainsSubstring(R"("control_parcels": 3)")
                           && ContainsSubstring(R"("problem": "is gone")"));
  x.processes.clear();
  CHECK_THAT(to_json(x), !ContainsSubstring("processes"));
}
