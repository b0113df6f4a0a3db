// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/seating.hpp"

#include "runtime/executor.hpp"
#include "runtime/timekeeper.hpp"

#include <cstdint>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The maximal time, in nanoseconds, that nodes wait for each other. Most nodes
/// need some microseconds.
constexpr std::int64_t seating_patience = 1'000'000;

} // namespace

void seating::add(executor& x) {
  all_.push_back(&x);
  ++awaited_;
}

bool seating::arrive(executor& x, timekeeper& time) {
  std::lock_guard guard{mutex_};
  if (over_)
    return false;
  x.ref();
  waiting_.push_back(&x);
  if (--awaited_ == 0)
    finish();
  else if (waiting_.size() == 1)
    time.call_at(
      time.elapsed() + seating_patience, [self = shared_from_this()] {
        std::lock_guard late{self->mutex_};
        if (!self->over_)
          self->finish();
      });
  return true;
}

void seating::skip() {
  std::lock_guard guard{mutex_};
  if (!over_ && --awaited_ == 0)
    finish();
}

void seating::finish() {
  over_ = true;
  if (waiting_.empty())
    return;
  auto all = std::exchange(waiting_, {});
  auto& first = *all.front();
  all.erase(all.begin());
  first.takeover_.seat(std::move(all), shared_from_this());
}

} // namespace caf::rosia::detail
