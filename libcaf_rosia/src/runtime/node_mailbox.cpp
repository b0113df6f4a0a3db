// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_mailbox.hpp"

#include "compat/scheduling_token.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <utility>

namespace caf::rosia::detail {

namespace {

/// Maximum number of messages handled in one activation.
constexpr std::size_t messages_per_activation = 8;

} // namespace

// -- constructors, destructors ------------------------------------------------

node_mailbox::node_mailbox(
  caf::actor_config& cfg, std::shared_ptr<run_context> run, node_runner& node,
  bool has_left)
  : node_actor(cfg), run_(std::move(run)), node_(&node), left_(has_left) {
  attach_functor([this](const caf::error& reason) { end_reason_ = reason; });
}

node_mailbox::~node_mailbox() {
  // nop
}

// -- for the executor ---------------------------------------------------------

caf::resumable::resume_result node_mailbox::handle_messages(
  detail::worker* unit) {
  return super::resume(unit, messages_per_activation);
}

void node_mailbox::run_on(detail::worker* unit) {
  context(unit);
}

void node_mailbox::keep(executor& last) {
  last_executor_.reset(&last);
}

void node_mailbox::leave(detail::worker* unit) {
  left_.store(true, std::memory_order_release);
  if (!take_token(*this))
    return;
  end(unit);
  drop_reference(*this);
}

void node_mailbox::end(detail::worker* unit) {
  // The node's code may end it earlier.
  if (activate(unit))
    quit();
  finalize();
}

// -- overridden functions of CAF ----------------------------------------------

const char* node_mailbox::name() const {
  return "caf.rosia.node";
}

caf::resumable::resume_result node_mailbox::resume(
  detail::worker* unit, size_t) {
  if (has_left())
    end(unit);
  else
    while (!node_->runs_on().handle_mailbox(*this, unit)) {
      // The node moved: try its new executor.
    }
  return resumable::done;
}

node_mailbox::behavior_type node_mailbox::make_behavior() {
  return {
    [this](const start_message& x) { node_->obey(x); },
    [this](const end_proposal& x) { node_->obey(x); },
    [this](const final_tag_message& x) { node_->obey(x); },
    [this](const abort_message& x) { node_->obey(x); },
    [this](const observation_request& x) { node_->obey(x); },
  };
}

} // namespace caf::rosia::detail
