// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "coordinator.hpp"

namespace engine_test {

// -- constructors, destructors ------------------------------------------------

coordinator::coordinator(std::size_t nodes,
                         const std::optional<logical_time>& stop_after)
  : negotiation_(nodes, stop_after, *this), rules_(negotiation_, stop_after) {
  negotiation_.begin();
}

coordinator::~coordinator() {
  // nop
}

// -- input --------------------------------------------------------------------

void coordinator::request(logical_time proposal, int status) {
  rules_.request(proposal, status);
  negotiation_.request(proposal, status);
  rules_.check();
}

void coordinator::second_signal() {
  rules_.second_signal();
  negotiation_.abort(128);
  rules_.check();
}

void coordinator::overdue() {
  rules_.overdue();
  negotiation_.overdue(negotiation_.deadline());
  rules_.check();
}

void coordinator::receive(node_id id, const report& x) {
  switch (x.type) {
    case report::kind::request:
      rules_.request(x.tag, x.status);
      break;
    case report::kind::answer:
      rules_.answer(id, x.tag);
      break;
    case report::kind::exit:
      rules_.exited(id, x.outcome, x.tag);
      break;
    case report::kind::checkpoint:
      break;
    case report::kind::done:
      rules_.done(id, x.tag);
      break;
    default:
      rules_.failed();
  }
  handle(id, x);
  rules_.check();
}

void coordinator::handle(node_id id, const report& x) {
  switch (x.type) {
    case report::kind::request:
      negotiation_.request(x.tag, x.status);
      break;
    case report::kind::answer:
      negotiation_.answer(id, x.tag);
      break;
    case report::kind::failed:
      negotiation_.abort(1);
      break;
    case report::kind::exit:
      negotiation_.exited(id, x.outcome, x.tag);
      break;
    case report::kind::vanished:
      negotiation_.abort(1);
      negotiation_.exited(id, engine::ending::aborted, never);
      break;
    case report::kind::checkpoint:
      break;
    case report::kind::done:
      negotiation_.done(id, x.tag);
      break;
  }
}

void coordinator::check_late_deadlines() {
  auto state_of = [this] {
    hasher h;
    add_state(h, negotiation_);
    h.add(negotiation_.deadline());
    return h.get();
  };
  auto before = state_of();
  for (auto deadline : {std::uint64_t{0}, negotiation_.deadline() - 1})
    if (deadline < negotiation_.deadline())
      negotiation_.overdue(deadline);
  if (before != state_of())
    throw broken_rule("the deadline of an earlier stage has an effect");
}

// -- overridden functions of negotiation::host --------------------------------

void coordinator::ask(node_id node, logical_time proposal) {
  rules_.asks(proposal);
  notify(node, {notice::kind::ask, proposal, never});
}

void coordinator::tell_final(
  node_id node, logical_time final, logical_time requested) {
  notify(node, {notice::kind::final, final, requested});
}

void coordinator::abort_node(node_id node) {
  notify(node, {notice::kind::abort, never, never});
}

void coordinator::agreed(logical_time final) {
  rules_.agreed(final);
  finals.push_back(final);
}

void coordinator::ignored(logical_time proposal, logical_time final) {
  rules_.ignored(proposal, final);
  ignored_proposals.push_back(proposal);
}

void coordinator::entered(engine::negotiation::stage stage, std::uint64_t) {
  rules_.entered(stage);
}

void coordinator::late(node_id node, engine::negotiation::stage stage) {
  rules_.late(node, stage);
}

void coordinator::finished(int status) {
  if (status_)
    throw broken_rule("it finishes twice");
  status_ = status;
}

} // namespace engine_test
