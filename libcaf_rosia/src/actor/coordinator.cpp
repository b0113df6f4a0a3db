// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/coordinator.hpp"

#include "caf/rosia/actor/runtime.hpp"

#include <caf/send.hpp>

#include <algorithm>

namespace caf::rosia {

coordinator::coordinator(caf::actor_config& cfg,
                         std::shared_ptr<detail::runtime> run)
  : super(cfg), runtime_(std::move(run)),
    negotiation_(runtime_->size(), runtime_->opts().stop_after, *this) {
  set_down_handler([this](const caf::down_msg& x) { vanished(x); });
}

coordinator::~coordinator() {
  // nop
}

const char* coordinator::name() const {
  return "caf.rosia.coordinator";
}

coordinator::behavior_type coordinator::make_behavior() {
  for (auto& handle : runtime_->handles())
    monitor(handle);
  return {
    [this](const node_request_shutdown& x) {
      negotiation_.request(x.proposal, x.status);
    },
    [this](const application_shutdown_response& x) {
      negotiation_.answer(x.node, x.tag);
    },
    [this](const exit_message& x) {
      negotiation_.exited(x.node, x.how, x.last);
    },
    [this](const node_force_shutdown_request& x) { force_all(x.status); },
    [this](const request_from_outside& x) {
      if (auto trace = runtime_->trace())
        trace->request(std::nullopt, never, x.proposal, 0);
      negotiation_.request(x.proposal, 0);
    },
    [this](const answers_overdue&) {
      if (!negotiation_.asking() || negotiation_.forced())
        return;
      for (engine::node_id i = 0; i < runtime_->size(); ++i)
        if (negotiation_.owes_answer(i))
          runtime_->coordinator_log().error(
            "node '{}' did not answer within negotiation_timeout ({}): the "
            "application ends by force",
            runtime_->at(i).name(),
            to_string(
              logical_time{runtime_->opts().negotiation_timeout.count(), 0}));
      force_all(129);
    },
    [this](const force_application& x) { force_all(x.status); },
  };
}

// -- overridden functions of engine::negotiation::host ------------------------

void coordinator::ask(engine::node_id node, logical_time proposal) {
  proposal_ = proposal;
  watch_answers();
  caf::anon_send(
    runtime_->handles()[node], application_request_shutdown{proposal});
}

void coordinator::tell_final(
  engine::node_id node, logical_time final, logical_time requested) {
  caf::anon_send(runtime_->handles()[node], shutdown_message{final, requested});
}

void coordinator::force(engine::node_id node) {
  caf::anon_send(runtime_->handles()[node], force_shutdown_message{});
}

void coordinator::agreed(logical_time final) {
  runtime_->time().cancel(answer_deadline_);
  answer_deadline_ = 0;
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

void coordinator::finished(int status) {
  runtime_->finish(status);
  quit();
}

// -- implementation -----------------------------------------------------------

void coordinator::force_all(int status) {
  if (negotiation_.forced())
    return;
  if (auto trace = runtime_->trace())
    trace->forced();
  negotiation_.force(status);
  runtime_->start_grace_period();
}

void coordinator::vanished(const caf::down_msg& x) {
  // The handles are in the order of their actors' numbers.
  auto& handles = runtime_->handles();
  auto i = std::lower_bound(
    handles.begin(), handles.end(), x.source.id(),
    [](auto& handle, caf::actor_id id) { return handle.id() < id; });
  if (i == handles.end() || i->id() != x.source.id())
    return;
  auto node = static_cast<engine::node_id>(i - handles.begin());
  if (!negotiation_.is_alive(node))
    return;
  runtime_->coordinator_log().error(
    "node '{}' vanished without a word; somebody ended its actor: {}",
    runtime_->at(node).name(), caf::to_string(x.reason));
  force_all(1);
  // Its actor, which did not get to do this, is about to be destroyed.
  detail::node_access::inbox(runtime_->at(node)).close();
  detail::node_access::environment(runtime_->at(node), nullptr);
  runtime_->left(node);
  negotiation_.exited(node, engine::ending::forced, never);
}

void coordinator::watch_answers() {
  if (answer_deadline_ != 0)
    return;
  auto& time = runtime_->time();
  answer_deadline_ = time.call_at(
    time.elapsed() + runtime_->opts().negotiation_timeout.count(),
    [run = runtime_.get()] {
      caf::anon_send(run->coordinator_of(), answers_overdue{});
    });
}

} // namespace caf::rosia
