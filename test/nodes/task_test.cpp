// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Coroutines: awaiting, ending, and the destruction of locals.

#include "support.hpp"

namespace task_test {

using rosia::after;
using rosia::end_reaction;
using rosia::microsteps;
using rosia::task;

namespace {

using lines = std::vector<std::string>;

// Counts the objects that are alive and destroyed, in several nodes.
struct tally {
  std::atomic<int> alive = 0;
  std::atomic<int> died = 0;
};

class resident {
public:
  explicit resident(tally& where) : where_(&where) {
    ++where_->alive;
  }

  resident(const resident&) = delete;

  resident& operator=(const resident&) = delete;

  ~resident() {
    --where_->alive;
    ++where_->died;
  }

private:
  tally* where_;
};

struct diary : rosia::node {
  void note(const std::string& text) {
    lines.push_back(text + " at " + to_string(now()));
  }

  task_test::lines lines;
};

} // namespace

// -- one task in another ------------------------------------------------------

TEST_CASE("a task awaits another task, which runs as a part of it", "[task]") {
  struct nested : diary {
    rosia::output_port<int> out{this, "out"};
    task send(int x) {
      out(x);
      co_await after(1ms);
      note("sent " + std::to_string(x));
    }
    task send_twice(int x) {
      co_await send(x);
      co_await send(x + 1);
    }
    task nothing() {
      co_return;
    }
    task start() {
      note("start");
      co_await send_twice(1);
      co_await nothing();
      note("between");
      co_await send(3);
      note("end");
    }
  };
  rosia::test::harness<nested> h;
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h.outputs(&nested::out) == record<int>{{0s, 1}, {1ms, 2}, {2ms, 3}});
  CHECK(h->lines
        == lines{"start at 0s", "sent 1 at 1ms", "sent 2 at 2ms",
                 "between at 2ms", "sent 3 at 3ms", "end at 3ms"});
}

TEST_CASE("tasks nest deeply, and resume without growing the stack", "[task]") {
  struct deep : rosia::node {
    task down(int levels) {
      if (levels > 0)
        co_await down(levels - 1);
      else
        co_await after(1ms);
      ++left;
    }
    task start() {
      co_await down(1'000);
      for (int i = 0; i < 100'000; ++i)
        co_await immediately();
    }
    task immediately() {
      ++left;
      co_return;
    }
    int left = 0;
  };
  rosia::test::harness<deep> h;
  h.run();
  CHECK(h->left == 101'001);
}

TEST_CASE("an exception passes from a task to the one that awaits it",
          "[task]") {
  struct failing : diary {
    task fail() {
      co_await after(1ms);
      throw std::runtime_error("no signal");
    }
    task start() {
      try {
        co_await fail();
      } catch (const std::runtime_error& e) {
        note(e.what());
      }
      co_await after(1ms);
      co_await fail();
      note("never");
    }
  };
  rosia::test::harness<failing> h;
  h.run();
  CHECK(h->lines == lines{"no signal at 1ms"});
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "start");
  CHECK(h.error()->tag == at(3ms));
  CHECK(h.error()->text == "no signal");
}

TEST_CASE("a task that was never awaited never runs", "[task]") {
  struct forgetful : diary {
    task other() {
      note("other");
      co_return;
    }
    void start() {
      auto x = other();
      note("start");
    }
  };
  rosia::test::harness<forgetful> h;
  h.run();
  CHECK(h->lines == lines{"start at 0s"});
}

TEST_CASE("a finished task can be awaited", "[task]") {
  struct waiter : diary {
    task start() {
      co_await task{};
      auto moved = other();
      auto target = std::move(moved);
      co_await std::move(target);
      note("end");
    }
    task other() {
      co_await after(1ms);
    }
  };
  rosia::test::harness<waiter> h;
  h.run();
  CHECK(h->lines == lines{"end at 1ms"});
}

TEST_CASE("a reaction may return a task that another function made", "[task]") {
  struct forwarder : diary {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{
      this, "on_in", {in}, [this] { return echo("x" + std::to_string(*in)); }};
    // A parameter by value lives as long as the coroutine.
    task echo(std::string text) {
      co_await after(1ms);
      note(text);
    }
  };
  rosia::test::harness<forwarder> h;
  h.set(&forwarder::in, 0s, 1);
  h.set(&forwarder::in, 500us, 2);
  h.run();
  CHECK(h->lines == lines{"x1 at 1ms", "x2 at 1.5ms"});
}

// -- kept values --------------------------------------------------------------

TEST_CASE("a value that a coroutine keeps lives as long as the coroutine",
          "[task]") {
  struct listener : diary {
    rosia::physical_action<std::string> word{this, "word"};
    rosia::reaction on_word{
      this, "on_word", {word}, [this]() -> task {
        auto kept = word.value();
        co_await after(1ms);
        note(*kept);
        co_await after(1ms);
        note(*kept);
      }};
  };
  rosia::test::harness<listener> h;
  // Too long for the small string optimization, so that a dangling reference is
  // visible.
  auto word = std::string(100, 'x');
  h.schedule(&listener::word, 10ms, word);
  h.schedule(&listener::word, 10500us, "short");
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->lines
        == lines{word + " at 11ms", "short at 11.5ms", word + " at 12ms",
                 "short at 12.5ms"});
}

// -- ending early -------------------------------------------------------------

namespace {

struct early : diary {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction plain{this, "plain", {in}, [this] {
                          note("plain");
                          leave();
                          note("never");
                        }};
  rosia::reaction coroutine{
    this, "coroutine", {in}, [this]() -> task {
      note("coroutine");
      co_await after(1ms);
      leave();
      note("never");
    }};
  rosia::reaction nested{
    this, "nested", {in}, [this]() -> task {
      co_await inner();
      note("never");
    }};
  rosia::reaction last{this, "last", {in}, [this] { note("last"); }};
  rosia::physical_action<int> call{this, "call"};
  rosia::reaction on_call{
    this, "on_call", {call}, [this] {
      note("call");
      leave();
      note("never");
    }};
  void start() {
    note("start");
    leave();
    note("never");
  }
  void leave() {
    end_reaction();
  }
  task inner() {
    co_await after(2ms);
    note("inner");
    leave();
    note("never");
  }
};

} // namespace

TEST_CASE("3.8 a reaction may end itself early without an error", "[task]") {
  rosia::test::harness<early> h;
  h.set(&early::in, 1ms, 1);
  h.schedule(&early::call, 10ms, 1);
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h.status() == 0);
  CHECK(h->lines
        == lines{"start at 0s", "plain at 1ms", "coroutine at 1ms",
                 "last at 1ms", "inner at 3ms", "call at 10ms"});
}

TEST_CASE("a handler for errors does not catch the end of a reaction",
          "[task]") {
  struct careful : diary {
    void start() {
      try {
        end_reaction();
      } catch (const std::exception&) {
        note("never");
      }
    }
  };
  rosia::test::harness<careful> h;
  h.run();
  CHECK_FALSE(h.error());
  CHECK(h->lines.empty());
}

TEST_CASE("shutdown() may end itself early without an error", "[task]") {
  struct brief : rosia::node {
    void shutdown() {
      ++shutdowns;
      end_reaction();
    }
    int shutdowns = 0;
  };
  rosia::test::harness<brief> h;
  h.run();
  CHECK(h->shutdowns == 1);
  CHECK_FALSE(h.shutdown_error());
}

// -- locals -------------------------------------------------------------------

namespace {

struct host_of_residents : rosia::node {
  explicit host_of_residents(tally& x) : where(x) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};

  rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                          resident a{where};
                          co_await inner();
                          co_await after(1h);
                        }};

  task inner() {
    resident b{where};
    co_await after(30min);
  }

  task start() {
    resident c{where};
    for (;;)
      co_await after(10min);
  }

  void shutdown() {
    at_shutdown = where.alive;
  }

  tally& where;
  int at_shutdown = -1;
};

} // namespace

TEST_CASE(
  "the locals of a coroutine that is suspended at the end are destroyed once",
  "[task]") {
  tally where;
  {
    test_system sys{GENERATE(1u, 2u, 4u)};
    rosia::application app{sys, fast_until(80min)};
    using item = source<int>::item;
    auto from = app.create<source<int>>(
      "from", std::vector<item>{{{}, 1}, {10min, 2}, {50min, 3}, {10min, 4}});
    auto host = app.create<host_of_residents>("host", where);
    app.connect(from, &source<int>::out, host, &host_of_residents::in);
    CHECK(app.run() == 0);
    // shutdown() runs before: start, four `on_in`, and `inner` of two.
    CHECK(host->at_shutdown == 7);
    CHECK(where.alive == 0);
    CHECK(where.died == 9);
  }
  CHECK(where.alive == 0);
  CHECK(where.died == 9);
}

TEST_CASE("locals are destroyed after an abort", "[task]") {
  tally where;
  {
    test_system sys;
    auto opts = fast();
    opts.log_level = "off";
    rosia::application app{sys, opts};
    struct failing : host_of_residents {
      using host_of_residents::host_of_residents;
      task start() {
        resident c{where};
        co_await inner();
        throw std::runtime_error("over");
      }
    };
    auto from = app.create<source<int>>("from", one_seven);
    auto host = app.create<failing>("host", where);
    auto other = app.create<host_of_residents>("other", where);
    app.connect(from, &source<int>::out, host, &failing::in);
    app.connect(from, &source<int>::out, other, &failing::in);
    CHECK(app.run() == 1);
    CHECK(where.alive == 0);
  }
  CHECK(where.alive == 0);
}

TEST_CASE("locals are destroyed when a coroutine ends in any way", "[task]") {
  struct guest : rosia::node {
    explicit guest(tally& x) : where(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                            resident a{where};
                            co_await after(1ms);
                            if (*in == 1)
                              co_return;
                            resident b{where};
                            if (*in == 2)
                              end_reaction();
                            throw std::runtime_error("3");
                          }};
    tally& where;
  };
  tally where;
  rosia::test::harness<guest> h{where};
  h.set(&guest::in, 0s, 1);
  h.set(&guest::in, 10ms, 2);
  h.run_until(5ms);
  CHECK(where.alive == 0);
  CHECK(where.died == 1);
  h.run_until(15ms);
  CHECK(where.alive == 0);
  CHECK(where.died == 3);
  h.set(&guest::in, 20ms, 3);
  h.run();
  CHECK(h.error());
  CHECK(where.alive == 0);
  CHECK(where.died == 5);
}

TEST_CASE("locals of an application that never runs are not constructed",
          "[task]") {
  tally where;
  test_system sys;
  {
    rosia::application app{sys, fast()};
    app.create<host_of_residents>("host", where);
  }
  CHECK(where.died == 0);
}

} // namespace task_test
