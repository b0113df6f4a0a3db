// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/lag_monitor.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "base/thread_usage.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/node_status.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string_view>

namespace caf::rosia::detail {

namespace {

using doing = lag_watch::doing;

/// Maximum number of further nodes that a warning names.
constexpr std::size_t most_others = 3;

/// Looking at all nodes takes at most a hundredth of a processor's time.
constexpr std::int64_t looks_in_time = 100;

/// Returns the node that keeps a node from its next tag.
std::optional<engine::node_id> holder(const engine::snapshot& state) {
  switch (state.held_back.kind) {
    case engine::blocker_kind::input:
    case engine::blocker_kind::loop:
    case engine::blocker_kind::receiver:
      return state.held_back.node;
    default:
      return std::nullopt;
  }
}

/// The end of a warning if the user has set no limit.
constexpr std::string_view how_to_silence
  = " (said once; lag_warn=1h, as an option or for this node, silences it)";

} // namespace

void lag_monitor::start() {
  if (!run_->coordinator_log().should_log(spdlog::level::warn))
    return;
  if (auto& limit = run_->opts().lag_warn)
    watch_.emplace(limit->count());
  else
    watch_.emplace(std::nullopt);
  look_later(0);
}

void lag_monitor::look() {
  auto begin = thread_usage::now();
  auto now = run_->time().elapsed();
  auto sights = busy_nodes();
  auto idle = observe_idle(sights);
  add_others(sights, *idle);
  auto found = watch_->look(now, sights);
  std::erase_if(found.named, [this](auto& late) {
    auto own = node_access::lag_warn(run_->at(late.node));
    return own && late.behind <= own->count();
  });
  if (!found.named.empty()) {
    auto others = others_behind(found, *idle);
    for (auto& late : found.named)
      warn(late, *idle, others);
  }
  look_later(thread_usage::now().cpu - begin.cpu);
}

void lag_monitor::warn(const lag_watch::finding& late, const observation& idle,
                       const std::string& others) {
  auto text = fmt::format(
    "node '{}' {}{}{}{}", run_->nodes().name(late.node), excess_of(late),
    reason_of(late, idle), others,
    watch_->by_default() ? how_to_silence : std::string_view{});
  // If nothing reads the log, this process must not block here forever. The
  // coordinator has a watchdog for this case.
  if (run_->actors().coordinator())
    run_->coordinator_log().warn("{}", text);
  else
    watchdog_->log(spdlog::level::warn, text);
}

std::string lag_monitor::excess_of(const lag_watch::finding& late) const {
  // The reason has the duration.
  if (late.doing == doing::code && watch_->by_default())
    return "is stuck: ";
  auto result = fmt::format(
    "{} {}",
    late.doing == doing::wait_for_worker
      ? "has been waiting for a worker for"
      : "is behind physical time by",
    time_text(std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::nanoseconds{late.behind})));
  if (auto& limit = run_->opts().lag_warn)
    result
      += fmt::format(", more than lag_warn ({}) allows", time_text(*limit));
  return result + (late.doing == doing::slow_code ? ", and busy: " : ": ");
}

std::string lag_monitor::reason_of(
  const lag_watch::finding& late, const observation& idle) const {
  if (late.doing != doing::wait_for_others)
    return status_->describe(late.node);
  std::string result;
  idle.each([&](auto id, auto stage, auto* state) {
    if (id != late.node || state == nullptr)
      return;
    result = to_string(describe_node(*run_, id, stage, state));
    auto& nodes = run_->nodes();
    if (auto cause = holder(*state); cause && nodes.find(*cause) == nullptr)
      result += fmt::format("; '{}' runs in process '{}'", nodes.name(*cause),
                            nodes.processes()[nodes.home(*cause)]);
  });
  return result;
}

void lag_monitor::look_later(std::int64_t cost) {
  auto& time = run_->time();
  auto pause = std::max(watch_->pause(), cost * looks_in_time);
  time.call_at(time.elapsed() + pause, [run = run_] {
    if (run->actors().coordinator())
      send_anonymously(run->actors().coordinator(), look_at_lag{});
    else
      run->actors().others()->watch_lag();
  });
}

// -- observing nodes ----------------------------------------------------------

std::vector<lag_watch::sight> lag_monitor::busy_nodes() {
  std::vector<lag_watch::sight> result;
  runners_->for_each([&](auto id, auto& runner) {
    auto activity = node_access::engine(run_->at(id)).doing();
    if (activity.running || runner.runs_on().waits_for_worker())
      result.push_back(
        {id, activity.running ? doing::code : doing::wait_for_worker,
         activity.count, time_of(id, activity.tag)});
  });
  return result;
}

std::shared_ptr<observation> lag_monitor::observe_idle(
  const std::vector<lag_watch::sight>& busy) {
  auto result = runners_->new_observation();
  auto next = busy.begin();
  runners_->for_each([&](auto id, auto& runner) {
    // Some of the busy nodes may have left since.
    next = std::find_if(next, busy.end(), [id](auto& sight) {
      return sight.node >= id;
    });
    if (next == busy.end() || next->node != id)
      runner.observe(*result);
  });
  return result;
}

void lag_monitor::add_others(
  std::vector<lag_watch::sight>& to, const observation& idle) {
  auto now = run_->time().elapsed();
  std::vector<bool> known(run_->nodes().size());
  for (auto& x : to)
    known[x.node] = true;
  idle.each([&](auto id, auto, auto* state) {
    if (known[id] || run_->nodes().find(id) == nullptr
        || run_->progress().stages.has_left(id))
      return;
    if (state == nullptr)
      to.push_back(
        {id, doing::unknown, node_access::engine(run_->at(id)).doing().count});
    // Tags after the final one are never executed.
    else if (state->next.ns < now && state->next <= state->final)
      to.push_back({id, doing::wait_for_others, state->doing.count,
                    time_of(id, state->next)});
  });
}

std::int64_t lag_monitor::time_of(engine::node_id id, logical_time tag) const {
  if (watch_->by_default() && !node_access::engine(run_->at(id)).realtime())
    return lag_watch::no_time;
  return std::max<std::int64_t>(tag.ns, 0);
}

// -- further nodes ------------------------------------------------------------

std::string lag_monitor::others_behind(
  const lag_watch::findings& found, const observation& idle) const {
  std::size_t count = 0;
  std::string shown;
  idle.each([&](auto id, auto, auto* state) {
    auto is_named
      = std::ranges::find(found.named, id, &lag_watch::finding::node)
        != found.named.end();
    auto cause = is_named ? std::string{} : cause_of_lag(id, state, found);
    if (cause.empty())
      return;
    if (count < most_others)
      shown += fmt::format(
        "{}'{}' ({})", count == 0 ? "" : ", ", run_->nodes().name(id), cause);
    ++count;
  });
  if (count == 0)
    return {};
  return fmt::format(
    "; {} behind, too: {}{}", plural(count, "other node is", "other nodes are"),
    shown, count > most_others ? ", ..." : "");
}

std::string lag_monitor::cause_of_lag(
  engine::node_id id, const engine::snapshot* state,
  const lag_watch::findings& found) const {
  if (std::ranges::find(found.waiting, id) != found.waiting.end())
    return "waits for a worker";
  auto& executors = run_->executors();
  if (state == nullptr) {
    // The nodes of a group are executed one at a time.
    for (auto& x : found.named)
      if (auto group = executors.first_of_group(id);
          group && group == executors.first_of_group(x.node))
        return fmt::format("is executed with '{}'", run_->nodes().name(x.node));
    return {};
  }
  auto limit
    = run_->opts().lag_warn ? run_->opts().lag_warn->count() : watch_->limit();
  if (state->next.ns >= run_->time().elapsed() - limit)
    return {};
  auto status
    = describe_node(*run_, id, run_->progress().stages.get(id), state);
  return status.waits_for.empty()
           ? "has yet to run"
           : "waits for '" + status.waits_for + "'";
}

} // namespace caf::rosia::detail
