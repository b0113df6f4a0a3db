// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "watch/shutdown_source.hpp"

#include "shutdown/shutdown_core.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace caf::rosia::detail {

namespace {

using detail::put;

/// The maximal number of participants, and of events, on the page.
constexpr std::size_t most_rows = 200;

double seconds(std::chrono::nanoseconds x) {
  return std::chrono::duration<double>{x}.count();
}

void put(json_writer& to, const part_report& x) {
  to.StartObject();
  put(to, "name", x.name);
  put(to, "kind", to_string(x.type));
  put(to, "state", to_string(x.now));
  put(to, "phase", x.phase);
  put(to, "since", seconds(x.since));
  put(to, "text", to_string(x));
  to.EndObject();
}

void put(json_writer& to, const timeline_entry& x) {
  to.StartObject();
  put(to, "name", x.name);
  put(to, "kind", x.kind);
  put(to, "phase", x.phase);
  put(to, "begin", seconds(x.begin));
  put(to, "end", seconds(x.end));
  put(to, "over", x.over);
  put(to, "aborted", x.aborted);
  put(to, "unread", x.unread);
  to.EndObject();
}

/// Returns the phases and the longest other events, in their order.
shutdown_timeline longest(const shutdown_timeline& all) {
  if (all.size() <= most_rows)
    return all;
  std::vector<std::chrono::nanoseconds> times;
  for (auto& x : all)
    times.push_back(x.end - x.begin);
  std::nth_element(
    times.begin(), times.begin() + most_rows, times.end(), std::greater<>{});
  shutdown_timeline result;
  for (auto& x : all)
    if (x.kind == "phase"
        || (x.end - x.begin > times[most_rows]
            && result.size() < 2 * most_rows))
      result.push_back(x);
  return result;
}

/// Writes the first elements of a list.
template <class T>
void put_rows(json_writer& to, const char* key, const std::vector<T>& xs) {
  auto rows = std::span{xs}.first(std::min(xs.size(), most_rows));
  put_list(to, key, rows, [&to](auto& x) { put(to, x); });
}

} // namespace

void shutdown_source::log_to(const std::shared_ptr<log_ring>& page) {
  if (auto core = core_.lock())
    core->state.log_to(page);
}

void shutdown_source::put_graph(json_writer& to) {
  put(to, "kind", "shutdown");
}

void shutdown_source::put_state(json_writer& to) {
  auto now = look();
  put(to, "kind", "shutdown");
  put(to, "stage", now.stage);
  put(to, "reason", now.reason.text);
  put(to, "elapsed", seconds(now.elapsed));
  put(to, "actors", now.actors);
  put(to, "dead_letters", now.dead_letters);
  put(to, "count", now.parts.size());
  put_rows(to, "explanation", explain(now));
  put_rows(to, "parts", now.parts);
  put_rows(to, "others", now.others);
  put_rows(to, "timeline", longest(last_timeline_));
}

void shutdown_source::add_metrics(metric_writer& to, const std::string& name) {
  auto now = look();
  metric_writer::labels self{{"shutdown", name}};
  auto stages
    = std::vector<std::string>{"running", "backup", "aborted", "over"};
  for (auto& x : last_timeline_)
    if (x.kind == "phase")
      stages.push_back(x.name);
  to.add_states(
    "rosia_shutdown_stage", "Where the shutdown is: 1 for its stage or phase.",
    self, stages, now.stage);
  to.add_gauge("rosia_shutdown_seconds", "The time since the shutdown began.",
               self, seconds(now.elapsed));
  to.add_gauge(
    "rosia_shutdown_participants", "Participants that have not ended.", self,
    static_cast<double>(now.parts.size()));
  to.add_gauge(
    "rosia_actors", "Actors of the system that are alive, without hidden ones.",
    self, static_cast<double>(now.actors));
  to.add_counter(
    "rosia_dead_letters_total", "Messages that ended actors left unread.", self,
    static_cast<double>(now.dead_letters));
}

void shutdown_source::request_end() {
  if (auto core = core_.lock())
    core->state.begin({"a request by the live page"});
}

void shutdown_source::give_report() {
  if (auto core = core_.lock())
    core->state.log().info("{}", to_string(core->status()));
}

shutdown_report shutdown_source::look() {
  if (auto core = core_.lock()) {
    last_ = core->status();
    last_timeline_ = core->timeline();
  } else {
    last_.stage = "over";
    last_.parts.clear();
  }
  return last_;
}

} // namespace caf::rosia::detail
