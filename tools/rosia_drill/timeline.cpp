// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/timeline.hpp"

#include "rosia_drill/event_loop.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace rosia_drill {

namespace {

std::string status_text(int status) {
  return status > 128 && status != 129
           ? "signal " + std::to_string(status - 128)
           : "status " + std::to_string(status);
}

std::string shortened(const std::string& line) {
  constexpr std::string_view dots = "...";
  if (line.size() <= timeline::longest_line)
    return line;
  return line.substr(0, timeline::longest_line - dots.size()).append(dots);
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
  events_.push_back(event_of(round_event_kind::fault, process, step, text));
}

void timeline::add_step(const std::string& process, const process_step& step) {
  steps_.add(
    event_of(round_event_kind::step, process, step, step.name), most_steps);
}

void timeline::add_line(const std::string& process, const std::string& line) {
  lines_[process].add(
    {elapsed(),
     round_event_kind::log,
     process,
     {},
     shortened(line),
     std::nullopt},
    lines_of_log);
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
  for (auto& [process, lines] : lines_)
    lines.move_to(events_);
  steps_.move_to(events_);
  std::stable_sort(events_.begin(), events_.end(), [](auto& x, auto& y) {
    return x.at < y.at;
  });
  return std::exchange(events_, {});
}

std::uint64_t timeline::log_lines() const {
  std::uint64_t result = 0;
  for (auto& [process, lines] : lines_)
    result += lines.count;
  return result;
}

// -- implementation -----------------------------------------------------------

void timeline::both_ends::add(round_event x, std::size_t most) {
  ++count;
  if (first.size() < most / 2) {
    first.push_back(std::move(x));
    return;
  }
  last.push_back(std::move(x));
  if (last.size() > most / 2)
    last.pop_front();
}

void timeline::both_ends::move_to(std::vector<round_event>& events) {
  std::move(first.begin(), first.end(), std::back_inserter(events));
  std::move(last.begin(), last.end(), std::back_inserter(events));
  first.clear();
  last.clear();
}

round_event timeline::event_of(
  round_event_kind kind, const std::string& process, const process_step& step,
  const std::string& text) const {
  std::optional<rosia_trace::logical_time> tag;
  if (step.ns >= 0 && step.ns != rosia_trace::forever.ns)
    tag = {step.ns, step.microstep};
  return {step.at - start_, kind, process, step.node, text, tag};
}

} // namespace rosia_drill
