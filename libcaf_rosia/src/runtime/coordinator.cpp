// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/coordinator.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "drills/drill.hpp"
#include "runtime/runtime.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

namespace caf::rosia {

namespace {

/// Maximum number of lost nodes named in the log.
constexpr std::size_t most_lost_nodes_in_log = 20;

/// Stands for a step that does not belong to a node.
constexpr auto no_node = std::numeric_limits<engine::node_id>::max();

/// Returns how much later than another process the coordinator may notice the
/// loss of a process: each process checks once a heartbeat, and its last news
/// may be a heartbeat old.
std::chrono::nanoseconds time_to_learn_of_losses(const options& opts) {
  return std::max<std::chrono::nanoseconds>(
    2 * opts.network.heartbeat, std::chrono::milliseconds{200});
}

} // namespace

coordinator::coordinator(caf::actor_config& cfg,
                         std::shared_ptr<detail::runtime> run)
  : super(cfg), runtime_(std::move(run)), run_(runtime_->context()),
    negotiation_(run_.nodes().size(), run_.opts().stop_after, *this),
    timer_(run_.time(), runtime_->watchdog()),
    progress_(run_.opts().grace_period), late_(*runtime_) {
  if (run_.checkpoints() != nullptr) {
    negotiation_.save_final();
    checkpoints_.emplace(*runtime_);
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
  if (auto& from = run_.records().resumed)
    negotiation_.begin_at(from->tag());
  negotiation_.begin();
  if (auto& tag = run_.opts().stop_after; checkpoints_ && tag)
    checkpoints_->end_at(*tag);
  return {
    [this](const end_request& x) {
      rehearse("requested", x.node, x.proposal);
      negotiation_.request(x.proposal, x.status);
    },
    [this](const end_answer& x) {
      if (negotiation_.owes_answer(x.node))
        run_.progress().stages.set(x.node, node_stage::answered);
      rehearse("answered", x.node, x.tag);
      negotiation_.answer(x.node, x.tag);
    },
    [this](const done_message& x) {
      if (x.node < run_.nodes().size())
        negotiation_.done(x.node, x.last);
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
      abort(run_.nodes().process_text(x.other) + ' ' + x.problem
            + " (noticed by " + run_.nodes().process_text(x.process) + ')');
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
    [this](const look_at_checkpoint&) {
      checkpoints_->look();
      finish();
    },
    [this](const ping& x) { runtime_->watchdog().pong(x.number); },
  };
}

// -- overridden functions of engine::negotiation::host ------------------------

void coordinator::ask(engine::node_id node, logical_time proposal) {
  proposal_ = proposal;
  run_.progress().stages.set(node, node_stage::asked);
  run_.actors().send_to_node(node, end_proposal{proposal});
  rehearse("node_asked", node, proposal);
}

void coordinator::tell_final(
  engine::node_id node, logical_time final, logical_time requested) {
  run_.progress().stages.set(node, node_stage::executing);
  run_.actors().send_to_node(node, final_tag_message{final, requested});
  rehearse("final_tag_sent", node, final);
}

void coordinator::abort_node(engine::node_id node) {
  run_.progress().stages.set(node, node_stage::aborted);
  auto& nodes = run_.nodes();
  if (nodes.find(node) != nullptr)
    run_.actors().tell(node, abort_message{});
  else
    run_.actors().others()->abort(
      nodes.home(node), runtime_->status().reason());
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
  if (checkpoints_)
    checkpoints_->end_at(final);
}

void coordinator::ignored(logical_time proposal, logical_time final) {
  run_.coordinator_log().info(
    "a request to end at tag {} changes nothing: the application ends at tag "
    "{} already",
    to_string(proposal), to_string(final));
}

void coordinator::entered(stage current, std::uint64_t deadline) {
  timer_.restart();
  auto show = [&](application_stage x) {
    runtime_->status().set_stage(
      x, negotiation_.final(), negotiation_.status());
  };
  switch (current) {
    case stage::asking:
      show(application_stage::asking);
      was_requested_ = true;
      timer_.limit(run_.opts().negotiation_timeout, deadline);
      timer_.remind(deadline);
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
      timer_.limit(run_.opts().grace_period, deadline);
      break;
    default:
      break;
  }
}

void coordinator::late(engine::node_id node, stage current) {
  late_stage_ = current;
  late_.add(node);
}

void coordinator::finished(int status) {
  blame();
  rehearse("over", no_node, negotiation_.final());
  if (late_stage_ == stage::aborted)
    runtime_->give_up(status);
  if (negotiation_.aborted())
    runtime_->status().publish_last_report();
  else if (checkpoints_ && negotiation_.final() == forever)
    run_.coordinator_log().info(
      "the application ended by itself: there is nothing to continue, and "
      "no checkpoint of the end");
  final_status_ = status;
  finish();
}

// -- implementation -----------------------------------------------------------

void coordinator::finish() {
  auto aborted = negotiation_.aborted();
  if (checkpoints_ && !aborted && checkpoints_->awaits_final())
    return;
  runtime_->finish(
    checkpoints_ ? checkpoints_->conclude(*final_status_, aborted)
                 : *final_status_);
  quit();
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
  for (std::size_t i = 0; i < std::min(nodes.size(), most_lost_nodes_in_log);
       ++i)
    first.push_back(run_.nodes().name(nodes[i]));
  auto names = detail::quoted_list(first);
  if (nodes.size() > most_lost_nodes_in_log)
    names += fmt::format(" and {} more", nodes.size() - most_lost_nodes_in_log);
  auto reason
    = run_.nodes().process_text(x.process) + ' '
      + (x.cause.empty() ? "was lost" : x.cause)
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
      detail::send_anonymously(
        run.actors().coordinator(), connection_overdue{x});
    });
}

void coordinator::blame_connection(const connection_lost& x) {
  if (!negotiation_.aborted())
    abort(run_.nodes().process_text(x.process) + " lost its connection to "
          + run_.nodes().process_text(x.other));
}

void coordinator::announce_signal(const request_from_outside& x) {
  auto text = "signal " + std::to_string(x.signal);
  if (x.process != 0)
    text += " to " + run_.nodes().process_text(x.process);
  text += ": the application ends";
  if (auto* others = run_.actors().others())
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

void coordinator::blame() {
  if (late_.empty())
    return;
  auto& opts = run_.opts();
  if (late_stage_ != stage::asking && late_stage_ != stage::executing) {
    late_.log(spdlog::level::critical,
              fmt::format("did not end within grace_period ({})",
                          detail::time_text(opts.grace_period)));
    return;
  }
  std::string lapse;
  if (late_stage_ == stage::asking)
    lapse = fmt::format("did not answer within negotiation_timeout ({})",
                        detail::time_text(opts.negotiation_timeout));
  else if (progress_.is_overdue())
    lapse = fmt::format(
      "did not reach the final tag {}, and no node made "
      "progress for grace_period ({})",
      to_string(negotiation_.final()), detail::time_text(opts.grace_period));
  else
    lapse = fmt::format(
      "did not reach the final tag {} within end_timeout ({})",
      to_string(negotiation_.final()), detail::time_text(opts.end_timeout));
  runtime_->status().set_reason(late_.log(spdlog::level::err, lapse));
  run_.coordinator_log().error("the application is aborted");
}

void coordinator::remind_of_answers() {
  if (auto waited = timer_.due(timer_.lasted()))
    name_awaited_nodes(fmt::format(
      "did not answer within {} (negotiation_timeout: {})",
      detail::time_text(*waited),
      detail::time_text(run_.opts().negotiation_timeout)));
  timer_.remind(negotiation_.deadline());
}

void coordinator::name_awaited_nodes(const std::string& lapse) {
  detail::late_nodes nodes{*runtime_};
  auto asking = negotiation_.current() == stage::asking;
  for (engine::node_id i = 0; i < run_.nodes().size(); ++i)
    if (asking ? negotiation_.owes_answer(i) : negotiation_.is_alive(i))
      nodes.add(i);
  nodes.log(spdlog::level::warn, lapse);
}

void coordinator::limit_execution(std::uint64_t deadline) {
  auto final = negotiation_.final();
  progress_.restart();
  backlog_interval_
    = detail::growing_interval{detail::stage_timer::first_reminder.count()};
  // Until then the nodes may wait for physical time.
  looks_began_ = std::max(
    run_.time().elapsed(), runtime_->runners().follows_clock() ? final.ns : 0);
  // Any step is progress, however small. Only a deadline limits their sum.
  if (was_requested_ && proposal_ == never)
    timer_.limit(run_.opts().end_timeout, deadline);
  timer_.look_after(progress_.pause(), looks_began_, deadline);
}

void coordinator::check_progress(std::uint64_t deadline) {
  auto final = negotiation_.final();
  auto progress = runtime_->count_progress(final);
  if (auto* others = run_.actors().others())
    others->request_progress(final);
  auto made_some = progress_.note(progress);
  if (made_some)
    timer_.restart_reminders();
  if (progress_.is_overdue()) {
    negotiation_.overdue(deadline);
    return;
  }
  if (auto lack = progress_.lack(); timer_.due(lack))
    name_awaited_nodes(fmt::format(
      "did not reach the final tag {}, and no node made progress for {} "
      "(grace_period: {})",
      to_string(final), detail::time_text(lack),
      detail::time_text(run_.opts().grace_period)));
  else if (made_some && was_requested_)
    report_backlog();
  timer_.look_after(progress_.pause(), 0, deadline);
}

void coordinator::report_backlog() {
  if (!backlog_interval_.due(run_.time().elapsed() - looks_began_))
    return;
  auto text = detail::backlog_text(runtime_->status().look());
  if (!text.empty())
    run_.coordinator_log().info(
      "executes up to {}: {}", to_string(negotiation_.final()), text);
}

} // namespace caf::rosia
