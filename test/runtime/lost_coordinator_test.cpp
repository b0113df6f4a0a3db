// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A process whose coordinator, in another process, is lost.

#include "caf/rosia/config.hpp"
#include "caf/rosia/detail/node_type.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/options.hpp"

#include "base/logging.hpp"
#include "catch.hpp"
#include "engine/topology.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/run_loop.hpp"
#include "runtime/runtime.hpp"
#include "stub_session.hpp"

#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace lost_coordinator_test {

namespace rosia = caf::rosia;
namespace detail = caf::rosia::detail;
using namespace std::chrono_literals;

namespace {

/// Stays in `start()` until released; then it ends by itself.
struct stayer : rosia::node {
  void start() {
    started = true;
    started.notify_all();
    may_leave.wait(false);
  }

  std::atomic<bool> started = false;
  std::atomic<bool> may_leave = false;
};

/// The session with other processes, one of which was the coordinator's.
class lost_session : public test::stub_session {
public:
  struct hooks {
    /// Called while the loss of the coordinator is handled.
    std::function<void()> on_loss;
    /// Called when the run is about to end.
    std::function<void()> on_end;
    /// Waits until the loss is handled, as a process does before its end.
    std::function<void()> await_loss;
  };

  explicit lost_session(hooks on) : on_(std::move(on)) {
    // nop
  }

  std::int64_t begin(const std::shared_ptr<detail::runtime>&) override {
    return std::chrono::nanoseconds{
      std::chrono::steady_clock::now().time_since_epoch()}
      .count();
  }

  void hurry() override {
    on_.on_loss();
  }

  void close_links() override {
    on_.on_end();
  }

  void close() override {
    on_.await_loss();
  }

private:
  hooks on_;
};

/// The only node of this process, whose coordinator is lost.
struct lost_run {
  caf::actor_system& sys;
  stayer node;
  std::shared_ptr<detail::runtime> run;
  std::promise<void> loss;
  std::promise<void> end;

  explicit lost_run(caf::actor_system& where) : sys(where) {
    detail::node_access::complete(
      node, detail::node_type_of<stayer>(), nullptr);
    detail::node_access::name(node, "stayer");
  }

  rosia::node_handle handle() {
    return run->context().actors().mailboxes().get(0);
  }

  void let_go() {
    node.may_leave = true;
    node.may_leave.notify_all();
  }

  /// Loses the coordinator while the node is in `start()`, and then calls
  /// `on_loss`. @returns the status.
  int execute(const std::function<void()>& on_loss) {
    rosia::options opts;
    opts.signals = rosia::signal_behavior::none;
    opts.log_level = "off";
    run
      = std::make_shared<detail::runtime>(std::make_shared<detail::run_context>(
        sys, opts, std::make_shared<detail::log_context>(opts.log_level),
        nullptr,
        detail::node_directory{
          {&node}, {detail::describe(node)}, {1}, {"coordinator", "left"}, 1},
        rosia::engine::topology{{false}, {}, nullptr},
        std::make_unique<lost_session>(lost_session::hooks{
          on_loss, [this] { end.set_value(); },
          [this] { loss.get_future().wait(); }})));
    auto status = std::async(std::launch::async, [this] {
      return detail::run_loop{run}.run();
    });
    node.started.wait(false);
    run->note_coordinator_loss();
    loss.set_value();
    return status.get();
  }
};

} // namespace

TEST_CASE("a process without its coordinator ends with 1, however late its "
          "nodes leave",
          "[lost_coordinator]") {
  rosia::config cfg;
  caf::actor_system sys{cfg};
  lost_run x{sys};
  auto ended = x.end.get_future();
  auto status = x.execute([&] {
    // The last node leaves now.
    caf::scoped_actor self{sys};
    auto handle = x.handle();
    x.let_go();
    self->wait_for(handle);
    // That must not end the run, because its status is not known yet. This
    // gives it time to end wrongly.
    ended.wait_for(100ms);
  });
  CHECK(status == 1);
  CHECK(x.run->status().summary().status == 1);
}

TEST_CASE("a process without its coordinator ends if the actor of its last "
          "node is ended",
          "[lost_coordinator]") {
  rosia::config cfg;
  caf::actor_system sys{cfg};
  lost_run x{sys};
  auto status = x.execute([&] {
    caf::anon_send_exit(x.handle(), caf::exit_reason::kill);
    x.let_go();
  });
  CHECK(status == 1);
  CHECK(x.run->context().progress().stages.has_left(0));
}

} // namespace lost_coordinator_test
