// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/timer.hpp"

#include "base/duration.hpp"
#include "caf/rosia/graph_error.hpp"

namespace caf::rosia {

timer::timer(time_span period, time_span offset)
  : output(this, "output"), period_(period), offset_(offset),
    next_(this, "next"),
    on_next_(this, "on_next", {next_}, [this] { send(); }) {
  if (period.count() <= 0)
    throw graph_error("the period of a timer is " + detail::time_text(period)
                      + "; it has to be positive");
  if (offset.count() < 0)
    throw graph_error("the offset of a timer is " + detail::time_text(offset)
                      + "; it must not be negative");
}

void timer::start() {
  if (offset_.count() > 0) {
    output.promise(offset_);
    next_.schedule(offset_);
  } else {
    send();
  }
}

void timer::send() {
  output(now(), rosia::output_promise(period_));
  next_.schedule(period_);
}

} // namespace caf::rosia
