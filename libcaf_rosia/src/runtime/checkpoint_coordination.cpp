// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoint_coordination.hpp"

#include "engine/checkpointing.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

namespace {

using reply = checkpoint_reply::kind;

bool any(const std::vector<bool>& xs) {
  return std::find(xs.begin(), xs.end(), true) != xs.end();
}

} // namespace

checkpoint_coordination::host::~host() {
  // nop
}

checkpoint_coordination::checkpoint_coordination(
  std::size_t processes, std::int64_t every, logical_time after, host& env)
  : host_(env), processes_(processes), every_(every), after_(after),
    unready_(processes, true) {
  // nop
}

// -- events -------------------------------------------------------------------

void checkpoint_coordination::begin() {
  take(engine::next_checkpoint(every_, engine::just_past(after_)),
       command::periodic);
  if (final_ != forever)
    take(final_, command::final);
  if (std::exchange(again_, false))
    ask();
}

void checkpoint_coordination::note(const checkpoint_reply& x) {
  if (stopped_ || x.process >= processes_)
    return;
  switch (x.type) {
    case reply::ready:
      if (!unready_[x.process])
        break;
      unready_[x.process] = false;
      if (!any(unready_))
        begin();
      break;
    case reply::demand:
      ask();
      break;
    case reply::answer:
      note_answer(x);
      break;
    default:
      note_part(x);
      break;
  }
}

void checkpoint_coordination::end_at(logical_time tag) {
  if (stopped_ || tag == final_)
    return;
  final_ = tag;
  // Later tags are no longer reached.
  std::erase_if(attempts_, [&](auto& x) { return x.tag > tag; });
  take(tag, command::final);
}

void checkpoint_coordination::stop() {
  stopped_ = true;
  attempts_.clear();
}

// -- properties ---------------------------------------------------------------

bool checkpoint_coordination::awaits_final() const noexcept {
  if (stopped_ || final_ == forever)
    return false;
  return any(unready_)
         || std::any_of(attempts_.begin(), attempts_.end(), [this](auto& x) {
              return x.tag == final_;
            });
}

std::vector<engine::process_id> checkpoint_coordination::awaited() const {
  std::vector<engine::process_id> result;
  for (engine::process_id i = 0; i < processes_; ++i)
    if (unready_[i])
      result.push_back(i);
  for (auto& x : attempts_)
    if (x.tag == final_)
      for (engine::process_id i = 0; i < processes_; ++i)
        if (x.missing[i])
          result.push_back(i);
  return result;
}

// -- implementation -----------------------------------------------------------

void checkpoint_coordination::take(logical_time tag, command type) {
  if (tag == forever || stopped_ || any(unready_))
    return;
  // The final checkpoint replaces all checkpoints at or after its tag.
  if (tag > final_
      || (tag == final_ && tag != complete_ && type != command::final)) {
    if (type == command::agreed)
      tell_all(command::release, tag);
    return;
  }
  // A complete checkpoint is written again only as the final one, which must
  // stay in the file.
  if (tag == complete_ && type != command::final) {
    if (type == command::agreed)
      tell_all(command::release, tag);
    tell_all(command::complete, tag);
    if (type == command::periodic)
      take(engine::next_checkpoint(every_, engine::just_past(tag)), type);
    return;
  }
  // There is at most one checkpoint at a tag.
  auto same = std::find_if(attempts_.begin(), attempts_.end(), [&](auto& x) {
    return x.tag == tag;
  });
  attempt fresh{
    tag, type, std::vector<bool>(processes_, true), never, {}, false};
  if (same == attempts_.end()) {
    attempts_.push_back(std::move(fresh));
  } else if (type == command::periodic) {
    same->type = type; // so that the next planned one follows it
    return;
  } else if (type == command::final) {
    // All processes write the final checkpoint, whatever they replied for the
    // earlier one at this tag.
    *same = std::move(fresh);
  }
  tell_all(type, tag);
}

void checkpoint_coordination::ask() {
  if (asking_ || any(unready_)) {
    again_ = true;
    return;
  }
  asking_ = true;
  highest_ = logical_time{};
  unanswered_.assign(processes_, true);
  tell_all(command::ask, never);
}

void checkpoint_coordination::note_answer(const checkpoint_reply& x) {
  if (!asking_ || !unanswered_[x.process])
    return;
  unanswered_[x.process] = false;
  highest_ = std::max(highest_, x.tag);
  if (any(unanswered_))
    return;
  asking_ = false;
  take(highest_, command::agreed);
  if (again_) {
    again_ = false;
    ask();
  }
}

void checkpoint_coordination::note_part(const checkpoint_reply& x) {
  auto i = std::find_if(attempts_.begin(), attempts_.end(), [&](auto& y) {
    return y.tag == x.tag;
  });
  if (i == attempts_.end() || !i->missing[x.process])
    return;
  // For the final tag, replies about an earlier checkpoint at the same tag are
  // ignored.
  auto is_final = x.tag == final_;
  auto expected
    = i->marking
        ? x.type == reply::marked
        : x.type == (is_final ? reply::final_written : reply::written)
            || (x.type == reply::passed && !is_final);
  // A failure counts in both phases: written or marked.
  if (!expected && x.type != reply::failed)
    return;
  i->missing[x.process] = false;
  i->reached = std::max(i->reached, x.reached);
  if (i->problem.empty() && x.type != reply::passed)
    i->problem = x.problem;
  if (any(i->missing))
    return;
  if (i->problem.empty() && i->reached == never && processes_ > 1
      && !i->marking)
    mark(static_cast<std::size_t>(i - attempts_.begin()));
  else
    conclude(static_cast<std::size_t>(i - attempts_.begin()));
}

bool checkpoint_coordination::mark(std::size_t index) {
  auto& x = attempts_[index];
  auto is_final = x.tag == final_; // never removed
  if (!is_final && complete_ > x.tag) {
    x.reached = complete_;
    conclude(index);
    return true;
  }
  if (!is_final
      && std::any_of(attempts_.begin(), attempts_.end(), [&](auto& y) {
           return y.marking && y.tag > x.tag;
         }))
    return false;
  x.marking = true;
  x.missing[0] = true;
  host_.command(0, {command::mark, x.tag});
  return false;
}

void checkpoint_coordination::mark_waiting() {
  for (std::size_t i = 0; i < attempts_.size(); ++i)
    if (auto& x = attempts_[i]; !x.marking && !any(x.missing) && mark(i))
      return; // `conclude` marked the remaining ones
}

void checkpoint_coordination::conclude(std::size_t index) {
  auto x = std::move(attempts_[index]);
  attempts_.erase(attempts_.begin() + static_cast<std::ptrdiff_t>(index));
  auto passed = x.reached != never;
  auto complete = !passed && x.problem.empty();
  if (complete)
    complete_ = x.tag;
  tell_all(complete ? command::complete : command::failed, x.tag);
  if (!passed)
    host_.concluded(
      x.tag, x.tag == final_, x.type == command::periodic, x.problem);
  mark_waiting();
  if (x.type != command::periodic || complete_ == final_)
    return;
  auto next = engine::next_checkpoint(
    every_, std::max(x.reached, engine::just_past(x.tag)));
  if (passed && !std::exchange(has_skipped_, true))
    host_.skipped(x.tag, next);
  take(next, command::periodic);
}

void checkpoint_coordination::tell_all(command type, logical_time tag) {
  for (engine::process_id i = 0; i < processes_; ++i)
    host_.command(i, {type, tag});
}

} // namespace caf::rosia::detail
