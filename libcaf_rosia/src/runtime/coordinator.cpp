// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/coordinator.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "drills/drill.hpp"
#include "runtime/runtime.hpp"

#include <caf/send.hpp>
#include <spdlog/logger.h>

#include <algorithm>
#include <initializer_list>
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

/// When a stage of the end begins to tell whom it waits for.
constexpr std::chrono::nanoseconds first_word = std::chrono::seconds{1};

/// How much later than another process the coordinator may notice that a
/// process is gone: each looks once a heartbeat, and has heard of it up to one
/// ago.
std::chrono::nanoseconds time_to_learn_of_losses(const options& opts) {
  return std::max<std::chrono::nanoseconds>(
    2 * opts.heartbeat, std::chrono::milliseconds{200});
}

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
      runtime_->set_reason(x.what + runtime_->place_of(x.node));
      negotiation_.force(x.status);
    },
    [this](const request_from_outside& x) {
      rehearse("requested", no_node, x.proposal);
      if (auto trace = runtime_->trace())
        trace->request(std::nullopt, never, x.proposal, 0);
      negotiation_.request(x.proposal, 0);
      if (x.signal != 0 && !std::exchange(told_signal_, true))
        tell_signal(x);
    },
    [this](const stage_overdue& x) {
      negotiation_.overdue(x.deadline);
      blame();
    },
    [this](const look_at_progress& x) {
      if (x.deadline != negotiation_.deadline())
        return;
      if (negotiation_.current() == stage::asking)
        watch_answers();
      else
        watch_progress(x.deadline);
      blame();
    },
    [this](const force_application& x) {
      if (negotiation_.aborted())
        return;
      runtime_->set_reason(x.reason);
      negotiation_.force(x.status);
      if (!x.text.empty())
        runtime_->coordinator_log().log(
          x.status == 128 ? spdlog::level::warn : spdlog::level::err, x.text);
    },
    [this](const process_lost& x) { lost(x); },
    [this](const connection_lost& x) { take_in(x); },
    [this](const connection_overdue& x) { blame_connection(x.what); },
    [this](const transport_error& x) {
      force(process_name(x.other) + ' ' + x.what + " (noticed by "
            + process_name(x.process) + ')');
    },
    [this](const report_request&) { runtime_->give(runtime_->look()); },
    [this](const look_at_lag&) { runtime_->watch_lag(); },
    [this](const ping& x) { runtime_->pong(x.number); },
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
  for (auto* call : {&watch_, &reminder_})
    runtime_->time().cancel(std::exchange(*call, 0));
  began_ = runtime_->time().elapsed();
  words_ = detail::growing_interval{first_word.count()};
  auto show = [&](application_stage x) {
    runtime_->set_stage(x, negotiation_.final(), negotiation_.status());
  };
  switch (what) {
    case stage::asking:
      show(application_stage::asking);
      limit(runtime_->opts().negotiation_timeout, deadline);
      remind();
      break;
    case stage::executing:
      show(application_stage::executing);
      unchanged_ = 0;
      // Until then the nodes may well wait for physical time.
      look_again(
        runtime_->follows_clock() ? negotiation_.final().ns : 0, deadline);
      break;
    case stage::aborted:
      blame(); // the others want to know why
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
  add_late(late_, node);
}

void coordinator::finished(int status) {
  blame();
  rehearse("over", no_node, negotiation_.final());
  if (gave_up_)
    runtime_->give_up(status);
  if (negotiation_.aborted())
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
      + (nodes.empty()       ? ", which ran no node"
         : nodes.size() == 1 ? ", its node " + names + " is lost"
                             : ", its nodes " + names + " are lost");
  for (auto id : nodes)
    runtime_->set_stage(id, node_stage::lost);
  // Somebody else may have noticed that before.
  if (negotiation_.aborted())
    runtime_->coordinator_log().error("{}", what);
  force(what);
  for (auto id : nodes)
    if (negotiation_.is_alive(id))
      negotiation_.exited(id, engine::ending::aborted, never);
}

void coordinator::take_in(const connection_lost& x) {
  auto says = [](auto process, auto other) {
    return [process, other](const connection_lost& y) {
      return y.process == process && y.other == other;
    };
  };
  auto& all = lost_connections_;
  // If both ends tell of it, both are alive.
  if (auto i = std::find_if(all.begin(), all.end(), says(x.other, x.process));
      i != all.end())
    return blame_connection(*i);
  if (std::any_of(all.begin(), all.end(), says(x.process, x.other)))
    return;
  all.push_back(x);
  auto& time = runtime_->time();
  time.call_at(
    after(time.elapsed(), time_to_learn_of_losses(runtime_->opts())),
    [run = runtime_.get(), x] {
      caf::anon_send(run->coordinator_of(), connection_overdue{x});
    });
}

void coordinator::blame_connection(const connection_lost& x) {
  if (!negotiation_.aborted())
    force(process_name(x.process) + " lost its connection to "
          + process_name(x.other));
}

void coordinator::tell_signal(const request_from_outside& x) {
  auto what = "signal " + std::to_string(x.signal);
  if (x.process != 0)
    what += " to " + process_name(x.process);
  what += ": the application ends";
  runtime_->tell_others(what);
  runtime_->coordinator_log().info("{}; a second signal aborts it", what);
}

void coordinator::force(const std::string& why) {
  if (!negotiation_.aborted()) {
    runtime_->expect_life();
    runtime_->coordinator_log().error("{}: the application is aborted", why);
  }
  runtime_->set_reason(why);
  negotiation_.force(1);
}

std::string coordinator::process_name(std::uint32_t process) const {
  auto& all = runtime_->nodes().processes();
  return process < all.size()
           ? "process '" + all[process] + "'"
           : std::string{"an unknown process"};
}

void coordinator::add_late(std::vector<late_node>& to, engine::node_id node) {
  auto runs = runtime_->runs_code(node);
  to.push_back({node, runs, {}});
  if (runs || to.size() <= names_in_log)
    to.back().text = runtime_->describe(node);
}

std::size_t coordinator::put_culprits_first(
  std::vector<late_node>& nodes) const {
  // A node may be late only because others hold all workers.
  auto others = std::stable_partition(nodes.begin(), nodes.end(), [](auto& x) {
    return x.runs;
  });
  if (others == nodes.begin() || runtime_->verbose_end())
    return nodes.size();
  return static_cast<std::size_t>(others - nodes.begin());
}

void coordinator::tell_of(
  const std::vector<late_node>& nodes, std::size_t named, std::size_t count,
  spdlog::level::level_enum level, const std::string& what) {
  auto& log = runtime_->coordinator_log();
  auto shown = std::min(named, names_in_log);
  for (std::size_t i = 0; i < shown; ++i)
    log.log(level, "node '{}' {}: {}", runtime_->nodes().name(nodes[i].node),
            what, nodes[i].text);
  if (count > shown)
    log.log(level, "and {} {}",
            detail::plural(count - shown, "more node", "more nodes"), what);
}

void coordinator::blame() {
  if (late_.empty())
    return;
  auto count = put_culprits_first(late_);
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
        "did not reach the final tag {}, and no node made progress for "
        "grace_period "
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
  tell_of(late_, count, late_.size(), level, what);
  if (!gave_up_)
    runtime_->coordinator_log().error("the application is aborted");
  late_.clear();
}

void coordinator::limit(std::chrono::nanoseconds duration,
                        std::uint64_t deadline) {
  auto& time = runtime_->time();
  watch_
    = runtime_->call_overdue(after(time.elapsed(), duration), deadline, false);
}

void coordinator::remind() {
  reminder_ = runtime_->call_overdue(
    after(began_, std::chrono::nanoseconds{words_.next()}),
    negotiation_.deadline(), true);
}

void coordinator::watch_answers() {
  auto waited = words_.due(runtime_->time().elapsed() - began_);
  if (waited)
    tell_whom_it_waits_for(fmt::format(
      "did not answer within {} (negotiation_timeout: {})",
      detail::time_text(std::chrono::nanoseconds{*waited}),
      detail::time_text(runtime_->opts().negotiation_timeout)));
  remind();
}

void coordinator::tell_whom_it_waits_for(const std::string& what) {
  std::vector<late_node> nodes;
  auto asking = negotiation_.current() == stage::asking;
  for (engine::node_id i = 0; i < runtime_->nodes().size(); ++i)
    if (asking ? negotiation_.owes_answer(i) : negotiation_.is_alive(i))
      add_late(nodes, i);
  auto count = put_culprits_first(nodes);
  tell_of(nodes, count, nodes.size(), spdlog::level::warn, what);
}

void coordinator::watch_progress(std::uint64_t deadline) {
  auto progress = runtime_->progress();
  runtime_->ask_progress();
  if (progress == seen_) {
    ++unchanged_;
  } else {
    unchanged_ = 0;
    words_ = detail::growing_interval{first_word.count()};
  }
  seen_ = progress;
  if (unchanged_ == looks_per_grace_period) {
    negotiation_.overdue(deadline);
    return;
  }
  auto lasted = unchanged_ * pause_between_looks();
  if (words_.due(lasted.count()))
    tell_whom_it_waits_for(fmt::format(
      "did not reach the final tag {}, and no node made progress for {} "
      "(grace_period: {})",
      to_string(negotiation_.final()), detail::time_text(lasted),
      detail::time_text(runtime_->opts().grace_period)));
  look_again(0, deadline);
}

std::chrono::nanoseconds coordinator::pause_between_looks() const {
  return std::max<std::chrono::nanoseconds>(
    runtime_->opts().grace_period / looks_per_grace_period, least_pause);
}

void coordinator::look_again(std::int64_t ns, std::uint64_t deadline) {
  auto& time = runtime_->time();
  watch_ = runtime_->call_overdue(
    after(std::max(ns, time.elapsed()), pause_between_looks()), deadline, true);
}

} // namespace caf::rosia
