// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/status_service.hpp"

#include "base/duration.hpp"
#include "nodes/node_access.hpp"
#include "runtime/node_status.hpp"

#include <caf/sec.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <system_error>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Maximum number of nodes that a report in the log names.
constexpr std::size_t nodes_in_log = 20;

/// Maximum number of lines of its log that a process sends at a time.
constexpr std::size_t most_lines = 200;

/// Validity of the answers of other processes, in nanoseconds.
constexpr std::int64_t age_of_answers = 400'000'000;

} // namespace

// -- constructors, destructors ------------------------------------------------

status_service::status_service(run_context& run, node_runners& runners)
  : run_(&run), runners_(&runners) {
  for (auto& name : run.nodes().processes())
    summary_.processes.push_back({name, "has not reported yet"});
}

status_service::~status_service() {
  // nop
}

// -- the application's state --------------------------------------------------

void status_service::note_start() {
  std::lock_guard guard{mutex_};
  if (summary_.stage == application_stage::not_started)
    summary_.stage = application_stage::running;
}

int status_service::note_end() {
  std::lock_guard guard{mutex_};
  summary_.stage = application_stage::over;
  return summary_.status;
}

void status_service::set_stage(
  application_stage stage, logical_time final, int status) {
  std::lock_guard guard{mutex_};
  if (summary_.stage == application_stage::over && stage != summary_.stage)
    return;
  summary_.stage = stage;
  summary_.final = std::min(summary_.final, final);
  summary_.status = status;
}

void status_service::set_reason(const std::string& reason) {
  std::lock_guard guard{mutex_};
  if (summary_.reason.empty())
    summary_.reason = reason;
}

application_stage status_service::stage() const {
  std::lock_guard guard{mutex_};
  return summary_.stage;
}

logical_time status_service::final() const {
  std::lock_guard guard{mutex_};
  return summary_.final;
}

std::string status_service::reason() const {
  std::lock_guard guard{mutex_};
  return summary_.reason;
}

void status_service::note(engine::process_id process, process_report status) {
  std::lock_guard guard{mutex_};
  status.name = run_->nodes().processes()[process];
  summary_.processes[process] = std::move(status);
}

void status_service::note_loss(engine::process_id process) {
  std::lock_guard guard{mutex_};
  summary_.processes[process].problem = "was lost";
}

// -- reports ------------------------------------------------------------------

application_report status_service::look() {
  auto* others = run_->actors().others();
  auto all = others != nullptr ? others->request_report_of_all() : std::nullopt;
  if (!all)
    return look_here();
  if (!*all)
    return look_alone(all->error());
  // Before the start and after the end, there is nothing to report.
  return (*all)->nodes.empty() ? look_here() : std::move(**all);
}

application_report status_service::look_here() {
  return make_report(*runners_->observe());
}

application_report status_service::look_alone(const caf::error& error) {
  auto result = look_here();
  auto problem
    = run_->progress().exits.is_orphaned() || error != caf::sec::request_timeout
        ? std::string{"was lost"}
        : "did not answer within "
            + time_text(session::patience_with_coordinator);
  for (engine::process_id i = 0; i < result.processes.size(); ++i)
    if (i != run_->nodes().self())
      result.processes[i].problem
        = i == 0 ? problem : "only the coordinator knows its state";
  return result;
}

application_report status_service::complete(
  application_report own, const answers& of_others) {
  for (engine::process_id i = 1; i < process_count(); ++i)
    add(own, i, of_others[i]);
  return own;
}

void status_service::add(application_report& to, engine::process_id process,
                         const std::optional<process_report_reply>& answer) {
  auto& nodes = run_->nodes();
  auto status = answer ? answer->self : process_report{};
  if (run_->actors().others()->has_lost(process))
    status.problem = "was lost";
  else if (!answer)
    status.problem
      = "did not answer within " + time_text(session::patience_with_process);
  note(process, status);
  status.name = nodes.processes()[process];
  to.processes[process] = std::move(status);
  if (!answer)
    return;
  auto is_there = [&](engine::node_id id) {
    return id < nodes.size() && nodes.home(id) == process;
  };
  if (auto& counters = run_->observers().counters)
    for (auto& [id, counts] : answer->counts)
      if (is_there(id))
        counters->note(id, counts);
  for (auto& [id, node] : answer->nodes) {
    if (!is_there(id))
      continue;
    // This process knows the node's stage better.
    auto stage = to.nodes[id].stage;
    to.nodes[id] = node;
    to.nodes[id].stage = stage;
    to.nodes[id].process = nodes.processes()[process];
  }
}

application_report status_service::make_report(const observation& observed) {
  auto& nodes = run_->nodes();
  auto result = summary();
  result.nodes.reserve(nodes.size());
  observed.each([&](auto id, auto stage, auto* state) {
    if (nodes.find(id) != nullptr) {
      result.nodes.push_back(describe_node(*run_, id, stage, state));
      return;
    }
    auto home = nodes.home(id);
    auto& node = result.nodes.emplace_back();
    node.name = nodes.name(id);
    node.process = nodes.processes()[home];
    // The loss of the process may be more recent than the observation.
    node.stage
      = run_->actors().others()->has_lost(home) ? node_stage::lost : stage;
    node.has_left = node_stages::is_last(node.stage);
  });
  return result;
}

application_report status_service::summary() const {
  std::unique_lock guard{mutex_};
  auto result = summary_;
  guard.unlock();
  result.elapsed = std::chrono::nanoseconds{run_->time().elapsed()};
  if (run_->actors().others() != nullptr)
    result.processes[run_->nodes().self()] = own_report();
  return result;
}

process_report_reply status_service::local_report(std::uint64_t log_since) {
  auto observed = run_->progress().last_look();
  if (!observed)
    observed = runners_->observe();
  process_report_reply result{own_report(), {}};
  observed->each([&](auto id, auto stage, auto* state) {
    if (run_->nodes().find(id) != nullptr)
      result.nodes.emplace_back(id, describe_node(*run_, id, stage, state));
  });
  add_counts(result, log_since);
  return result;
}

void status_service::add_counts(
  process_report_reply& to, std::uint64_t log_since) {
  auto now = run_->time().elapsed();
  auto& nodes = run_->nodes();
  if (auto& counters = run_->observers().counters)
    for (engine::node_id id = 0; id < nodes.size(); ++id)
      if (auto* node = nodes.find(id))
        if (auto counts = counters->read(id, now)) {
          counts->dropped += node_access::inbox(*node).refused();
          to.counts.emplace_back(id, std::move(*counts));
        }
  if (auto& lines = run_->observers().page_log) {
    to.log = lines->since(log_since);
    if (to.log.size() > most_lines)
      to.log.resize(most_lines);
  }
}

process_report status_service::own_report() const {
  auto& nodes = run_->nodes();
  process_report result{nodes.processes()[nodes.self()]};
  auto sent = run_->actors().others()->sent();
  if (!sent)
    return result; // not started yet
  result.messages = sent->messages;
  result.frames = sent->frames - sent->without_messages;
  result.control_frames = sent->without_messages;
  return result;
}

// -- single nodes -------------------------------------------------------------

std::string status_service::describe(engine::node_id id) {
  auto& nodes = run_->nodes();
  if (nodes.find(id) != nullptr)
    return to_string(
      describe_node(*run_, id, run_->progress().stages.get(id), nullptr));
  if (auto* status = remote_report(id))
    return to_string(*status) + nodes.place_of(id);
  return "its state is unknown" + nodes.place_of(id);
}

bool status_service::runs_code(engine::node_id id) {
  if (auto* node = run_->nodes().find(id))
    return node_access::engine(*node).doing().running;
  auto* status = remote_report(id);
  return status != nullptr && status->running;
}

const node_report* status_service::remote_report(engine::node_id id) {
  // Asks all processes at once: several that do not answer cost no more time
  // than one.
  if (remote_reports_.empty()
      || run_->time().elapsed() - remote_reports_at_ > age_of_answers) {
    remote_reports_
      = run_->actors().others()->request_reports(1, process_count());
    remote_reports_at_ = run_->time().elapsed();
  }
  auto& answer = remote_reports_[run_->nodes().home(id)];
  if (!answer)
    return nullptr;
  for (auto& [other, status] : answer->nodes)
    if (other == id)
      return &status;
  return nullptr;
}

// -- the log ------------------------------------------------------------------

void status_service::publish(const application_report& status) {
  publish(status, to_string(status, nodes_in_log));
}

void status_service::publish(
  const application_report& status, const std::string& text) {
  auto& log = run_->coordinator_log();
  log.info("{}", text);
  if (!run_->opts().report.empty())
    try {
      write_report(run_->opts().report, status);
    } catch (const std::system_error& e) {
      log.error("{}", e.what());
    }
}

void status_service::publish_last_report() {
  auto last = run_->progress().last_look();
  if (!last)
    return;
  auto result = make_report(*last);
  if (auto* others = run_->actors().others();
      others != nullptr && run_->nodes().self() == 0)
    result = complete(
      std::move(result), others->request_reports(1, process_count()));
  publish(result, verbose_end() ? to_string(result, nodes_in_log)
                                : short_text(result, nodes_in_log));
}

bool status_service::verbose_end() const {
  return run_->opts().verbose_end
         || run_->coordinator_log().should_log(spdlog::level::debug);
}

// -- implementation -----------------------------------------------------------

engine::process_id status_service::process_count() const noexcept {
  return static_cast<engine::process_id>(run_->nodes().processes().size());
}

} // namespace caf::rosia::detail
