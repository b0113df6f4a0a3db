// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Nodes as actors: beside other actors, with unexpected messages, and on a
// shared worker.

#include "caf/rosia/all.hpp"
#include "caf/rosia/detail/compat.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "compat/bytes.hpp"
#include "engine/tracer.hpp"
#include "observing.hpp"
#include "runtime/messages.hpp"

#include <caf/actor_registry.hpp>
#include <caf/all.hpp>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

namespace node_actor_test {

namespace {

struct test_config : rosia::config {
  explicit test_config(std::size_t workers) {
    test::set_caf_option(*this, "scheduler.max-threads", workers);
  }
};

rosia::options quiet() {
  rosia::options result;
  result.realtime = false;
  result.timeout = 10min;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "off";
  return result;
}

// Always has events, until it is stopped.
struct runner : rosia::node {
  rosia::physical_action<int> stop{this, "stop"};
  rosia::reaction on_stop{
    this, "on_stop", {stop}, [this] { request_shutdown({}, *stop); }};

  rosia::task start() {
    started = true;
    for (;;) {
      ++tags;
      co_await rosia::after(1us);
    }
  }

  std::atomic<bool> started = false;
  std::atomic<int> tags = 0;
};

// Has no events until it is called.
struct sleeper : rosia::node {
  explicit sleeper(std::function<void(sleeper&)> fun)
    : on_start(std::move(fun)) {
    // nop
  }

  rosia::physical_action<int> stop{this, "stop"};
  rosia::reaction on_stop{
    this, "on_stop", {stop}, [this] { request_shutdown({}, *stop); }};

  void start() {
    if (on_start)
      on_start(*this);
    started = true;
  }

  std::function<void(sleeper&)> on_start;
  std::atomic<bool> started = false;
};

// Answers with the sum.
caf::behavior adder(caf::event_based_actor*, int summand) {
  return {[=](int x) { return x + summand; }};
}

// Sends itself one message after the other.
caf::behavior flooder(caf::event_based_actor* self, int first) {
  self->send(self, first);
  return {[=](int x) { self->send(self, x); }};
}

// Runs `app` in a thread, and `fun` in this one once `node` has started.
template <class Node, class Fun>
int run_with(rosia::application& app, Node& node, Fun&& fun) {
  auto status = -1;
  std::thread runs{[&] { status = app.run(); }};
  if (eventually([&] { return node.started.load(); }))
    fun();
  runs.join();
  return status;
}

template <class T>
T copy_by_bytes(const T& x) {
  std::vector<char> buffer;
  rosia::detail::byte_writer sink{buffer};
  REQUIRE_FALSE(rosia::detail::save_content(sink, x));
  T result{};
  rosia::detail::byte_reader from{buffer};
  REQUIRE_FALSE(rosia::detail::load_content(from, result));
  CHECK(from.remaining() == 0);
  return result;
}

} // namespace

// -- beside other actors ------------------------------------------------------

TEST_CASE("a node that is never idle leaves its worker to other actors",
          "[node_actor]") {
  test_config cfg{1};
  caf::actor_system sys{cfg};
  rosia::application app{sys, quiet()};
  auto node = app.create<runner>("runner");
  auto answered = 0;
  auto status = run_with(app, *node, [&] {
    caf::scoped_actor self{sys};
    auto actor = self->spawn(adder, 1);
    for (int i = 0; i < 20; ++i)
      self->request(actor, caf::infinite, i)
        .receive(
          [&](int x) { answered += x == i + 1; }, [](const caf::error&) {});
    self->send_exit(actor, caf::exit_reason::user_shutdown);
    node->stop.schedule(3);
  });
  CHECK(status == 3);
  CHECK(answered == 20);
}

TEST_CASE("an actor that floods itself leaves its worker to nodes",
          "[node_actor]") {
  test_config cfg{1};
  caf::actor_system sys{cfg};
  auto flood = sys.spawn(flooder, 1);
  rosia::application app{sys, quiet()};
  auto node = app.create<runner>("runner");
  auto status = run_with(app, *node, [&] {
    CHECK(eventually([&] { return node->tags > 10'000; }));
    node->stop.schedule(4);
  });
  CHECK(status == 4);
  caf::anon_send_exit(flood, caf::exit_reason::kill);
  flood = nullptr;
}

TEST_CASE("4.7 nodes that are never idle share one worker", "[node_actor]") {
  test_config cfg{1};
  caf::actor_system sys{cfg};
  rosia::application app{sys, quiet()};
  std::vector<rosia::node_ref<runner>> nodes;
  for (int i = 0; i < 5; ++i)
    nodes.push_back(app.create<runner>("runner" + std::to_string(i)));
  auto status = run_with(app, *nodes[4], [&] {
    for (auto& x : nodes)
      CHECK(eventually([&] { return x->tags > 5'000; }));
    nodes[2]->stop.schedule(5);
  });
  CHECK(status == 5);
}

// -- messages -----------------------------------------------------------------

TEST_CASE("unexpected messages have no effect", "[node_actor]") {
  test_config cfg{GENERATE(1u, 2u)};
  caf::actor_system sys{cfg};
  rosia::application app{sys, quiet()};
  auto node = app.create<sleeper>("node", nullptr);
  auto status = run_with(app, *node, [&] {
    auto handle = caf::actor_cast<caf::actor>(node.handle());
    for (int i = 0; i < 100; ++i) {
      caf::anon_send(handle, i);
      // Not requested, and already started.
      caf::anon_send(node.handle(), rosia::start_message{});
    }
    caf::scoped_actor self{sys};
    auto refused = false;
    self->request(handle, 1min, std::string{"a text"})
      .receive([](int) {}, [&](const caf::error&) { refused = true; });
    CHECK(refused);
    node->stop.schedule(6);
  });
  CHECK(status == 6);
}

TEST_CASE("a node's actor answers with its identity", "[node_actor]") {
  test_config cfg{2};
  caf::actor_system sys{cfg};
  rosia::application app{sys, quiet()};
  std::string name;
  auto node
    = app.create<sleeper>("node", [&](sleeper& x) { name = x.self()->name(); });
  auto status = run_with(app, *node, [&] { node->stop.schedule(0); });
  CHECK(status == 0);
  CHECK(name == "caf.rosia.node");
}

TEST_CASE("nodes whose actors are not requested have none", "[node_actor]") {
  test_config cfg{2};
  caf::actor_system sys{cfg};
  auto before = sys.registry().running();
  rosia::application app{sys, quiet()};
  auto node = app.create<sleeper>("node", nullptr);
  constexpr auto others = 20;
  for (int i = 0; i < others; ++i)
    app.create<sleeper>("other" + std::to_string(i), nullptr);
  auto status = run_with(app, *node, [&] {
    auto without = sys.registry().running();
    CHECK(without < before + others);
    auto handle = node.handle();
    CHECK(handle);
    CHECK(sys.registry().running() == without + 1);
    CHECK(node.handle() == handle);
    CHECK(sys.registry().running() == without + 1);
    node->stop.schedule(0);
  });
  CHECK(status == 0);
  CHECK(eventually([&] { return sys.registry().running() == before; }));
}

TEST_CASE("after a node left, its actor has ended", "[node_actor]") {
  struct passer : rosia::node {};
  test_config cfg{GENERATE(1u, 2u)};
  caf::actor_system sys{cfg};
  rosia::application app{sys, quiet()};
  auto gone = app.create<passer>("gone");
  auto node = app.create<sleeper>("node", nullptr);
  auto status = run_with(app, *node, [&] {
    CHECK(eventually([&] { return app.status().nodes[0].has_left; }));
    auto handle = gone.handle();
    CHECK(handle);
    caf::scoped_actor self{sys};
    self->wait_for(handle);
    node->stop.schedule(0);
  });
  CHECK(status == 0);
}

TEST_CASE("a node's actor has ended when run() returns", "[node_actor]") {
  test_config cfg{GENERATE(1u, 2u)};
  caf::actor_system sys{cfg};
  auto before = sys.registry().running();
  for (int i = 0; i < 20; ++i) {
    rosia::application app{sys, quiet()};
    auto node = app.create<sleeper>("node", nullptr);
    rosia::node_handle handle;
    auto status = run_with(app, *node, [&] {
      handle = node.handle();
      node->stop.schedule(0);
    });
    CHECK(status == 0);
    caf::scoped_actor self{sys};
    self->wait_for(handle);
  }
  CHECK(eventually([&] { return sys.registry().running() == before; }));
}

TEST_CASE("an exception in an actor's handler of the node is an error with the "
          "node's name",
          "[node_actor]") {
  test_config cfg{2};
  caf::actor_system sys{cfg};
  auto oracle = sys.spawn(adder, 1);
  {
    rosia::application app{sys, quiet()};
    app.create<sleeper>("node", [&](sleeper& x) {
      x.self()->request(oracle, caf::infinite, 1).then([](int) {
        throw std::runtime_error("in the handler");
      });
    });
    app.create<runner>("other");
    CHECK(app.run() == 1);
  }
  caf::anon_send_exit(oracle, caf::exit_reason::user_shutdown);
  oracle = nullptr;
}

TEST_CASE("the protocol's messages survive a wire", "[node_actor]") {
  using namespace caf::rosia;
  logical_time a{5, 7};
  logical_time b{-1, 0};
  copy_by_bytes(start_message{});
  copy_by_bytes(abort_message{});
  CHECK(copy_by_bytes(stage_overdue{6}).deadline == 6);
  CHECK(copy_by_bytes(look_at_progress{7}).deadline == 7);
  CHECK(copy_by_bytes(a) == a);
  CHECK(copy_by_bytes(end_proposal{a}).proposal == a);
  auto final = copy_by_bytes(final_tag_message{a, b});
  CHECK(final.final == a);
  CHECK(final.requested == b);
  auto request = copy_by_bytes(end_request{3, a, -9});
  CHECK(request.node == 3);
  CHECK(request.proposal == a);
  CHECK(request.status == -9);
  auto answer = copy_by_bytes(end_answer{4, a});
  CHECK(answer.node == 4);
  CHECK(answer.tag == a);
  auto done = copy_by_bytes(done_message{7, b});
  CHECK(done.node == 7);
  CHECK(done.last == b);
  auto exit = copy_by_bytes(exit_message{5, engine::ending::aborted, b});
  CHECK(exit.node == 5);
  CHECK(exit.ending == engine::ending::aborted);
  CHECK(exit.last == b);
  auto error = copy_by_bytes(node_abort_request{6, 2, "why"});
  CHECK(error.node == 6);
  CHECK(error.status == 2);
  CHECK(error.error == "why");
  auto outside = copy_by_bytes(request_from_outside{never, 15});
  CHECK(outside.proposal == never);
  CHECK(outside.signal == 15);
  auto abort = copy_by_bytes(abort_application{128, "why", "text"});
  CHECK(abort.status == 128);
  CHECK(abort.text == "text");
  CHECK(copy_by_bytes(ping{7}).number == 7);
  CHECK(abort.reason == "why");
  copy_by_bytes(report_request{});
  copy_by_bytes(look_at_lag{});
}

} // namespace node_actor_test
