// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Rosia's nodes together with plain CAF actors.

#include "support.hpp"

#include "caf/rosia/detail/signature.hpp"

namespace interop_test {

using rosia::after;
using rosia::task;

namespace {

using calculator
  = caf::typed_actor<rosia::detail::signature<void, logical_time, int>>;

// Stores the values that it receives.
struct notebook {
  std::mutex mutex;
  record<int> lines;

  void add(logical_time tag, int x) {
    std::lock_guard guard{mutex};
    lines.emplace_back(tag, x);
  }

  record<int> get() {
    std::lock_guard guard{mutex};
    return lines;
  }
};

caf::behavior listener(caf::event_based_actor*, notebook* notes) {
  return {[=](logical_time tag, int x) { notes->add(tag, x); }};
}

calculator::behavior_type typed_listener(calculator::pointer, notebook* notes) {
  return {[=](logical_time tag, int x) { notes->add(tag, x); }};
}

// Answers with the sum.
caf::behavior adder(caf::event_based_actor*, int summand) {
  return {[=](int x) { return x + summand; }};
}

// Passes received values to a function.
caf::behavior caller(caf::event_based_actor*, std::function<void(int)> handle) {
  return {[=](logical_time, int x) { handle(x); }};
}

// Reports the end of an actor.
caf::behavior watcher(
  caf::event_based_actor* self, const rosia::node_handle& observed,
  std::atomic<bool>* monitored, std::atomic<bool>* ended) {
  self->set_down_handler([=](const caf::down_msg&) { *ended = true; });
  self->monitor(observed);
  *monitored = true;
  return {[](int) {}};
}

// Ends an actor, after it has handled earlier messages.
void finish(caf::actor_system& sys, const caf::actor& x) {
  caf::scoped_actor self{sys};
  self->send_exit(x, caf::exit_reason::user_shutdown);
  self->wait_for(x);
}

struct entrance : rosia::node {
  rosia::physical_action<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          got.push_back(*in);
                          out(10 * *in);
                          if (*in < 0)
                            request_shutdown();
                        }};
  std::vector<int> got;
};

} // namespace

TEST_CASE("an actor gets each value with its tag, in the order of the tags",
          "[interop]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  notebook notes;
  auto actor = sys.get().spawn(listener, &notes);
  {
    rosia::application app{sys, fast()};
    auto from = app.create<source<int>>(
      "from", std::vector<source<int>::item>{{{}, 1}, {1ms, 2}, {1h, 3}});
    app.connect(from, &source<int>::out, actor);
    CHECK(app.run() == 0);
  }
  finish(sys, actor);
  CHECK(notes.get() == record<int>{{0s, 1}, {1ms, 2}, {1h + 1ms, 3}});
}

TEST_CASE("an actor with a typed handle also gets the values", "[interop]") {
  test_system sys;
  notebook notes;
  auto actor = sys.get().spawn(typed_listener, &notes);
  {
    rosia::application app{sys, fast()};
    auto from = app.create<source<int>>("from", one_seven);
    app.connect(from, &source<int>::out, actor);
    CHECK(app.run() == 0);
  }
  finish(sys, caf::actor_cast<caf::actor>(actor));
  CHECK(notes.get() == record<int>{{0s, 7}});
}

TEST_CASE("several actors and nodes receive from one output, and one actor "
          "from several outputs",
          "[interop]") {
  test_system sys{GENERATE(1u, 2u)};
  notebook first;
  notebook second;
  auto a = sys.get().spawn(listener, &first);
  auto b = sys.get().spawn(listener, &second);
  {
    rosia::application app{sys, fast()};
    auto x = app.create<source<int>>("x", one_seven);
    auto y = app.create<source<int>>("y", one_seven);
    auto to = app.create<recorder<int>>("to");
    app.connect(x, &source<int>::out, a);
    app.connect(x, &source<int>::out, b);
    app.connect(x, &source<int>::out, to, &recorder<int>::in);
    app.connect(y, &source<int>::out, a);
    app.connect(y, &source<int>::out, a);
    CHECK(app.run() == 0);
    CHECK(to->got == record<int>{{0s, 7}});
  }
  finish(sys, a);
  finish(sys, b);
  CHECK(first.get() == record<int>{{0s, 7}, {0s, 7}, {0s, 7}});
  CHECK(second.get() == record<int>{{0s, 7}});
}

TEST_CASE("the name of an actor's node shows the source of its values",
          "[interop]") {
  test_system sys;
  notebook notes;
  auto actor = sys.get().spawn(listener, &notes);
  {
    rosia::application app{sys, fast()};
    auto from = app.create<source<int>>("from", one_seven);
    app.connect(from, &source<int>::out, actor);
    CHECK(app.size() == 2);
    CHECK_THAT(error_of<rosia::graph_error>([&] {
                 app.create<relay<int>>("from:out to actor 1");
               }),
               ContainsSubstring("from:out to actor 1"));
  }
  finish(sys, actor);
}

TEST_CASE("an actor that exited is not an error", "[interop]") {
  test_system sys;
  notebook notes;
  auto actor = sys.get().spawn(listener, &notes);
  finish(sys, actor);
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>("from", one_seven);
  app.connect(from, &source<int>::out, actor);
  CHECK(app.run() == 0);
  CHECK(notes.get().empty());
}

TEST_CASE("actors schedule physical actions, and receive the results",
          "[interop]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  std::vector<int> answers;
  {
    rosia::application app{sys, fast()};
    auto node = app.create<entrance>("node");
    // Sends the next value after the result of the previous one.
    auto hear = [&](int x) {
      answers.push_back(x);
      auto next = x / 10 + 1;
      if (x > 0)
        node->in.schedule(next < 20 ? next : -1);
    };
    auto player = sys.get().spawn(caller, std::function<void(int)>{hear});
    app.connect(node, &entrance::out, player);
    CHECK(node->in.schedule(1));
    CHECK(app.run() == 0);
    CHECK(node->got.size() == 20);
    CHECK(node->got.back() == -1);
    finish(sys, player);
  }
  CHECK(answers.size() == 20);
  CHECK(answers[18] == 190);
}

TEST_CASE("a node exchanges messages with actors by its own actor, self()",
          "[interop]") {
  struct asker : rosia::node {
    explicit asker(caf::actor x) : oracle(std::move(x)) {
      // nop
    }
    rosia::physical_action<int> reply{this, "reply"};
    rosia::reaction on_reply{
      this, "on_reply", {reply}, [this] {
        answer = *reply;
        request_shutdown();
      }};
    void start() {
      // The answer arrives outside of reactions, and enters by a physical
      // action.
      self()->request(oracle, caf::infinite, 20).then([this](int x) {
        reply.schedule(x);
      });
    }
    caf::actor oracle;
    int answer = 0;
  };
  test_system sys{GENERATE(1u, 2u, 4u)};
  auto oracle = sys.get().spawn(adder, 1);
  {
    rosia::application app{sys, real_time()};
    auto node = app.create<asker>("node", oracle);
    CHECK(app.run() == 0);
    CHECK(node->answer == 21);
  }
  finish(sys, oracle);
}

TEST_CASE("writing an output in the handler of an actor's answer is refused",
          "[interop]") {
  struct asker : rosia::node {
    explicit asker(caf::actor x) : oracle(std::move(x)) {
      // nop
    }
    rosia::output_port<int> out{this, "out"};
    rosia::physical_action<int> quit{this, "quit"};
    rosia::reaction on_quit{
      this, "on_quit", {quit}, [this] { request_shutdown(); }};
    void start() {
      self()->request(oracle, caf::infinite, 20).then([this](int x) {
        error = error_of<std::logic_error>([&] { out(x); });
        quit.schedule(0);
      });
    }
    caf::actor oracle;
    std::string error;
  };
  test_system sys;
  auto oracle = sys.get().spawn(adder, 1);
  {
    rosia::application app{sys, real_time()};
    auto node = app.create<asker>("node", oracle);
    CHECK(app.run() == 0);
    CHECK(node->error
          == "output 'out' was written outside of the node's reactions; "
             "schedule a physical action instead");
  }
  finish(sys, oracle);
}

TEST_CASE("a node's handle is its actor while the application runs",
          "[interop]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto bell = app.create<doorbell>("bell");
  auto other = app.create<doorbell>("other");
  CHECK_FALSE(bell.handle());
  std::atomic<bool> monitored = false;
  std::atomic<bool> ended = false;
  caf::actor watch;
  auto& started = other->started;
  auto& ring = bell->ring;
  std::thread thread{[&] {
    eventually([&] { return started.load(); });
    auto handle = bell.handle();
    CHECK(handle);
    CHECK(handle != other.handle());
    watch = sys.get().spawn(watcher, handle, &monitored, &ended);
    eventually([&] { return monitored.load(); });
    ring.schedule(-1);
  }};
  CHECK(app.run() == 0);
  thread.join();
  CHECK_FALSE(bell.handle());
  CHECK(eventually([&] { return ended.load(); }));
  finish(sys, watch);
  watch = nullptr;
}

TEST_CASE("an application runs on a system with CAF's default settings",
          "[interop]") {
  caf::actor_system_config cfg;
  test::set_caf_option(cfg, "scheduler.max-threads", 2);
  caf::actor_system sys{cfg};
  rosia::application app{sys, fast_until(100ms)};
  auto clock = app.create<rosia::timer>("clock", 1ms);
  auto to = app.create<recorder<logical_time>>("to");
  app.connect(clock, &rosia::timer::output, to, &recorder<logical_time>::in);
  CHECK(app.run() == 0);
  CHECK(to->got.size() == 101);
}

TEST_CASE("an application takes its options from the system's config",
          "[interop]") {
  workers_config cfg{1};
  cfg.set("rosia.realtime", false);
  cfg.set("rosia.stop_after", caf::timespan{1h});
  cfg.set("rosia.max_in_flight", 7);
  caf::actor_system sys{cfg};
  rosia::application app{sys};
  CHECK_FALSE(app.opts().realtime);
  CHECK(app.opts().stop_after == at(1h));
  CHECK(app.opts().max_in_flight == 7);
  auto clock = app.create<rosia::timer>("clock", 30min);
  auto to = app.create<recorder<logical_time>>("to");
  app.connect(clock, &rosia::timer::output, to, &recorder<logical_time>::in);
  CHECK(app.run() == 0);
  CHECK(to->got.size() == 3);
}

TEST_CASE("a wrong option is refused by the application", "[interop]") {
  test_system sys;
  rosia::options opts;
  opts.max_in_flight = 0;
  CHECK_THAT(error_of<std::invalid_argument>([&] {
               rosia::application app{sys, opts};
             }),
             ContainsSubstring("max_in_flight"));
}

} // namespace interop_test
