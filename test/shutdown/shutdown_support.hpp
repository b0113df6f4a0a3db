// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Shared code of the tests of `rosia::shutdown`: options, and actors of all
// kinds.

#pragma once

#include "caf/rosia/detail/signature.hpp"
#include "caf/rosia/shutdown.hpp"

#include "observing.hpp"

#include <caf/all.hpp>
#include <caf/blocking_actor.hpp>
#include <caf/event_based_actor.hpp>
#include <caf/typed_event_based_actor.hpp>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

using rosia::part_report;
using rosia::shutdown_options;

inline shutdown_options quiet() {
  shutdown_options result;
  result.signals = rosia::signal_behavior::none;
  result.log_level = "off";
  result.deadline = 10min;
  result.end_process = false;
  return result;
}

/// Records the order of events.
class notebook {
public:
  void add(const std::string& x) {
    std::lock_guard guard{mutex_};
    lines_.push_back(x);
  }

  std::vector<std::string> lines() {
    std::lock_guard guard{mutex_};
    return lines_;
  }

private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

using strings = std::vector<std::string>;

/// Counts the numbers that it receives.
class counter : public caf::event_based_actor {
public:
  counter(caf::actor_config& cfg, std::atomic<int>& count)
    : caf::event_based_actor(cfg), count_(count) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int) { ++count_; }};
  }

private:
  std::atomic<int>& count_;
};

/// An actor with a given behavior. A class, because UBSan reports CAF's spawn
/// of a function without arguments as an error.
class scripted : public caf::event_based_actor {
public:
  scripted(caf::actor_config& cfg, std::function<caf::behavior(scripted*)> fun)
    : caf::event_based_actor(cfg), code_(std::move(fun)) {
    // nop
  }

  caf::behavior make_behavior() override {
    return code_(this);
  }

  void on_exit() override {
    code_ = nullptr;
  }

private:
  std::function<caf::behavior(scripted*)> code_;
};

/// Stays in its handler until released.
class stuck_actor : public caf::event_based_actor {
public:
  stuck_actor(caf::actor_config& cfg, std::atomic<bool>& let_go,
              std::atomic<bool>& is_in)
    : caf::event_based_actor(cfg), let_go_(let_go), is_in_(is_in) {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](int) {
      is_in_ = true;
      eventually([this] { return let_go_.load(); });
    }};
  }

private:
  std::atomic<bool>& let_go_;
  std::atomic<bool>& is_in_;
};

/// A blocking actor that waits forever, unless it handles exits.
class patient : public caf::blocking_actor {
public:
  patient(caf::actor_config& cfg, bool handles_exits)
    : caf::blocking_actor(cfg), handles_exits_(handles_exits) {
    // nop
  }

  void act() override {
    auto over = false;
    if (handles_exits_)
      receive_while([&] { return !over; })([&](caf::exit_msg&) {
        over = true;
      });
    else
      receive([](caf::unit_t) {});
  }

private:
  bool handles_exits_;
};

/// A typed actor that forwards its messages to another actor.
using forwarder_handle = caf::typed_actor<rosia::detail::signature<void, int>>;

class forwarder : public forwarder_handle::base {
public:
  forwarder(caf::actor_config& cfg, caf::actor next)
    : forwarder_handle::base(cfg), next_(std::move(next)) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](int x) { caf::anon_send(next_, x); }};
  }

  void on_exit() override {
    next_ = nullptr;
  }

private:
  caf::actor next_;
};
