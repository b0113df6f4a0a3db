// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/test/harness.hpp"

#include "support.hpp"

namespace harness_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;
using rosia::test::harness;
using rosia::test::shutdown_request;

namespace {

struct counter : rosia::node {
  explicit counter(int x) : limit(x) {
    // nop
  }

  rosia::input_port<logical_time> tick{this, "tick"};
  rosia::output_port<int> output{this, "output"};

  rosia::reaction on_tick{
    this, "on_tick", {tick}, [this] {
      output(count++);
      if (count == limit)
        request_shutdown();
    }};

  void shutdown() {
    ++shutdowns;
  }

  int limit;
  int count = 0;
  int shutdowns = 0;
};

struct adder : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::physical_action<int> extra{this, "extra"};
  rosia::output_port<int> sum{this, "sum"};
  rosia::output_port<std::string> text{this, "text"};

  rosia::reaction on_in{this, "on_in", {in, extra}, [this] {
                          auto x = 0;
                          for (auto y : in.all())
                            x += y;
                          for (auto y : extra.all())
                            x += y;
                          sum(x);
                          text(std::to_string(x));
                        }};
};

} // namespace

// -- ordinary use -------------------------------------------------------------

TEST_CASE("a harness feeds a node, and returns its output with the tags",
          "[harness]") {
  harness<counter> h{100};
  CHECK_FALSE(h.started());
  h.set(&counter::tick, 10ms, logical_time{});
  h.set(&counter::tick, 20ms, logical_time{});
  h.run();
  CHECK(h.outputs(&counter::output) == record<int>{{10ms, 0}, {20ms, 1}});
  CHECK(h.values(&counter::output) == std::vector{0, 1});
  CHECK(h.started());
  CHECK(h.ended());
  CHECK(h.now() == at(20ms));
  CHECK(h.elapsed() == 20ms);
  CHECK(h.status() == 0);
  CHECK_FALSE(h.error());
  CHECK_FALSE(h.shutdown_error());
  CHECK_FALSE(h.requested_shutdown());
  CHECK(h.dropped() == 0);
  CHECK(h.log().empty());
  CHECK(h->shutdowns == 1);
  CHECK((*h).name() == "node");
}

TEST_CASE("values may be set in any order, at tags with microsteps",
          "[harness]") {
  harness<adder> h;
  h.set(&adder::in, 20ms, 3);
  h.set(&adder::in, at(10ms, 7), 2);
  h.set(&adder::in, 0s, 1);
  h.run();
  CHECK(h.outputs(&adder::sum)
        == record<int>{{0s, 1}, {at(10ms, 7), 2}, {20ms, 3}});
  CHECK(h.values(&adder::text) == std::vector<std::string>{"1", "2", "3"});
}

TEST_CASE("an input gets several values at one tag, as from several "
          "connections",
          "[harness]") {
  struct collector : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            auto all = in.all();
                            got.emplace_back(all.begin(), all.end());
                          }};
    std::vector<std::vector<int>> got;
  };
  harness<collector> h;
  for (auto x : {3, 1, 2})
    h.set(&collector::in, 5ms, x);
  h.set(&collector::in, 2ms, 9);
  for (int i = 0; i < 8; ++i)
    h.set(&collector::in, 8ms, i);
  CHECK(error_of<std::logic_error>([&] { h.set(&collector::in, 8ms, 8); })
        == "input 'in' cannot be set at tag 8ms: it has eight values at this "
           "tag already, which is the limit");
  h.run();
  CHECK(
    h->got
    == std::vector<std::vector<int>>{{9}, {3, 1, 2}, {0, 1, 2, 3, 4, 5, 6, 7}});
}

TEST_CASE("a harness runs up to a tag, and more may be set then", "[harness]") {
  harness<adder> h;
  h.set(&adder::in, 1ms, 1);
  h.set(&adder::in, 5ms, 5);
  h.run_until(1ms);
  CHECK(h.values(&adder::sum) == std::vector{1});
  CHECK(h.elapsed() == 1ms);
  CHECK_FALSE(h.ended());
  h.set(&adder::in, 3ms, 3);
  h.run_until(at(5ms, 0));
  CHECK(h.values(&adder::sum) == std::vector{1, 3, 5});
  h.set(&adder::in, at(5ms, 1), 6);
  h.run_until(5ms);
  CHECK(h.values(&adder::sum) == std::vector{1, 3, 5});
  h.run();
  CHECK(h.values(&adder::sum) == std::vector{1, 3, 5, 6});
  CHECK(h.ended());
}

TEST_CASE("a node without an end runs up to a tag", "[harness]") {
  harness<rosia::timer> h{1ms};
  h.run_until(10ms);
  CHECK(h.values(&rosia::timer::output).size() == 11);
  CHECK(h.elapsed() == 10ms);
  h.run_until(20ms);
  CHECK(h.values(&rosia::timer::output).size() == 21);
  CHECK_FALSE(h.ended());
}

TEST_CASE("a node without an end does not hang the test", "[harness]") {
  struct endless : rosia::node {
    task start() {
      for (;;)
        co_await after(1ns);
    }
  };
  harness<endless> h;
  CHECK_THAT(
    error_of<std::runtime_error>([&] { h.run(); }),
    ContainsSubstring(
      "the node executed a million tags, up to "
      "1ms, and has not ended; run_until(...) runs a "
      "part"));
  harness<endless> part;
  part.run_until(1500us);
  CHECK(part.now() == logical_time{1'500'000, 0});
}

TEST_CASE("a node whose logical time stands still does not hang the test",
          "[harness]") {
  struct still : rosia::node {
    task start() {
      for (;;)
        co_await after(rosia::microsteps(1));
    }
  };
  harness<still> h;
  CHECK_THAT(error_of<std::runtime_error>([&] { h.run_until(1ms); }),
             ContainsSubstring("up to 0s+1000000, and its logical time stands "
                               "still"));
}

TEST_CASE("a node that only starts", "[harness]") {
  harness<script> h{[](script& self) { self.out(5); }};
  h.run();
  CHECK(h.outputs(&script::out) == record<int>{{0s, 5}});
  CHECK(h->shutdowns == 1);
}

TEST_CASE("a coroutine yields", "[harness]") {
  harness<source<int>> h{
    std::vector<source<int>::item>{{{}, 1}, {1h, 2}, {microsteps(1), 3}}};
  h.run();
  CHECK(h.outputs(&source<int>::out)
        == record<int>{{0s, 1}, {1h, 2}, {at(1h, 1), 3}});
  CHECK(h.elapsed() == 1h);
}

TEST_CASE("more values than any queue holds", "[harness]") {
  struct flood : rosia::node {
    rosia::output_port<int> out{this, "out"};
    task start() {
      for (int i = 0; i < 5'000; ++i) {
        out(i);
        co_await after(1us);
      }
    }
  };
  harness<flood> h;
  h.run();
  CHECK(h.values(&flood::out).size() == 5'000);
}

// -- the end ------------------------------------------------------------------

TEST_CASE("a request leads to the final tag", "[harness]") {
  harness<counter> h{2};
  for (int i = 1; i <= 5; ++i)
    h.set(&counter::tick, 10ms * i, logical_time{});
  h.run();
  CHECK(h.outputs(&counter::output) == record<int>{{10ms, 0}, {20ms, 1}});
  CHECK(h.requested_shutdown() == shutdown_request{at(20ms), 0});
  CHECK(h.ended());
  CHECK(h->shutdowns == 1);
}

TEST_CASE("a request for a later tag lets the node continue until then",
          "[harness]") {
  struct planner : rosia::node {
    rosia::output_port<int> out{this, "out"};
    task start() {
      request_shutdown(after(3ms), 4);
      request_shutdown(after(5ms), 5);
      for (int i = 0;; ++i) {
        out(i);
        co_await after(1ms);
      }
    }
  };
  harness<planner> h;
  h.run();
  CHECK(h.outputs(&planner::out)
        == record<int>{{0s, 0}, {1ms, 1}, {2ms, 2}, {3ms, 3}});
  CHECK(h.requested_shutdown() == shutdown_request{at(3ms), 4});
  CHECK(h.status() == 4);
}

TEST_CASE("an error ends the node, and the harness reports it", "[harness]") {
  struct failing : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            if (*in == 2)
                              throw std::runtime_error("two");
                          }};
    void shutdown() {
      throw std::runtime_error("and down");
    }
  };
  harness<failing> h;
  for (auto x : {1, 2, 3})
    h.set(&failing::in, 1ms * x, x);
  h.run();
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "on_in");
  CHECK(h.error()->tag == at(2ms));
  CHECK(h.error()->text == "two");
  CHECK(h.status() == 1);
  CHECK(h.ended());
  CHECK(h.now() == at(2ms));
  REQUIRE(h.shutdown_error());
  CHECK(h.shutdown_error()->text == "and down");
}

TEST_CASE("an error in start()", "[harness]") {
  harness<script> h{[](script&) { throw std::runtime_error("no"); }};
  h.run_until(0s);
  REQUIRE(h.error());
  CHECK(h.error()->reaction == "start");
  CHECK(h.ended());
  h.run();
  CHECK(h->shutdowns == 1);
}

TEST_CASE("running a node that ended has no effect", "[harness]") {
  harness<counter> h{1};
  h.set(&counter::tick, 1ms, logical_time{});
  h.run();
  h.run();
  h.run_until(rosia::forever);
  CHECK(h->shutdowns == 1);
  CHECK(h.values(&counter::output).size() == 1);
}

// -- values from outside ------------------------------------------------------

namespace {

struct mixer : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::physical_action<int> call{this, "call"};
  rosia::reaction on_call{this, "on_call", {call}, [this] { out(*call); }};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in); }};
};

} // namespace

TEST_CASE(
  "physical actions are scheduled at physical times, in the order of time with "
  "tags",
  "[harness]") {
  harness<mixer> h;
  h.set(&mixer::in, 10ms, 1);
  h.set(&mixer::in, 30ms, 3);
  h.schedule(&mixer::call, 20ms, 2);
  h.schedule(&mixer::call, 40ms, 4);
  h.schedule(&mixer::call, 40ms, 5);
  h.run();
  CHECK(h.outputs(&mixer::out)
        == record<int>{
          {10ms, 1}, {20ms, 2}, {30ms, 3}, {40ms, 4}, {at(40ms, 1), 5}});
  CHECK(h.ended());
}

namespace {

struct collector : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::physical_action<int> call{this, "call"};
  rosia::reaction on_call{this, "on_call", {call}, [this] { add(*call); }};
  rosia::reaction on_in{this, "on_in", {in}, [this] { add(*in); }};
  void add(int x) {
    got.emplace_back(now(), x);
  }
  record<int> got;
};

} // namespace

TEST_CASE("a call at the exact nanosecond of a tag is a part of it",
          "[harness]") {
  harness<collector> h;
  h.set(&collector::in, 30ms, 1);
  h.schedule(&collector::call, 30ms, 2);
  h.schedule(&collector::call, 30ms, 3);
  h.run();
  // Reactions run in the order of declaration.
  CHECK(h->got == record<int>{{30ms, 2}, {30ms, 1}, {at(30ms, 1), 3}});
}

TEST_CASE("physical actions are scheduled between runs, now", "[harness]") {
  harness<doorbell> h;
  CHECK(h.schedule(&doorbell::ring, 1));
  h.run_until(10ms);
  CHECK(h->ring.schedule(2));
  h.run_until(20ms);
  CHECK(h.schedule(&doorbell::ring, 3));
  h.schedule(&doorbell::ring, 5ms, 4); // in the past: called at once
  h.run();
  CHECK(h->got
        == record<int>{{at(0s, 1), 1}, {10ms, 2}, {20ms, 3}, {at(20ms, 1), 4}});
  CHECK(h->shutdowns == 1);
  // Now the node has left.
  CHECK_FALSE(h.schedule(&doorbell::ring, 5));
  CHECK(h.dropped() == 1);
}

TEST_CASE("a call beyond the end of a run waits for the next", "[harness]") {
  harness<doorbell> h;
  h.schedule(&doorbell::ring, 20ms, 1);
  h.run_until(10ms);
  CHECK(h->got.empty());
  CHECK(h.elapsed() == 10ms);
  h.run_until(20ms);
  CHECK(h->got == record<int>{{20ms, 1}});
}

TEST_CASE("a physical action that requests the end", "[harness]") {
  harness<doorbell> h;
  h.schedule(&doorbell::ring, 10ms, 1);
  h.schedule(&doorbell::ring, 20ms, -1);
  h.schedule(&doorbell::ring, 30ms, 3);
  h.run();
  CHECK(h->got == record<int>{{10ms, 1}, {20ms, -1}});
  CHECK(h.requested_shutdown() == shutdown_request{at(20ms), 0});
}

TEST_CASE("a reaction may have an input and a physical action as triggers",
          "[harness]") {
  harness<adder> h;
  h.schedule(&adder::extra, 5ms, 7);
  CHECK(h.schedule(&adder::extra, 1));
  h.set(&adder::in, 5ms, 10);
  h.run();
  CHECK(h.outputs(&adder::sum) == record<int>{{at(0s, 1), 1}, {5ms, 17}});
}

TEST_CASE("a node that is not real-time runs ahead of the clock", "[harness]") {
  struct runner : rosia::node {
    runner() {
      realtime(false);
    }
    rosia::output_port<int> out{this, "out"};
    rosia::physical_action<int> call{this, "call"};
    rosia::reaction on_call{this, "on_call", {call}, [this] { out(*call); }};
    task start() {
      co_await after(1h);
      out(1);
    }
  };
  harness<runner> h;
  h.schedule(&runner::call, 10ms, 2);
  h.run();
  CHECK(h.outputs(&runner::out) == record<int>{{1h, 1}, {at(1h, 1), 2}});
  CHECK(h.elapsed() == 10ms);
}

TEST_CASE("dropped values are counted", "[harness]") {
  harness<doorbell> h;
  for (int i = 0; i < 1'030; ++i)
    h.schedule(&doorbell::ring, i);
  h.run();
  CHECK(h->got.size() == 1'024);
  CHECK(h.dropped() == 6);
}

// -- the log ------------------------------------------------------------------

TEST_CASE("the node's log messages are kept", "[harness]") {
  struct talker : rosia::node {
    void start() {
      log().trace("very quiet");
      log().info("{} at {}", name(), to_string(now()));
    }
    void shutdown() {
      log().warn("bye");
    }
  };
  harness<talker> h;
  h.run();
  CHECK(h.log()
        == std::vector<std::string>{
          "trace: very quiet", "info: node at 0s", "warning: bye"});
}

// -- mistakes -----------------------------------------------------------------

TEST_CASE("a past tag, or none of a node, cannot be set", "[harness]") {
  harness<adder> h;
  auto error = [&](rosia::test::moment when) {
    return error_of<std::logic_error>([&] { h.set(&adder::in, when, 1); });
  };
  CHECK(error(-1ms)
        == "input 'in' cannot be set at tag -1ms: a node's tags start at 0s, "
           "and forever never comes");
  CHECK_THAT(error(rosia::forever), ContainsSubstring("forever never comes"));
  CHECK_THAT(error(rosia::never), ContainsSubstring("tags start at 0s"));
  h.run_until(5ms);
  CHECK(error(5ms)
        == "input 'in' cannot be set at tag 5ms: a run left that tag "
           "behind");
  CHECK(error_of<std::logic_error>([&] { h.run_until(4ms); })
        == "run_until(4ms) after a run up to 5ms");
  h.run();
  CHECK(error(10ms) == "input 'in' cannot be set at tag 10ms: the node ended");
}

TEST_CASE("the harness also finds a mistake in a node", "[harness]") {
  struct bad : rosia::node {
    rosia::input_port<int> x{this, "x"};
    rosia::input_port<int> y{this, "x"};
  };
  CHECK_THROWS_AS(harness<bad>{}, rosia::graph_error);
}

TEST_CASE("a value with its tag is printed", "[harness]") {
  std::ostringstream out;
  out << sent<int>{5ms, 7};
  CHECK(out.str() == "7 at 5ms");
}

} // namespace harness_test
