// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A shutdown that adopts all actors, in a program that is compiled for it.

#include "caf/rosia/shutdown/actor_names.hpp"

#include "shutdown_support.hpp"
#include "support.hpp"

#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <optional>

namespace adopt_all_test {

namespace {

struct names_config : workers_config {
  names_config() : workers_config(2) {
    names.attach_to(*this);
  }

  rosia::actor_names names;
};

/// Records its end, and may have children.
class family : public caf::event_based_actor {
public:
  family(caf::actor_config& cfg, notebook& notes, std::string name,
         std::vector<std::string> children = {})
    : caf::event_based_actor(cfg), notes_(notes), name_(std::move(name)) {
    for (auto& child : children)
      add(child);
  }

  const char* name() const override {
    return name_.c_str();
  }

  caf::behavior make_behavior() override {
    return {[](int) {}, [this](const std::string& child) { add(child); }};
  }

  void on_exit() override {
    notes_.add(name_);
    children_.clear();
  }

private:
  void add(const std::string& child) {
    children_.push_back(this->spawn<family>(notes_, child));
  }

  notebook& notes_;
  std::string name_;
  std::vector<caf::actor> children_;
};

/// An actor system that knows the names of its actors, with a notebook that
/// outlives them.
class named_system {
public:
  /// Spawns an actor, and keeps a handle as long as the system exists.
  caf::actor spawn(const std::string& name, strings children = {}) {
    auto result = sys.spawn<family>(notes, name, std::move(children));
    std::lock_guard guard{mutex_};
    kept_.push_back(result);
    return result;
  }

  notebook notes;
  names_config config;
  caf::actor_system sys{config};

  shutdown_options options() const {
    auto result = quiet();
    result.names = &config.names;
    return result;
  }

private:
  std::mutex mutex_;
  std::vector<caf::actor> kept_;
};

/// Returns whether `first` was recorded before `second`.
bool is_before(const strings& lines, const std::string& first,
               const std::string& second) {
  auto i = std::find(lines.begin(), lines.end(), first);
  auto j = std::find(lines.begin(), lines.end(), second);
  return i < j && j != lines.end();
}

} // namespace

TEST_CASE("adopt_all: all actors end after their backlog, children before the "
          "actor that spawned them",
          "[shutdown]") {
  named_system in;
  std::atomic<int> count = 0;
  rosia::shutdown x{in.sys, in.options()};
  x.adopt_all();
  in.spawn("a", strings{"b", "c"});
  // They need not exist when it is called, nor have handles.
  auto last = in.sys.spawn<counter>(count);
  for (auto i = 0; i < 1000; ++i)
    caf::anon_send(last, i);
  CHECK(x.status().parts.empty()); // it has not begun
  CHECK(x.status().unseen == 0);
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(count == 1000);
  auto lines = in.notes.lines();
  CHECK(lines.size() == 3);
  CHECK(is_before(lines, "b", "a"));
  CHECK(is_before(lines, "c", "a"));
  auto times = x.timeline();
  CHECK(std::count_if(
          times.begin(), times.end(),
          [](auto& entry) {
            return entry.kind == "actor" && entry.over && !entry.aborted;
          })
        == 4);
}

TEST_CASE("adopt_all: without names it reports what it needs", "[shutdown]") {
  test_system sys;
  rosia::shutdown x{sys, quiet()};
  CHECK_THAT(error_of<std::logic_error>([&] { x.adopt_all(); }),
             ContainsSubstring("give shutdown_options::names a "
                               "rosia::actor_names"));
}

TEST_CASE("adopt_all: a phase that does not exist is refused", "[shutdown]") {
  named_system in;
  rosia::shutdown x{in.sys, in.options()};
  CHECK(
    error_of<std::invalid_argument>([&] { x.adopt_all("later"); })
    == "there is no phase 'later'; there is 'threads', 'actors' and 'final'");
}

TEST_CASE("adopt_all: actors that the program adopted keep their phases, "
          "and their children follow them",
          "[shutdown]") {
  named_system in;
  auto opts = in.options();
  opts.phases["stores"].after = {"actors"};
  opts.phases["final"].after = {"stores"};
  rosia::shutdown x{in.sys, opts};
  x.adopt_all();
  auto store = in.spawn("store", strings{"cache"});
  in.spawn("client");
  rosia::part_options part;
  part.phase = "stores";
  part.post_stop = [&] { in.notes.add("hook"); };
  x.adopt(store, "store", part);
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(in.notes.lines() == strings{"client", "cache", "store", "hook"});
}

TEST_CASE("adopt_all: hidden actors are left alone", "[shutdown]") {
  named_system in;
  rosia::shutdown x{in.sys, in.options()};
  x.adopt_all();
  caf::actor hidden = in.sys.spawn<family, caf::hidden>(in.notes, "hidden");
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(in.notes.lines().empty());
  caf::anon_send_exit(hidden, caf::exit_reason::kill);
  hidden = nullptr;
  CHECK(eventually([&] { return in.notes.lines().size() == 1; }));
}

TEST_CASE("adopt_all: actors that are spawned during the shutdown end as well",
          "[shutdown]") {
  auto when = GENERATE("threads", "actors", "final");
  named_system in;
  rosia::shutdown x{in.sys, in.options()};
  x.adopt_all();
  in.spawn("before");
  x.on(when, "spawn", [&](auto&) { in.spawn("late", strings{"child"}); });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(eventually([&] { return in.notes.lines().size() == 3; }));
}

TEST_CASE("adopt_all: an actor that an actor of an earlier phase spawns ends "
          "before it",
          "[shutdown]") {
  named_system in;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  auto opts = in.options();
  opts.phases["accept"].after = {"threads"};
  opts.phases["actors"].after = {"accept"};
  rosia::shutdown x{in.sys, opts};
  x.adopt_all();
  auto acceptor = in.spawn("acceptor");
  auto busy = in.sys.spawn<stuck_actor>(let_go, is_in);
  rosia::part_options part;
  part.phase = "accept";
  x.adopt(acceptor, "acceptor", part);
  x.adopt(busy, "busy", part);
  caf::anon_send(busy, 1);
  CHECK(eventually([&] { return is_in.load(); }));
  // Its backlog when the phase begins.
  for (auto i = 0; i < 10; ++i)
    caf::anon_send(acceptor, "session " + std::to_string(i));
  x.begin();
  CHECK(eventually([&] { return x.status().stage == "accept"; }));
  let_go = true;
  CHECK(x.wait_for_shutdown() == 0);
  auto lines = in.notes.lines();
  CHECK(lines.size() == 11);
  CHECK(lines.back() == "acceptor");
}

TEST_CASE("adopt_all: the program may adopt actors that are spawned before the "
          "phase begins",
          "[shutdown]") {
  named_system in;
  auto opts = in.options();
  opts.phases["stores"].after = {"actors"};
  rosia::shutdown x{in.sys, opts};
  x.adopt_all();
  in.spawn("client");
  x.on("threads", "spawn", [&](auto&) {
    rosia::part_options part;
    part.phase = "stores";
    x.adopt(in.spawn("store"), "store", part);
  });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(in.notes.lines() == strings{"client", "store"});
}

TEST_CASE("adopt_all: it may be called after the beginning", "[shutdown]") {
  auto when = GENERATE("threads", "actors", "final");
  named_system in;
  rosia::shutdown x{in.sys, in.options()};
  in.spawn("a", strings{"b"});
  x.on(when, "adopt", [&](auto&) {
    x.adopt_all();
    in.spawn("c");
  });
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(eventually([&] { return in.notes.lines().size() == 3; }));
}

TEST_CASE("adopt_all: an actor that replaces each child that ends does "
          "not prolong it",
          "[shutdown]") {
  struct endless : caf::event_based_actor {
    explicit endless(caf::actor_config& cfg) : caf::event_based_actor(cfg) {
      set_down_handler([this](caf::down_msg&) { add(); });
    }

    caf::behavior make_behavior() override {
      add();
      return {[](int) {}};
    }

    void add() {
      this->spawn<scripted, caf::monitored>([](scripted*) {
        return caf::behavior{[](int) {}};
      });
    }
  };
  named_system in;
  rosia::shutdown x{in.sys, in.options()};
  x.adopt_all();
  auto parent = in.sys.spawn<endless>();
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
}

TEST_CASE("adopt_all: actors that start and end in many threads all end",
          "[shutdown]") {
  named_system in;
  rosia::shutdown x{in.sys, in.options()};
  x.adopt_all();
  std::atomic<int> spawned = 0;
  for (auto i = 0; i < 3; ++i)
    x.spawn_thread("spawner", [&](std::stop_token token) {
      while (!token.stop_requested() || spawned < 1000) {
        auto actor = in.spawn("x", strings{"y"});
        if (++spawned % 2 == 0)
          caf::anon_send_exit(actor, caf::exit_reason::user_shutdown);
      }
    });
  CHECK(eventually([&] { return spawned > 100; }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(eventually([&] {
    return in.notes.lines().size() == static_cast<std::size_t>(2 * spawned);
  }));
}

TEST_CASE("adopt_all: an abort ends all of them, without a line for each",
          "[shutdown]") {
  error_capture capture;
  named_system in;
  {
    auto opts = in.options();
    opts.log_level = "warning";
    rosia::shutdown x{in.sys, opts};
    x.adopt_all();
    for (auto i = 0; i < 10; ++i)
      in.spawn("a", strings{"b"});
    x.abort(7);
    CHECK(x.wait_for_shutdown() == 7);
    CHECK(in.notes.lines().size() == 20);
  }
  CHECK(count_of(capture.text(), "is added after") == 0);
}

TEST_CASE("adopt_all: unknown actors are counted, without a warning while they "
          "may end by themselves",
          "[shutdown]") {
  auto level = GENERATE("debug", "info");
  error_capture capture;
  named_system in;
  {
    auto opts = in.options();
    opts.log_level = level;
    rosia::shutdown x{in.sys, opts};
    x.adopt_all();
    caf::scoped_actor scoped{in.sys};
    auto report = x.status();
    CHECK(report.unseen == 1);
    CHECK_THAT(to_string(report),
               ContainsSubstring("1 actor is alive (1 without a known name)"));
    CHECK_THAT(to_json(report), ContainsSubstring("\"unseen\": 1"));
    x.begin();
    CHECK(x.wait_for_shutdown() == 0);
  }
  auto line
    = ContainsSubstring("adopt_all() does not see 1 actor of the system");
  if (level == std::string{"debug"})
    CHECK_THAT(capture.text(), line);
  else
    CHECK_THAT(capture.text(), !line);
}

TEST_CASE("adopt_all: the nodes of an application are left to it",
          "[shutdown]") {
  named_system in;
  rosia::application app{in.sys, real_time()};
  auto bell = app.create<doorbell>("bell");
  rosia::shutdown x{in.sys, in.options()};
  x.adopt_all("threads");
  rosia::part_options part;
  part.phase = "threads";
  x.adopt(app, "app", part);
  std::atomic<int> status = -1;
  x.spawn_temporary("app", [&](std::stop_token) { status = app.run(); });
  CHECK(eventually([&] { return bell->started.load(); }));
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(status == 0);
  CHECK(bell->shutdowns == 1);
}

TEST_CASE("adopt_all: a destroyed shutdown adopts no more actors",
          "[shutdown]") {
  named_system in;
  {
    rosia::shutdown x{in.sys, in.options()};
    x.adopt_all();
  }
  auto actor = in.spawn("after");
  auto called = in.config.names.living();
  CHECK(std::count_if(called.begin(), called.end(),
                      [](auto& entry) { return entry.name == "after"; })
        == 1);
  rosia::shutdown x{in.sys, in.options()};
  x.adopt(actor, "after");
  x.begin();
  CHECK(x.wait_for_shutdown() == 0);
  CHECK(in.notes.lines() == strings{"after"});
}

// -- actor_names --------------------------------------------------------------

TEST_CASE("actor_names: a subscriber is notified of each spawned actor, and "
          "can reach it",
          "[shutdown]") {
  named_system in;
  std::vector<rosia::named_actor> heard;
  auto number = in.config.names.subscribe([&](const rosia::named_actor& x) {
    if (!x.hidden)
      heard.push_back(x);
  });
  auto actor = in.spawn("a");
  in.config.names.unsubscribe(number);
  auto other = in.spawn("b");
  REQUIRE(heard.size() == 1);
  CHECK(heard[0].name == "a");
  CHECK(heard[0].id == actor.id());
  CHECK(caf::actor_cast<caf::actor>(heard[0].address) == actor);
  rosia::shutdown x{in.sys, in.options()};
  x.adopt(actor, "a");
  x.adopt(other, "b");
}

// -- actors without a part ----------------------------------------------------

TEST_CASE("shutdown: the actors that take no part are named", "[shutdown]") {
  error_capture capture;
  std::atomic<int> count = 0;
  std::atomic<bool> let_go = false;
  std::atomic<bool> is_in = false;
  rosia::actor_names names;
  caf::actor_system_config cfg;
  names.attach_to(cfg);
  test_system sys;
  auto part = sys.get().spawn<counter>(count);
  auto other = sys.get().spawn<stuck_actor>(let_go, is_in);
  for (auto& x : {part, other})
    cfg.profiler->add_actor(*caf::actor_cast<caf::local_actor*>(x), nullptr);
  std::string name;
  {
    auto opts = quiet();
    opts.names = &names;
    opts.log_level = "critical";
    opts.grace_period = 10ms;
    rosia::shutdown x{sys, opts};
    x.adopt(part, "part");
    part = nullptr;
    auto report = x.status();
    REQUIRE(report.others.size() == 1);
    name = report.others[0];
    CHECK_THAT(
      name, ContainsSubstring("stuck_actor#" + std::to_string(other->id())));
    CHECK_THAT(
      to_string(report), ContainsSubstring("no participants: " + name));
    CHECK_THAT(to_json(report), ContainsSubstring("\"others\""));
    x.begin();
    CHECK(x.wait_for_shutdown() == 0);
  }
  CHECK_THAT(capture.text(), ContainsSubstring(":\n  " + name));
  caf::anon_send_exit(other, caf::exit_reason::user_shutdown);
}

} // namespace adopt_all_test
