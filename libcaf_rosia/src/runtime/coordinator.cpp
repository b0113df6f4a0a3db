// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/coordinator.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "drills/drill.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/runtime.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

namespace caf::rosia {

namespace {

/// Maximum number of nodes named in the log for the same lapse.
constexpr std::size_t names_in_log = 20;

/// Minimum number of looks that make up the grace period. Several are needed:
/// nodes of a process that was stopped for a while made no progress either.
constexpr std::int64_t least_looks = 8;

/// Stands for a step that does not belong to a node.
constexpr auto no_node = std::numeric_limits<engine::node_id>::max();

/// Bounds of the time between two looks. Longer pauses would delay warnings.
constexpr std::chrono::nanoseconds least_pause = std::chrono::milliseconds{1};
constexpr std::chrono::nanoseconds longest_pause
  = std::chrono::milliseconds{250};

/// Time after which a stage of the end first names the nodes that it waits for.
constexpr std::chrono::nanoseconds first_word = std::chrono::seconds{1};

/// Returns how much later than another process the coordinator may notice the
/// loss of a process: each process checks once a heartbeat, and its last news
/// may be a heartbeat old.
std::chrono::nanoseconds time_to_learn_of_losses(const options& opts) {
  return std::max<std::chrono::nanoseconds>(
    2 * opts.network.heartbeat, std::chrono::milliseconds{200});
}

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

std::int64_t after(std::int64_t ns, std::chrono::nanoseconds duration) {
  return saturating_add(logical_time{ns, 0}, delay{duration}).ns;
}

} // namespace

coordinator::coordinator(caf::actor_config& cfg,
                         std::shared_ptr<detail::runtime> run)
  : super(cfg), runtime_(std::move(run)), run_(runtime_->context()),
    negotiation_(run_.nodes().size(), run_.opts().stop_after, *this) {
  if (auto* checkpoints = run_.checkpoints()) {
    negotiation_.save_final();
    checkpoints_.emplace(
      std::max<std::size_t>(run_.nodes().processes().size(), 1),
      checkpoints->config().every, checkpoints->config().after, *this);
  }
}

coordinator::~coordinator() {
  // nop
}

const char* coordinator::name() const {
  return "caf.rosia.coordinator";
}

coordinator::behavior_type coordinator::make_behavior() {
  if (auto& replay = run_.records().replay)
    negotiation_.set_status(replay->status());
  negotiation_.begin();
  if (auto& tag = run_.opts().stop_after; checkpoints_ && tag)
    checkpoints_->end_at(*tag);
  return {
    [this](const node_request_shutdown& x) {
      rehearse("requested", x.node, x.proposal);
      negotiation_.request(x.proposal, x.status);
    },
    [this](const application_shutdown_response& x) {
      if (negotiation_.owes_answer(x.node))
        run_.progress().stages.set(x.node, node_stage::answered);
      rehearse("answered", x.node, x.tag);
      negotiation_.answer(x.node, x.tag);
    },
    [this](const exit_message& x) {
      if (x.node >= run_.nodes().size())
        return;
      run_.progress().stages.set(x.node, node_stage::left);
      rehearse("left", x.node, x.last);
      negotiation_.exited(x.node, x.ending, x.last);
    },
    [this](const node_abort_request& x) {
      if (x.node < run_.nodes().size())
        run_.progress().stages.set(x.node, node_stage::failed);
      runtime_->status().set_reason(x.error + run_.nodes().place_of(x.node));
      negotiation_.abort(x.status);
    },
    [this](const request_from_outside& x) {
      rehearse("requested", no_node, x.proposal);
      if (auto trace = run_.trace())
        trace->request(std::nullopt, never, x.proposal, 0);
      negotiation_.request(x.proposal, 0);
      if (x.signal != 0 && !std::exchange(announced_signal_, true))
        announce_signal(x);
    },
    [this](const stage_overdue& x) {
      made_progress_ = x.deadline == negotiation_.deadline();
      negotiation_.overdue(x.deadline);
      blame();
    },
    [this](const look_at_progress& x) {
      if (x.deadline != negotiation_.deadline())
        return;
      if (negotiation_.current() == stage::asking)
        remind_of_answers();
      else
        check_progress(x.deadline);
      blame();
    },
    [this](const abort_application& x) {
      if (negotiation_.aborted())
        return;
      runtime_->status().set_reason(x.reason);
      negotiation_.abort(x.status);
      if (!x.text.empty())
        run_.coordinator_log().log(
          x.status == 128 ? spdlog::level::warn : spdlog::level::err, x.text);
    },
    [this](const process_lost& x) { note_lost_process(x); },
    [this](const connection_lost& x) { note_lost_connection(x); },
    [this](const connection_overdue& x) { blame_connection(x.connection); },
    [this](const transport_error& x) {
      abort(process_name(x.other) + ' ' + x.problem + " (noticed by "
            + process_name(x.process) + ')');
    },
    [this](const report_request&) {
      runtime_->status().publish(runtime_->status().look());
    },
    [this](const look_at_lag&) { runtime_->lag().look(); },
    [this](const checkpoint_reply& x) {
      if (checkpoints_)
        checkpoints_->note(x);
      if (final_status_)
        finish();
    },
    [this](const rosia::look_at_checkpoint&) { look_at_checkpoint(); },
    [this](const ping& x) { runtime_->watchdog().pong(x.number); },
  };
}

// -- overridden functions of engine::negotiation::host ------------------------

void coordinator::ask(engine::node_id node, logical_time proposal) {
  proposal_ = proposal;
  run_.progress().stages.set(node, node_stage::asked);
  run_.send_to_node(node, application_request_shutdown{proposal});
  rehearse("node_asked", node, proposal);
}

void coordinator::tell_final(
  engine::node_id node, logical_time final, logical_time requested) {
  run_.progress().stages.set(node, node_stage::executing);
  run_.send_to_node(node, shutdown_message{final, requested});
  rehearse("final_tag_sent", node, final);
}

void coordinator::abort_node(engine::node_id node) {
  run_.progress().stages.set(node, node_stage::aborted);
  auto& nodes = run_.nodes();
  if (nodes.find(node) != nullptr)
    run_.tell(node, abort_message{});
  else
    run_.others()->abort(nodes.home(node), runtime_->status().reason());
}

void coordinator::agreed(logical_time final) {
  if (proposal_ != never && final > proposal_)
    run_.coordinator_log().info(
      "an end at tag {} was requested, but there are nodes beyond it: the "
      "application ends at tag {}",
      to_string(proposal_), to_string(final));
  else
    run_.coordinator_log().debug(
      "the application ends at tag {}", to_string(final));
  if (auto trace = run_.trace())
    trace->final(final);
  if (checkpoints_ && checkpoints_->final() != final) {
    final_problem_.clear();
    checkpoints_->end_at(final);
  }
}

void coordinator::ignored(logical_time proposal, logical_time final) {
  run_.coordinator_log().info(
    "a request to end at tag {} changes nothing: the application ends at tag "
    "{} already",
    to_string(proposal), to_string(final));
}

void coordinator::entered(stage current, std::uint64_t deadline) {
  for (auto* call : {&deadline_call_, &look_call_})
    run_.time().cancel(std::exchange(*call, 0));
  stage_began_ = run_.time().elapsed();
  interval_ = backlog_interval_ = detail::growing_interval{first_word.count()};
  auto show = [&](application_stage x) {
    runtime_->status().set_stage(
      x, negotiation_.final(), negotiation_.status());
  };
  switch (current) {
    case stage::asking:
      show(application_stage::asking);
      was_requested_ = true;
      limit(run_.opts().negotiation_timeout, deadline);
      remind();
      break;
    case stage::executing:
      show(application_stage::executing);
      limit_execution(deadline);
      break;
    case stage::aborted:
      blame(); // sets the reason for the other processes
      if (checkpoints_)
        checkpoints_->stop();
      show(application_stage::aborted);
      runtime_->runners().prepare_last_report();
      if (auto trace = run_.trace())
        trace->aborted();
      rehearse("aborted", no_node, never);
      limit(run_.opts().grace_period, deadline);
      break;
    default:
      break;
  }
}

void coordinator::late(engine::node_id node, stage current) {
  late_stage_ = current;
  add_late(late_, node);
}

void coordinator::finished(int status) {
  blame();
  rehearse("over", no_node, negotiation_.final());
  if (gave_up_)
    runtime_->give_up(status);
  if (negotiation_.aborted())
    runtime_->status().publish_last_report();
  else if (checkpoints_ && negotiation_.final() == forever)
    run_.coordinator_log().info(
      "the application has ended by itself: there is nothing to continue, and "
      "no checkpoint of the end");
  final_status_ = status;
  stage_began_ = run_.time().elapsed();
  interval_ = detail::growing_interval{first_word.count()};
  finish();
}

// -- overridden functions of checkpoint_coordination::host --------------------

void coordinator::command(engine::process_id process,
                          const checkpoint_command& x) {
  if (auto* step = step_of(x.type))
    rehearse(step, no_node, x.tag);
  if (process == run_.nodes().self())
    run_.checkpoints()->obey(x);
  else if (auto peer = run_.others()->peer(process))
    detail::send_from(run_.others()->self(), peer, x);
}

void coordinator::concluded(logical_time tag, bool is_final, bool is_planned,
                            const std::string& problem) {
  auto& log = run_.coordinator_log();
  auto& file = run_.checkpoints()->config().file;
  if (problem.empty() && !is_final)
    log.debug("the checkpoint at tag {} is in '{}'", to_string(tag), file);
  else if (problem.empty())
    log.info(
      "the checkpoint at the end, tag {}, is in '{}'; resume.file={} goes on "
      "from there",
      to_string(tag), file, run_.opts().checkpoint.file);
  else if (!is_final)
    // Planned checkpoints often fail for one reason: `finish` counts them.
    log.log(is_planned && ++failed_plans_ > 1
              ? spdlog::level::debug
              : spdlog::level::warn,
            "no checkpoint is taken at tag {}: {}", to_string(tag), problem);
  else
    final_problem_ = problem;
}

void coordinator::skipped(logical_time tag, logical_time next) {
  run_.coordinator_log().warn(
    "no checkpoint is taken at tag {}: nodes were past it when the one before "
    "was written; the next is at tag {}. If that is too seldom, choose a "
    "faster "
    "disk, or a longer checkpoint.every",
    to_string(tag), to_string(next));
}

// -- implementation -----------------------------------------------------------

void coordinator::finish() {
  if (checkpoints_ && !negotiation_.aborted() && checkpoints_->awaits_final()) {
    if (!awaits_checkpoint_) {
      awaits_checkpoint_ = true;
      look_at_checkpoint();
    }
    return;
  }
  if (failed_plans_ > 1)
    run_.coordinator_log().warn(
      "{} planned checkpoints were not taken; log_level=debug names each",
      failed_plans_);
  if (!final_problem_.empty() && !negotiation_.aborted())
    report_checkpoint_loss();
  runtime_->finish(*final_status_);
  quit();
}

void coordinator::look_at_checkpoint() {
  if (!awaits_checkpoint_ || !checkpoints_->awaits_final())
    return;
  auto& timeout = run_.opts().checkpoint.timeout;
  auto waited = run_.time().elapsed() - stage_began_;
  std::string where;
  if (run_.nodes().distributed())
    for (auto process : checkpoints_->awaited())
      where += (where.empty() ? " in " : ", ") + process_name(process);
  if (waited >= timeout.count()) {
    checkpoints_->stop();
    final_problem_
      = "it was not written" + where + " within checkpoint.timeout ("
        + detail::time_text(timeout) + ")";
    finish();
    return;
  }
  if (auto due = interval_.due(waited))
    run_.coordinator_log().warn(
      "the checkpoint at the end is being written{} for {} now "
      "(checkpoint.timeout: {})",
      where, detail::time_text(std::chrono::nanoseconds{*due}),
      detail::time_text(timeout));
  runtime_->watchdog().send_at(
    after(stage_began_, std::min<std::chrono::nanoseconds>(
                          std::chrono::nanoseconds{interval_.next()}, timeout)),
    rosia::look_at_checkpoint{});
}

void coordinator::report_checkpoint_loss() {
  // A lost checkpoint is a failure, even if the application succeeded.
  auto& status = *final_status_;
  if (status == 0)
    status = 1;
  auto reason = "there is no checkpoint at the end, tag "
                + to_string(checkpoints_->final()) + ": " + final_problem_;
  run_.coordinator_log().error(
    "{}; the status is {}, and the last complete one stands", reason, status);
  runtime_->status().set_reason(reason);
}

void coordinator::rehearse(
  const char* step, engine::node_id node, logical_time tag) {
  if (auto& drill = run_.observers().drill)
    drill->step(
      step, node < run_.nodes().size() ? run_.nodes().name(node) : "", tag);
}

void coordinator::note_lost_process(const process_lost& x) {
  auto nodes = runtime_->lose(x.process);
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(nodes.size(), names_in_log); ++i)
    first.push_back(run_.nodes().name(nodes[i]));
  auto names = detail::quoted_list(first);
  if (nodes.size() > names_in_log)
    names += fmt::format(" and {} more", nodes.size() - names_in_log);
  auto reason
    = process_name(x.process) + ' ' + (x.cause.empty() ? "is gone" : x.cause)
      + (nodes.empty()       ? ", which ran no node"
         : nodes.size() == 1 ? ", its node " + names + " is lost"
                             : ", its nodes " + names + " are lost");
  for (auto id : nodes)
    run_.progress().stages.set(id, node_stage::lost);
  // If another loss aborted the application before, `abort` logs nothing.
  if (negotiation_.aborted())
    run_.coordinator_log().error("{}", reason);
  abort(reason);
  for (auto id : nodes)
    if (negotiation_.is_alive(id))
      negotiation_.exited(id, engine::ending::aborted, never);
}

void coordinator::note_lost_connection(const connection_lost& x) {
  auto says = [](auto process, auto other) {
    return [process, other](const connection_lost& y) {
      return y.process == process && y.other == other;
    };
  };
  auto& all = lost_connections_;
  // If both ends report the loss, both are alive.
  if (auto i = std::find_if(all.begin(), all.end(), says(x.other, x.process));
      i != all.end())
    return blame_connection(*i);
  if (std::any_of(all.begin(), all.end(), says(x.process, x.other)))
    return;
  all.push_back(x);
  auto& time = run_.time();
  time.call_at(
    time.elapsed_in(time_to_learn_of_losses(run_.opts())), [&run = run_, x] {
      detail::send_anonymously(run.coordinator(), connection_overdue{x});
    });
}

void coordinator::blame_connection(const connection_lost& x) {
  if (!negotiation_.aborted())
    abort(process_name(x.process) + " lost its connection to "
          + process_name(x.other));
}

void coordinator::announce_signal(const request_from_outside& x) {
  auto text = "signal " + std::to_string(x.signal);
  if (x.process != 0)
    text += " to " + process_name(x.process);
  text += ": the application ends";
  if (auto* others = run_.others())
    others->announce_end(text);
  run_.coordinator_log().info("{}; a second signal aborts it", text);
}

void coordinator::abort(const std::string& reason) {
  if (!negotiation_.aborted()) {
    runtime_->watchdog().expect_pong();
    run_.coordinator_log().error("{}: the application is aborted", reason);
  }
  runtime_->status().set_reason(reason);
  negotiation_.abort(1);
}

std::string coordinator::process_name(std::uint32_t process) const {
  auto& all = run_.nodes().processes();
  return process < all.size()
           ? "process '" + all[process] + "'"
           : std::string{"an unknown process"};
}

void coordinator::add_late(std::vector<late_node>& to, engine::node_id node) {
  auto runs = runtime_->status().runs_code(node);
  to.push_back({node, runs, {}});
  if (runs || to.size() <= names_in_log)
    to.back().text = runtime_->status().describe(node);
}

std::size_t coordinator::move_culprits_first(
  std::vector<late_node>& nodes) const {
  // A node may be late only because other nodes occupy all workers.
  auto others = std::stable_partition(nodes.begin(), nodes.end(), [](auto& x) {
    return x.runs;
  });
  if (others == nodes.begin() || runtime_->status().verbose_end())
    return nodes.size();
  return static_cast<std::size_t>(others - nodes.begin());
}

void coordinator::tell_of(
  const std::vector<late_node>& nodes, std::size_t named, std::size_t count,
  spdlog::level::level_enum level, const std::string& lapse) {
  auto& log = run_.coordinator_log();
  auto shown = std::min(named, names_in_log);
  for (std::size_t i = 0; i < shown; ++i)
    log.log(level, "node '{}' {}: {}", run_.nodes().name(nodes[i].node), lapse,
            nodes[i].text);
  if (count > shown)
    log.log(level, "and {} {}",
            detail::plural(count - shown, "more node", "more nodes"), lapse);
}

void coordinator::blame() {
  if (late_.empty())
    return;
  auto count = move_culprits_first(late_);
  auto& opts = run_.opts();
  auto first = "node '" + run_.nodes().name(late_.front().node) + "'";
  std::string lapse;
  auto level = spdlog::level::err;
  switch (late_stage_) {
    case stage::asking:
      lapse = fmt::format("did not answer within negotiation_timeout ({})",
                          detail::time_text(opts.negotiation_timeout));
      runtime_->status().set_reason(first + ' ' + lapse);
      break;
    case stage::executing:
      lapse = fmt::format(
        "did not reach the final tag {}", to_string(negotiation_.final()));
      lapse
        += made_progress_
             ? fmt::format(
               " within end_timeout ({})", detail::time_text(opts.end_timeout))
             : fmt::format(", and no node made progress for grace_period ({})",
                           detail::time_text(opts.grace_period));
      runtime_->status().set_reason(first + ' ' + lapse);
      break;
    default:
      lapse = fmt::format("did not end within grace_period ({})",
                          detail::time_text(opts.grace_period));
      level = spdlog::level::critical;
      gave_up_ = true;
  }
  tell_of(late_, count, late_.size(), level, lapse);
  if (!gave_up_)
    run_.coordinator_log().error("the application is aborted");
  late_.clear();
}

void coordinator::limit(std::chrono::nanoseconds duration,
                        std::uint64_t deadline) {
  deadline_call_ = runtime_->watchdog().send_at(
    run_.time().elapsed_in(duration), stage_overdue{deadline});
}

void coordinator::remind() {
  look_call_ = runtime_->watchdog().send_at(
    after(stage_began_, std::chrono::nanoseconds{interval_.next()}),
    look_at_progress{negotiation_.deadline()});
}

void coordinator::remind_of_answers() {
  auto waited = interval_.due(run_.time().elapsed() - stage_began_);
  if (waited)
    name_awaited_nodes(fmt::format(
      "did not answer within {} (negotiation_timeout: {})",
      detail::time_text(std::chrono::nanoseconds{*waited}),
      detail::time_text(run_.opts().negotiation_timeout)));
  remind();
}

void coordinator::name_awaited_nodes(const std::string& lapse) {
  std::vector<late_node> nodes;
  auto asking = negotiation_.current() == stage::asking;
  for (engine::node_id i = 0; i < run_.nodes().size(); ++i)
    if (asking ? negotiation_.owes_answer(i) : negotiation_.is_alive(i))
      add_late(nodes, i);
  auto count = move_culprits_first(nodes);
  tell_of(nodes, count, nodes.size(), spdlog::level::warn, lapse);
}

void coordinator::limit_execution(std::uint64_t deadline) {
  auto final = negotiation_.final();
  made_progress_ = false;
  looks_without_progress_ = 0;
  // Until then the nodes may wait for physical time.
  looks_began_ = std::max(
    run_.time().elapsed(), runtime_->runners().follows_clock() ? final.ns : 0);
  // Any step is progress, however small. Only a deadline limits their sum.
  if (was_requested_ && proposal_ == never)
    limit(run_.opts().end_timeout, deadline);
  look_again(looks_began_, deadline);
}

void coordinator::check_progress(std::uint64_t deadline) {
  auto final = negotiation_.final();
  auto progress = runtime_->count_progress(final);
  if (auto* others = run_.others())
    others->request_progress(final);
  if (progress == last_progress_) {
    ++looks_without_progress_;
  } else {
    looks_without_progress_ = 0;
    interval_ = detail::growing_interval{first_word.count()};
  }
  last_progress_ = progress;
  if (looks_without_progress_ == looks_per_grace_period()) {
    negotiation_.overdue(deadline);
    return;
  }
  auto lasted = looks_without_progress_ * pause_between_looks();
  if (interval_.due(lasted.count()))
    name_awaited_nodes(fmt::format(
      "did not reach the final tag {}, and no node made progress for {} "
      "(grace_period: {})",
      to_string(final), detail::time_text(lasted),
      detail::time_text(run_.opts().grace_period)));
  else if (looks_without_progress_ == 0 && was_requested_)
    report_backlog();
  look_again(0, deadline);
}

void coordinator::report_backlog() {
  if (!backlog_interval_.due(run_.time().elapsed() - looks_began_))
    return;
  auto text = detail::backlog_text(runtime_->status().look());
  if (!text.empty())
    run_.coordinator_log().info(
      "executes up to {}: {}", to_string(negotiation_.final()), text);
}

std::chrono::nanoseconds coordinator::pause_between_looks() const {
  return std::clamp(
    run_.opts().grace_period / least_looks, least_pause, longest_pause);
}

std::int64_t coordinator::looks_per_grace_period() const {
  return std::max(
    least_looks, run_.opts().grace_period / pause_between_looks());
}

void coordinator::look_again(std::int64_t ns, std::uint64_t deadline) {
  look_call_ = runtime_->watchdog().send_at(
    after(std::max(ns, run_.time().elapsed()), pause_between_looks()),
    look_at_progress{deadline});
}

} // namespace caf::rosia
