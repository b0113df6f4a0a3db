// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/lag_monitor.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_runner.hpp"

#include <caf/send.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

void lag_monitor::start() {
  auto& limit = run_->opts().lag_warn;
  if (!limit)
    return;
  watch_.emplace(limit->count());
  look_later();
}

void lag_monitor::look() {
  auto now = run_->time().elapsed();
  auto busy = busy_nodes();
  auto found = watch_->look(now, busy);
  std::string others;
  if (!found.named.empty())
    if (auto count = found.waiting + count_idle_late(busy); count > 0)
      others = "; " + plural(count, "other node is", "other nodes are")
               + " behind, too";
  for (auto& late : found.named) {
    auto behind = std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::nanoseconds{late.behind});
    auto text = fmt::format(
      "node '{}' {} {}, more than lag_warn ({}) allows: {}{}",
      run_->nodes().name(late.node),
      late.runs ? "is behind physical time by"
                : "has been waiting for a worker for",
      time_text(behind), time_text(*run_->opts().lag_warn),
      status_->describe(late.node), others);
    // If nobody reads the log, a process must not hang in here for ever; the
    // coordinator is watched when it matters.
    if (run_->coordinator())
      run_->coordinator_log().warn("{}", text);
    else
      watchdog_->log(spdlog::level::warn, text);
  }
  look_later();
}

void lag_monitor::look_later() {
  auto& time = run_->time();
  time.call_at(time.elapsed() + watch_->pause(), [run = run_] {
    if (run->coordinator())
      caf::anon_send(run->coordinator(), look_at_lag{});
    else
      run->others()->watch_lag();
  });
}

std::vector<lag_watch::sight> lag_monitor::busy_nodes() {
  std::vector<lag_watch::sight> result;
  actors_->for_each([&](auto id, auto& actor) {
    auto activity = node_access::engine(run_->at(id)).doing();
    if (activity.running || actor.runs_on().waits_for_worker())
      result.push_back({id, activity.running, activity.count,
                        std::max<std::int64_t>(activity.tag.ns, 0)});
  });
  return result;
}

std::size_t lag_monitor::count_idle_late(
  const std::vector<lag_watch::sight>& busy) {
  auto nodes = actors_->new_observation();
  auto next = busy.begin();
  actors_->for_each([&](auto id, auto& actor) {
    // Some of the busy ones may have left since.
    next = std::find_if(next, busy.end(), [id](auto& sight) {
      return sight.node >= id;
    });
    if (next == busy.end() || next->node != id)
      actor.observe(*nodes);
  });
  std::size_t result = 0;
  auto latest = run_->time().elapsed() - run_->opts().lag_warn->count();
  nodes->each([&](auto, auto, auto* state) {
    if (state != nullptr && state->next.ns < latest)
      ++result;
  });
  return result;
}

} // namespace caf::rosia::detail
