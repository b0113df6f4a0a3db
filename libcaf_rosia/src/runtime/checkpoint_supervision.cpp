// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoint_supervision.hpp"

#include "base/duration.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "drills/drill.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/runtime.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Returns the injection point before a process receives this command, or null
/// if there is none.
const char* step_of(checkpoint_command::kind x) noexcept {
  using enum checkpoint_command::kind;
  switch (x) {
    case ask:
      return "checkpoint_asked";
    case agreed:
      return "checkpoint_agreed";
    case mark:
      return "checkpoint_marked";
    case complete:
      return "checkpoint_complete";
    default:
      return nullptr;
  }
}

} // namespace

checkpoint_supervision::checkpoint_supervision(runtime& run)
  : run_(run),
    coordination_(std::max<std::size_t>(run.nodes().processes().size(), 1),
                  run.context().checkpoints()->config().every,
                  run.context().checkpoints()->config().after, *this),
    timer_(run.context().time(), run.watchdog()) {
  // nop
}

// -- before the end -----------------------------------------------------------

void checkpoint_supervision::end_at(logical_time tag) {
  if (coordination_.final() == tag)
    return;
  final_problem_.clear();
  coordination_.end_at(tag);
}

void checkpoint_supervision::command(
  engine::process_id process, const checkpoint_command& x) {
  auto& context = run_.context();
  if (auto* step = step_of(x.type);
      step != nullptr && context.observers().drill)
    context.observers().drill->step(step, "", x.tag);
  if (process == run_.nodes().self())
    context.checkpoints()->obey(x);
  else if (auto peer = context.actors().others()->peer(process))
    send_from(context.actors().others()->self(), peer, x);
}

void checkpoint_supervision::concluded(
  logical_time tag, bool is_final, bool is_planned,
  const std::string& problem) {
  auto& log = run_.context().coordinator_log();
  auto& file = run_.context().checkpoints()->config().file;
  if (problem.empty() && !is_final)
    log.debug("the checkpoint at tag {} is in '{}'", to_string(tag), file);
  else if (problem.empty())
    log.info(
      "the checkpoint at the end, tag {}, is in '{}'; resume.file={} continues "
      "from there",
      to_string(tag), file, run_.context().opts().checkpoint.file);
  else if (!is_final)
    // Planned checkpoints often fail for one reason: `conclude` counts them.
    log.log(is_planned && ++failed_plans_ > 1
              ? spdlog::level::debug
              : spdlog::level::warn,
            "no checkpoint is taken at tag {}: {}", to_string(tag), problem);
  else
    final_problem_ = problem;
}

void checkpoint_supervision::skipped(logical_time tag, logical_time next) {
  run_.context().coordinator_log().warn(
    "no checkpoint is taken at tag {}: nodes were past it when the one before "
    "was written; the next is at tag {}. If that is too seldom, choose a "
    "faster disk, or a longer checkpoint.every",
    to_string(tag), to_string(next));
}

// -- after all nodes left -----------------------------------------------------

bool checkpoint_supervision::awaits_final() {
  if (coordination_.awaits_final() && !std::exchange(waits_, true)) {
    timer_.restart();
    look();
  }
  return coordination_.awaits_final();
}

void checkpoint_supervision::look() {
  if (!coordination_.awaits_final())
    return;
  auto& timeout = run_.context().opts().checkpoint.timeout;
  auto waited = timer_.lasted();
  std::string where;
  if (run_.nodes().distributed())
    for (auto process : coordination_.awaited())
      where
        += (where.empty() ? " in " : ", ") + run_.nodes().process_text(process);
  if (waited >= timeout) {
    coordination_.stop();
    final_problem_
      = "it was not written" + where + " within checkpoint.timeout ("
        + time_text(timeout) + ")";
    return;
  }
  if (auto due = timer_.due(waited))
    run_.context().coordinator_log().warn(
      "the checkpoint at the end is being written{} for {} now "
      "(checkpoint.timeout: {})",
      where, time_text(*due), time_text(timeout));
  run_.watchdog().send_at(timer_.next_reminder(timeout), look_at_checkpoint{});
}

int checkpoint_supervision::conclude(int status, bool aborted) {
  auto& log = run_.context().coordinator_log();
  if (failed_plans_ > 1)
    log.warn(
      "{} planned checkpoints were not taken; log_level=debug names each",
      failed_plans_);
  if (final_problem_.empty() || aborted)
    return status;
  // A lost checkpoint is a failure, even if the application succeeded.
  if (status == 0)
    status = 1;
  auto reason = "there is no checkpoint at the end, tag "
                + to_string(coordination_.final()) + ": " + final_problem_;
  log.error(
    "{}; the status is {}, and the last complete one stands", reason, status);
  run_.status().set_reason(reason);
  return status;
}

} // namespace caf::rosia::detail
