// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Recordings and checkpoints of nodes with modes: sections 8 and 10.7 of the
// semantics.

#include "recorded_run.hpp"

namespace modes_test {

using recording::ask;
using texts = std::vector<std::string>;

namespace {

/// Calls from outside switch between two modes.
struct switching : rosia::node {
  rosia::physical_action<int> key{this, "key"};
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::tick step{first, "step", 1ms};
  rosia::action<int> later{second, "later"};
  rosia::state<int> count{second, "count", 0};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction in_first{
    first, "in_first", {key}, [this] {
      if (*key % 3 == 0)
        second.enter(rosia::history);
      else
        second.enter();
    }};
  rosia::reaction in_second{
    second, "in_second", {key}, [this] {
      later.schedule(3ms, ++*count);
      if (*key % 2 == 0)
        first.enter(rosia::history);
    }};
  rosia::reaction on_any{
    this, "on_any", {step, later}, [this] {
      out(later.is_present() ? *later : 0);
    }};
};

struct result {
  int status = 0;
  recording::steps steps;
  record<int> got;
};

result run(const rosia::options& opts, std::size_t threads = 2) {
  test_system sys{threads};
  rosia::application app{sys, opts};
  recording::kept_trace trace{app};
  auto node = app.create<switching>("node");
  auto sink = app.create<::recorder<int>>("sink");
  app.connect(node, &switching::out, sink, &::recorder<int>::in);
  std::thread caller;
  if (opts.replay.empty())
    caller = std::thread{[&] {
      for (auto i = 0; i < 400; ++i) {
        node->key.schedule(i);
        std::this_thread::yield();
      }
    }};
  result x;
  x.status = app.run();
  if (caller.joinable())
    caller.join();
  x.steps = trace.steps();
  x.got = sink->got;
  return x;
}

} // namespace

TEST_CASE("10.7.5 a recording needs nothing of modes", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto opts = real_time();
  opts.record.file = file;
  opts.stop_after = at(50ms);
  auto first = run(opts);
  CHECK(first.status == 0);
  CHECK(
    ask(file, "SELECT count(*) FROM event WHERE source <> 'action'") == "0");
  recording::for_each_replay(file, {1, 2}, [&](auto& replays, auto threads) {
    auto again = run(replays, threads);
    CHECK(again.status == 0);
    CHECK(again.got == first.got);
    CHECK(again.steps == first.steps);
  });
}

namespace {

/// Leaves a mode with an event of an action, and one of a tick.
struct leaving : rosia::node {
  rosia::mode first{this, "first"};
  rosia::mode second{this, "second"};
  rosia::action<int> later{first, "later"};
  rosia::tick step{first, "step", 20ms};
  rosia::tick back{this, "back", rosia::once, 100ms};
  rosia::state<texts> seen{this, "seen"};

  rosia::reaction on_first{
    first, "on_first", {first}, [this] {
      if (first.entries() > 1)
        return;
      later.schedule(30ms, 7);
      second.enter();
    }};
  rosia::reaction on_back{
    this, "on_back", {back}, [this] { first.enter(rosia::history); }};
  rosia::reaction on_any{
    first, "on_any", {later, step}, [this] {
      seen->push_back(
        to_string(now()) + (later.is_present() ? " later" : " step"));
    }};
};

/// Runs a node up to `end`, and takes a checkpoint there.
/// @returns what it has seen.
template <class Node>
texts save(const std::string& file, rosia::test::moment end) {
  auto opts = fast_until(end);
  opts.checkpoint.file = file;
  test_system sys;
  rosia::application app{sys, opts};
  auto node = app.create<Node>("node");
  REQUIRE(app.run() == 0);
  return *node->seen;
}

} // namespace

TEST_CASE("10.7.5 a checkpoint has the modes and the suspended events",
          "[checkpoint]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  CHECK(save<leaving>(file, 50ms) == texts{"0s step"});
  CHECK(ask(file, "SELECT group_concat(mode || active || was_active || "
                  "by_history || entries) FROM (SELECT * FROM checkpoint_mode "
                  "ORDER BY mode)")
        == "first0101,second1101");
  CHECK(ask(file, "SELECT group_concat(action || ns || '+' || microsteps) "
                  "FROM checkpoint_suspended")
        == "step20000000+0,later30000000+0");
  auto opts = fast_until(150ms);
  opts.resume.file = file;
  test_system sys;
  rosia::application app{sys, opts};
  auto node = app.create<leaving>("node");
  REQUIRE(app.run() == 0);
  CHECK(
    *node->seen == texts{"0s step", "120ms step", "130ms later", "140ms step"});
}

namespace {

struct ticking : rosia::node {
  explicit ticking(rosia::time_span period = 10ms)
    : step{only, "step", period} {
    // nop
  }

  rosia::mode only{this, "only"};
  rosia::tick step;
  rosia::state<texts> seen{this, "seen"};
  rosia::reaction on_step{
    only, "on_step", {step}, [this] { seen->push_back(to_string(now())); }};
};

/// A later version of the program, with another tick.
struct ticking_more : ticking {
  rosia::tick more{only, "more", 10ms};
};

/// Another version, in which the tick has no mode.
struct ticking_always : rosia::node {
  rosia::mode only{this, "only"};
  rosia::tick step{this, "step", 10ms};
  rosia::state<texts> seen{this, "seen"};
};

} // namespace

TEST_CASE("10.7.5 a run that resumes needs the ticks of modes, with any period",
          "[checkpoint]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  CHECK(save<ticking>(file, 25ms) == texts{"0s", "10ms", "20ms"});
  auto opts = fast_until(40ms);
  opts.resume.file = file;
  test_system sys;
  {
    rosia::application app{sys, opts};
    auto node = app.create<ticking>("node", 4ms);
    REQUIRE(app.run() == 0);
    CHECK(*node->seen == texts{"0s", "10ms", "20ms", "30ms", "34ms", "38ms"});
  }
  {
    rosia::application app{sys, opts};
    app.create<ticking_more>("node");
    CHECK_THROWS_WITH(
      app.run(), ContainsSubstring("tick 'more' of node 'node' was not saved"));
  }
  rosia::application app{sys, opts};
  app.create<ticking_always>("node");
  CHECK_THROWS_WITH(
    app.run(),
    ContainsSubstring("action 'step' of node 'node' was saved with an event of "
                      "a mode, but is a tick without a mode"));
}

} // namespace modes_test
