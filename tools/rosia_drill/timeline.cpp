// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/timeline.hpp"

#include "rosia_drill/event_loop.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace rosia_drill {

namespace {

std::string status_text(int status) {
  return status > 128 && status != 129
           ? "signal " + std::to_string(status - 128)
           : "status " + std::to_string(status);
}

} // namespace

// -- time ---------------------------------------------------------------------

void timeline::start() {
  start_ = monotonic_now();
}

std::int64_t timeline::elapsed() const {
  return monotonic_now() - start_;
}

// -- events -------------------------------------------------------------------

void timeline::add_fault(const std::string& process, const std::string& text) {
  events_.push_back(
    {elapsed(), round_event_kind::fault, process, {}, text, std::nullopt});
}

void timeline::add_fault(const std::string& process, const process_step& step,
                         const std::string& text) {
  add(round_event_kind::fault, process, step, text);
}

void timeline::add_step(const std::string& process, const process_step& step) {
  if (steps_++ < most_steps)
    add(round_event_kind::step, process, step, step.name);
}

void timeline::add_line(const std::string& process, const std::string& line) {
  if (++lines_[process] <= lines_of_log)
    events_.push_back(
      {elapsed(),
       round_event_kind::log,
       process,
       {},
       line.substr(0, longest_line),
       std::nullopt});
}

void timeline::add_end(const std::string& process, int status) {
  events_.push_back(
    {elapsed(),
     round_event_kind::end,
     process,
     {},
     status_text(status),
     std::nullopt});
}

std::vector<round_event> timeline::take() {
  std::stable_sort(events_.begin(), events_.end(), [](auto& x, auto& y) {
    return x.at < y.at;
  });
  return std::exchange(events_, {});
}

void timeline::add(round_event_kind kind, const std::string& process,
                   const process_step& step, const std::string& text) {
  std::optional<rosia_trace::logical_time> tag;
  if (step.ns >= 0 && step.ns != rosia_trace::forever.ns)
    tag = {step.ns, step.microstep};
  events_.push_back({step.at - start_, kind, process, step.node, text, tag});
}

} // namespace rosia_drill
