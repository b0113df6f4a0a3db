// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/run_loop.hpp"

#include "base/checkpoint_signal.hpp"
#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "base/limit_advice.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "compat/spawn_detached.hpp"
#include "drills/drill.hpp"
#include "nodes/node_access.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/coordinator.hpp"
#include "runtime/node_runner.hpp"

#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <spdlog/fmt/fmt.h>
#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// Requests for reports within this time count as one.
constexpr std::chrono::milliseconds least_time_between_reports{400};

/// Status of an application that a second signal aborted.
constexpr int second_signal_status = 128;

} // namespace

run_loop::run_loop(std::shared_ptr<runtime> run)
  : runtime_(std::move(run)), context_(runtime_->context()),
    checkpoint_signal_(
      checkpoint_signal_number(context_.opts().checkpoint.signal).value_or(0)) {
  // nop
}

int run_loop::run() {
  // Signals are set up before the nodes start: this may throw, and running
  // actors would keep their system from ending.
  signal_watch signals{context_.opts().signals, context_.time().descriptor(),
                       context_.opts().sighup, checkpoint_signal_};
  unblocked_signals unblocked{signals};
  if (::getpid() == 1)
    context_.coordinator_log().info(
      "this is process 1: what other processes leave behind stays a zombie; "
      "let the container have an init (docker run --init)");
  context_.time().run(
    {[this] { start(); },
     [this](auto node) { context_.actors().runner_at(node).signal(); },
     [this](auto signal, auto count) { on_signal(signal, count); },
     [this] { request_report(); },
     [this] {
       if (auto* checkpoints = context_.checkpoints())
         checkpoints->demand();
     }},
    signals, checkpoint_signal_);
  return finish(signals);
}

// -- the start ----------------------------------------------------------------

void run_loop::start() {
  try {
    prepare();
  } catch (...) {
    // Executors and the application keep each other alive.
    context_.release_actors();
    throw;
  }
  if (context_.actors().others() == nullptr)
    context_.time().start();
  else if (!begin_together())
    return;
  if (auto& drill = context_.observers().drill)
    drill->started(context_.time().started_at());
  if (auto& recorder = context_.records().recorder)
    recorder->begin();
  limit_duration();
  runtime_->runners().start();
  runtime_->lag().start();
  runtime_->runners().open();
  runtime_->status().note_start();
  runtime_->requests().open();
  if (auto* checkpoints = context_.checkpoints())
    checkpoints->open();
}

void run_loop::prepare() {
  auto coordinates = context_.nodes().self() == 0;
  auto& stop_after = context_.opts().stop_after;
  if (auto* trace = context_.trace(); trace && stop_after && coordinates) {
    trace->request(std::nullopt, never, *stop_after, 0);
    trace->final(*stop_after);
  }
  runtime_->runners().make(runtime_->shared_context());
  if (coordinates)
    context_.actors().coordinator(
      spawn_detached<rosia::coordinator>(context_.system(), runtime_));
}

bool run_loop::begin_together() {
  auto& log = context_.coordinator_log();
  auto ended = false;
  try {
    context_.time().start(context_.actors().others()->begin(runtime_));
    return true;
  } catch (const ended_early& e) {
    log.info(text_of(e, context_.opts()));
    ended = true;
  } catch (const std::runtime_error& e) {
    log.error("the application does not start: {}", e.what());
  }
  context_.time().start();
  if (context_.actors().coordinator())
    caf::anon_send_exit(
      context_.actors().coordinator(), caf::exit_reason::kill);
  context_.progress().exits.orphan();
  runtime_->trace_unstarted(ended);
  runtime_->abort_nodes();
  if (ended) {
    runtime_->status().set_stage(application_stage::aborted, forever, 0);
    context_.actors().others()->dismiss();
  }
  return false;
}

void run_loop::limit_duration() {
  auto& timeout = context_.opts().timeout;
  if (timeout && context_.actors().coordinator())
    runtime_->watchdog().send_at(
      context_.time().elapsed_in(*timeout),
      abort_application{
        status_deadline, "its timeout expired",
        "the application did not end within its timeout (" + time_text(*timeout)
          + "): it is aborted"});
}

// -- signals ------------------------------------------------------------------

void run_loop::on_signal(int signal, int count) {
  auto& nodes = context_.nodes();
  if (count == 1)
    context_.actors().send_to_coordinator(
      request_from_outside{never, signal, nodes.self()});
  else {
    auto where
      = nodes.self() == 0
          ? std::string{}
          : " to process '" + nodes.processes()[nodes.self()] + "'";
    context_.actors().send_to_coordinator(abort_application{
      second_signal_status, "a second signal" + where,
      "signal " + std::to_string(signal) + " again" + where
        + ": the application is aborted"});
    if (!context_.actors().coordinator())
      expect_abort();
  }
  runtime_->watchdog().expect_pong();
}

void run_loop::expect_abort() {
  auto leave_after = [this](std::chrono::nanoseconds limit, bool aborted) {
    auto& time = context_.time();
    time.deadline_at(time.elapsed_in(limit), [this, limit, aborted] {
      if (!aborted && runtime_->status().stage() == application_stage::aborted)
        return;
      context_.actors().others()->leave_coordinator(
        "did not end the application within " + time_text(limit)
          + " of a second signal",
        second_signal_status);
    });
  };
  leave_after(session::patience_with_coordinator, false);
  leave_after(
    context_.opts().grace_period + watchdog::patience_after_grace_period, true);
}

void run_loop::on_late_signal(int signal, int count) {
  auto& log = context_.coordinator_log();
  auto text = "signal " + std::to_string(signal);
  if (count < 2 || !signal_watch::for_tests.late_signals_end) {
    log.info("{}: the application ended, and its files are being written; a "
             "second signal ends the process before they are complete",
             text);
    return;
  }
  limit_last_words(second_signal_status);
  log.critical(
    "{} again: the process ends, and its files are not complete", text);
  context_.log().flush();
  if (auto* others = context_.actors().others())
    others->kill_others();
  std::_Exit(second_signal_status);
}

void run_loop::request_report() {
  if (report_is_due_)
    return;
  auto& time = context_.time();
  auto request = [this] {
    report_is_due_ = false;
    next_report_ = context_.time().elapsed_in(least_time_between_reports);
    if (context_.actors().coordinator())
      send_anonymously(context_.actors().coordinator(), report_request{});
    else
      context_.actors().others()->give_report();
  };
  if (time.elapsed() >= next_report_) {
    request();
  } else {
    report_is_due_ = true;
    time.call_at(next_report_, request);
  }
}

// -- the end ------------------------------------------------------------------

void run_loop::report_unexecuted() const {
  auto& status = runtime_->status();
  auto final = status.final();
  // A checkpoint keeps these values. An abort drops values up to the final tag,
  // too.
  if (final == never || final == forever || context_.checkpoints()
      || !status.reason().empty())
    return;
  if (auto text = context_.progress().unexecuted.text(context_.nodes());
      !text.empty())
    context_.coordinator_log().info(
      "beyond the final tag {}, {}", to_string(final), text);
}

int run_loop::finish(signal_watch& signals) {
  runtime_->requests().close();
  runtime_->runners().close();
  auto status = runtime_->status().note_end();
  report_unexecuted();
  if (auto* others = context_.actors().others()) {
    others->close_links();
    context_.coordinator_log().debug(
      "this process {}", to_string(runtime_->status().own_report()));
    // Other processes may still send messages for the nodes.
    others->close();
  }
  std::jthread late_signals;
  try {
    late_signals = std::jthread{[&](const std::stop_token& token) {
      auto count = 0;
      context_.time().serve_signals(token, signals, [&](int signal) {
        if (signal != SIGUSR1 && signal != checkpoint_signal_)
          on_late_signal(signal, ++count);
      });
    }};
  } catch (const std::system_error&) {
    // If no thread can be created, signals have no effect until the files are
    // complete.
  }
  return complete_files(status);
}

int run_loop::complete_files(int status) {
  auto patience = context_.opts().checkpoint.timeout;
  auto* checkpoints = context_.checkpoints();
  if (checkpoints)
    status = report_problem(status, checkpoints->finish(patience));
  context_.release_actors();
  status = report_problem(status, end_recording(status));
  context_.close_files(patience);
  if (checkpoints)
    status = report_problem(status, checkpoints->back_up(patience));
  if (auto* trace = context_.trace()) {
    trace->end(status);
    if (auto problem = trace->output().flush())
      status = report_trace_loss(status, problem);
  }
  context_.log().flush();
  return status;
}

int run_loop::report_problem(int status, const std::string& problem) {
  return problem.empty() ? status : report_loss(status, problem, problem);
}

std::string run_loop::end_recording(int status) {
  auto& recorder = context_.records().recorder;
  if (recorder == nullptr)
    return {};
  auto& nodes = context_.nodes();
  run_file::end_record end{
    "done", runtime_->status().final(), status, runtime_->status().reason()};
  end.nodes.resize(nodes.size());
  for (auto id : nodes.local()) {
    auto& engine = node_access::engine(context_.at(id));
    end.nodes[id] = {text_of(engine.outcome()), engine.last_before_end()};
    if (engine.outcome() == engine::ending::aborted)
      end.ending = text_of(engine.outcome());
  }
  if (end.ending == text_of(engine::ending::aborted)) {
    end.final = recorder->awaits_events() ? forever : logical_time{};
    for (auto id : nodes.local())
      end.final = std::max(end.final, end.nodes[id]->last);
  } else if (end.final != forever) {
    end.ending = text_of(engine::ending::final_tag);
  }
  auto lack
    = recorder->finish(std::move(end), context_.opts().checkpoint.timeout);
  if (!lack.empty())
    lack.insert(0, "the recording '" + context_.opts().record.file
                     + "' is not complete: ");
  return lack;
}

int run_loop::report_trace_loss(int status, std::error_code problem) {
  auto trace
    = context_.opts().trace.empty()
        ? std::string{"the trace"}
        : "the trace '" + context_.opts().trace + "'";
  return report_loss(
    status,
    fmt::format("{} is not complete: it could not be written: {}{}", trace,
                problem.message(), file_advice(problem)),
    trace + " could not be written");
}

int run_loop::report_loss(int status, const std::string& text,
                          const std::string& reason) {
  // A missing file is a failure, even if the application succeeded.
  auto result = status == 0 ? 1 : status;
  context_.coordinator_log().error("{}; the status is {}", text, result);
  runtime_->status().set_reason(reason);
  runtime_->status().set_stage(application_stage::over, forever, result);
  return result;
}

} // namespace caf::rosia::detail
