// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Applications: several at once, small and large ones, their log, and shared
// values.

#include "support.hpp"

#include <cstdint>

namespace application_test {

using rosia::after;
using rosia::microsteps;
using rosia::task;

namespace {

// Runs a small application, and returns its output.
record<int> run_chain(caf::actor_system& sys, int length, int first) {
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{{{}, first}, {1ms, first + 1}});
  app.create<relay<int>>("r0");
  app.connect(
    from, &source<int>::out, app.create<relay<int>>("r1"), &relay<int>::in);
  for (int i = 2; i < length; ++i) {
    app.create<relay<int>>("r" + std::to_string(i));
    app.connect("r" + std::to_string(i - 1) + ".out",
                "r" + std::to_string(i) + ".in", 1ms);
  }
  auto to = app.create<recorder<int>>("to");
  app.connect("r" + std::to_string(length - 1) + ".out", "to.in");
  return app.run() == 0 ? to->got : record<int>{};
}

record<int> chain_result(int length, int first) {
  return {{1ms * (length - 2), first}, {1ms * (length - 1), first + 1}};
}

} // namespace

TEST_CASE("an application without a call of run() causes a warning",
          "[application]") {
  error_capture capture;
  test_system sys;
  const std::string warning
    = "run() was never called: an application is destroyed whose 1 node has "
      "not run";
  SECTION("if it has nodes") {
    {
      rosia::application app{sys};
      app.create<relay<int>>("relay");
    }
    CHECK_THAT(capture.text(), ContainsSubstring(warning));
  }
  SECTION("not without nodes") {
    { rosia::application app{sys}; }
    CHECK_THAT(capture.text(), !ContainsSubstring("never called"));
  }
  SECTION("not after run()") {
    {
      rosia::application app{sys, fast()};
      app.create<relay<int>>("relay");
      CHECK(app.run() == 0);
    }
    CHECK_THAT(capture.text(), !ContainsSubstring("never called"));
  }
  SECTION("not after a run() that refused the graph") {
    {
      rosia::application app{sys, fast()};
      app.create<relay<int>>("relay");
      app.connect("relay.out", "nobody.in");
      CHECK_THROWS_AS(app.run(), rosia::graph_error);
    }
    CHECK_THAT(capture.text(), !ContainsSubstring("never called"));
  }
  SECTION("not if an exception passes") {
    try {
      rosia::application app{sys};
      app.create<relay<int>>("relay");
      app.create<relay<int>>("relay");
    } catch (const rosia::graph_error&) {
      // nop
    }
    CHECK_THAT(capture.text(), !ContainsSubstring("never called"));
  }
  SECTION("not if its end was requested") {
    {
      rosia::application app{sys};
      app.create<relay<int>>("relay");
      app.request_shutdown();
    }
    CHECK_THAT(capture.text(), !ContainsSubstring("never called"));
  }
}

TEST_CASE("one actor system runs one application after the other",
          "[application]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  for (int i = 0; i < 30; ++i)
    REQUIRE(run_chain(sys, 4, i) == chain_result(4, i));
}

TEST_CASE("one actor system runs several applications at once",
          "[application]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 20; ++i)
        if (run_chain(sys, 3 + t, 100 * t + i)
            == chain_result(3 + t, 100 * t + i))
          ++good;
    });
  for (auto& x : threads)
    x.join();
  CHECK(good == 80);
}

TEST_CASE("applications on several actor systems run at once",
          "[application]") {
  std::atomic<int> good = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 10; ++i) {
        test_system sys{1};
        if (run_chain(sys, 4, i) == chain_result(4, i))
          ++good;
      }
    });
  for (auto& x : threads)
    x.join();
  CHECK(good == 30);
}

TEST_CASE("the error of one application does not affect another",
          "[application]") {
  error_capture capture;
  test_system sys;
  rosia::application failing{sys, fast()};
  failing.create<script>("x", [](script&) { throw std::runtime_error("x"); });
  rosia::application waiting{sys, real_time()};
  auto bell = waiting.create<doorbell>("bell");
  auto& ring = bell->ring;
  auto status = -1;
  std::thread other{[&] { status = waiting.run(); }};
  CHECK(failing.run() == 1);
  ring.schedule(1);
  ring.schedule(-1);
  other.join();
  CHECK(status == 0);
  CHECK(bell->got.size() == 2);
}

TEST_CASE("an application feeds another by a physical action",
          "[application]") {
  struct bridge : rosia::node {
    explicit bridge(rosia::physical_action<int>& x) : over(x) {
      // nop
    }
    rosia::input_port<int> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this] { over.schedule(*in); }};
    rosia::physical_action<int>& over;
  };
  test_system sys{GENERATE(1u, 2u)};
  rosia::application second{sys, fast()};
  auto bell = second.create<doorbell>("bell");
  std::thread other{[&] { second.run(); }};
  {
    rosia::application first{sys, fast()};
    auto from = first.create<source<int>>(
      "from", std::vector<source<int>::item>{{{}, 1}, {1ms, 2}, {1ms, -1}});
    auto to = first.create<bridge>("to", bell->ring);
    first.connect(from, &source<int>::out, to, &bridge::in);
    CHECK(first.run() == 0);
  }
  other.join();
  CHECK(bell->got.size() == 3);
}

TEST_CASE("an application of thousands of nodes: a chain", "[application]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  constexpr int length = 5'000;
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{{{}, 1}, {1ms, 2}, {1ms, 3}});
  auto last = app.create<relay<int>>("r0");
  app.connect(from, &source<int>::out, last, &relay<int>::in);
  for (int i = 1; i < length; ++i) {
    auto next = app.create<relay<int>>("r" + std::to_string(i));
    app.connect(last, &relay<int>::out, next, &relay<int>::in);
    last = next;
  }
  auto to = app.create<recorder<int>>("to");
  app.connect(last, &relay<int>::out, to, &recorder<int>::in);
  CHECK(app.size() == length + 2);
  CHECK(app.run() == 0);
  CHECK(to->got == record<int>{{0s, 1}, {1ms, 2}, {2ms, 3}});
  CHECK(last->shutdowns == 1);
}

TEST_CASE("an application of thousands of nodes: a fan-out, and a fan-in",
          "[application]") {
  test_system sys{GENERATE(1u, 2u, 4u)};
  constexpr int width = 3'000;
  rosia::application app{sys, fast()};
  auto from = app.create<source<int>>(
    "from", std::vector<source<int>::item>{{{}, 1}, {1ms, 2}});
  auto to = app.create<recorder<int>>("to");
  for (int i = 0; i < width; ++i) {
    auto middle = app.create<relay<int>>("r" + std::to_string(i));
    app.connect(from, &source<int>::out, middle, &relay<int>::in);
    app.connect(middle, &relay<int>::out, to, &recorder<int>::in);
  }
  CHECK(app.run() == 0);
  REQUIRE(to->got.size() == 2 * width);
  for (std::size_t i = 0; i < width; ++i) {
    REQUIRE(to->got[i] == sent<int>{0s, 1});
    REQUIRE(to->got[width + i] == sent<int>{1ms, 2});
  }
}

TEST_CASE("an application of thousands of nodes: a loop", "[application]") {
  test_system sys{GENERATE(1u, 2u)};
  constexpr int length = 2'000;
  struct head : rosia::node {
    rosia::input_port<int> in{this, "in"};
    rosia::output_port<int> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                            last = *in;
                            co_await after(1s);
                            if (*in < 3)
                              out(*in + 1);
                          }};
    void start() {
      out(0);
    }
    int last = -1;
  };
  rosia::application app{sys, fast()};
  auto first = app.create<head>("head");
  auto last = app.create<relay<int>>("r0");
  app.connect(first, &head::out, last, &relay<int>::in);
  for (int i = 1; i < length; ++i) {
    auto next = app.create<relay<int>>("r" + std::to_string(i));
    app.connect(last, &relay<int>::out, next, &relay<int>::in);
    last = next;
  }
  app.connect(last, &relay<int>::out, first, &head::in, microsteps(1));
  CHECK(app.run() == 0);
  CHECK(first->last == 3);
}

TEST_CASE("thousands of nodes end by request, and after an error",
          "[application]") {
  auto failing = GENERATE(false, true);
  error_capture capture;
  test_system sys{GENERATE(1u, 2u)};
  rosia::application app{sys, fast()};
  std::vector<rosia::node_ref<doorbell>> bells;
  for (int i = 0; i < 3'000; ++i)
    bells.push_back(app.create<doorbell>("n" + std::to_string(i)));
  app.create<script>("x", [=](script& self) {
    if (failing)
      throw std::runtime_error("x");
    self.request_shutdown(rosia::delay{}, 3);
  });
  CHECK(app.run() == (failing ? 1 : 3));
  for (auto& x : bells)
    REQUIRE(x->shutdowns == 1);
}

// -- values -------------------------------------------------------------------

TEST_CASE("a value is shared, never copied: 100 MiB through ten nodes",
          "[application]") {
  constexpr std::size_t size = 100u << 20;
  using block = std::vector<std::uint8_t>;
  struct producer : rosia::node {
    rosia::output_port<block> out{this, "out"};
    void start() {
      block x(size, 7);
      address = x.data();
      out(std::move(x));
    }
    const void* address = nullptr;
  };
  struct forwarder : rosia::node {
    rosia::input_port<block> in{this, "in"};
    rosia::output_port<block> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            address = in->data();
                            bytes = in->size();
                            out(in);
                          }};
    const void* address = nullptr;
    std::size_t bytes = 0;
  };
  test_system sys{GENERATE(1u, 2u)};
  rosia::application app{sys, fast()};
  auto from = app.create<producer>("from");
  std::vector<rosia::node_ref<forwarder>> nodes;
  for (int i = 0; i < 10; ++i) {
    nodes.push_back(app.create<forwarder>("n" + std::to_string(i)));
    if (i == 0)
      app.connect(from, &producer::out, nodes[0], &forwarder::in);
    else
      app.connect(nodes[static_cast<std::size_t>(i) - 1], &forwarder::out,
                  nodes.back(), &forwarder::in, 1ms);
  }
  // Also to a second receiver, and over a physical connection.
  auto side = app.create<forwarder>("side");
  auto far = app.create<forwarder>("far");
  app.connect(nodes[4], &forwarder::out, side, &forwarder::in);
  app.connect(nodes[9], &forwarder::out, far, &forwarder::in, rosia::physical);
  CHECK(app.run() == 0);
  nodes.push_back(side);
  nodes.push_back(far);
  for (auto& x : nodes) {
    CHECK(x->bytes == size);
    CHECK(x->address == from->address);
  }
}

TEST_CASE("a shared value is kept, and sent by several nodes",
          "[application]") {
  using block = std::vector<int>;
  struct keeper : rosia::node {
    rosia::input_port<block> in{this, "in"};
    rosia::output_port<block> out{this, "out"};
    rosia::reaction on_in{this, "on_in", {in}, [this]() -> task {
                            auto kept = in.value();
                            address = kept->data();
                            co_await after(5ms);
                            out(kept, rosia::output_promise(1ms));
                            co_await after(1ms);
                            out(in, rosia::output_promise(1ms));
                          }};
    const void* address = nullptr;
  };
  struct producer : rosia::node {
    rosia::output_port<block> out{this, "out"};
    rosia::output_port<block> twin{this, "twin"};
    task start() {
      rosia::shared_value<block> x{block{1, 2, 3}};
      address = x->data();
      out(x);
      twin(x);
      co_await after(10ms);
      out(x, rosia::output_promise(1h));
    }
    const void* address = nullptr;
  };
  struct reader : rosia::node {
    rosia::input_port<block> in{this, "in"};
    rosia::reaction on_in{this, "on_in", {in}, [this] {
                            addresses.push_back(in->data());
                            tags.push_back(now());
                          }};
    std::vector<const void*> addresses;
    std::vector<logical_time> tags;
  };
  test_system sys;
  rosia::application app{sys, fast()};
  auto from = app.create<producer>("from");
  auto keep = app.create<keeper>("keep");
  auto read = app.create<reader>("read");
  app.connect(from, &producer::out, keep, &keeper::in);
  app.connect(from, &producer::twin, read, &reader::in);
  app.connect(keep, &keeper::out, read, &reader::in);
  CHECK(app.run() == 0);
  CHECK(keep->address == from->address);
  CHECK(read->tags.size() == 5);
  for (auto x : read->addresses)
    CHECK(x == from->address);
}

TEST_CASE("values are destroyed when they are no longer needed",
          "[application]") {
  static std::atomic<int> alive = 0;
  struct counted {
    counted() {
      ++alive;
    }
    counted(const counted&) {
      ++alive;
    }
    counted(counted&&) noexcept {
      ++alive;
    }
    counted& operator=(const counted&) = default;
    counted& operator=(counted&&) noexcept = default;
    ~counted() {
      --alive;
    }
  };
  struct bell : rosia::node {
    rosia::physical_action<counted> ring{this, "ring"};
  };
  alive = 0;
  auto ending = GENERATE(0, 1, 2);
  error_capture capture;
  {
    test_system sys;
    auto opts = fast();
    if (ending > 0)
      opts.stop_after = at(50ms);
    rosia::application app{sys, opts};
    auto from = app.create<source<counted>>(
      "from", std::vector<source<counted>::item>(
                100, source<counted>::item{1ms, counted{}}));
    auto middle = app.create<relay<counted>>("middle");
    auto to = app.create<relay<counted>>("to");
    auto ring = app.create<bell>("ring");
    app.connect(from, &source<counted>::out, middle, &relay<counted>::in);
    app.connect(middle, &relay<counted>::out, to, &relay<counted>::in, 30ms);
    for (int i = 0; i < 10; ++i)
      ring->ring.schedule(counted{});
    if (ending == 2)
      app.create<script>("x", [](script&) { throw std::runtime_error("x"); });
    if (ending == 0)
      app.create<script>("x", [](script& self) {
        self.request_shutdown(200ms);
      });
    CHECK(app.run() == (ending == 2 ? 1 : 0));
  }
  CHECK(alive == 0);
}

// -- the log ------------------------------------------------------------------

TEST_CASE("a node's log lines have its name, and obey the level",
          "[application]") {
  auto level = GENERATE("info", "warning", "off");
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, with_log(fast(), level)};
    struct talker : rosia::node {
      void start() {
        log().debug("not seen");
        log().info("started {} at {}", name(), to_string(now()));
        log().warn("careful");
      }
      void shutdown() {
        log().info("bye");
      }
    };
    app.create<talker>("plant");
    CHECK(app.run() == 0);
  }
  auto log = capture.text();
  auto info = std::string{level} == "info";
  auto off = std::string{level} == "off";
  CHECK(count_of(log, "info     plant: started plant at 0s\n") == info);
  CHECK(count_of(log, "warning  plant: careful\n") == !off);
  CHECK(count_of(log, "info     plant: bye\n") == info);
  CHECK(count_of(log, "not seen") == 0);
}

TEST_CASE("a node's log stays usable after the run", "[application]") {
  error_capture capture;
  {
    test_system sys;
    rosia::application app{sys, with_log(fast())};
    struct talker : rosia::node {
      void start() {
        log().info("one");
      }
    };
    auto node = app.create<talker>("plant");
    CHECK(app.run() == 0);
    node->log().info("two");
  }
  CHECK_THAT(
    capture.text(),
    ContainsSubstring("plant: one") && ContainsSubstring("plant: two"));
}

} // namespace application_test
