// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/task.hpp"

#include "engine/node.hpp"
#include "nodes/reaction_ended.hpp"

namespace caf::rosia {

void end_reaction() {
  throw detail::reaction_ended{};
}

void detail::task_access::run(task code, engine::node& owner) {
  if (!code.handle_)
    return;
  auto& root = code.handle_.promise();
  root.owner_ = &owner;
  code.handle_ = nullptr;
  task::proceed(root);
}

void detail::task_access::resume(void* token) {
  task::proceed(*static_cast<task::promise_type*>(token));
}

void detail::task_access::discard(void* token) noexcept {
  // Destroy the innermost task first: destroying the root would recurse, with a
  // stack frame for each awaited task.
  auto* x = static_cast<task::promise_type*>(token);
  while (x != nullptr) {
    auto* parent = x->parent_;
    if (x->holder_ != nullptr)
      x->holder_->handle_ = nullptr;
    task::handle::from_promise(*x).destroy();
    x = parent;
  }
}

void task::promise_type::wait(const delay& d) {
  root_->owner_->wait(d, this);
}

/// Runs a task, and the tasks that it awaits or continues, until the root ends
/// or yields. A loop rather than symmetric transfer, because compilers turn a
/// transfer into a nested call unless they optimize.
void task::proceed(promise_type& innermost) {
  auto& root = *innermost.root_;
  auto* x = &innermost;
  while (x != nullptr) {
    handle::from_promise(*x).resume();
    x = std::exchange(root.next_, nullptr);
  }
  finish_or_release(root);
}

void task::finish_or_release(promise_type& root) {
  auto h = handle::from_promise(root);
  if (!h.done())
    return;
  auto error = root.error_;
  h.destroy();
  if (!error)
    return;
  try {
    std::rethrow_exception(error);
  } catch (const detail::reaction_ended&) {
    // `end_reaction` was called.
  }
}

} // namespace caf::rosia
