// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/group_runner.hpp"

#include "compat/scheduling_token.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// How many tags the members execute before others get to know what they have
/// sent. Each time costs a look at every member.
constexpr std::size_t tags_per_activation = 4096;

} // namespace

// -- constructors, destructors ------------------------------------------------

group_runner::group_runner(std::shared_ptr<run_context> run)
  : run_(std::move(run)) {
  // nop
}

group_runner::~group_runner() {
  // nop
}

// -- before the start ---------------------------------------------------------

void group_runner::add(node_runner& x) {
  members_.push_back(&x);
  nodes_.add(x.engine());
  x.join(this);
}

// -- scheduling ---------------------------------------------------------------

bool group_runner::claim() {
  // Sequentially consistent, like the look at it in `give_token_back`: either
  // that sees the signal, or this sees the token.
  signalled_.store(true, std::memory_order_seq_cst);
  if (!take_token())
    return false;
  ref();
  return true;
}

void group_runner::schedule(caf::execution_unit* unit) {
  detail::schedule(*this, run_->system(), unit);
}

void group_runner::drop_reference() {
  deref();
}

bool group_runner::take_token() noexcept {
  return !taken_.exchange(true, std::memory_order_seq_cst);
}

bool group_runner::give_token_back() noexcept {
  taken_.store(false, std::memory_order_seq_cst);
  return !signalled_.load(std::memory_order_seq_cst) || !take_token();
}

executor::outcome group_runner::activate_once(
  caf::execution_unit* unit, std::int64_t turn) {
  auto end = run_->time().elapsed() + turn;
  running_.store(true, std::memory_order_relaxed);
  for (;;) {
    schedule_next(unit);
    // It reads what the signal that it takes back was about.
    signalled_.exchange(false, std::memory_order_seq_cst);
    activate_members(unit);
    auto has_more = handle_mailboxes(unit);
    for (auto* x : members_)
      x->begin_call();
    if (!members_.empty()
        && nodes_.advance(tags_per_activation) == engine::node::state::more)
      has_more = true;
    end_members(unit);
    for (auto* x : members_)
      x->finish_call();
    wake_others(unit);
    if (!has_more) {
      running_.store(false, std::memory_order_relaxed);
      if (give_token_back())
        return awaiting_message;
      running_.store(true, std::memory_order_relaxed);
    }
    // Members may wake each other for ever, over physical connections.
    if (run_->time().elapsed() >= end) {
      running_.store(false, std::memory_order_relaxed);
      return resume_later;
    }
  }
}

void group_runner::handle_mailbox_of(
  node_runner& x, caf::execution_unit* unit) {
  caf::intrusive_ptr_add_ref(x.ctrl());
  {
    std::lock_guard guard{mutex_};
    mailboxes_.push_back(&x);
  }
  if (!claim())
    return;
  if (executor::run(*this, unit) == resume_later)
    schedule(unit);
  else
    drop_reference();
}

void group_runner::activate_members(caf::execution_unit* unit) {
  if (unit_ == unit)
    return;
  unit_ = unit;
  for (auto* x : members_)
    x->activate_on(unit);
}

bool group_runner::handle_mailboxes(caf::execution_unit* unit) {
  std::vector<node_runner*> due;
  {
    std::lock_guard guard{mutex_};
    due.swap(mailboxes_);
  }
  auto result = false;
  for (auto* x : due) {
    if (x->has_left_group()) {
      x->end(unit);
    } else {
      switch (x->handle_messages(unit)) {
        case resume_later: {
          std::lock_guard guard{mutex_};
          mailboxes_.push_back(x);
          result = true;
          continue;
        }
        case awaiting_message:
          break;
        default:
          // It has been aborted; or another part of the program has ended its
          // actor. The application may be over then, unless there are others.
          std::erase(members_, x);
          if (!x->has_reported()) {
            if (!members_.empty())
              nodes_.abandon(x->engine());
            x->end(unit);
          }
      }
    }
    caf::intrusive_ptr_release(x->ctrl());
  }
  return result;
}

void group_runner::end_members(caf::execution_unit* unit) {
  for (std::size_t i = 0; i < members_.size();) {
    auto* x = members_[i];
    if (!x->has_to_report()) {
      ++i;
      continue;
    }
    members_.erase(members_.begin() + static_cast<std::ptrdiff_t>(i));
    // Nobody else may have one once the exit is known.
    caf::intrusive_ptr_add_ref(x->ctrl());
    x->finish_call();
    x->report_exit();
    x->leave_group(unit);
    caf::intrusive_ptr_release(x->ctrl());
  }
}

// -- observing ----------------------------------------------------------------

bool group_runner::observe(const engine::node& member, observation& into) {
  if (!take_token())
    return false;
  if (!member.left()) {
    nodes_.settle();
    into.put(member.id(), member.look());
  }
  // What came in the meantime found the token taken.
  if (!give_token_back()) {
    ref();
    schedule(nullptr);
  }
  return true;
}

// -- overridden functions of CAF ----------------------------------------------

caf::resumable::resume_result group_runner::resume(
  caf::execution_unit* unit, size_t) {
  return executor::run(*this, unit);
}

void group_runner::intrusive_ptr_add_ref_impl() {
  ref();
}

void group_runner::intrusive_ptr_release_impl() {
  deref();
}

} // namespace caf::rosia::detail
