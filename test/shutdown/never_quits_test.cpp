// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A typical service whose program does not end, because the destructor of its
// actor system waits for actors that never quit. Simplified, with a shutdown.

#include "shutdown/shutdown_support.hpp"

#include <caf/actor_registry.hpp>
#include <caf/scoped_actor.hpp>
#include <unistd.h>

#include <functional>
#include <vector>

namespace never_quits_test {

namespace {

/// A limit against the hangs that these tests are about.
constexpr auto limit_in_seconds = 60u;

/// Ignores exits.
caf::behavior heedless(scripted* self) {
  self->delayed_send(self, 1h, 0);
  self->set_exit_handler([](caf::exit_msg&) {});
  return {[](int) {}};
}

/// Forwards its messages to a handle that it keeps, and never ends by itself.
/// Its delayed message to itself, which contains a handle to it, is always in
/// transit.
class player : public caf::event_based_actor {
public:
  player(caf::actor_config& cfg, std::atomic<int>& count)
    : caf::event_based_actor(cfg), count_(count) {
    // nop
  }

  caf::behavior make_behavior() override {
    delayed_send(this, 1h, 0);
    return {[this](const caf::actor& other) { other_ = other; },
            [this](int laps) {
              ++count_;
              if (laps > 0)
                send(other_, laps - 1);
            }};
  }

  // The handle is not released: two such actors keep each other's memory.

private:
  std::atomic<int>& count_;
  caf::actor other_;
};

/// Returns the options of a program that must end.
shutdown_options strict(std::chrono::nanoseconds deadline) {
  shutdown_options result;
  result.signals = rosia::signal_behavior::none;
  result.deadline = deadline;
  result.grace_period = deadline;
  return result;
}

/// Runs a program whose actors the function spawns and adopts.
/// @returns 100 + the status of the shutdown after the actor system is
/// destroyed, or the status with which the shutdown ended the process.
int status_of_service(
  const shutdown_options& opts,
  const std::function<void(caf::actor_system&, rosia::shutdown&)>& begin) {
  return status_in_child([&] {
    ::alarm(limit_in_seconds);
    auto status = 0;
    {
      test_system sys;
      rosia::shutdown all{sys, opts};
      begin(sys, all);
      all.begin({"done"});
      status = all.wait_for_shutdown();
    }
    return 100 + status;
  });
}

} // namespace

TEST_CASE("never quits: actors that hold each other and wait for delayed "
          "messages end with the shutdown",
          "[shutdown]") {
  auto opts = strict(60s);
  opts.log_level = "off";
  auto status = status_of_service(opts, [](auto& sys, rosia::shutdown& all) {
    static std::atomic<int> count = 0;
    auto left = sys.template spawn<player>(count);
    auto right = sys.template spawn<player>(count);
    all.adopt(left, "left");
    all.adopt(right, "right");
    caf::anon_send(left, right);
    caf::anon_send(right, left);
    caf::anon_send(left, 1000);
    eventually([&] { return count.load() == 1001; });
  });
  CHECK(status == 100);
}

TEST_CASE("never quits: an actor that ignores its exit is named, and does not "
          "keep the system's destructor waiting",
          "[shutdown]") {
  error_capture capture;
  auto status
    = status_of_service(strict(100ms), [](auto& sys, rosia::shutdown& all) {
        all.adopt(sys.template spawn<scripted>(heedless), "player");
      });
  CHECK(status == 100 + 129);
  CHECK_THAT(capture.text(), ContainsSubstring("actor 'player'"));
}

TEST_CASE("never quits: an actor that never returns from its handler is named, "
          "and the process ends",
          "[shutdown]") {
  error_capture capture;
  auto status
    = status_of_service(strict(100ms), [](auto& sys, rosia::shutdown& all) {
        static std::atomic<bool> let_go = false;
        static std::atomic<bool> is_in = false;
        auto actor = sys.template spawn<stuck_actor>(let_go, is_in);
        all.adopt(actor, "player");
        caf::anon_send(actor, 1);
        eventually([&] { return is_in.load(); });
      });
  CHECK(status == 129);
  CHECK_THAT(capture.text(), ContainsSubstring("actor 'player'"));
}

TEST_CASE("never quits: an actor unknown to the shutdown is counted, and the "
          "process ends",
          "[shutdown]") {
  error_capture capture;
  auto status = status_of_service(strict(100ms), [](auto& sys, auto&) {
    // It has no handle except in its delayed message.
    static std::atomic<int> count = 0;
    sys.template spawn<player>(count);
  });
  CHECK(status == 129);
  CHECK_THAT(capture.text(), ContainsSubstring("of the actor system")
                               && ContainsSubstring("took no part in it"));
}

// -- handles that outlive the shutdown ----------------------------------------

namespace {

// Handles that are not destroyed before the actor system.
std::vector<caf::actor> kept;

enum class keeper { registry, static_variable };

template <caf::spawn_options Options>
caf::actor spawn_kept(caf::actor_system& sys, keeper place) {
  static std::atomic<int> count = 0;
  auto result = sys.spawn<counter, Options>(count);
  if (place == keeper::registry)
    sys.registry().put(
      result.id(), caf::actor_cast<caf::strong_actor_ptr>(result));
  else
    kept.push_back(result);
  return result;
}

} // namespace

TEST_CASE("never quits: after the shutdown, the actor system can be destroyed, "
          "even if handles of adopted actors are kept",
          "[shutdown]") {
  auto place = GENERATE(keeper::registry, keeper::static_variable);
  auto opts = strict(60s);
  opts.log_level = "off";
  SECTION("with any way of running the actors") {
    auto status = status_of_service(opts, [&](auto& sys, auto& all) {
      all.adopt(spawn_kept<caf::detached>(sys, place), "detached");
      all.adopt(spawn_kept<caf::no_spawn_options>(sys, place), "plain");
    });
    CHECK(status == 100);
  }
  SECTION("however often they are adopted, and though they exited before") {
    auto status = status_of_service(opts, [&](auto& sys, auto& all) {
      auto actor = spawn_kept<caf::detached>(sys, place);
      all.adopt(actor, "once");
      all.adopt(actor, "twice");
      caf::anon_send_exit(actor, caf::exit_reason::kill);
      caf::scoped_actor self{sys};
      self->wait_for(actor);
      all.adopt(actor, "dead");
    });
    CHECK(status == 100);
  }
  SECTION("and though they do not exit before they are aborted") {
    opts.deadline = 100ms;
    auto status = status_of_service(opts, [&](auto& sys, auto& all) {
      auto actor = sys.template spawn<scripted, caf::detached>(heedless);
      kept.push_back(actor);
      all.adopt(actor, "heedless");
    });
    CHECK(status == 100 + 129);
  }
}

TEST_CASE("never quits: detached actors that are destroyed in time do not "
          "delay the end",
          "[shutdown]") {
  auto opts = strict(60s);
  opts.log_level = "off";
  auto status = status_of_service(opts, [](auto& sys, rosia::shutdown& all) {
    static std::atomic<int> count = 0;
    for (auto i = 0; i < 20; ++i)
      all.adopt(sys.template spawn<counter, caf::detached>(count), "detached");
  });
  CHECK(status == 100);
}

} // namespace never_quits_test
