// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_mailboxes.hpp"

#include "runtime/node_mailbox.hpp"
#include "runtime/run_context.hpp"

#include <caf/actor_system.hpp>

#include <utility>

namespace caf::rosia::detail {

node_mailboxes::node_mailboxes() {
  // nop
}

node_mailboxes::~node_mailboxes() {
  // nop
}

void node_mailboxes::open(run_context& run) {
  std::lock_guard guard{mutex_};
  run_ = &run;
}

node_handle node_mailboxes::get(engine::node_id id) {
  std::lock_guard guard{mutex_};
  if (run_ == nullptr || id >= run_->nodes().size()
      || run_->nodes().find(id) == nullptr)
    return {};
  auto& result = handles_[id];
  if (result)
    return result;
  // The stage is read after the lock was taken: a node that leaves sets its
  // stage before it looks for its actor.
  auto has_left = run_->progress().stages.has_left(id);
  auto& sys = run_->system();
  auto& node = run_->actors().runner_at(id);
  auto run = run_->shared_from_this();
  // An actor without lazy_init runs at once, and ends itself.
  result
    = has_left
        ? sys.spawn<node_mailbox>(std::move(run), node, true)
        : sys.spawn<node_mailbox, caf::lazy_init>(std::move(run), node, false);
  return result;
}

node_handle node_mailboxes::find(engine::node_id id) const {
  std::lock_guard guard{mutex_};
  auto i = handles_.find(id);
  return i == handles_.end() ? node_handle{} : i->second;
}

void node_mailboxes::close() {
  // The actors may hold the last references to the run, and thus to this
  // object, so they are destroyed after the lock is released.
  std::unordered_map<engine::node_id, node_handle> all;
  std::lock_guard guard{mutex_};
  run_ = nullptr;
  all.swap(handles_);
}

} // namespace caf::rosia::detail
