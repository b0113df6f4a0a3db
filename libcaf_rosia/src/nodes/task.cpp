// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/task.hpp"

#include "engine/node.hpp"
#include "nodes/reaction_ended.hpp"

namespace caf::rosia {

void end_reaction() {
  throw detail::reaction_ended{};
}

void task::run(task code, engine::node& owner, const engine::value& content) {
  if (!code.handle_)
    return;
  auto& root = code.handle_.promise();
  root.owner_ = &owner;
  root.content_ = content;
  std::exchange(code.handle_, nullptr).resume();
  finish_or_release(root);
}

void task::resume(void* token) {
  auto& innermost = *static_cast<promise_type*>(token);
  auto& root = *innermost.root_;
  handle::from_promise(innermost).resume();
  finish_or_release(root);
}

void task::discard(void* token) noexcept {
  // Destroying the outermost destroys those that it awaits.
  handle::from_promise(*static_cast<promise_type*>(token)->root_).destroy();
}

void task::promise_type::wait(const delay& d) {
  root_->owner_->wait(d, this);
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
    // It wanted to end.
  }
}

} // namespace caf::rosia
