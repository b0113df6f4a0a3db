// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Recordings of actions from outside that have a spacing: sections 8.1, 8.2 and
// 10.5 of the semantics.

#include "recorded_run.hpp"

#include <array>
#include <atomic>

namespace spacing_test {

using recording::ask;

namespace {

/// A physical action of each policy, and a plain one.
struct sensor : rosia::node {
  rosia::physical_action<int> deferred{this, "deferred", rosia::spacing{300us}};
  rosia::physical_action<int> dropped{
    this, "dropped", rosia::spacing{300us, rosia::drop}};
  rosia::physical_action<int> replaced{
    this, "replaced", rosia::spacing{300us, rosia::replace},
    rosia::after(200us)};
  rosia::physical_action<int> updated{
    this, "updated", rosia::spacing{100us, rosia::update}, rosia::after(400us)};
  rosia::physical_action<int> plain{this, "plain"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_any{
    this, "on_any", {deferred, dropped, replaced, updated, plain}, [this] {
      for (auto* x : all())
        if (x->is_present())
          out(**x);
    }};

  std::array<rosia::physical_action<int>*, 5> all() noexcept {
    return {&deferred, &dropped, &replaced, &updated, &plain};
  }
};

struct result {
  int status = 0;
  recording::steps steps;
  record<int> got;
};

/// Calls the actions while the application runs, unless it is a replay.
result run(const rosia::options& opts, std::size_t threads = 2) {
  test_system sys{threads};
  rosia::application app{sys, opts};
  recording::kept_trace trace{app};
  auto node = app.create<sensor>("sensor");
  auto sink = app.create<::recorder<int>>("sink");
  app.connect(node, &sensor::out, sink, &::recorder<int>::in);
  std::vector<std::thread> callers;
  if (opts.replay.empty()) {
    for (auto* x : node->all())
      x->schedule(-1);
    for (auto part : {0, 1})
      callers.emplace_back([&, part] {
        for (auto i = 0; i < 400; ++i) {
          node->all()[static_cast<std::size_t>(i + part) % 5]->schedule(
            i * 2 + part);
          std::this_thread::yield();
        }
      });
  }
  result x;
  x.status = app.run();
  for (auto& caller : callers)
    caller.join();
  x.steps = trace.steps();
  x.got = sink->got;
  return x;
}

rosia::options recorded(const std::string& file) {
  auto opts = real_time();
  opts.record.file = file;
  opts.stop_after = at(50ms);
  return opts;
}

} // namespace

TEST_CASE("10.5.3 a replay has what was present, at its tag", "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto first = run(recorded(file));
  CHECK(first.status == 0);
  CHECK(first.got.size() >= 3); // the remaining ones may be withdrawn
  CHECK(ask(file, "SELECT count(*) FROM event")
        == std::to_string(first.got.size()));
  CHECK(ask(file, "SELECT lost_events FROM run") == "0");
  recording::for_each_replay(file, {1, 2}, [&](auto& opts, auto threads) {
    auto again = run(opts, threads);
    CHECK(again.status == 0);
    CHECK(again.got == first.got);
    CHECK(again.steps == first.steps);
  });
}

TEST_CASE("10.5.3 the recording of a replay has the same events",
          "[recording]") {
  test::temporary_folder folder;
  auto first = run(recorded(folder.file("run.db")));
  auto opts = recording::replayed(folder.file("run.db"));
  opts.record.file = folder.file("copy.db");
  CHECK(run(opts).got == first.got);
  CHECK(run(recording::replayed(folder.file("copy.db"))).got == first.got);
}

namespace {

/// Is called once, for later than the end of its process.
struct patient : rosia::node {
  rosia::physical_action<int> call{this, "call", rosia::after(1h)};
  rosia::physical_action<int> other{this, "other"};
  rosia::reaction on_call{this, "on_call", {call, other}, [this] { ++calls; }};
  std::atomic<int> calls = 0;
};

} // namespace

TEST_CASE("10.5.3 the recording of a killed process has what was present "
          "before values that were pending",
          "[recording]") {
  test::temporary_folder folder;
  auto file = folder.file("run.db");
  auto killed = status_in_child([&] {
    auto opts = recorded(file);
    opts.stop_after.reset();
    test_system sys{1};
    rosia::application app{sys, opts};
    auto node = app.create<patient>("patient");
    node->call.schedule(1);
    std::thread caller{[&] {
      auto has_begun = [&file] {
        try {
          return ask(file, "SELECT reaches_ns > 20000000 FROM run") == "1";
        } catch (const std::exception&) {
          return false; // there is no file yet
        }
      };
      while (!has_begun())
        node->other.schedule(2);
      ::kill(::getpid(), SIGKILL);
    }};
    return app.run();
  });
  CHECK(killed == 1000 + SIGKILL);
  test_system sys{1};
  rosia::application app{sys, recording::replayed(file)};
  auto node = app.create<patient>("patient");
  CHECK(app.run() == 0);
  CHECK(node->calls > 0);
  CHECK(node->calls
        == std::stoi(ask(file, "SELECT count(*) FROM event, run WHERE ns < "
                               "reaches_ns - 1 OR (ns = reaches_ns - 1 AND "
                               "microstep = 0)")));
}

} // namespace spacing_test
