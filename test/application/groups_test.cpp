// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The grouping of nodes as users set and see it. The property tests check that
// it has no effect on values.

#include "support.hpp"

#include "temporary_folder.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

namespace groups_test {

using test::temporary_folder;

namespace {

struct chain {
  explicit chain(const std::string& groups, bool separate_relay = false)
    : app{sys, options(groups)} {
    auto from = app.create<source<int>>("from", one_seven);
    auto relay
      = separate_relay
          ? app.create<forwarder, rosia::separate>("relay", held)
          : app.create<forwarder>("relay", held);
    auto to = app.create<recorder<int>>("to");
    app.connect(from, &source<int>::out, relay, &forwarder::in);
    app.connect(relay, &forwarder::out, to, &recorder<int>::in);
  }

  struct forwarder : rosia::node {
    explicit forwarder(std::function<void()>& fun) : held{&fun} {
      // nop
    }

    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    std::function<void()>* held;

    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            if (*held)
                              (*held)();
                            out(*in);
                          }};
  };

  static rosia::options options(const std::string& groups) {
    auto result = fast();
    result.groups = groups;
    return result;
  }

  /// Runs an application, and returns the groups of the nodes as seen by a
  /// reaction.
  std::vector<std::string> groups_while_running() {
    std::vector<std::string> result;
    held = [&] {
      for (auto& x : app.status().nodes)
        result.push_back(x.group);
    };
    CHECK(app.run() == 0);
    return result;
  }

  std::function<void()> held;
  test_system sys;
  rosia::application app;
};

using names = std::vector<std::string>;

} // namespace

TEST_CASE("a report names a node's group by its first node", "[groups]") {
  CHECK(chain{"all"}.groups_while_running() == names{"from", "from", "from"});
  CHECK(chain{"off"}.groups_while_running() == names{"", "", ""});
}

TEST_CASE("a separate node is in no group", "[groups]") {
  chain x{"all", true};
  CHECK(x.groups_while_running() == names{"", "", ""});
}

TEST_CASE("groups can be listed in a file", "[groups]") {
  temporary_folder folder;
  auto file = folder.write("groups", "# who is light\n\n  from ,r*\r\n");
  CHECK(chain{file}.groups_while_running() == names{"from", "from", ""});
}

TEST_CASE("an invalid file of groups is refused", "[groups]") {
  temporary_folder folder;
  auto file = folder.file("groups");
  auto refusal = [&](const std::string& text) -> std::string {
    chain x{folder.write("groups", text)};
    try {
      x.app.run();
    } catch (const rosia::graph_error& e) {
      return e.what();
    }
    return "none";
  };
  CHECK(refusal("from\nform, to\n")
        == "rosia.groups: " + file
             + ":2: there is no node 'form'; did you mean 'from'?");
  CHECK(refusal("from, to\nrelay, to\n")
        == "rosia.groups: " + file
             + ":2: node 'to' is in the group of line 1 already");
  CHECK_THAT(refusal("from,,to\n"), ContainsSubstring(":1: a name is missing"));
  CHECK(refusal("x*\n") == "none");
  CHECK(refusal("") == "none");
}

TEST_CASE("a file of groups that cannot be read is refused", "[groups]") {
  temporary_folder folder;
  for (auto& file :
       {folder.file("none"), folder.path(), std::string{"/dev/zero"}}) {
    chain x{file};
    CHECK_THROWS_WITH(
      x.app.run(),
      ContainsSubstring(
        "rosia.groups is neither auto, off nor all, and the file '" + file
        + "' cannot be read"));
  }
}

TEST_CASE("nodes that may move are grouped in time", "[groups]") {
  // Driven only by the clock.
  struct clockwork : rosia::node {
    explicit clockwork(std::chrono::nanoseconds each) : period{each} {
      // nop
    }

    rosia::output_port<int> out{this, "out"};
    std::chrono::nanoseconds period;

    rosia::task start() {
      for (auto i = 0; i < 100; ++i) {
        co_await rosia::after(period);
        out(i);
      }
    }
  };
  struct counter : rosia::node {
    rosia::input_port<int> in{this, "in"};
    std::size_t got = 0;

    rosia::reaction on_in{
      this, "on_in", {in}, [this] { got += in.all().size(); }};
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto opts = real_time();
  opts.groups = GENERATE("shuffle", "auto");
  opts.timeout = 10min;
  rosia::application app{sys, opts};
  auto to = app.create<counter>("to");
  for (auto i = 0; i < 8; ++i) {
    auto from = app.create<clockwork>(
      "clock " + std::to_string(i),
      std::chrono::microseconds{100 + 7 * (i / 2)});
    app.connect(from, &clockwork::out, to, &counter::in);
  }
  CHECK(app.run() == 0);
  CHECK(to->got == 800);
}

TEST_CASE("nodes with a common neighbour that is alone form a group",
          "[groups]") {
  struct clockwork : rosia::node {
    rosia::output_port<int> out{this, "out"};
    std::atomic<int> ticks = 0;

    rosia::task start() {
      for (;;) {
        co_await rosia::after(200us);
        out(++ticks);
      }
    }
  };
  struct light : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [] {}};
  };
  test_system sys{2};
  auto opts = real_time();
  // With "auto", it depends on the machine's speed whether they are light.
  opts.groups = "shuffle";
  rosia::application app{sys, opts};
  auto from = app.create<clockwork, rosia::separate>("clock");
  for (auto i = 0; i < 4; ++i)
    app.connect(from, &clockwork::out,
                app.create<light>("light " + std::to_string(i)), &light::in);
  auto& ticks = from->ticks;
  std::thread running{[&] { CHECK(app.run() == 0); }};
  // Observation at each tick would keep the nodes apart.
  auto next_look = 0;
  CHECK(eventually([&] {
    if (ticks < next_look)
      return false;
    next_look = ticks + 16;
    auto nodes = app.status().nodes;
    return nodes[0].group.empty()
           && std::any_of(nodes.begin() + 1, nodes.end(), [](auto& x) {
                return !x.group.empty();
              });
  }));
  app.request_shutdown();
  running.join();
}

TEST_CASE("nodes that are called in vain join their neighbours, and leave to "
          "execute a tag",
          "[groups]") {
  struct clockwork : rosia::node {
    rosia::output_port<int> out{this, "out"};
    rosia::output_port<int> rare{this, "rare"};
    std::atomic<int> ticks = 0;
    std::atomic<int> asked = 0;

    rosia::task start() {
      for (;;) {
        co_await rosia::after(100us);
        out(++ticks);
        if (asked > 0) {
          --asked;
          rare(ticks);
        }
      }
    }
  };
  struct relay : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    std::atomic<int> count = 0;
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            ++count;
                            out(in);
                          }};
  };
  test_system sys{2};
  auto opts = real_time();
  opts.lag_warn = 1h;
  rosia::application app{sys, opts};
  auto from = app.create<clockwork, rosia::separate>("clock");
  auto busy = app.create<relay, rosia::separate>("busy");
  app.connect(from, &clockwork::out, busy, &relay::in);
  std::vector<rosia::node_ref<relay>> idle;
  for (auto i = 0; i < 8; ++i) {
    idle.push_back(app.create<relay>("idle " + std::to_string(i)));
    if (i == 0)
      app.connect(from, &clockwork::rare, idle[0], &relay::in);
    else
      app.connect(idle[static_cast<std::size_t>(i) - 1], &relay::out,
                  idle.back(), &relay::in);
  }
  std::thread running{[&] { CHECK(app.run() == 0); }};
  auto are_together = [&] {
    auto nodes = app.status().nodes;
    return nodes.size() == 10
           && std::all_of(nodes.begin() + 2, nodes.end(), [](auto& x) {
                return x.group == "idle 0";
              });
  };
  // Observation at each tick would keep the nodes apart.
  auto join_again = [&] {
    auto next_look = from->ticks + 512;
    return eventually([&] {
      if (from->ticks < next_look)
        return false;
      next_look = from->ticks + 512;
      return are_together();
    });
  };
  CHECK(join_again());
  for (auto i = 1; i <= 2; ++i) {
    ++from->asked;
    CHECK(eventually([&] { return idle.back()->count == i; }));
    CHECK(join_again());
  }
  app.request_shutdown();
  running.join();
  CHECK(idle.front()->count == 2);
}

} // namespace groups_test
