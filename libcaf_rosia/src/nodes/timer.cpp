// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/timer.hpp"

#include "base/duration.hpp"
#include "caf/rosia/graph_error.hpp"

namespace caf::rosia {

timer::timer(std::chrono::nanoseconds period, std::chrono::nanoseconds offset)
  : period_(period), offset_(offset) {
  if (period.count() <= 0)
    throw graph_error("the period of a timer is " + detail::time_text(period)
                      + "; it has to be positive");
  if (offset.count() < 0)
    throw graph_error("the offset of a timer is " + detail::time_text(offset)
                      + "; it must not be negative");
}

task timer::start() {
  if (offset_.count() > 0) {
    output.promise(offset_);
    co_await after(offset_);
  }
  for (;;) {
    output(now(), rosia::promise(period_));
    co_await after(period_);
  }
}

} // namespace caf::rosia
