// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Nodes that run on the network thread, over two actor systems of this process
// that share nothing.

#include "catch.hpp"
#include "free_port.hpp"
#include "system_as_process.hpp"

#include "caf/rosia/application.hpp"

#include <caf/io/middleman.hpp>
#include <caf/io/network/multiplexer.hpp>

#include <chrono>
#include <functional>
#include <future>
#include <set>
#include <string>
#include <thread>

namespace network_runner_test {

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

/// A limit against hangs.
constexpr auto limit = 600s;

/// Number of worker threads of a process: one for each node whose code waits
/// for others, and one for those others.
constexpr auto workers = 3;

/// Adds nodes to an application whose process has this network thread.
using builder = std::function<void(rosia::application&, std::thread::id)>;

/// A system with CAF's own network loop.
struct plain_config : rosia::config {
  plain_config() {
    load<caf::io::middleman>();
    test::set_caf_option(*this, "middleman.workers", 0);
  }
};

/// Runs a graph over two processes, "near" and "far". @returns their statuses.
template <class Config = test::process_config>
std::set<int> run_both(const builder& build) {
  auto address = "127.0.0.1:" + std::to_string(test::free_port());
  auto run = [&](const std::string& name) {
    Config cfg;
    test::set_caf_option(cfg, "scheduler.max-threads", workers);
    caf::actor_system sys{cfg};
    rosia::options opts;
    opts.realtime = false;
    opts.signals = rosia::signal_behavior::none;
    opts.log_level = "error";
    test::take_part(opts, name, "near", "far", address);
    rosia::application app{sys, opts};
    build(app, sys.middleman().backend().thread_id());
    return app.run();
  };
  auto far = std::async(std::launch::async, run, "far");
  auto near = run("near");
  return {near, far.get()};
}

/// An event for which a node's code waits.
class event {
public:
  void set() {
    promise_.set_value();
  }

  /// @returns false if it does not happen.
  bool wait() {
    return future_.wait_for(limit) == std::future_status::ready;
  }

private:
  std::promise<void> promise_;
  std::shared_future<void> future_{promise_.get_future()};
};

struct sender : rosia::node {
  explicit sender(std::function<void()> f) : before(std::move(f)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  void start() {
    before();
    out(1);
  }

  std::function<void()> before;
};

struct receiver : rosia::node {
  explicit receiver(std::function<void()> f) : fun(std::move(f)) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { fun(); }};

  std::function<void()> fun;
};

/// Connects two nodes of different processes.
void join(rosia::application& app, const rosia::node_ref<sender>& from,
          const std::string& its_process, const rosia::node_ref<receiver>& to,
          const std::string& other_process) {
  app.place(from, its_process);
  app.place(to, other_process);
  app.connect(from, &sender::out, to, &receiver::in);
}

/// Increments its values up to 500, and counts its executions on a thread.
struct relay : rosia::node {
  relay(std::thread::id id, int& times) : thread(id), count(times) {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          count += std::this_thread::get_id() == thread;
                          if (*in < 500)
                            out(*in + 1);
                        }};

  std::thread::id thread;
  int& count;
};

struct opener : relay {
  using relay::relay;

  void start() {
    out(0);
  }
};

} // namespace

TEMPLATE_TEST_CASE(
  "a node that waits for the network does not hold up the network", "",
  test::process_config, plain_config) {
  for (auto i = 0; i < 20; ++i) {
    event begun, other;
    auto in_time = false;
    auto statuses = run_both<TestType>([&](rosia::application& app, auto) {
      auto first = app.create<sender>("first", [] {});
      auto second = app.create<sender>("second", [&] { begun.wait(); });
      auto waiter = app.create<receiver>("waiter", [&] {
        begun.set();
        in_time = other.wait();
      });
      auto setter = app.create<receiver>("setter", [&] { other.set(); });
      join(app, first, "near", waiter, "far");
      join(app, second, "near", setter, "far");
    });
    CHECK(in_time);
    CHECK(statuses == std::set<int>{0});
  }
}

TEMPLATE_TEST_CASE(
  "a message sent by a node while other nodes do the network's work arrives",
  "", test::process_config, plain_config) {
  for (auto i = 0; i < 20; ++i) {
    event begun, other, answered;
    auto in_time = false;
    auto statuses = run_both<TestType>([&](rosia::application& app, auto) {
      auto first = app.create<sender>("first", [] {});
      auto second = app.create<sender>("second", [&] { begun.wait(); });
      // Wakes a node of its process, which sends, and then waits for the
      // message.
      auto waiter = app.create<receiver>("waiter", [&] {
        begun.set();
        in_time = other.wait() && answered.wait();
      });
      auto setter = app.create<receiver>("setter", [&] { other.set(); });
      auto third = app.create<sender>("third", [&] { other.wait(); });
      auto last = app.create<receiver>("last", [&] { answered.set(); });
      join(app, first, "near", waiter, "far");
      join(app, second, "near", setter, "far");
      join(app, third, "far", last, "near");
    });
    CHECK(in_time);
    CHECK(statuses == std::set<int>{0});
  }
}

TEMPLATE_TEST_CASE("a light node runs on the network thread", "",
                   test::process_config, plain_config) {
  auto near = 0, far = 0;
  auto statuses
    = run_both<TestType>([&](rosia::application& app, auto network) {
        auto a = app.create<opener>("a", network, near);
        auto b = app.create<relay>("b", network, far);
        app.place(a, "near");
        app.place(b, "far");
        app.connect(a, &relay::out, b, &relay::in);
        app.connect(b, &relay::out, a, &relay::in, rosia::after(1ns));
      });
  CHECK(statuses == std::set<int>{0});
  CHECK(near > 0);
  CHECK(far > 0);
}

} // namespace network_runner_test
