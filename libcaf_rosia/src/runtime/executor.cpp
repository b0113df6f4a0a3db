// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/executor.hpp"

#include <cstddef>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

/// For how long, in nanoseconds, an executor with more to do goes on before
/// others of its worker get their turn. Each turn costs: the scheduler wakes an
/// idle worker for whoever is put back into its queue, even if nobody else is
/// there.
constexpr std::int64_t longest_turn = 1'000'000;

/// How many of them a worker runs one after the other, without asking the
/// scheduler in between.
constexpr std::size_t activations_in_a_row = 32;

/// Whom the one that runs on this thread has to wake.
thread_local std::vector<executor*> waiting;

/// The last of those whom it woke: claimed by this thread, which will run it as
/// soon as the one that woke it is through. That spares most messages the way
/// through the scheduler, and finds their content in the cache.
thread_local executor* next_to_run = nullptr;

} // namespace

// -- scheduling ---------------------------------------------------------------

void executor::signal() {
  if (claim())
    schedule(nullptr);
}

void executor::run_claimed(caf::execution_unit& unit) {
  auto last = activate_once(&unit, 0);
  schedule_next(&unit);
  if (last == caf::resumable::resume_later)
    schedule(&unit);
  else
    drop_reference();
}

void executor::schedule_claimed() {
  schedule(nullptr);
}

// -- for who runs one ---------------------------------------------------------

executor::outcome executor::run(executor& x, caf::execution_unit* unit) {
  auto first = x.activate_once(unit, longest_turn);
  // It may be running elsewhere by now: only the others matter.
  for (std::size_t i = 0; next_to_run != nullptr; ++i) {
    if (first == caf::resumable::resume_later || i == activations_in_a_row) {
      schedule_next(unit);
      break;
    }
    auto* other = std::exchange(next_to_run, nullptr);
    if (other->activate_once(unit, longest_turn)
        == caf::resumable::resume_later)
      other->schedule(unit);
    else
      other->drop_reference();
  }
  return first;
}

void executor::to_wake(executor& x) {
  if (waiting.empty() || waiting.back() != &x)
    waiting.push_back(&x);
}

void executor::wake_others(caf::execution_unit* unit) {
  for (auto* x : waiting)
    if (x->claim()) {
      schedule_next(unit);
      next_to_run = x;
    }
  waiting.clear();
}

void executor::schedule_next(caf::execution_unit* unit) {
  if (auto* x = std::exchange(next_to_run, nullptr))
    x->schedule(unit);
}

} // namespace caf::rosia::detail
