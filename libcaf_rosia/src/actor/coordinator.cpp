// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/coordinator.hpp"

#include "caf/rosia/actor/runtime.hpp"
#include "caf/rosia/detail/drill.hpp"
#include "caf/rosia/detail/parse_time.hpp"
#include "text.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace caf::rosia {

namespace {

/// How many nodes are named in the log for one and the same thing.
constexpr std::size_t names_in_log = 20;

/// How many looks in a row that see no change make up the grace period. Several
/// of them, lest a process that was stopped for a while is taken for one whose
/// nodes did nothing in that time.
constexpr int looks_per_grace_period = 8;

/// Stands for a step that is not of one node.
constexpr auto no_node = std::numeric_limits<engine::node_id>::max();

/// Between two of them.
constexpr std::chrono::milliseconds least_pause{1};

std::int64_t after(std::int64_t ns, std::chrono::nanoseconds duration) {
  return saturating_add(logical_time{ns, 0}, delay{duration}).ns;
}

} // namespace

coordinator::coordinator(caf::actor_config& cfg,
                         std::shared_ptr<detail::runtime> run)
  : super(cfg), runtime_(std::move(run)),
    negotiation_(runtime_->nodes().size(), runtime_->opts().stop_after, *this) {
  set_down_handler([this](const caf::down_msg& x) {
    runtime_->note_vanished(x);
  });
}

coordinator::~coordinator() {
  // nop
}

const char* coordinator::name() const {
  return "caf.rosia.coordinator";
}

coordinator::behavior_type coordinator::make_behavior() {
  for (auto& handle : runtime_->handles())
    if (handle)
      monitor(handle);
  negotiation_.begin();
  return {
    [this](const node_request_shutdown& x) {
      rehearse("requested", x.node, x.proposal);
      negotiation_.request(x.proposal, x.status);
    },
    [this](const application_shutdown_response& x) {
      if (negotiation_.owes_answer(x.node))
        runtime_->set_stage(x.node, node_stage::answered);
      rehearse("answered", x.node, x.tag);
      negotiation_.answer(x.node, x.tag);
    },
    [this](const exit_message& x) {
      if (x.node >= runtime_->nodes().size())
        return;
      runtime_->set_stage(x.node, node_stage::left);
      rehearse("left", x.node, x.last);
      negotiation_.exited(x.node, x.how, x.last);
    },
    [this](const node_force_shutdown_request& x) {
      if (x.node < runtime_->nodes().size())
        runtime_->set_stage(x.node, node_stage::failed);
      runtime_->set_reason(x.what);
      negotiation_.force(x.status);
    },
    [this](const request_from_outside& x) {
      rehearse("requested", no_node, x.proposal);
      if (auto trace = runtime_->trace())
        trace->request(std::nullopt, never, x.proposal, 0);
      negotiation_.request(x.proposal, 0);
      if (x.signal != 0 && !std::exchange(told_signal_, true))
        runtime_->coordinator_log().info(
          "signal {}: the application ends; a second signal forces it",
          x.signal);
    },
    [this](const stage_overdue& x) {
      negotiation_.overdue(x.deadline);
      blame();
    },
    [this](const look_at_progress& x) {
      watch_progress(x.deadline);
      blame();
    },
    [this](const force_application& x) {
      if (negotiation_.forced())
        return;
      runtime_->set_reason(x.reason);
      negotiation_.force(x.status);
      if (!x.text.empty())
        runtime_->coordinator_log().log(
          x.status == 128 ? spdlog::level::warn : spdlog::level::err, x.text);
    },
    [this](const process_lost& x) { lost(x); },
    [this](const connection_lost& x) {
      force(process_name(x.process) + " lost its connection to "
            + process_name(x.other));
    },
    [this](const transport_error& x) {
      force(process_name(x.other) + ' ' + x.what + " (noticed by "
            + process_name(x.process) + ')');
    },
    [this](const report_request&) { runtime_->give(runtime_->look()); },
    [this](const show_life& x) { runtime_->heard(x.number); },
  };
}

// -- overridden functions of engine::negotiation::host ------------------------

void coordinator::ask(engine::node_id node, logical_time proposal) {
  proposal_ = proposal;
  runtime_->set_stage(node, node_stage::asked);
  runtime_->tell(node, application_request_shutdown{proposal});
  rehearse("node_asked", node, proposal);
}

void coordinator::tell_final(
  engine::node_id node, logical_time final, logical_time requested) {
  runtime_->set_stage(node, node_stage::executing);
  runtime_->tell(node, shutdown_message{final, requested});
  rehearse("final_tag_sent", node, final);
}

void coordinator::force(engine::node_id node) {
  runtime_->set_stage(node, node_stage::forced);
  auto& nodes = runtime_->nodes();
  if (nodes.find(node) != nullptr)
    caf::anon_send(runtime_->handles()[node], force_shutdown_message{});
  else
    runtime_->force(nodes.home(node));
}

void coordinator::agreed(logical_time final) {
  if (proposal_ != never && final > proposal_)
    runtime_->coordinator_log().info(
      "an end at tag {} was requested, but there are nodes beyond it: the "
      "application ends at tag {}",
      to_string(proposal_), to_string(final));
  else
    runtime_->coordinator_log().debug(
      "the application ends at tag {}", to_string(final));
  if (auto trace = runtime_->trace())
    trace->final(final);
}

void coordinator::ignored(logical_time proposal, logical_time final) {
  runtime_->coordinator_log().info(
    "a request to end at tag {} changes nothing: the application ends at tag "
    "{} already",
    to_string(proposal), to_string(final));
}

void coordinator::entered(stage what, std::uint64_t deadline) {
  runtime_->time().cancel(watch_);
  watch_ = 0;
  auto show = [&](application_stage x) {
    runtime_->set_stage(x, negotiation_.final(), negotiation_.status());
  };
  switch (what) {
    case stage::asking:
      show(application_stage::asking);
      limit(runtime_->opts().negotiation_timeout, deadline);
      break;
    case stage::executing:
      show(application_stage::executing);
      unchanged_ = 0;
      // Until then the nodes may well wait for physical time.
      look_again(
        runtime_->follows_clock() ? negotiation_.final().ns : 0, deadline);
      break;
    case stage::forced:
      show(application_stage::forced);
      runtime_->prepare_last_report();
      if (auto trace = runtime_->trace())
        trace->forced();
      rehearse("forced", no_node, never);
      limit(runtime_->opts().grace_period, deadline);
      break;
    default:
      break;
  }
}

void coordinator::late(engine::node_id node, stage what) {
  late_stage_ = what;
  auto runs = runtime_->runs_code(node);
  late_.push_back({node, runs, {}});
  if (runs || late_.size() <= names_in_log)
    late_.back().text = runtime_->describe(node);
}

void coordinator::finished(int status) {
  blame();
  rehearse("over", no_node, negotiation_.final());
  if (gave_up_)
    runtime_->give_up(status);
  if (negotiation_.forced())
    runtime_->give_last_report();
  runtime_->finish(status);
  quit();
}

// -- implementation -----------------------------------------------------------

void coordinator::rehearse(
  const char* what, engine::node_id node, logical_time tag) {
  if (auto* drill = runtime_->drill())
    drill->step(
      what, node < runtime_->nodes().size() ? runtime_->nodes().name(node) : "",
      tag);
}

void coordinator::lost(const process_lost& x) {
  auto nodes = runtime_->lose(x.process);
  std::vector<std::string> first;
  for (std::size_t i = 0; i < std::min(nodes.size(), names_in_log); ++i)
    first.push_back(runtime_->nodes().name(nodes[i]));
  auto names = detail::quoted_list(first);
  if (nodes.size() > names_in_log)
    names += fmt::format(" and {} more", nodes.size() - names_in_log);
  auto what
    = process_name(x.process) + ' ' + (x.how.empty() ? "is gone" : x.how)
      + (nodes.empty() ? ", which ran no node"
                       : ", and with it the nodes " + names);
  for (auto id : nodes)
    runtime_->set_stage(id, node_stage::vanished);
  // Somebody else may have noticed that before.
  if (negotiation_.forced())
    runtime_->coordinator_log().error("{}", what);
  force(what);
  for (auto id : nodes)
    if (negotiation_.is_alive(id))
      negotiation_.exited(id, engine::ending::forced, never);
}

void coordinator::force(const std::string& why) {
  if (!negotiation_.forced())
    runtime_->coordinator_log().error("{}: the application ends by force", why);
  runtime_->set_reason(why);
  negotiation_.force(1);
}

std::string coordinator::process_name(std::uint32_t process) const {
  auto& all = runtime_->nodes().processes();
  return process < all.size()
           ? "process '" + all[process] + "'"
           : std::string{"an unknown process"};
}

void coordinator::blame() {
  if (late_.empty())
    return;
  // A node may be late only because others hold all workers.
  std::stable_partition(late_.begin(), late_.end(), [](auto& x) {
    return x.runs;
  });
  auto& log = runtime_->coordinator_log();
  auto& opts = runtime_->opts();
  auto first = "node '" + runtime_->nodes().name(late_.front().node) + "'";
  std::string what;
  auto level = spdlog::level::err;
  switch (late_stage_) {
    case stage::asking:
      what = fmt::format("did not answer within negotiation_timeout ({})",
                         detail::time_text(opts.negotiation_timeout));
      runtime_->set_reason(first + ' ' + what);
      break;
    case stage::executing:
      what = fmt::format(
        "did not get to the final tag {}, and no node got on for grace_period "
        "({})",
        to_string(negotiation_.final()), detail::time_text(opts.grace_period));
      runtime_->set_reason(first + ' ' + what);
      break;
    default:
      what = fmt::format("did not end within grace_period ({})",
                         detail::time_text(opts.grace_period));
      level = spdlog::level::critical;
      gave_up_ = true;
  }
  for (std::size_t i = 0; i < std::min(late_.size(), names_in_log); ++i)
    log.log(level, "node '{}' {}: {}", runtime_->nodes().name(late_[i].node),
            what, late_[i].text);
  if (late_.size() > names_in_log)
    log.log(level, "and {} more nodes {}", late_.size() - names_in_log, what);
  if (!gave_up_)
    log.error("the application ends by force");
  late_.clear();
}

void coordinator::limit(std::chrono::nanoseconds duration,
                        std::uint64_t deadline) {
  auto& time = runtime_->time();
  watch_
    = runtime_->call_overdue(after(time.elapsed(), duration), deadline, false);
}

void coordinator::watch_progress(std::uint64_t deadline) {
  if (deadline != negotiation_.deadline())
    return;
  auto progress = runtime_->progress();
  runtime_->ask_progress();
  unchanged_ = progress == seen_ ? unchanged_ + 1 : 0;
  seen_ = progress;
  if (unchanged_ == looks_per_grace_period)
    negotiation_.overdue(deadline);
  else
    look_again(0, deadline);
}

void coordinator::look_again(std::int64_t ns, std::uint64_t deadline) {
  auto& time = runtime_->time();
  auto pause = std::max<std::chrono::nanoseconds>(
    runtime_->opts().grace_period / looks_per_grace_period, least_pause);
  watch_ = runtime_->call_overdue(
    after(std::max(ns, time.elapsed()), pause), deadline, true);
}

} // namespace caf::rosia
