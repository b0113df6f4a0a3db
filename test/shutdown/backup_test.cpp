// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The last step of a shutdown, `shutdown_options::backup`, and the first one,
// `on_signal`.

#include "shutdown_support.hpp"

#include "distinct_signals.hpp"
#include "slow_pipe.hpp"

#include <csignal>
#include <memory>
#include <optional>

namespace backup_test {

namespace {

shutdown_options with_backup(std::function<void()> backup) {
  auto result = quiet();
  result.backup = std::move(backup);
  return result;
}

/// Blocks until released, and reports when it has begun. Copies share this
/// state, because a shutdown may leave the thread behind that calls one.
class blocker {
public:
  void operator()() const {
    state_->is_in = true;
    eventually([this] { return state_->let_go.load(); });
  }

  bool is_in() const {
    return state_->is_in;
  }

  void let_go() {
    state_->let_go = true;
  }

private:
  struct state {
    std::atomic<bool> is_in = false;
    std::atomic<bool> let_go = false;
  };

  std::shared_ptr<state> state_ = std::make_shared<state>();
};

} // namespace

// -- the backup ---------------------------------------------------------------

TEST_CASE("shutdown: the backup is the last step, however it began, and "
          "whatever the result of on_signal",
          "[shutdown]") {
  auto ending = GENERATE(0, 1, 2, 3);
  notebook notes;
  std::atomic<int> count = 0;
  test_system sys;
  auto opts = with_backup([&] {
    notes.add("backup, " + std::to_string(count) + " handled");
  });
  opts.signals = rosia::signal_behavior::handle;
  if (ending > 1)
    opts.on_signal = [&] {
      notes.add("on_signal");
      if (ending == 3)
        throw std::runtime_error("disk full");
    };
  rosia::shutdown x{sys, opts};
  auto actor = sys.get().spawn<counter>(count);
  x.adopt(actor, "counter");
  for (auto i = 0; i < 100; ++i)
    caf::anon_send(actor, i);
  x.on("final", "final", [&](auto&) { notes.add("final"); });
  if (ending == 0)
    x.begin();
  else
    std::raise(SIGTERM);
  CHECK(x.wait_for_shutdown() == (ending == 3 ? 1 : 0));
  auto expected = strings{"final", "backup, 100 handled"};
  if (ending > 1)
    expected.insert(expected.begin(), "on_signal");
  CHECK(notes.lines() == expected);
  auto times = x.timeline();
  CHECK(times.back().name == "backup");
  CHECK(times.back().kind == "action");
  CHECK(times.back().over);
  CHECK_FALSE(times.back().aborted);
  actor = nullptr;
}

TEST_CASE("shutdown: the backup also runs after an abort, when everything else "
          "ended",
          "[shutdown]") {
  // By a request, a second signal, a deadline.
  auto ending = GENERATE(0, 1, 2);
  notebook notes;
  test_system sys;
  auto opts = with_backup([&] { notes.add("backup"); });
  opts.signals = rosia::signal_behavior::handle;
  opts.deadline = ending == 2 ? 10ms : 60'000ms;
  test::distinct_signals distinct;
  rosia::shutdown x{sys, opts};
  x.on("final", "final", [&](auto&) { notes.add("final"); });
  x.spawn_thread("late", [&](std::stop_token) {
    eventually([&] { return x.status().stage == "aborted"; });
    notes.add("thread");
  });
  if (ending == 0) {
    x.abort(5);
  } else {
    std::raise(SIGINT);
    CHECK(eventually([&] { return x.token().stop_requested(); }));
    if (ending == 1)
      std::raise(SIGTERM);
  }
  CHECK(x.wait_for_shutdown() == (ending == 0 ? 5 : ending == 1 ? 128 : 129));
  CHECK(notes.lines() == strings{"thread", "backup"});
}

TEST_CASE("shutdown: the backup runs before the process ends because of a "
          "participant that cannot be stopped",
          "[shutdown]") {
  error_capture capture;
  auto status = status_in_child([] {
    test_system sys;
    auto opts = with_backup([] { std::fputs("backed up\n", stderr); });
    opts.end_process = true;
    opts.grace_period = 10ms;
    opts.log_level = "critical";
    rosia::shutdown x{sys, opts};
    blocker thread;
    x.spawn_thread("stuck", [&](std::stop_token) { thread(); });
    x.abort();
    return x.wait_for_shutdown();
  });
  CHECK(status == 129);
  auto text = capture.text();
  auto backup = text.find("backed up");
  REQUIRE(backup != std::string::npos);
  CHECK(backup < text.find("these could not be stopped"));
}

TEST_CASE("shutdown: a backup that fails is named, and leads to status 1",
          "[shutdown]") {
  error_capture capture;
  test_system sys;
  auto opts
    = with_backup([] { throw std::runtime_error("no space left on device"); });
  opts.log_level = "error";
  rosia::shutdown x{sys, opts};
  x.begin();
  CHECK(x.wait_for_shutdown() == 1);
  auto report = x.status();
  REQUIRE(report.parts.size() == 1);
  CHECK(to_string(report.parts[0])
        == "action 'backup': failed: no space left on device");
  CHECK(report.parts[0].phase == "backup");
  CHECK(x.timeline().back().aborted);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("handler 'backup' failed: no space left on device"));
}

TEST_CASE(
  "shutdown: a backup that does not return holds it up only for its time",
  "[shutdown]") {
  error_capture capture;
  blocker code;
  test_system sys;
  auto opts = with_backup(code);
  opts.backup_timeout = 10ms;
  opts.grace_period = 10ms;
  opts.log_level = "error";
  rosia::shutdown x{sys, opts};
  x.begin();
  CHECK(x.wait_for_shutdown() == 129);
  code.let_go();
  auto report = x.status();
  REQUIRE(report.parts.size() == 1);
  CHECK(to_string(report.parts[0])
        == "action 'backup': failed: it did not return in time");
  CHECK_THAT(capture.text(),
             ContainsSubstring("handler 'backup' did not return within "
                               "backup_timeout (10ms)"));
}

TEST_CASE("shutdown: while the backup runs, reports and explanations name it",
          "[shutdown]") {
  blocker code;
  test_system sys;
  rosia::shutdown x{sys, with_backup(code)};
  x.begin();
  CHECK(eventually([&] { return code.is_in(); }));
  auto report = x.status();
  CHECK(report.stage == "backup");
  auto chain = explain(report);
  REQUIRE(chain.size() == 2);
  CHECK(chain[0] == "phase 'backup'");
  CHECK_THAT(chain[1], ContainsSubstring("action 'backup': was asked to end"));
  CHECK_FALSE(x.timeline().back().over);
  code.let_go();
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE(
  "shutdown: a second signal, and a third one, gives up the running backup",
  "[shutdown]") {
  auto aborted_before = GENERATE(false, true);
  error_capture capture;
  blocker code;
  test_system sys;
  auto opts = with_backup(code);
  opts.signals = rosia::signal_behavior::handle;
  opts.grace_period = 10ms;
  opts.log_level = "warning";
  test::distinct_signals distinct;
  rosia::shutdown x{sys, opts};
  if (aborted_before)
    x.abort(7);
  else
    std::raise(SIGTERM);
  CHECK(eventually([&] { return code.is_in(); }));
  if (aborted_before)
    std::raise(SIGINT);
  std::raise(SIGTERM);
  // Its thread cannot be stopped.
  CHECK(x.wait_for_shutdown() == 129);
  code.let_go();
  CHECK_THAT(capture.text(),
             ContainsSubstring("handler 'backup' has not returned, and is not "
                               "waited for any longer"));
}

TEST_CASE("shutdown: a backup that is given up and returns in the grace period "
          "does not change the status of the abort",
          "[shutdown]") {
  blocker code;
  test_system sys;
  rosia::shutdown x{sys, with_backup(code)};
  x.begin();
  CHECK(eventually([&] { return code.is_in(); }));
  x.abort(9);
  CHECK(eventually([&] { return x.status().stage == "aborted"; }));
  code.let_go();
  CHECK(x.wait_for_shutdown() == 9);
}

TEST_CASE("shutdown: a backup may call all functions of the shutdown",
          "[shutdown]") {
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown* all = nullptr;
  caf::actor added;
  auto opts = with_backup([&] {
    CHECK(all->status().stage == "backup");
    CHECK_FALSE(all->begin());
    CHECK_FALSE(all->on_signal([] {}));
    CHECK_THROWS_AS(all->on("final", "late", [](auto&) {}), std::logic_error);
    all->timeline();
    added = sys.get().spawn<counter>(count);
    all->adopt(added, "late");
    auto brief = all->temporary("brief");
    all->spawn_thread("late", [&](std::stop_token token) {
      if (token.stop_requested())
        ++count;
    });
  });
  rosia::shutdown x{sys, opts};
  all = &x;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 1);
  CHECK(x.status().parts.empty());
  added = nullptr;
}

TEST_CASE("shutdown: a backup that waits for the shutdown is given up",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown* all = nullptr;
  std::atomic<int> status = -1;
  auto opts = with_backup([&] { status = all->wait_for_shutdown(); });
  opts.backup_timeout = 10ms;
  opts.grace_period = 10ms;
  rosia::shutdown x{sys, opts};
  all = &x;
  x.begin();
  CHECK(x.wait_for_shutdown() == 129);
  CHECK(eventually([&] { return status == 129; }));
}

TEST_CASE("shutdown: the backup's captures are destroyed after it has run",
          "[shutdown]") {
  auto held = std::make_shared<int>(1);
  test_system sys;
  rosia::shutdown x{sys, with_backup([held] {})};
  CHECK(held.use_count() > 1);
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(held.use_count() == 1);
}

TEST_CASE("shutdown: a log that is not read does not keep a process whose "
          "backup does not return",
          "[shutdown]") {
  auto status = status_in_child([] {
    test::slow_pipe pipe;
    pipe.fill();
    if (::dup2(pipe.writer(), STDERR_FILENO) < 0)
      return 9;
    test_system sys;
    blocker code;
    auto opts = with_backup(code);
    opts.end_process = true;
    opts.deadline = 10ms;
    opts.backup_timeout = 10ms;
    opts.grace_period = 10ms;
    opts.log_level = "error";
    rosia::shutdown x{sys, opts};
    x.begin();
    return x.wait_for_shutdown();
  });
  CHECK(status == 129);
}

TEST_CASE("shutdown: a negative time for the backup is refused", "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  opts.backup_timeout = -1ns;
  CHECK(error_of<std::invalid_argument>([&] {
          rosia::shutdown{sys, opts};
        })
        == "backup_timeout of a shutdown is negative: -1 ns");
}

// -- on_signal ----------------------------------------------------------------

TEST_CASE("shutdown: on_signal can be set, replaced and removed later",
          "[shutdown]") {
  auto removed = GENERATE(false, true);
  notebook notes;
  test_system sys;
  auto opts = quiet();
  opts.signals = rosia::signal_behavior::handle;
  opts.on_signal = [&] { notes.add("first"); };
  rosia::shutdown x{sys, opts};
  CHECK(x.on_signal([&] { notes.add("second"); }));
  if (removed)
    CHECK(x.on_signal({}));
  std::raise(SIGTERM);
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == (removed ? strings{} : strings{"second"}));
}

TEST_CASE("shutdown: on_signal is refused after the shutdown began",
          "[shutdown]") {
  notebook notes;
  blocker handler;
  test_system sys;
  auto opts = quiet();
  opts.signals = rosia::signal_behavior::handle;
  opts.on_signal = handler;
  rosia::shutdown x{sys, opts};
  std::raise(SIGTERM);
  CHECK(eventually([&] { return handler.is_in(); }));
  CHECK_FALSE(x.on_signal([&] { notes.add("too late"); }));
  handler.let_go();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK_FALSE(x.on_signal([&] { notes.add("too late"); }));
  CHECK(notes.lines().empty());
}

TEST_CASE("shutdown: on_signal may be replaced in many threads while a signal "
          "arrives: the last accepted handler is called",
          "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  opts.signals = rosia::signal_behavior::handle;
  std::atomic<int> called = 0;
  std::atomic<int> taken = 0;
  rosia::shutdown x{sys, opts};
  {
    std::vector<std::jthread> setters;
    for (auto i = 0; i < 3; ++i)
      setters.emplace_back([&] {
        while (x.on_signal([&] { ++called; }))
          ++taken;
      });
    CHECK(eventually([&] { return taken > 0; }));
    std::raise(SIGTERM);
    CHECK(x.wait_for_shutdown() == 0);
  }
  CHECK(called == 1);
}

TEST_CASE("shutdown: the captures of a handler that is replaced, or never "
          "called, are destroyed without the shutdown's lock",
          "[shutdown]") {
  struct asker {
    ~asker() {
      if (all != nullptr)
        all->status();
    }

    rosia::shutdown* all = nullptr;
  };
  auto held = std::make_shared<int>(1);
  test_system sys;
  {
    rosia::shutdown x{sys, quiet()};
    auto make = [&] {
      auto mine = std::make_shared<asker>();
      mine->all = &x;
      return [mine, held] {};
    };
    CHECK(x.on_signal(make()));
    CHECK(x.on_signal(make()));
    CHECK(x.on_signal([held] {}));
    CHECK(held.use_count() == 2);
    x.begin();
    CHECK_FALSE(x.on_signal(make()));
    CHECK(x.wait_for_shutdown() == 0);
  }
  CHECK(held.use_count() == 1);
}

} // namespace backup_test
