// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "property/ending_plan.hpp"

#include "base/signal_watch.hpp"
#include "caf/rosia/actor/node_actor.hpp"
#include "property/model/random.hpp"
#include "property/random_node.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <array>
#include <csignal>
#include <utility>

#include <unistd.h>

namespace property {

using namespace std::chrono_literals;
using caf::rosia::detail::signal_watch;

namespace {

constexpr std::array<int, 2> signals{SIGINT, SIGTERM};

act make_act(model::random& rng, std::uint64_t at) {
  act result;
  result.at = at;
  auto percent = rng.below(100);
  result.kind
    = percent < 40   ? way::request
      : percent < 58 ? way::signal
      : percent < 68 ? way::two_signals
      : percent < 84
        ? way::error
        : way::kill;
  result.first_is_int = rng.percent(50);
  result.politely = rng.percent(50);
  auto needs_node = result.kind == way::request || result.kind == way::error;
  result.outside = !needs_node && rng.percent(50);
  if (rng.percent(60))
    result.distance = model::delay{std::chrono::nanoseconds{
      rng.pick({0, 1, 10, 1'000, 30'000, 1'000'000'000})}};
  result.status = rng.pick({0, 0, 4, 5});
  return result;
}

} // namespace

// -- the plan -----------------------------------------------------------------

bool ending_plan::has_signals() const {
  return std::any_of(acts.begin(), acts.end(), [](auto& x) {
    return x.kind == way::signal || x.kind == way::two_signals;
  });
}

ending_plan make_ending_plan(
  std::uint64_t seed, std::size_t nodes, std::uint64_t reactions) {
  model::random rng{model::mix(seed, 0x656e64)};
  ending_plan result;
  auto some_moment = [&] { return rng.below(reactions + 1); };
  auto x = rng.below(100);
  auto acts = x < 12 ? 0 : x < 55 ? 1 : x < 92 ? 2 : 3;
  auto at = some_moment();
  for (auto i = 0; i < acts; ++i) {
    result.acts.push_back(make_act(rng, at));
    // The next event happens at the same time, soon, or at any time.
    at = rng.percent(25) ? some_moment() : at + rng.pick({0u, 0u, 1u, 2u, 9u});
  }
  if (rng.percent(4))
    result.acts.push_back(
      {.kind = way::look, .at = some_moment(), .outside = true});
  if (rng.percent(10))
    result.timeout = rng.pick({0ns, 20'000ns, 100'000ns, 500'000ns});
  if (rng.percent(10))
    result.negotiation_timeout = rng.pick({1ns, 5'000ns, 20'000ns, 100'000ns});
  if (rng.percent(15))
    result.fails_in_shutdown = rng.below(nodes);
  return result;
}

std::string to_string(const ending_plan& plan) {
  constexpr std::array names{
    "a request", "a signal", "two signals", "an error", "a kill", "a look"};
  std::string result;
  auto add = [&](const std::string& part) {
    result += result.empty() ? "" : ", ";
    result += part;
  };
  for (auto& y : plan.acts) {
    auto text = std::string{names[static_cast<std::size_t>(y.kind)]} + " at "
                + std::to_string(y.at);
    if (y.kind == way::request)
      text += (y.distance ? " in " + to_string(*y.distance) : "") + ", status "
              + std::to_string(y.status);
    add(text + (y.outside ? " from outside" : ""));
  }
  if (plan.timeout)
    add("timeout " + std::to_string(plan.timeout->count()) + " ns");
  if (plan.negotiation_timeout)
    add("negotiation_timeout "
        + std::to_string(plan.negotiation_timeout->count()) + " ns");
  if (plan.fails_in_shutdown)
    add(
      "n" + std::to_string(*plan.fails_in_shutdown) + " throws in shutdown()");
  return result.empty() ? "nothing is done" : result;
}

// -- execution ----------------------------------------------------------------

ending_maker::ending_maker(const ending_plan& plan, std::function<void()> look)
  : plan_(&plan), look_(std::move(look)), begun_(plan.acts.size()) {
  for (std::size_t i = 0; i < plan.acts.size(); ++i)
    if (plan.acts[i].outside)
      threads_.emplace_back([this, i] { act_outside(plan_->acts[i], i); });
}

ending_maker::~ending_maker() {
  stop();
}

bool ending_maker::step(random_node& self) {
  auto now = steps_.fetch_add(1, std::memory_order_relaxed);
  auto throws = false;
  for (std::size_t i = 0; i < plan_->acts.size(); ++i) {
    auto& planned = plan_->acts[i];
    if (planned.at != now)
      continue;
    if (planned.outside) {
      std::lock_guard guard{mutex_};
      begun_[i] = self.self()->address();
      changed_.notify_all();
      continue;
    }
    switch (planned.kind) {
      case way::request: {
        {
          std::lock_guard guard{mutex_};
          if (!self.is_at_last_tag())
            done_.proposals.push_back(
              planned.distance ? self.now() + *planned.distance : self.now());
          done_.statuses.push_back(planned.status);
        }
        self.request_shutdown(
          planned.distance.value_or(model::delay{}), planned.status);
        break;
      }
      case way::signal:
      case way::two_signals:
        send_signals(planned);
        break;
      case way::kill:
        kill(planned, self.self()->address());
        break;
      case way::error:
        throws = true;
        break;
      case way::look:
        break; // from outside only
    }
  }
  return throws;
}

void ending_maker::stop() {
  {
    std::lock_guard guard{mutex_};
    over_ = true;
  }
  changed_.notify_all();
  for (auto& x : threads_)
    x.join();
  threads_.clear();
}

void ending_maker::act_outside(const act& planned, std::size_t index) {
  caf::actor_addr target;
  {
    std::unique_lock guard{mutex_};
    changed_.wait(guard, [&] { return over_ || begun_[index]; });
    if (over_)
      return;
    target = *begun_[index];
  }
  if (planned.kind == way::kill)
    kill(planned, target);
  else if (planned.kind == way::look)
    look_();
  else
    send_signals(planned);
}

void ending_maker::send_signals(const act& planned) {
  auto count = planned.kind == way::two_signals ? 2u : 1u;
  {
    // Recorded first, so that a run that has ended knows all events that
    // could matter.
    std::lock_guard guard{mutex_};
    done_.signals += static_cast<int>(count);
  }
  // Sent to this thread, because signals to the process are not counted while
  // one is pending.
  for (auto i = 0u; i < count; ++i)
    std::raise(signals[(i + (planned.first_is_int ? 0 : 1)) % signals.size()]);
}

void ending_maker::kill(const act& planned, const caf::actor_addr& target) {
  {
    std::lock_guard guard{mutex_};
    ++done_.kills;
  }
  caf::anon_send_exit(target, planned.politely ? caf::exit_reason::user_shutdown
                                               : caf::exit_reason::kill);
}

// -- signals ------------------------------------------------------------------

namespace {

std::array<struct sigaction, signals.size()> previous_handlers;

extern "C" void ignore_own_signal(int number, siginfo_t* info, void*) {
  if (info->si_pid != ::getpid())
    ::_exit(128 + number);
}

} // namespace

own_signals_do_nothing::own_signals_do_nothing() {
  signal_watch::for_tests.late_signals_end = false;
  struct sigaction action = {};
  action.sa_sigaction = ignore_own_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART | SA_SIGINFO;
  for (std::size_t i = 0; i < signals.size(); ++i)
    sigaction(signals[i], &action, &previous_handlers[i]);
}

own_signals_do_nothing::~own_signals_do_nothing() {
  signal_watch::for_tests.late_signals_end = true;
  for (std::size_t i = 0; i < signals.size(); ++i)
    sigaction(signals[i], &previous_handlers[i], nullptr);
}

} // namespace property
