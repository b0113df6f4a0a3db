// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/runtime.hpp"

#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "caf/rosia/detail/sending.hpp"

#include <spdlog/logger.h>

#include <cstdlib>
#include <optional>
#include <utility>

namespace caf::rosia::detail {

// -- constructors, destructors ------------------------------------------------

runtime::runtime(std::shared_ptr<run_context> context)
  : context_(std::move(context)), runners_(*context_),
    status_(*context_, runners_), requests_(*context_), watchdog_(*context_),
    lag_(*context_, runners_, status_, watchdog_) {
  // nop
}

runtime::~runtime() {
  // nop
}

// -- properties ---------------------------------------------------------------

std::uint64_t runtime::count_progress(logical_time final) {
  auto result = runners_.count_progress(final);
  if (auto* others = context_->actors().others())
    result += others->progress();
  return result;
}

// -- before the start ---------------------------------------------------------

void runtime::meet(const std::vector<engine::process_id>& processes) {
  auto end_trace = [this](bool ended, int status) {
    auto* trace = context_->trace();
    if (trace == nullptr)
      return;
    trace_unstarted(ended);
    trace->end(status);
    trace->output().flush();
  };
  try {
    context_->actors().others()->meet(processes);
  } catch (const ended_early&) {
    end_trace(true, 0);
    throw;
  } catch (...) {
    end_trace(false, 1);
    throw;
  }
}

void runtime::trace_unstarted(bool ended) {
  auto* trace = context_->trace();
  // Events that belong to no node are recorded in the coordinator's trace only.
  if (trace == nullptr || nodes().self() != 0)
    return;
  if (ended)
    trace->request(std::nullopt, never, never, 0);
  trace->aborted(false);
}

// -- the end, by the coordinator ----------------------------------------------

void runtime::finish(int status) {
  status_.set_stage(application_stage::over, forever, status);
  auto finish_run = [this] { context_->time().finish(); };
  if (auto* others = context_->actors().others())
    others->end_all(
      status, status_.final(), context_->opts().grace_period, finish_run);
  else
    finish_run();
}

void runtime::give_up(int status) {
  limit_last_words(status);
  status_.publish_last_report();
  context_->coordinator_log().critical(
    "the process ends with status {}", status);
  context_->log().flush();
  if (auto* trace = context_->trace())
    trace->output().flush();
  if (auto* others = context_->actors().others())
    others->kill_others();
  std::_Exit(status);
}

std::vector<engine::node_id> runtime::lose(engine::process_id process) {
  context_->actors().others()->lose(process);
  status_.note_loss(process);
  return nodes().nodes_of(process);
}

// -- the end of a process without the coordinator -----------------------------

void runtime::report_loss(const process_lost& loss) {
  send_anonymously(context_->actors().coordinator(), loss);
  watchdog_.expect_pong();
}

void runtime::abort(const std::string& reason, int status) {
  status_.set_reason(reason);
  watchdog_.log(
    spdlog::level::err,
    (reason.empty() ? "the coordinator gave no reason" : reason)
      + ": this process aborts");
  abort_nodes(status);
}

void runtime::abort_nodes(int status) {
  runners_.prepare_last_report();
  status_.set_stage(application_stage::aborted, forever, status);
  runners_.abort();
  watchdog_.expect_exits([this] { give_up(status_deadline); });
  context_->progress().exits.finish_orphan();
}

void runtime::note_coordinator_loss(const std::string& cause, int status) {
  auto& exits = context_->progress().exits;
  if (exits.is_orphaned())
    return;
  context_->actors().others()->hurry();
  // The coordinator may have aborted this process before.
  if (status_.stage() != application_stage::aborted)
    abort("the coordinator " + cause, status);
  // Called after the status is set, because now the exit of the last node ends
  // the run.
  exits.orphan();
  exits.finish_orphan();
}

void runtime::end_here(int status, logical_time final) {
  if (status != 0 && status_.stage() != application_stage::aborted)
    watchdog_.log(
      spdlog::level::info,
      "the application ended with status " + std::to_string(status));
  status_.set_stage(application_stage::over, final, status);
  context_->time().finish();
}

} // namespace caf::rosia::detail
