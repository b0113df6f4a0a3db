// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The orderly end of a whole actor system, `rosia::shutdown`.

#include "exception_without_text.hpp"
#include "shutdown_support.hpp"
#include "support.hpp"

#include "distinct_signals.hpp"
#include "slow_pipe.hpp"

#include <csignal>
#include <cstdlib>
#include <future>
#include <new>
#include <optional>

#include <sys/mman.h>
#include <unistd.h>

namespace shutdown_test {

// -- Arroyo: guards, threads, signals
// -------------------------------------------

TEST_CASE("shutdown: with nothing to wait for, it succeeds", "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  CHECK(x.status().stage == "running");
  CHECK(x.begin({"enough", 7}));
  CHECK_FALSE(x.begin({"again", 8}));
  CHECK(x.wait_for_shutdown() == 7);
  CHECK(x.status().stage == "over");
  CHECK(x.status().reason.text == "enough");
}

TEST_CASE("shutdown: names are UTF-8 without control characters",
          "[shutdown]") {
  test_system sys;
  std::string bad = "Ger\xe4t";
  auto opts = quiet();
  opts.phases[bad] = {};
  CHECK_THROWS_WITH(
    rosia::shutdown(sys, opts), ContainsSubstring("phase name 'Ger\\xe4t'"));
  rosia::shutdown stop{sys, quiet()};
  CHECK_THROWS_AS(stop.phase(bad), std::invalid_argument);
  CHECK_THROWS_AS(stop.guard(bad), std::invalid_argument);
  CHECK_THROWS_AS(stop.temporary("a\nb"), std::invalid_argument);
  CHECK_THROWS_AS(
    stop.spawn_thread(bad, [](std::stop_token) {}), std::invalid_argument);
  CHECK_THROWS_AS(stop.on("threads", bad, [](auto&) {}), std::invalid_argument);
  CHECK_THROWS_AS(
    stop.add_worker(
      bad, [] {}, [] {}),
    std::invalid_argument);
  CHECK(stop.begin({"enough", 0}));
  CHECK(stop.wait_for_shutdown(std::chrono::hours::max()) == 0);
}

TEST_CASE("shutdown: dropping a guard cancels the rest, dropping a temporary "
          "one does not",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto a = x.guard("a");
  auto b = x.guard("b");
  auto child = a.child("reader");
  { auto brief = x.temporary("brief"); }
  CHECK_FALSE(x.token().stop_requested());
  auto report = x.status();
  REQUIRE(report.parts.size() == 3);
  CHECK(report.parts[2].name == "a/reader");
  child.drop();
  CHECK(eventually([&] { return x.token().stop_requested(); }));
  CHECK(x.status().reason.text == "guard 'a/reader' was dropped");
  // It does not end before the last guard is dropped.
  CHECK(eventually([&] { return x.status().stage == "threads"; }));
  a.drop();
  CHECK_FALSE(a);
  CHECK(x.status().parts.size() == 1);
  auto moved = std::move(b);
  moved = rosia::shutdown_guard{};
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: threads are cancelled through their token", "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::atomic<int> ended = 0;
  for (auto i = 0; i < 3; ++i)
    x.spawn_thread("thread " + std::to_string(i), [&](std::stop_token token) {
      eventually([&] { return token.stop_requested(); });
      ++ended;
    });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(ended == 3);
}

TEST_CASE("shutdown: a thread's error sets the status to 1 and cancels the "
          "other threads",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::atomic<bool> cancelled = false;
  x.spawn_thread("other", [&](std::stop_token token) {
    cancelled = eventually([&] { return token.stop_requested(); });
  });
  x.spawn_temporary("bad", [](std::stop_token) {
    throw std::runtime_error("no route");
  });
  CHECK(x.wait_for_shutdown() == 1);
  CHECK(cancelled);
  CHECK(x.status().reason.text == "thread 'bad' failed: no route");
}

TEST_CASE("shutdown: an exception whose what() is null is a normal error",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  x.spawn_temporary("bad", [](std::stop_token) {
    throw exception_without_text{};
  });
  CHECK(x.wait_for_shutdown() == 1);
  CHECK(x.status().reason.text
        == "thread 'bad' failed: an exception of type exception_without_text "
           "without a text");
}

TEST_CASE("shutdown: a thread that ends early begins the shutdown, a temporary "
          "one does not",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::promise<void> done;
  x.spawn_temporary("brief", [&](std::stop_token) { done.set_value(); });
  done.get_future().wait();
  CHECK(eventually([&] { return x.status().parts.empty(); }));
  CHECK_FALSE(x.token().stop_requested());
  x.spawn_thread("server", [](std::stop_token) {});
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(x.status().reason.text == "thread 'server' returned");
}

TEST_CASE("shutdown: a thread that does not return is reported as a thread",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  x.spawn_thread("console", [&](std::stop_token) {
    eventually([&] { return let_go.load(); });
  });
  CHECK(x.status().parts.at(0).type == part_report::kind::thread);
  CHECK(to_string(x.status().parts.at(0))
        == "thread 'console': runs, phase 'threads'");
  x.begin();
  CHECK(eventually([&] { return x.status().stage == "threads"; }));
  CHECK_THAT(
    to_string(x.status().parts.at(0)),
    ContainsSubstring("thread 'console': has not returned since it was "
                      "asked to, "));
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
  auto all = x.timeline();
  REQUIRE(all.size() > 1);
  CHECK(all[1].name == "console");
  CHECK(all[1].kind == "thread");
}

TEST_CASE("shutdown: if a participant does not end in time, the status is 129, "
          "and it is named",
          "[shutdown]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "info";
    opts.grace_period = 10ms;
    rosia::shutdown x{sys, opts};
    auto held = x.guard("connection 7");
    x.begin();
    CHECK(x.wait_for_shutdown(20ms) == 129);
    auto report = x.status();
    REQUIRE(report.parts.size() == 1);
    CHECK(report.parts[0].name == "connection 7");
    CHECK(report.parts[0].type == part_report::kind::guard);
    held.drop();
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("the shutdown takes longer than its deadline "
                      "(20ms)")
      && ContainsSubstring("guard 'connection 7': is still held"));
}

TEST_CASE("shutdown: the first signal begins it, the handler runs before any "
          "cancellation, and the process's handlers are restored",
          "[shutdown]") {
  static std::atomic<int> own = 0;
  auto previous = std::signal(SIGTERM, [](int) { ++own; });
  own = 0;
  notebook notes;
  {
    test_system sys;
    auto opts = quiet();
    opts.signals = rosia::signal_behavior::handle;
    opts.on_signal = [&] { notes.add("checkpoint"); };
    rosia::shutdown x{sys, opts};
    x.spawn_thread("thread", [&](std::stop_token token) {
      eventually([&] { return token.stop_requested(); });
      notes.add("cancelled");
    });
    std::raise(SIGTERM);
    CHECK(x.wait_for_shutdown() == 0);
    CHECK(x.status().reason.text == "signal 15");
  }
  CHECK(notes.lines() == strings{"checkpoint", "cancelled"});
  CHECK(own == 0);
  std::raise(SIGTERM);
  CHECK(own == 1);
  std::signal(SIGTERM, previous);
}

TEST_CASE("shutdown: a handler that fails or takes too long does not hold up "
          "the rest",
          "[shutdown]") {
  auto fails = GENERATE(true, false);
  notebook notes;
  std::atomic<bool> let_go = false;
  {
    test_system sys;
    auto opts = quiet();
    opts.signals = rosia::signal_behavior::handle;
    opts.on_signal_timeout = fails ? 60'000ms : 10ms;
    opts.on_signal = [&] {
      if (fails)
        throw std::runtime_error("disk full");
      eventually([&] { return let_go.load(); });
    };
    rosia::shutdown x{sys, opts};
    x.on("final", "final", [&](auto&) {
      notes.add("final");
      let_go = true;
    });
    std::raise(SIGINT);
    CHECK(x.wait_for_shutdown() == (fails ? 1 : 0));
  }
  CHECK(notes.lines() == strings{"final"});
}

TEST_CASE("shutdown: the duration of on_signal does not count for the "
          "deadline, but for the shutdown",
          "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  opts.signals = rosia::signal_behavior::handle;
  opts.deadline = 2s;
  rosia::shutdown* all = nullptr;
  opts.on_signal
    = [&] { eventually([&] { return all->status().elapsed > 2s; }); };
  rosia::shutdown x{sys, opts};
  all = &x;
  std::raise(SIGTERM);
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(x.status().elapsed > 2s);
}

TEST_CASE("shutdown: a second signal leads to status 128", "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  opts.signals = rosia::signal_behavior::handle;
  test::distinct_signals distinct;
  rosia::shutdown x{sys, opts};
  auto held = x.guard("held");
  std::raise(SIGINT);
  CHECK(eventually([&] { return x.token().stop_requested(); }));
  std::raise(SIGTERM);
  CHECK(eventually([&] { return x.status().stage == "aborted"; }));
  held.drop();
  CHECK(x.wait_for_shutdown() == 128);
}

// -- Nexus: actors ------------------------------------------------------------

TEST_CASE("shutdown: an actor handles its backlog before it ends",
          "[shutdown]") {
  std::atomic<int> count = 0;
  std::atomic<int> hooks = 0;
  {
    test_system sys;
    rosia::shutdown x{sys, quiet()};
    std::vector<caf::actor> actors;
    for (auto i = 0; i < 10; ++i)
      actors.push_back(sys.get().spawn<counter>(count));
    for (auto& actor : actors) {
      rosia::part_options opts;
      opts.post_stop = [&] { ++hooks; };
      x.adopt(actor, "counter", opts);
      for (auto i = 0; i < 1000; ++i)
        caf::anon_send(actor, i);
    }
    x.begin();
    CHECK(x.wait_for_shutdown() == 0);
    CHECK(count == 10'000);
    CHECK(hooks == 10);
  }
}

TEST_CASE("shutdown: it may begin inside an actor", "[shutdown]") {
  test_system sys{1};
  rosia::shutdown x{sys, quiet()};
  auto actor = sys.get().spawn<scripted>([&](scripted*) {
    return caf::behavior{[&](int) { x.begin({"an actor"}); }};
  });
  x.adopt(actor, "actor");
  caf::anon_send(actor, 1);
  actor = nullptr;
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(x.status().reason.text == "an actor");
}

TEST_CASE(
  "shutdown: children end before their parent, which handles their messages",
  "[shutdown]") {
  std::atomic<int> count = 0;
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto store = sys.get().spawn<counter>(count);
  auto add
    = [&](auto& actor, const std::string& name, const std::string& parent) {
        rosia::part_options opts;
        opts.parent = parent;
        opts.post_stop = [&notes, name] { notes.add(name); };
        x.adopt(actor, name, opts);
      };
  add(store, "store", "");
  auto worker = sys.get().spawn<forwarder>(store);
  add(worker, "worker", "store");
  auto acceptor
    = sys.get().spawn<forwarder>(caf::actor_cast<caf::actor>(worker));
  add(acceptor, "acceptor", "worker");
  for (auto i = 0; i < 1000; ++i)
    caf::anon_send(acceptor, i);
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"acceptor", "worker", "store"});
  CHECK(count == 1000);
}

TEST_CASE("shutdown: a report shows which actor waits for which",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto parent = sys.get().spawn<stuck_actor>(let_go, is_in);
  auto child = sys.get().spawn<stuck_actor>(let_go, is_in);
  x.adopt(parent, "parent");
  rosia::part_options opts;
  opts.parent = "parent";
  x.adopt(child, "child", opts);
  caf::anon_send(child, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  x.begin();
  // They are asked one after the other.
  rosia::shutdown_report report;
  CHECK(eventually([&] {
    report = x.status();
    return explain(report).size() == 3;
  }));
  REQUIRE(report.parts.size() == 2);
  CHECK(report.parts[0].waits_for == "child");
  CHECK(report.parts[1].now == part_report::state::draining);
  auto text = to_string(report);
  CHECK_THAT(text, ContainsSubstring("actor 'parent': waits for 'child'"));
  CHECK(text.find("\n  actor 'child': has not handled its backlog")
        < text.find("'parent': waits"));
  auto chain = explain(report);
  REQUIRE(chain.size() == 3);
  CHECK(chain[0] == "phase 'actors'");
  CHECK(chain[1] == "actor 'parent'");
  CHECK_THAT(chain[2], ContainsSubstring("actor 'child': has not handled"));
  CHECK_THAT(
    text,
    ContainsSubstring(
      "\n  phase 'actors' waits for actor "
      "'parent', which waits for actor "
      "'child': has not handled"));
  CHECK_THAT(to_json(report), ContainsSubstring("\"waits_for\": \"child\""));
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: a busy actor is aborted at its phase's timeout; "
          "its backlog is lost, its hook still runs",
          "[shutdown]") {
  error_capture capture;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  std::atomic<int> hooks = 0;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "error";
    rosia::shutdown x{sys, opts};
    rosia::phase_options phase;
    phase.after = {"threads"};
    phase.timeout = 10ms;
    x.phase("actors", phase);
    auto actor = sys.get().spawn<stuck_actor>(let_go, is_in);
    rosia::part_options part;
    part.post_stop = [&] { ++hooks; };
    x.adopt(actor, "busy", part);
    for (auto i = 0; i < 100; ++i)
      caf::anon_send(actor, i);
    actor = nullptr;
    CHECK(eventually([&] { return is_in.load(); }));
    x.on("final", "let go", [&](auto&) { let_go = true; });
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
    CHECK(hooks == 1);
  }
  CHECK_THAT(capture.text(),
             ContainsSubstring("phase 'actors' is not over after its timeout "
                               "(10ms):\n  actor 'busy'"));
}

TEST_CASE("shutdown: an actor that ends before its turn, and one that "
          "ended when it is adopted, count as ended",
          "[shutdown]") {
  std::atomic<int> count = 0;
  std::atomic<int> hooks = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  rosia::part_options opts;
  opts.post_stop = [&] { ++hooks; };
  auto first = sys.get().spawn<counter>(count);
  x.adopt(first, "first", opts);
  caf::anon_send_exit(first, caf::exit_reason::user_shutdown);
  CHECK(eventually([&] { return hooks == 1; }));
  x.adopt(first, "dead", opts);
  CHECK(hooks == 2);
  CHECK(x.status().parts.empty());
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: detached actors end like other actors", "[shutdown]") {
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  auto actor = sys.get().spawn<counter, caf::detached>(count);
  x.adopt(actor, "detached");
  for (auto i = 0; i < 1000; ++i)
    caf::anon_send(actor, i);
  actor = nullptr;
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 1000);
}

TEST_CASE("shutdown: a blocking actor that handles exits ends; one that does "
          "not is named, and does not let the process hang",
          "[shutdown]") {
  auto handles = GENERATE(true, false);
  error_capture capture;
  auto status = status_in_child([handles] {
    test_system sys;
    shutdown_options opts;
    opts.signals = rosia::signal_behavior::none;
    opts.deadline = handles ? 60'000ms : 10ms;
    opts.grace_period = handles ? 60'000ms : 10ms;
    {
      rosia::shutdown x{sys, opts};
      auto actor = sys.get().spawn<patient, caf::detached>(handles);
      x.adopt(actor, "patient");
      actor = nullptr;
      x.begin({"done", 3});
      if (x.wait_for_shutdown() != 3)
        return 8;
    }
    return 7;
  });
  CHECK(status == (handles ? 7 : 129));
  if (!handles)
    CHECK_THAT(
      capture.text(), ContainsSubstring("actor 'patient': was aborted"));
}

TEST_CASE("shutdown: the status can be mapped to a program's own",
          "[shutdown]") {
  test_system sys;
  auto opts = quiet();
  opts.map_status = [](int status, const rosia::shutdown_reason& reason) {
    return status == 1 && reason.text == "thread 'bad' failed: no"
             ? 75
             : status;
  };
  rosia::shutdown x{sys, opts};
  x.spawn_thread("bad", [](std::stop_token) {
    throw std::runtime_error("no");
  });
  CHECK(x.wait_for_shutdown() == 75);
}

TEST_CASE("shutdown: a status out of the range of exit statuses is refused",
          "[shutdown]") {
  error_capture capture;
  test_system sys;
  auto opts = quiet();
  opts.log_level = "error";
  auto bad = GENERATE(256, -1);
  opts.map_status = [bad](int, const rosia::shutdown_reason&) { return bad; };
  rosia::shutdown x{sys, opts};
  CHECK_THROWS_AS(x.begin({"done", bad}), std::invalid_argument);
  CHECK_THROWS_AS(x.abort(bad), std::invalid_argument);
  CHECK(x.begin());
  CHECK(x.wait_for_shutdown() == 1);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "map_status returned a status that no process "
      "can end with (they are 0 to 255): it counts "
      "as 1"));
}

TEST_CASE(
  "shutdown: an actor adopted during the shutdown ends with the other actors",
  "[shutdown]") {
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  // In each phase: before that of the actors, in it, and after it.
  auto late = GENERATE("threads", "actors", "final");
  caf::actor added;
  x.on(late, "spawn", [&](auto&) {
    added = sys.get().spawn<counter>(count);
    x.adopt(added, "late");
  });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(x.status().parts.empty());
  added = nullptr;
}

// -- Bee: workers and final actions -------------------------------------------

TEST_CASE("shutdown: all workers are notified, then awaited in reverse order; "
          "failures are logged, the other workers continue",
          "[shutdown]") {
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::atomic<bool> stop = false;
  x.add_worker(
    "thread",
    [&] {
      notes.add("notify thread");
      stop = true;
    },
    std::thread{[&] { eventually([&] { return stop.load(); }); }});
  x.add_worker(
    "function", [&] { notes.add("notify function"); },
    [&] { notes.add("await function"); });
  std::promise<int> result;
  x.add_worker(
    "future",
    [&] {
      result.set_exception(
        std::make_exception_ptr(std::runtime_error("broken pipe")));
    },
    result.get_future());
  x.add_worker(
    "bad notifier", [] { throw std::runtime_error("no"); },
    [&] { notes.add("await bad notifier"); });
  x.on("final", "action", [&](auto&) { notes.add("action"); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 1);
  CHECK(notes.lines()
        == strings{"notify thread", "notify function", "await bad notifier",
                   "await function", "action"});
  auto report = x.status();
  REQUIRE(report.parts.size() == 1);
  CHECK(report.parts[0].name == "future");
  CHECK(report.parts[0].error == "broken pipe");
}

TEST_CASE("shutdown: a worker that does not end is named, and the shutdown "
          "aborted after an interval",
          "[shutdown]") {
  error_capture capture;
  std::atomic<bool> let_go = false;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "error";
    rosia::shutdown x{sys, opts};
    rosia::phase_options phase;
    phase.timeout = 10ms;
    x.phase("threads", phase);
    x.add_worker(
      "pump", [] {}, [&] { eventually([&] { return let_go.load(); }); });
    x.on("final", "action", [&](auto&) { let_go = true; });
    x.begin();
    CHECK(x.wait_for_shutdown() == 129);
  }
  CHECK_THAT(capture.text(),
             ContainsSubstring("phase 'threads' is not over after its timeout "
                               "(10ms):\n  worker 'pump'"));
}

// -- the timeline -------------------------------------------------------------

TEST_CASE("shutdown: one timeline has the phases and their participants, as "
          "JSON and as a picture",
          "[shutdown]") {
  std::atomic<int> count = 0;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  CHECK(x.timeline().empty());
  rosia::phase_options phase;
  phase.after = {"threads"};
  x.phase("stores", phase);
  phase.after = {"stores"};
  phase.timeout = 10ms;
  x.phase("actors", phase);
  auto held = x.guard("held");
  auto store = sys.get().spawn<counter>(count);
  rosia::part_options opts;
  opts.phase = "stores";
  x.adopt(store, "store", opts);
  auto busy = sys.get().spawn<stuck_actor>(let_go, is_in);
  caf::anon_send(busy, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  x.adopt(busy, "busy <&>");
  busy = nullptr;
  x.on("final", "let go", [&](auto&) { let_go = true; });
  x.begin();
  CHECK(eventually([&] { return x.status().stage == "threads"; }));
  held.drop();
  CHECK(x.wait_for_shutdown() == 129);
  auto all = x.timeline();
  strings names;
  for (auto& entry : all) {
    names.push_back(entry.kind + ' ' + entry.name);
    CHECK(entry.over);
    CHECK(entry.begin.count() >= 0);
    CHECK(entry.begin <= entry.end);
  }
  CHECK(names
        == strings{
          "phase threads", "guard held", "phase stores", "actor store",
          "phase actors", "actor busy <&>", "phase final", "action let go"});
  CHECK_FALSE(all[3].aborted);
  CHECK(all[4].aborted);
  CHECK(all[5].aborted);
  CHECK(all[5].end - all[5].begin >= 10ms);
  CHECK(all[5].phase == "actors");
  CHECK_THAT(to_json(all), ContainsSubstring("\"name\": \"busy <&>\""));
  auto picture = to_svg(all);
  CHECK_THAT(picture, ContainsSubstring("<text x=\"24\"")
                        && ContainsSubstring("actor busy &lt;&amp;&gt;")
                        && ContainsSubstring("</svg>"));
  CHECK(count_of(picture, "<rect ") == 1 + 8);
  auto small = to_svg(all, 5);
  CHECK(count_of(small, "<rect ") == 1 + 5);
  CHECK_THAT(
    small, ContainsSubstring("busy") && ContainsSubstring("and 3 more"));
}

// -- the actor system ---------------------------------------------------------

TEST_CASE("shutdown: actors that were not adopted are awaited, counted, and do "
          "not let the process hang",
          "[shutdown]") {
  error_capture capture;
  auto status = status_in_child([] {
    test_system sys;
    shutdown_options opts;
    opts.signals = rosia::signal_behavior::none;
    opts.deadline = 10ms;
    opts.grace_period = 10ms;
    static std::atomic<int> count = 0;
    auto unknown = sys.get().spawn<counter>(count);
    {
      rosia::shutdown x{sys, opts};
      x.begin({"done", 3});
      if (x.wait_for_shutdown() != 3)
        return 8;
      // No more threads are started.
      x.spawn_thread("late", [](std::stop_token) { std::_Exit(9); });
    }
    return 7;
  });
  CHECK(status == 129);
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("1 actor of the actor system is alive 10ms "
                      "after the shutdown, and took no part in it")
      && ContainsSubstring(
        "to learn their names, give "
        "shutdown_options::names a "
        "rosia::actor_names"));
}

// -- Akka: phases -------------------------------------------------------------

TEST_CASE(
  "shutdown: phases run in the order of their dependencies, functions of "
  "one phase in parallel",
  "[shutdown]") {
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  rosia::phase_options opts;
  opts.after = {"final"};
  x.phase("last", opts);
  opts.after = {"threads"};
  x.phase("unbind", opts);
  opts.after = {"threads", "unbind"};
  x.phase("actors", opts);
  std::promise<void> first, second;
  x.on("unbind", "a", [&](auto& reason) {
    notes.add(reason.text);
    first.set_value();
    second.get_future().wait();
  });
  x.on("unbind", "b", [&](auto&) {
    first.get_future().wait();
    second.set_value();
  });
  x.on("last", "c", [&](auto&) { notes.add("last"); });
  x.on("final", "d", [&](auto&) { notes.add("final"); });
  x.on("actors", "e", [&](auto&) { notes.add("actors"); });
  auto never = x.on("final", "f", [&](auto&) { notes.add("never"); });
  CHECK(x.remove(never));
  CHECK_FALSE(x.remove(never));
  x.begin({"because"});
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(notes.lines() == strings{"because", "actors", "final", "last"});
}

TEST_CASE("shutdown: a function may be removed while other functions run, "
          "whatever it captures",
          "[shutdown]") {
  std::atomic<bool> is_in = false;
  std::atomic<bool> let_go = false;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  x.on("threads", "a", [&](auto&) {
    is_in = true;
    eventually([&] { return let_go.load(); });
  });
  std::vector<std::uint64_t> later;
  for (auto name : {"b", "c", "d"})
    later.push_back(x.on(
      "final", name,
      [held = std::make_shared<rosia::shutdown_guard>(x.temporary(name))](
        auto&) {}));
  x.begin();
  CHECK(eventually([&] { return is_in.load(); }));
  for (auto function : later)
    CHECK(x.remove(function));
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("shutdown: any number of temporary threads may start and end",
          "[shutdown]") {
  std::atomic<int> count = 0;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  for (auto i = 0; i < 1000; ++i) {
    x.spawn_temporary("job", [&](std::stop_token) { ++count; });
    CHECK(eventually([&] { return x.status().parts.empty(); }));
  }
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 1000);
}

TEST_CASE("shutdown: a cycle of phases is refused by name, and so are unknown "
          "and late ones",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  rosia::phase_options opts;
  opts.after = {"final"};
  x.phase("last", opts);
  opts.after = {"last"};
  CHECK(error_of<std::invalid_argument>([&] { x.phase("threads", opts); })
        == "phase 'threads' would follow itself: threads after last after "
           "final after actors after threads");
  opts.after = {"lsat"};
  CHECK(error_of<std::invalid_argument>([&] { x.phase("new", opts); })
        == "there is no phase 'lsat'; did you mean 'last'?");
  CHECK(error_of<std::invalid_argument>([&] { x.on("new", "a", {}); })
        == "there is no phase 'new'; there is 'threads', 'actors', 'final' and "
           "'last'");
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(error_of<std::logic_error>([&] { x.on("final", "a", {}); })
        == "function 'a' is added too late: phase 'final' began already");
  CHECK(error_of<std::logic_error>([&] { x.phase("final", {}); })
        == "phase 'final' began already");
}

TEST_CASE("shutdown: after a failure the next phase follows, unless the phase "
          "says otherwise",
          "[shutdown]") {
  auto recover = GENERATE(true, false);
  notebook notes;
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  rosia::phase_options opts;
  opts.after = {"threads"};
  opts.recover = recover;
  x.phase("actors", opts);
  x.on("actors", "bad", [](auto&) { throw std::runtime_error("no"); });
  x.on("final", "next", [&](auto&) { notes.add("next"); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 1);
  CHECK(notes.lines() == (recover ? strings{"next"} : strings{}));
}

// -- an application as a part -------------------------------------------------

namespace {

/// An application of one node, as the only participant.
struct adopted_bell {
  explicit adopted_bell(rosia::options opts = real_time())
    : app{sys, std::move(opts)}, bell{app.create<doorbell>("bell")},
      x{sys, quiet()} {
    x.adopt(app, "app");
  }

  test_system sys;
  rosia::application app;
  rosia::node_ref<doorbell> bell;
  rosia::shutdown x;
};

} // namespace

TEST_CASE("shutdown: an application stops in its phase, and later participants "
          "see its output",
          "[shutdown]") {
  std::atomic<int> count = 0;
  test_system sys;
  auto opts = real_time();
  rosia::application app{sys, opts};
  auto bell = app.create<doorbell>("bell");
  auto store = sys.get().spawn<counter>(count);
  auto from = sys.get().spawn<scripted>([&](scripted* self) {
    return caf::behavior{[self, store](logical_time, int x) {
      self->send(store, x);
    }};
  });
  app.connect(bell, &doorbell::out, from);
  rosia::shutdown x{sys, quiet()};
  rosia::part_options part;
  part.phase = "threads";
  x.adopt(app, "pipeline", part);
  x.adopt(store, "store");
  part = {};
  part.parent = "store";
  x.adopt(from, "from", part);
  std::thread caller{[&] {
    eventually([&] { return bell->started.load(); });
    for (auto i = 1; i <= 100; ++i)
      bell->ring.schedule(i);
    x.begin();
  }};
  CHECK(app.run() == 0);
  caller.join();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == static_cast<int>(bell->got.size()));
}

TEST_CASE("shutdown: an application that was asked to end before it runs, ends",
          "[shutdown]") {
  test_system sys;
  rosia::application app{sys, real_time()};
  auto bell = app.create<doorbell>("bell");
  app.request_shutdown();
  CHECK(app.run() == 0);
  CHECK(bell->shutdowns == 1);
  rosia::application other{sys, real_time()};
  other.create<doorbell>("bell");
  other.abort(9);
  CHECK(other.run() == 9);
}

TEST_CASE("shutdown: an application that has not started no longer starts, and "
          "is not waited for",
          "[shutdown]") {
  auto by_abort = GENERATE(false, true);
  adopted_bell in;
  if (by_abort)
    in.x.abort(7);
  else
    in.x.begin();
  CHECK(in.x.wait_for_shutdown() == (by_abort ? 7 : 0));
  CHECK(in.app.run() == 0);
  CHECK_FALSE(in.bell->started);
  CHECK(in.app.status().stage == rosia::application_stage::over);
}

// -- an application that fails ------------------------------------------------

namespace {

/// Adopts an application of one node, and runs it on a thread.
/// @returns the shutdown's reason; empty if it does not begin.
std::string reason_after(rosia::shutdown& x, rosia::application& app,
                         const rosia::part_options& opts = {}) {
  x.adopt(app, "app", opts);
  std::thread runner{[&] {
    try {
      app.run();
    } catch (const rosia::graph_error&) {
      // the reason has its text
    }
  }};
  runner.join();
  return x.status().reason.text;
}

void throw_no(script&) {
  throw std::runtime_error("no");
}

} // namespace

TEST_CASE("shutdown: an application that fails begins it, with its status",
          "[shutdown]") {
  test_system sys;
  rosia::application app{sys, with_log(fast(), "off")};
  rosia::shutdown x{sys, quiet()};
  SECTION("by an error in a node") {
    app.create<script>("bad", throw_no);
    CHECK_THAT(reason_after(x, app),
               ContainsSubstring("application 'app' failed with status 1: ")
                 && ContainsSubstring("bad"));
    CHECK(x.wait_for_shutdown() == 1);
    auto report = x.status();
    REQUIRE(report.parts.size() == 1);
    CHECK(report.parts[0].name == "app");
    CHECK(report.parts[0].type == part_report::kind::application);
    CHECK(report.parts[0].now == part_report::state::failed);
  }
  SECTION("with a status") {
    app.create<script>("bad", [](script& self) {
      self.request_shutdown({}, 3);
    });
    CHECK(reason_after(x, app) == "application 'app' failed with status 3");
    CHECK(x.wait_for_shutdown() == 3);
  }
  SECTION("because its graph is invalid") {
    app.create<script>("a", throw_no);
    app.connect("a.out", "b.in");
    CHECK_THAT(reason_after(x, app),
               ContainsSubstring("application 'app' failed with status 1: "
                                 "there is no node 'b'"));
    CHECK(x.wait_for_shutdown() == 1);
  }
}

TEST_CASE("shutdown: an application that fails does not begin it if the "
          "options say so, nor does one that ends by itself",
          "[shutdown]") {
  auto fails = GENERATE(true, false);
  test_system sys;
  rosia::application app{sys, with_log(fast(), "off")};
  rosia::shutdown x{sys, quiet()};
  rosia::part_options opts;
  if (fails) {
    app.create<script>("bad", throw_no);
    opts.begin_on_failure = false;
  } else {
    app.create<script>("good", [](script&) {});
  }
  CHECK(reason_after(x, app, opts).empty());
  CHECK(x.status().stage == "running");
  x.begin({"enough", 4});
  CHECK(x.wait_for_shutdown() == 4);
  CHECK(x.status().parts.empty());
}

TEST_CASE("shutdown: an aborted application is not a failure by itself",
          "[shutdown]") {
  adopted_bell in{with_log(real_time(), "off")};
  std::thread runner{[&] { in.app.run(); }};
  CHECK(eventually([&] { return in.bell->started.load(); }));
  in.x.abort(5);
  CHECK(in.x.wait_for_shutdown() == 5);
  runner.join();
  CHECK(in.x.status().reason.text == "a request");
  CHECK(in.x.status().parts.empty());
}

// -- lifetimes ----------------------------------------------------------------

TEST_CASE("shutdown: it may be destroyed before its application, or after it, "
          "whether the application runs or not",
          "[shutdown]") {
  auto app_first = GENERATE(true, false);
  auto runs = GENERATE(true, false);
  test_system sys;
  std::optional<rosia::application> app;
  std::optional<rosia::shutdown> x;
  app.emplace(sys, real_time());
  x.emplace(sys, quiet());
  auto bell = app->create<doorbell>("bell");
  x->adopt(*app, "app");
  std::thread runner;
  if (runs) {
    runner = std::thread{[&] { CHECK(app->run() == 0); }};
    CHECK(eventually([&] { return bell->started.load(); }));
  }
  if (app_first) {
    if (runs) {
      app->request_shutdown();
      runner.join();
    }
    app.reset();
    CHECK(x->status().parts.empty());
    x->begin();
    CHECK(x->wait_for_shutdown() == 0);
    x.reset();
  } else {
    x.reset();
    if (runs)
      runner.join();
    CHECK(bell->shutdowns == (runs ? 1 : 0));
    app.reset();
  }
}

TEST_CASE("shutdown: an application that is destroyed while it runs reports "
          "that, ends, and no longer participates",
          "[shutdown]") {
  error_capture capture;
  auto status = status_in_child([] {
    test_system sys;
    rosia::shutdown x{sys, quiet()};
    {
      rosia::application app{sys, real_time()};
      auto bell = app.create<doorbell>("bell");
      x.adopt(app, "app");
      x.spawn_temporary("runner", [&](std::stop_token) { app.run(); });
      if (!eventually([&] { return bell->started.load(); }))
        return 8;
    }
    // Missing: x.begin(); x.wait_for_shutdown();
    return 7;
  });
  CHECK(status == 7);
  CHECK_THAT(capture.text(),
             ContainsSubstring("an application is destroyed while its run() "
                               "is executing in another thread"));
}

TEST_CASE("shutdown: an application may be destroyed during queries, and while "
          "it is asked to end",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::atomic<bool> over = false;
  std::thread observer{[&] {
    while (!over)
      x.status();
  }};
  std::thread runner;
  {
    rosia::application app{sys, real_time()};
    auto bell = app.create<doorbell>("bell");
    x.adopt(app, "app");
    runner = std::thread{[&] { app.run(); }};
    CHECK(eventually([&] { return bell->started.load(); }));
    x.begin();
    // As soon as it has ended, before run() has returned.
    CHECK(eventually([&] { return bell->shutdowns == 1; }));
    CHECK(x.wait_for_shutdown() == 0);
  }
  runner.join();
  over = true;
  observer.join();
}

// -- without a wait for it ----------------------------------------------------

TEST_CASE("shutdown: if it ends without being waited for, the process ends "
          "with its status, and the reason is logged",
          "[shutdown]") {
  auto by_signal = GENERATE(true, false);
  error_capture capture;
  auto status = status_in_child([by_signal] {
    test_system sys;
    shutdown_options opts;
    opts.grace_period = 10ms;
    opts.map_status
      = [](int x, const rosia::shutdown_reason&) { return x + 10; };
    rosia::shutdown x{sys, opts};
    if (by_signal)
      std::raise(SIGTERM);
    else
      x.begin({"done", 3});
    for (;;)
      ::pause(); // as getline() would
    return 8;
  });
  CHECK(status == (by_signal ? 10 : 13));
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("the shutdown finished 10ms ago, but "
                      "the program has neither called wait_for_shutdown()")
      && ContainsSubstring("the process ends with status"));
}

TEST_CASE("shutdown: if it ends without being waited for, the log reports that "
          "long before the process ends",
          "[shutdown]") {
  error_capture capture;
  auto status = status_in_child([&capture] {
    test_system sys;
    shutdown_options opts;
    opts.grace_period = 1h;
    rosia::shutdown x{sys, opts};
    x.begin({"done", 3});
    if (!capture.sees("the shutdown has finished, and waits for main() to call "
                      "wait_for_shutdown() or to destroy it, for another "))
      return 8;
    return x.wait_for_shutdown();
  });
  CHECK(status == 3);
}

TEST_CASE(
  "shutdown: a log that is not read does not keep a process that does not wait",
  "[shutdown]") {
  auto status = status_in_child([] {
    test::slow_pipe pipe;
    pipe.fill();
    if (::dup2(pipe.writer(), STDERR_FILENO) < 0)
      return 9;
    test_system sys;
    shutdown_options opts;
    opts.signals = rosia::signal_behavior::none;
    opts.grace_period = 10ms;
    opts.log_level = "critical";
    rosia::shutdown x{sys, opts};
    x.begin({"done", 3});
    for (;;)
      ::pause();
    return 8;
  });
  CHECK(status == 3);
}

TEST_CASE("shutdown: a process that must not be ended continues without a "
          "wait, and its handlers are restored",
          "[shutdown]") {
  error_capture capture;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "critical";
    opts.signals = rosia::signal_behavior::handle;
    opts.grace_period = 10ms;
    auto before = handler_of(SIGTERM);
    rosia::shutdown x{sys, opts};
    CHECK(handler_of(SIGTERM) != before);
    x.begin();
    CHECK(eventually([&] { return handler_of(SIGTERM) == before; }));
    CHECK(x.wait_for_shutdown() == 0);
  }
  auto text = capture.text();
  CHECK_THAT(
    text,
    ContainsSubstring("the program has neither called wait_for_shutdown()"));
  CHECK_THAT(text, !ContainsSubstring("the process ends"));
}

// -- many signals -------------------------------------------------------------

namespace {

/// Removes Catch's handlers of some signals, because a program has none.
void reset_signal_handlers() {
  for (auto signal : {SIGINT, SIGTERM, SIGHUP})
    std::signal(signal, SIG_DFL);
}

/// Sends a signal to this process from a child process, repeatedly, until this
/// one has ended. @returns the number of signals sent.
std::atomic<int>& begin_storm(int signal) {
  static_assert(std::atomic<int>::is_always_lock_free);
  auto* memory
    = ::mmap(nullptr, sizeof(std::atomic<int>), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED)
    std::_Exit(9);
  auto* count = new (memory) std::atomic<int>(0);
  auto target = ::getpid();
  if (::fork() == 0) {
    while (::getppid() == target && ::kill(target, signal) == 0)
      ++*count;
    std::_Exit(0);
  }
  return *count;
}

/// Waits until this number of further signals has been sent.
void await_more(const std::atomic<int>& sent, int number) {
  auto last = sent + number;
  eventually([&] { return sent >= last; });
}

} // namespace

TEST_CASE("any number of signals does not kill a process that was asked to "
          "end, until it ended",
          "[shutdown]") {
  auto signal = GENERATE(SIGTERM, SIGINT, SIGHUP);
  auto with_shutdown = GENERATE(true, false);
  auto status = status_in_child([=] {
    reset_signal_handlers();
    std::atomic<int>* sent = nullptr;
    {
      test_system sys;
      if (with_shutdown) {
        auto opts = quiet();
        opts.signals = rosia::signal_behavior::handle;
        opts.sighup = signal == SIGHUP;
        rosia::shutdown x{sys, opts};
        sent = &begin_storm(signal);
        x.wait_for_shutdown();
        await_more(*sent, 1000);
      } else {
        auto opts = with_log(real_time(), "off");
        opts.signals = rosia::signal_behavior::handle;
        opts.sighup = signal == SIGHUP;
        rosia::application app{sys, opts};
        auto bell = app.create<doorbell>("bell");
        std::thread storm{[&] {
          eventually([&] { return bell->started.load(); });
          sent = &begin_storm(signal);
        }};
        app.run();
        storm.join();
      }
    }
    await_more(*sent, 1000);
    return 7;
  });
  CHECK(status == 7);
}

TEST_CASE("a process that was asked to end, and does not, can be ended by "
          "another signal after a while",
          "[shutdown]") {
  auto status = status_in_child([] {
    reset_signal_handlers();
    {
      test_system sys;
      auto opts = quiet();
      opts.signals = rosia::signal_behavior::handle;
      rosia::shutdown x{sys, opts};
      std::raise(SIGTERM);
      x.wait_for_shutdown();
    }
    for (auto i = 0; i < 1000; ++i)
      std::raise(SIGTERM);
    eventually([] { return std::raise(SIGTERM) != 0; });
    return 8;
  });
  CHECK(status == 1000 + SIGTERM);
}

TEST_CASE(
  "signals have their default effect again after an end without a signal",
  "[shutdown]") {
  auto status = status_in_child([] {
    reset_signal_handlers();
    test_system sys;
    auto opts = quiet();
    opts.signals = rosia::signal_behavior::handle;
    // Even after an earlier one with a signal.
    for (auto asked : {false, true, false}) {
      {
        rosia::shutdown x{sys, opts};
        if (asked)
          std::raise(SIGTERM);
        else
          x.begin();
        if (x.wait_for_shutdown() != 0)
          return 9;
      }
      if ((handler_of(SIGTERM) == SIG_DFL) == asked)
        return 8;
    }
    return 7;
  });
  CHECK(status == 7);
}

TEST_CASE("shutdown: a thread that runs an application of a later phase causes "
          "a warning",
          "[shutdown]") {
  auto phase = GENERATE("threads", "actors", "final", "sources");
  error_capture capture;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "warning";
    rosia::shutdown x{sys, opts};
    rosia::phase_options first;
    x.phase("sources", first);
    x.phase("threads", {.after = {"sources"}});
    rosia::application app{sys, with_log(fast(), "off")};
    app.create<script>("node", [](script&) {});
    rosia::part_options part;
    part.phase = phase;
    x.adopt(app, "app", part);
    x.spawn_temporary("runner", [&](std::stop_token) { app.run(); }).get();
    x.begin();
    CHECK(x.wait_for_shutdown() == 0);
  }
  auto is_later
    = phase == std::string{"actors"} || phase == std::string{"final"};
  auto line = ContainsSubstring(
    "thread 'runner' runs application 'app', which is asked to end in phase '"
    + std::string{phase} + "': that comes after phase 'threads'");
  if (is_later)
    CHECK_THAT(capture.text(), line);
  else
    CHECK_THAT(capture.text(), !line);
}

TEST_CASE("shutdown: a thread or a function of a phase that waits for the "
          "shutdown fails at once",
          "[shutdown]") {
  auto is_thread = GENERATE(true, false);
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::string refusal;
  auto wait = [&] {
    try {
      x.wait_for_shutdown();
    } catch (const std::logic_error& e) {
      refusal = e.what();
    }
  };
  if (is_thread)
    x.spawn_temporary("mine", [&](std::stop_token) { wait(); }).get();
  else
    x.on("final", "mine", [&](auto&) { wait(); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(
    refusal
    == "'mine' called wait_for_shutdown(), but the shutdown waits for it; call "
       "that elsewhere, as in main()");
}

// -- errors in on_exit() ------------------------------------------------------

namespace {

/// Throws when it ends.
class bad_loser : public caf::event_based_actor {
public:
  bad_loser(caf::actor_config& cfg, bool survives_first)
    : caf::event_based_actor(cfg) {
    if (survives_first)
      set_exit_handler([this](caf::exit_msg& x) {
        if (++exits_ > 1)
          quit(x.reason);
      });
  }

  caf::behavior make_behavior() override {
    return {[](int) {}};
  }

  void on_exit() override {
    throw std::runtime_error("disk full");
  }

private:
  int exits_ = 0;
};

} // namespace

TEST_CASE("shutdown: an exception in an actor's on_exit() is its error, and "
          "all other actors end in order",
          "[shutdown]") {
  auto is_detached = GENERATE(true, false);
  // By its exit, aborted because it survives that, or aborted at once.
  auto ending = GENERATE(0, 1, 2);
  error_capture capture;
  std::atomic<int> count = 0;
  std::atomic<int> hooks = 0;
  {
    test_system sys;
    auto opts = quiet();
    opts.log_level = "error";
    rosia::shutdown x{sys, opts};
    rosia::phase_options phase;
    phase.after = {"threads"};
    phase.timeout = ending == 1 ? 10ms : 60'000ms;
    x.phase("actors", phase);
    auto bad
      = is_detached ? sys.get().spawn<bad_loser, caf::detached>(ending == 1)
                    : sys.get().spawn<bad_loser>(ending == 1);
    auto good = sys.get().spawn<counter>(count);
    rosia::part_options part;
    part.post_stop = [&] { ++hooks; };
    x.adopt(bad, "bad", part);
    x.adopt(good, "good", part);
    for (auto i = 0; i < 100; ++i) {
      caf::anon_send(bad, i);
      caf::anon_send(good, i);
    }
    if (ending == 2)
      x.abort(6);
    else
      x.begin();
    CHECK(x.wait_for_shutdown() == (ending == 0 ? 1 : ending == 1 ? 129 : 6));
    bad = good = nullptr;
    auto report = x.status();
    REQUIRE(report.parts.size() == 1);
    CHECK(to_string(report.parts[0])
          == "actor 'bad': failed: on_exit() failed: disk full");
  }
  CHECK(hooks == 2);
  CHECK_THAT(capture.text(),
             ContainsSubstring("on_exit() of actor 'bad' failed: disk full"));
  if (ending == 0)
    CHECK(count == 100);
}

TEST_CASE("shutdown: the monitors of an actor that fails in on_exit() are "
          "notified of its end",
          "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  std::atomic<int> downs = 0;
  std::atomic<bool> monitors = false;
  auto bad = sys.get().spawn<bad_loser>(false);
  rosia::phase_options phase;
  phase.after = {"actors"};
  x.phase("observers", phase);
  auto observer = sys.get().spawn<scripted>([&, bad](scripted* self) {
    self->monitor(bad);
    self->set_down_handler([&](caf::down_msg&) { ++downs; });
    monitors = true;
    return caf::behavior{[](int) {}};
  });
  rosia::part_options part;
  part.phase = "observers";
  x.adopt(observer, "observer", part);
  x.adopt(bad, "bad");
  CHECK(eventually([&] { return monitors.load(); }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 1);
  bad = nullptr;
  CHECK(downs == 1);
}

TEST_CASE("shutdown: an application that is a parent ends after its children",
          "[shutdown]") {
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  test_system sys;
  rosia::application app{sys, real_time()};
  auto bell = app.create<doorbell>("bell");
  rosia::shutdown x{sys, quiet()};
  std::atomic<bool> app_is_over = false;
  rosia::part_options opts;
  opts.post_stop = [&] { app_is_over = true; };
  x.adopt(app, "app", opts);
  auto actor = sys.get().spawn<stuck_actor>(let_go, is_in);
  opts.parent = "app";
  opts.post_stop = [&] { CHECK_FALSE(app_is_over); };
  x.adopt(actor, "child", opts);
  caf::anon_send(actor, 1);
  actor = nullptr;
  auto status = 8;
  std::thread runner{[&] { status = app.run(); }};
  CHECK(eventually([&] { return is_in && bell->started; }));
  x.begin();
  CHECK(eventually([&] { return explain(x.status()).size() == 3; }));
  CHECK(explain(x.status())[1] == "application 'app'");
  CHECK(bell->shutdowns == 0);
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
  runner.join();
  CHECK(status == 0);
  CHECK(app_is_over);
}

} // namespace shutdown_test
