// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/woken_executors.hpp"

#include "runtime/executor.hpp"

#include <numeric>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The maximal number of light nodes that a worker calls on the way. Waking
/// another worker for them would take longer.
constexpr std::size_t most_on_the_way = 32;

/// The maximal number of woken executors that a worker runs before it returns
/// to the scheduler.
constexpr std::size_t activations_in_a_row = 32;

/// The executors that the executor on this thread has to wake.
thread_local std::vector<executor*> waiting;

/// The number of the list `waiting`, which no other list of the process has,
/// before or after: the number of the thread, and the number of its calls of
/// `wake_all`.
thread_local std::uint64_t list_number = [] {
  static std::atomic<std::uint64_t> threads{0};
  return (threads.fetch_add(1, std::memory_order_relaxed) << 40) + 1;
}();

/// The executor that was woken last. This thread claimed it, and runs it after
/// the current executor.
thread_local executor* next_to_run = nullptr;

/// Light executors that were woken, with at most `most_on_the_way` nodes. This
/// thread claimed them, and runs them before `next_to_run`.
thread_local std::vector<executor*> light_to_run;

} // namespace

void woken_executors::wake_later(executor& x) {
  // A sender to hundreds of nodes of one group wakes the group once, because
  // each wake-up may scan all of them. If two threads list the executor, it is
  // listed twice.
  if (x.listed_.load(std::memory_order_relaxed) == list_number)
    return;
  x.listed_.store(list_number, std::memory_order_relaxed);
  waiting.push_back(&x);
}

void woken_executors::wake_all() {
  auto nodes = std::accumulate(
    light_to_run.begin(), light_to_run.end(), std::size_t{0},
    [](auto sum, auto* x) { return sum + x->size(); });
  for (auto* x : waiting) {
    if (!x->claim())
      continue;
    if (auto sum = nodes + x->size(); x->is_light() && sum <= most_on_the_way) {
      light_to_run.push_back(x);
      nodes = sum;
    } else {
      if (next_to_run != nullptr)
        next_to_run->schedule_claimed();
      next_to_run = x;
    }
  }
  waiting.clear();
  ++list_number;
}

void woken_executors::run_next(executor& x) {
  schedule_all();
  next_to_run = &x;
}

void woken_executors::run_all(worker* unit, std::int64_t turn) {
  for (std::size_t i = 0; i < activations_in_a_row; ++i) {
    if (!light_to_run.empty())
      run_light(unit);
    else if (auto* next = std::exchange(next_to_run, nullptr))
      next->run_once(unit, turn);
    else
      break;
  }
}

void woken_executors::run_light(worker* unit) {
  thread_local std::vector<executor*> called;
  called.swap(light_to_run);
  for (auto* x : called)
    x->run_once(unit, 0);
  called.clear();
}

void woken_executors::schedule_all() {
  for (auto* x : light_to_run)
    x->schedule_claimed();
  light_to_run.clear();
  if (auto* x = std::exchange(next_to_run, nullptr))
    x->schedule_claimed();
}

} // namespace caf::rosia::detail
