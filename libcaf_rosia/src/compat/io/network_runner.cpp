// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/network_runner.hpp"

#include "base/thread_usage.hpp"
#include "compat/io/multiplexer.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/multiplexer.hpp>

#include <algorithm>
#include <chrono>
#include <system_error>

namespace caf::rosia::detail {

namespace {

using clock = std::chrono::steady_clock;

/// Time limit of a node's code before the network's thread is replaced.
constexpr auto code_patience = std::chrono::milliseconds{2};

/// Maximum duration of a call and of each of its messages. Slower nodes gain
/// nothing from the network's thread. For faster ones, another thread would
/// have to fetch the message from this thread's cache, and return its memory.
constexpr std::chrono::nanoseconds quick_call = std::chrono::microseconds{50};
constexpr std::chrono::nanoseconds quick_message{500};

/// Number of runs of a slow node in the scheduler: at the first time, and at
/// most.
constexpr std::uint16_t first_penalty = 16;
constexpr std::uint16_t highest_penalty = 4096;

/// Number of runs with an exact measurement after a node did not seem quick.
constexpr std::uint16_t most_doubts = 16;

} // namespace

// -- constructors, destructors ------------------------------------------------

network_runner::network_runner(caf::actor_system& sys, std::size_t nodes)
  : system_(sys), net_(sys.middleman().backend()),
    puts_off_(dynamic_cast<multiplexer*>(&net_) == nullptr), worker_(sys),
    ratings_(nodes) {
  // nop
}

network_runner::~network_runner() {
  close();
}

void network_runner::close() {
  {
    std::lock_guard guard{mutex_};
    closed_.store(true);
    changed_.notify_all();
  }
  // The last node may still be running its final code.
  for (auto x = state_.load(); x != state::network; x = state_.load())
    state_.wait(x);
  if (watcher_.joinable())
    watcher_.join();
}

// -- running ------------------------------------------------------------------

void network_runner::wake(std::size_t node, claimable& x,
                          std::size_t messages) {
  if (!on_network_thread() || next_.code != nullptr || closed_.load()) {
    x.signal();
    return;
  }
  if (ratings_[node].left > 0) {
    --ratings_[node].left;
    x.signal();
    return;
  }
  // Without a watcher, a slow node would block the network.
  has_watcher_ = has_watcher_ || start_watcher();
  if (!has_watcher_) {
    x.signal();
    return;
  }
  if (!x.claim())
    return;
  next_ = {&x, node, messages};
  post_run();
}

bool network_runner::on_network_thread() const noexcept {
  return state_.load() == state::network
         && net_.thread_id() == std::this_thread::get_id();
}

void network_runner::post_run() {
  net_.post([self = shared_from_this()] { self->run(); });
}

void network_runner::run() {
  // CAF's list of deferred work of this thread must be empty, because a thread
  // that replaces this one cannot see it.
  if (puts_off_ && !std::exchange(next_.put_off, true)) {
    post_run();
    return;
  }
  run_rated(
    *std::exchange(next_.code, nullptr), ratings_[next_.node],
    quick_call + static_cast<std::int64_t>(next_.messages) * quick_message);
}

void network_runner::run_rated(
  claimable& x, rating& assessed, std::chrono::nanoseconds quick) {
  // Other threads, such as those of woken nodes, may have used the processor in
  // that time. To find out takes a system call, so it is done only in doubt.
  auto before = assessed.doubts > 0 ? thread_usage::now() : thread_usage{};
  auto begin = clock::now();
  run_node(x);
  if (clock::now() - begin <= quick) {
    assessed.next = first_penalty;
    if (assessed.doubts > 0)
      --assessed.doubts;
    return;
  }
  if (std::exchange(assessed.doubts, most_doubts) == 0)
    return;
  auto after = thread_usage::now();
  if (after.waits == before.waits
      && std::chrono::nanoseconds{after.cpu - before.cpu} <= quick)
    return;
  assessed.left = std::max(assessed.next, first_penalty);
  assessed.next = static_cast<std::uint16_t>(
    std::min<unsigned>(assessed.left * 2u, highest_penalty));
}

void network_runner::run_node(claimable& x) {
  // While the id is not set, messages that the node's code sends take the usual
  // way.
  net_.thread_id({});
  runs_.fetch_add(1);
  state_.store(state::node);
  watch_me();
  x.run_claimed(worker_.get());
  come_back();
}

void network_runner::watch_me() {
  if (watched_.load())
    return;
  std::lock_guard guard{mutex_};
  watched_.store(true);
  changed_.notify_all();
}

bool network_runner::start_watcher() {
  std::lock_guard guard{mutex_};
  if (closed_)
    return false;
  try {
    watcher_
      = std::thread{[this] { run_as_thread(system_, [this] { watch(); }); }};
  } catch (const std::system_error&) {
    return false; // it may succeed next time
  }
  return true;
}

void network_runner::come_back() {
  auto expected = state::node;
  if (!state_.compare_exchange_strong(expected, state::returning)) {
    back_.store(true);
    net_.post([] {
      // Wakes the thread that waits for the network.
    });
    state_.wait(state::replaced);
  }
  net_.thread_id(std::this_thread::get_id());
  state_.store(state::network);
  state_.notify_all();
}

// -- the other thread ---------------------------------------------------------

void network_runner::watch() {
  std::unique_lock guard{mutex_};
  while (!closed_) {
    changed_.wait(guard, [this] { return watched_ || closed_; });
    auto seen = runs_.load();
    changed_.wait_for(guard, code_patience, [this] { return closed_.load(); });
    if (closed_ || runs_.load() != seen)
      continue;
    if (state_.load() != state::network) {
      replace(guard);
      continue;
    }
    // No node was run for a while. Either the network's thread sees that it is
    // not watched, or this thread sees its next run.
    watched_.store(false);
    if (runs_.load() != seen)
      watched_.store(true);
  }
}

void network_runner::replace(std::unique_lock<std::mutex>& guard) {
  auto expected = state::node;
  if (!state_.compare_exchange_strong(expected, state::replaced))
    return;
  net_.thread_id(std::this_thread::get_id());
  guard.unlock();
  do
    net_.run_once();
  while (!back_.load());
  guard.lock();
  back_.store(false);
  net_.thread_id({});
  state_.store(state::returning);
  state_.notify_all();
}

} // namespace caf::rosia::detail
