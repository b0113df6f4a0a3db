// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Errors in a node. Each ends the application with status 1, and its text names
// node, reaction, tag and error.

#include "caf_pipe.hpp"
#include "exception_without_text.hpp"
#include "support.hpp"

#include <caf/io/middleman.hpp>

#include <csignal>

#include <pthread.h>
#include <unistd.h>

namespace failure_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;

namespace {

// The result of an application with a single node that fails.
struct outcome {
  int status = 0;
  std::string log;
};

template <class T, class... Ts>
outcome run_alone(Ts&&... xs) {
  outcome result;
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, fast()};
    app.create<T>("plant", std::forward<Ts>(xs)...);
    result.status = app.run();
  }
  result.log = capture.text();
  return result;
}

// Returns the text after a line's time.
std::string line_of(const outcome& x) {
  auto i = x.log.find("error ");
  return i == std::string::npos ? x.log : x.log.substr(i);
}

// A node whose only reaction calls a function at 5 ms.
struct misfit : rosia::node {
  explicit misfit(std::function<void(misfit&)> code) : fun(std::move(code)) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> silent{this, "silent"};
  rosia::output_port<int> out{this, "out"};
  rosia::output_port<int> loop{this, "loop"};

  rosia::reaction step{this, "step", {in}, [this] { fun(*this); }};

  task start() {
    co_await after(5ms);
    loop(1);
  }

  void shutdown() {
    ++shutdowns;
  }

  std::function<void(misfit&)> fun;
  int shutdowns = 0;
};

outcome misbehave(std::function<void(misfit&)> code) {
  outcome result;
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, fast()};
    auto node = app.create<misfit>("plant", std::move(code));
    auto feeder = app.create<source<int>>(
      "feeder", std::vector<source<int>::item>{{5ms, 1}});
    auto other = app.create<doorbell>("other");
    app.connect(feeder, &source<int>::out, node, &misfit::in);
    result.status = app.run();
    CHECK(node->shutdowns == 1);
    CHECK(feeder->shutdowns == 1);
    CHECK(other->shutdowns == 1);
  }
  result.log = capture.text();
  return result;
}

} // namespace

// -- exceptions ---------------------------------------------------------------

TEST_CASE("an exception in a reaction", "[failure]") {
  auto x = misbehave([](misfit&) {
    throw std::runtime_error("the valve is stuck");
  });
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'step' at tag 5ms: the valve is stuck\n");
}

TEST_CASE("an exception that is not derived from std::exception", "[failure]") {
  auto x = misbehave([](misfit&) { throw 42; });
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'step' at tag 5ms: an exception that is "
           "not derived from std::exception\n");
}

TEST_CASE("an exception whose what() is null", "[failure]") {
  std::string text
    = "an exception of type exception_without_text without a text\n";
  SECTION("in a reaction") {
    auto x = misbehave([](misfit&) { throw exception_without_text{}; });
    CHECK(x.status == 1);
    CHECK(line_of(x) == "error    plant: error in 'step' at tag 5ms: " + text);
  }
  SECTION("in start()") {
    auto x = run_alone<script>([](script&) { throw exception_without_text{}; });
    CHECK(x.status == 1);
    CHECK(line_of(x) == "error    plant: error in 'start' at tag 0s: " + text);
  }
  SECTION("in a coroutine") {
    struct failing : rosia::node {
      task start() {
        co_await after(1s);
        throw exception_without_text{};
      }
    };
    auto x = run_alone<failing>();
    CHECK(x.status == 1);
    CHECK(line_of(x) == "error    plant: error in 'start' at tag 1s: " + text);
  }
  SECTION("in shutdown()") {
    struct failing : rosia::node {
      void shutdown() {
        throw exception_without_text{};
      }
    };
    auto x = run_alone<failing>();
    CHECK(x.status == 0);
    CHECK_THAT(x.log, ContainsSubstring(text));
  }
  SECTION("in a constructor") {
    struct failing : rosia::node {
      failing() {
        throw exception_without_text{};
      }
    };
    test_system sys;
    rosia::application app{sys, fast()};
    CHECK(error_of<std::runtime_error>([&] { app.create<failing>("x"); }) + '\n'
          == "node 'x': its constructor threw an exception: " + text);
  }
}

TEST_CASE("an exception in start()", "[failure]") {
  auto x = run_alone<script>([](script&) {
    throw std::runtime_error("no such device");
  });
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'start' at tag 0s: no such device\n");
}

TEST_CASE("an exception in a coroutine", "[failure]") {
  struct failing : rosia::node {
    task start() {
      co_await after(1s);
      co_await after(microsteps(2));
      throw std::runtime_error("late");
    }
  };
  auto x = run_alone<failing>();
  CHECK(x.status == 1);
  CHECK(line_of(x) == "error    plant: error in 'start' at tag 1s+2: late\n");
}

namespace {

struct late_failing : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction step{this, "step", {in}, []() -> task {
                         co_await after(1s);
                         throw std::runtime_error("late");
                       }};
  rosia::reaction other{this, "other", {in}, [] {}};
};

} // namespace

TEST_CASE("an exception in a reaction that yielded", "[failure]") {
  rosia::test::harness<late_failing> h;
  h.set(&late_failing::in, 1ms, 1);
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "step");
  CHECK(h.error()->tag == at(1001ms));
  CHECK(h.error()->text == "late");
  CHECK(h.status() == 1);
}

TEST_CASE("an exception in a physical action", "[failure]") {
  struct failing : rosia::node {
    rosia::physical_action<int> ring{this, "ring"};
    rosia::reaction on_ring{
      this, "on_ring", {ring}, [this] {
        throw std::runtime_error(std::to_string(*ring));
      }};
    void start() {
      ring.schedule(7);
    }
  };
  auto x = run_alone<failing>();
  CHECK(x.status == 1);
  CHECK_THAT(
    line_of(x), ContainsSubstring("error    plant: error in 'on_ring' at tag ")
                  && ContainsSubstring(": 7\n"));
}

TEST_CASE("an exception in shutdown() is logged, and changes nothing",
          "[failure]") {
  struct failing : rosia::node {
    void start() {
      request_shutdown(after(5ms), 3);
    }
    void shutdown() {
      throw std::runtime_error("cannot park");
    }
  };
  auto x = run_alone<failing>();
  CHECK(x.status == 3);
  CHECK(line_of(x)
        == "error    plant: error in 'shutdown' after tag 0s: cannot park\n");
}

namespace {

struct failing_at_two : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction first{this, "first", {in}, [this] {
                          ++calls;
                          out(*in);
                          if (*in == 2)
                            throw std::runtime_error("two");
                        }};
  rosia::reaction second{this, "second", {in}, [this] { ++calls; }};
  void shutdown() {
    ++shutdowns;
  }
  int calls = 0;
  int shutdowns = 0;
};

} // namespace

TEST_CASE("no code of the node runs after its error, and its output at that "
          "tag is not sent",
          "[failure]") {
  rosia::test::harness<failing_at_two> h;
  for (int i = 1; i <= 3; ++i)
    h.set(&failing_at_two::in, std::chrono::milliseconds{i}, i);
  h.run();
  CHECK(h->calls == 3);
  CHECK(h->shutdowns == 1);
  CHECK(h.outputs(&failing_at_two::out) == record<int>{{1ms, 1}});
  CHECK(h.ended());
}

TEST_CASE("of several errors the first is the status, and all nodes end",
          "[failure]") {
  error_capture capture;
  {
    test_system sys{GENERATE(1u, 2u, 4u)};
    rosia::application app{sys, fast()};
    for (int i = 0; i < 10; ++i)
      app.create<script>("node" + std::to_string(i), [](script& self) {
        self.request_shutdown(after(1s), 5);
        throw std::runtime_error("x");
      });
    CHECK(app.run() == 1);
  }
  CHECK_THAT(capture.text(), ContainsSubstring("error in 'start'"));
}

// -- writing ------------------------------------------------------------------

TEST_CASE("writing an output twice at one tag", "[failure]") {
  auto x = misbehave([](misfit& self) {
    self.out(1);
    self.out(2);
  });
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'step' at tag 5ms: output 'out' was "
           "written twice at tag 5ms; yield with co_await "
           "after(microsteps(1)) between the writes, or send both in one "
           "value\n");
}

namespace {

struct twice : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction first{this, "first", {in}, [this] { out(1); }};
  rosia::reaction second{this, "second", {in}, [this] { out(2); }};
};

} // namespace

TEST_CASE("writing an output twice at one tag from two reactions",
          "[failure]") {
  rosia::test::harness<twice> h;
  h.set(&twice::in, 0s, 1);
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "second");
  CHECK_THAT(h.error()->text, ContainsSubstring("written twice at tag 0s"));
}

TEST_CASE("writing an output in start() and in a reaction at (0, 0)",
          "[failure]") {
  struct twice : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this] { out(1); }};
    void start() {
      out(0);
    }
  };
  rosia::test::harness<twice> h;
  h.set(&twice::in, 0s, 1);
  h.run();
  REQUIRE(h.error());
  CHECK_THAT(h.error()->text, ContainsSubstring("written twice at tag 0s"));
}

TEST_CASE("writing an unconnected output twice", "[failure]") {
  auto x = run_alone<script>([](script& self) {
    self.out(1);
    self.out(2);
  });
  CHECK(x.status == 1);
  CHECK_THAT(x.log, ContainsSubstring("output 'out' was written twice"));
}

TEST_CASE("breaking one's own promise", "[failure]") {
  struct promiser : rosia::node {
    rosia::output_port<int> out{this, "out"};
    task start() {
      out(1, rosia::output_promise(10ms));
      co_await after(9ms);
      out(2);
    }
  };
  auto x = run_alone<promiser>();
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'start' at tag 9ms: output 'out' was "
           "written at tag 9ms, but the node promised to write nothing before "
           "10ms\n");
}

TEST_CASE("a promise with a negative delay", "[failure]") {
  auto x = misbehave([](misfit& self) { self.out.promise(-1ms); });
  CHECK(x.status == 1);
  CHECK_THAT(
    line_of(x), ContainsSubstring("a promise for output 'out' has a negative "
                                  "delay, -1ms"));
}

TEST_CASE("writing an output from outside of the node's reactions",
          "[failure]") {
  auto expected
    = "output 'out' was written outside of the node's reactions; "
      "schedule a physical action instead";
  test_system sys;
  rosia::application app{sys, fast()};
  struct hasty : rosia::node {
    hasty() {
      out(1);
    }
    rosia::output_port<int> out{this, "out"};
  };
  CHECK(error_of<std::runtime_error>([&] { app.create<hasty>("x"); })
        == std::string{"node 'x': its constructor threw an exception: "}
             + expected);
  auto node = app.create<script>("node", [](script&) {});
  CHECK(error_of<std::logic_error>([&] { node->out(1); }) == expected);
  CHECK(app.run() == 0);
  CHECK(error_of<std::logic_error>([&] { node->out(1); })
        == "output 'out' was written outside of the node's reactions, and "
           "after the node ended; schedule a physical action instead");
}

TEST_CASE("a thread that writes while shutdown() runs gets the error that the "
          "node ended",
          "[failure]") {
  struct driver : rosia::node {
    rosia::output_port<int> out{this, "out"};
    rosia::action<int> later{this, "later"};
    rosia::reaction on_later{this, "on_later", {later}, [] {}};
    void start() {
      // nop
    }
    void shutdown() {
      std::thread{[this] {
        errors = {
          error_of<std::logic_error>([&] { out(1); }),
          error_of<std::logic_error>([&] { out.promise(1s); }),
          error_of<std::logic_error>([&] { later.schedule(1s, 1); }),
          error_of<std::logic_error>([&] { request_shutdown(); }),
        };
      }}.join();
    }
    std::vector<std::string> errors;
  };
  test_system sys;
  rosia::application app{sys, fast()};
  auto node = app.create<driver>("driver");
  CHECK(app.run() == 0);
  std::string when
    = "outside of the node's reactions, and after the node ended";
  CHECK(
    node->errors
    == std::vector{
      "output 'out' was written " + when
        + "; schedule a physical action instead",
      "a promise for output 'out' was made " + when,
      "action 'later' was scheduled " + when
        + "; schedule a physical action instead",
      "request_shutdown() " + when});
}

TEST_CASE("a promise from outside of the node's reactions", "[failure]") {
  std::string expected
    = "a promise for output 'out' was made outside of the node's reactions";
  test_system sys;
  rosia::application app{sys, fast()};
  auto node = app.create<script>("node", [](script&) {});
  CHECK(error_of<std::logic_error>([&] { node->out.promise(1s); }) == expected);
  CHECK(app.run() == 0);
  CHECK(error_of<std::logic_error>([&] { node->out.promise(1s); })
        == expected + ", and after the node ended");
}

TEST_CASE("writing an output of another node, which does not run at the time",
          "[failure]") {
  // From a third node's reaction; both are otherwise idle.
  error_capture capture;
  {
    test_system sys{1};
    rosia::application app{sys, fast()};
    auto victim = app.create<doorbell>("victim");
    auto& out = victim->out;
    app.create<script>("culprit", [&out](script&) { out(1); });
    CHECK(app.run() == 1);
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring(
      "culprit: error in 'start' at tag 0s: output "
      "'out' was written outside of the node's "
      "reactions"));
}

TEST_CASE("writing, promising, yielding or requesting in shutdown()",
          "[failure]") {
  struct late : rosia::node {
    explicit late(int x) : deed(x) {
      // nop
    }
    rosia::output_port<int> out{this, "out"};
    void shutdown() {
      if (deed == 0)
        out(1);
      else if (deed == 1)
        out.promise(1s);
      else
        request_shutdown();
    }
    int deed;
  };
  auto deed = GENERATE(0, 1, 2);
  auto x = run_alone<late>(deed);
  CHECK(x.status == 0);
  CHECK_THAT(line_of(x),
             ContainsSubstring("error    plant: error in 'shutdown' after tag "
                               "0s: "));
  CHECK_THAT(
    line_of(x),
    ContainsSubstring(
      deed == 0 ? "output 'out' was written in shutdown(), when its receivers "
                  "may have left"
      : deed == 1
        ? "a promise for output 'out' was made outside of the node's reactions"
        : "request_shutdown() in shutdown(): the node is ending already"));
}

// -- reading ------------------------------------------------------------------

TEST_CASE("reading an input before its first value", "[failure]") {
  auto expected
    = "error    plant: error in 'step' at tag 5ms: input 'silent' was read "
      "before its first value; ask has_value() first, and see that the input "
      "is connected\n";
  CHECK(line_of(misbehave([](misfit& self) { self.out(*self.silent); }))
        == expected);
  CHECK(line_of(misbehave([](misfit& self) { self.out(self.silent); }))
        == expected);
  CHECK(line_of(misbehave([](misfit& self) { self.silent.operator->(); }))
        == expected);
  CHECK(
    line_of(misbehave([](misfit& self) { self.silent.value(); })) == expected);
}

// -- waiting and requesting ---------------------------------------------------

TEST_CASE("yielding for a negative time", "[failure]") {
  struct yielder : rosia::node {
    task start() {
      co_await after(-5ms);
    }
  };
  auto x = run_alone<yielder>();
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'start' at tag 0s: co_await after(...) "
           "with a negative delay, -5ms\n");
}

TEST_CASE("yielding for no time", "[failure]") {
  struct yielder : rosia::node {
    task start() {
      co_await after(microsteps(0));
    }
  };
  auto x = run_alone<yielder>();
  CHECK(x.status == 1);
  CHECK_THAT(
    line_of(x), ContainsSubstring("co_await after(...) without a delay; "
                                  "after(microsteps(1)) is the smallest"));
}

TEST_CASE("an error of a yield can be caught like any other", "[failure]") {
  struct yielder : rosia::node {
    task start() {
      try {
        co_await after(-5ms);
      } catch (const std::logic_error&) {
        caught = true;
      }
      co_await after(1ms);
      resumed = now();
    }
    bool caught = false;
    logical_time resumed;
  };
  rosia::test::harness<yielder> h;
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->caught);
  CHECK(h->resumed == at(1ms));
}

TEST_CASE("a microstep that overflows", "[failure]") {
  struct stepper : rosia::node {
    task start() {
      co_await after(microsteps(0xffffffff));
      co_await after(microsteps(1));
    }
  };
  auto x = run_alone<stepper>();
  CHECK(x.status == 1);
  CHECK(line_of(x)
        == "error    plant: error in 'start' at tag 0s+4294967295: the "
           "microstep overflows after tag 0s+4294967295\n");
}

TEST_CASE("a delayed arrival whose microstep overflows", "[failure]") {
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, fast()};
    auto from = app.create<source<int>>(
      "from",
      std::vector<source<int>::item>{{after(microsteps(0xfffffff0)), 1}});
    auto to = app.create<recorder<int>>("to");
    app.connect(
      from, &source<int>::out, to, &recorder<int>::in, after(microsteps(100)));
    CHECK(app.run() == 1);
    CHECK(to->got.empty());
  }
  CHECK_THAT(capture.text(),
             ContainsSubstring("from: error in 'start' at tag 0s+4294967280: "
                               "the microstep overflows"));
}

TEST_CASE("a tag beyond the end of time never occurs", "[failure]") {
  struct patient : rosia::node {
    rosia::output_port<int> out{this, "out"};
    task start() {
      out(1);
      co_await after(std::chrono::nanoseconds::max());
      out(2);
      co_await after(std::chrono::nanoseconds::max());
      out(3);
    }
  };
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create<patient>("from");
  auto to = app.create<recorder<int>>("to");
  app.connect(from, &patient::out, to, &recorder<int>::in);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{0s, 1}});
}

TEST_CASE("requesting an end at a negative delay", "[failure]") {
  auto x = misbehave([](misfit& self) { self.request_shutdown(-1ms); });
  CHECK(x.status == 1);
  CHECK_THAT(
    line_of(x), ContainsSubstring("request_shutdown() with a negative delay, "
                                  "-1ms"));
}

TEST_CASE("requesting an end from outside of the node's reactions",
          "[failure]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto node = app.create<script>("node", [](script&) {});
  std::string expected = "request_shutdown() outside of the node's reactions";
  CHECK(
    error_of<std::logic_error>([&] { node->request_shutdown(); }) == expected);
  CHECK(app.run() == 0);
  CHECK(error_of<std::logic_error>([&] { node->request_shutdown(1s); })
        == expected + ", and after the node ended");
}

// -- functions that need a running application --------------------------------

TEST_CASE("log() before the run reports where it may be used", "[failure]") {
  struct talkative : rosia::node {
    talkative() {
      log().info("hello");
    }
  };
  test_system sys;
  rosia::application app{sys, fast()};
  CHECK_THAT(
    error_of<std::runtime_error>([&] { app.create<talkative>("x"); }),
    ContainsSubstring("log()") && ContainsSubstring("use it from start() on"));
}

TEST_CASE("self() without an actor", "[failure]") {
  rosia::test::harness<doorbell> h;
  CHECK(error_of<std::logic_error>([&] { h->self(); })
        == "self() while the node is not run by an actor");
}

// -- nodes that vanish --------------------------------------------------------

TEST_CASE(
  "6.2 ending a node's actor from outside is an error with the node's name",
  "[failure]") {
  auto reason = GENERATE(
    caf::exit_reason::user_shutdown, caf::exit_reason::kill,
    caf::exit_reason::remote_link_unreachable);
  error_capture capture;
  std::shared_ptr<rosia::application> app;
  {
    test_system sys{GENERATE(1u, 2u, 4u)};
    app = std::make_shared<rosia::application>(sys, fast());
    auto victim = app->create<doorbell>("victim");
    auto other = app->create<doorbell>("other");
    auto& started = victim->started;
    auto& ring = victim->ring;
    std::thread murderer{[&] {
      eventually([&] { return started.load(); });
      caf::anon_send_exit(victim.handle(), reason);
    }};
    CHECK(app->run() == 1);
    murderer.join();
    CHECK(other->shutdowns == 1);
    // Its actor has exited, but the node still exists.
    CHECK_FALSE(ring.schedule(1));
    CHECK_FALSE(victim->ring.schedule(1));
    CHECK(victim->elapsed() == 0ns);
    app.reset();
  }
  CHECK_THAT(
    capture.text(), ContainsSubstring("rosia: node 'victim' vanished"));
}

TEST_CASE(
  "a node that vanishes while it sends and yields leaves no resources behind",
  "[failure]") {
  error_capture capture;
  {
    test_system sys{GENERATE(1u, 2u)};
    rosia::application app{sys, fast()};
    struct busy : rosia::node {
      rosia::output_port<std::vector<int>> out{this, "out"};
      task start() {
        std::vector<int> local(1000);
        for (;;) {
          out(local);
          if (++count == 1'000)
            caf::anon_send_exit(
              self()->address(), caf::exit_reason::user_shutdown);
          co_await after(1ms);
        }
      }
      std::atomic<int> count = 0;
    };
    auto from = app.create<busy>("from");
    auto to = app.create<recorder<std::vector<int>>>("to");
    app.connect(from, &busy::out, to, &recorder<std::vector<int>>::in);
    CHECK(app.run() == 1);
    CHECK(from->count >= 1'000);
    CHECK(to->shutdowns == 1);
  }
  CHECK_THAT(capture.text(), ContainsSubstring("node 'from' vanished"));
}

// -- destructors --------------------------------------------------------------

namespace {

/// Waits when the node ends. Its destructor calls what only reactions may call.
struct unwinding : rosia::node {
  explicit unwinding(std::function<void(unwinding&)> x) : call(std::move(x)) {
    // nop
  }

  struct last_call {
    ~last_call() {
      self.call(self);
    }

    unwinding& self;
  };

  rosia::task start() {
    last_call outer{*this};
    co_await inner();
  }

  rosia::task inner() {
    last_call x{*this};
    co_await rosia::after(1h);
  }

  rosia::output_port<int> out{this, "out"};
  rosia::action<void> next{this, "next"};
  std::function<void(unwinding&)> call;
};

} // namespace

TEST_CASE("destructors in a task that is destroyed at the node's end may call "
          "anything, which is an error in the log",
          "[failure]") {
  struct call {
    std::function<void(unwinding&)> code;
    std::string problem; // empty if there is none
  };
  call calls[] = {
    {[](auto& x) { x.out(5); }, "output 'out' was written"},
    {[](auto& x) { x.next.schedule(1ms); }, "action 'next' was scheduled"},
    {[](auto& x) { x.request_shutdown(); }, "request_shutdown()"},
    {[](auto& x) { x.out.promise(1ms); },
     "a promise for output 'out' was made"},
    {[](auto& x) { x.log().debug("{}", to_string(x.now())); }, ""}};
  for (auto& [code, problem] : calls) {
    INFO(problem);
    error_capture capture;
    {
      test_system sys;
      rosia::application app{sys, with_log(fast_until(1ms), "error")};
      app.create<unwinding>("plant", code);
      CHECK(app.run() == 0);
    }
    auto text = capture.text();
    CHECK(count_of(text, "\n") == (problem.empty() ? 0 : 2));
    CHECK_THAT(text, ContainsSubstring(problem));
    if (!problem.empty())
      CHECK_THAT(
        text,
        ContainsSubstring("error    plant: error in 'destructor' after tag ")
          && ContainsSubstring(" outside of the node's reactions, and after "
                               "the node ended"));
  }
}

TEST_CASE("an application without exec_main ends the process if a reaction "
          "closed the pipe of CAF's middleman",
          "[failure]") {
  auto mode = GENERATE(O_RDONLY, O_WRONLY);
  error_capture capture;
  auto status = status_in_child([mode] {
    ::alarm(60); // CAF's destructor would wait forever
    auto first = test::next_descriptor();
    caf::actor_system_config config;
    config.load<caf::io::middleman>();
    caf::actor_system sys{config};
    auto pipe_ends = test::caf_pipe_ends(first, mode);
    rosia::application app{sys, fast()};
    app.create<script>("closes", [&](script&) {
      std::ranges::for_each(pipe_ends, ::close);
    });
    return app.run();
  });
  CHECK(status == 1);
  CHECK_THAT(capture.text(),
             ContainsSubstring("closed descriptors that it had not opened"));
}

TEST_CASE("6.1 code that ends its thread is an error of its node",
          "[failure]") {
  struct ending : rosia::node {
    explicit ending(std::string x) : place(std::move(x)) {
      // nop
    }

    rosia::action<void> next{this, "next"};
    rosia::reaction on_next{
      this, "on_next", {next}, [this]() -> rosia::task {
        exit_in("reaction");
        co_await rosia::after(1ms);
        exit_in("resumption");
      }};

    void start() {
      next.schedule(1ms);
      exit_in("start");
    }

    void shutdown() {
      exit_in("shutdown");
    }

    void exit_in(const char* here) {
      if (place == here)
        ::pthread_exit(nullptr);
    }

    std::string place;
  };
  auto [place, code] = GENERATE(table<const char*, const char*>(
    {{"start", "start"},
     {"reaction", "on_next"},
     {"resumption", "on_next"},
     {"shutdown", "shutdown"}}));
  CAPTURE(place);
  error_capture capture;
  CHECK(status_in_child([place = place] {
          test_system sys;
          auto opts = with_log(fast(), "error");
          opts.grace_period = 100ms;
          rosia::application app{sys, opts};
          app.create<ending>("ending", place);
          return app.run();
        })
        == 129);
  auto log = capture.text();
  CHECK_THAT(log, ContainsSubstring("ending") && ContainsSubstring(code)
                    && ContainsSubstring("the code ended its thread "
                                         "(pthread_exit, pthread_cancel)"));
}

} // namespace failure_test
