// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/deadline_code.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "engine/node.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>

namespace caf::rosia::engine {

namespace {

/// The time between two warnings of a reaction, in nanoseconds.
constexpr std::int64_t pause_between_warnings = 1'000'000'000;

std::string text_of(std::int64_t ns) {
  return detail::time_text(std::chrono::nanoseconds{ns});
}

/// Returns the physical time at which a deadline passes.
std::int64_t end_of(logical_time tag, std::int64_t ns) noexcept {
  return saturating_add(tag, delay::from_parts(ns, 0)).ns;
}

} // namespace

deadline_code::deadline_code(
  code_ptr code, code_ptr handler, deadline_limit limit) noexcept
  : code_(std::move(code)), handler_(std::move(handler)), limit_(limit) {
  // nop
}

// -- running ------------------------------------------------------------------

void deadline_code::run(node& owner) {
  auto ns = duration();
  begin(owner, point::reaction);
  if (!misses(owner, ns))
    return code_->run(owner);
  note_miss(owner, ns);
  if (handler_)
    return handler_->run(owner);
  warn(owner, ns);
  code_->run(owner);
}

std::int64_t deadline_code::duration() const {
  if (limit_.state == nullptr)
    return limit_.fixed;
  auto result = limit_.read(limit_.state);
  if (result < 0)
    throw std::logic_error(
      "state '" + limit_.name(limit_.state) + "' is " + text_of(result)
      + ", and a deadline is not negative; give it a value of 0 or more");
  return result;
}

void deadline_code::begin(const node& owner, point where) {
  piece_ = {.version = owner.execution_.recorder().version(), .where = where};
  // Deadlines that passed below this tag are recorded already.
  if (auto* log = owner.config().stamps)
    log->reach(owner.id(), owner.logical());
}

bool deadline_code::misses(node& owner, std::int64_t ns) {
  auto tag = owner.logical();
  if (source_)
    return take(tag, point::start).has_value();
  piece_.began = owner.parts_.host->elapsed_at_deadline();
  return piece_.began >= end_of(tag, ns);
}

void deadline_code::note_miss(node& owner, std::int64_t ns) {
  misses_.add();
  record(owner, point::start);
  piece_.passed = true;
  if (auto* trace = owner.parts_.trace)
    trace->missed(
      owner.id(), owner.logical(), owner.execution_.recorder().code(), ns);
}

void deadline_code::warn(node& owner, std::int64_t ns) {
  ++unnamed_misses_;
  auto tag = owner.logical();
  // A replay reads no clock.
  auto now = source_ ? tag.ns : piece_.began;
  if (warned_at_ && now - *warned_at_ < pause_between_warnings)
    return;
  warned_at_ = now;
  auto text
    = "reaction '"
      + execution::code_name(owner.parts_, owner.execution_.recorder().code())
      + "' at tag " + to_string(tag) + " missed its deadline of " + text_of(ns);
  text
    += source_ ? ", as in the recorded run"
               : ": it runs " + text_of(now - tag.ns) + " behind physical time";
  if (unnamed_misses_ > 1)
    text += "; " + std::to_string(unnamed_misses_)
            + " misses since the last warning";
  owner.parts_.host->warn(
    text
    + "; give the deadline a handler if the reaction must not run "
      "that late");
  unnamed_misses_ = 0;
}

void deadline_code::record(const node& owner, point where) const {
  if (auto* log = owner.config().stamps)
    log->add(owner.id(), owner.execution_.recorder().code(),
             passed_deadline{owner.logical(), where, piece_.calls});
}

// -- questions ----------------------------------------------------------------

bool deadline_code::has_passed(node& owner) {
  if (piece_.version != owner.execution_.recorder().version())
    begin(owner, point::resumption);
  if (piece_.passed)
    return true;
  auto tag = owner.logical();
  auto passed
    = source_
        ? replay_call(tag)
        : owner.parts_.host->elapsed_at_deadline() >= end_of(tag, duration());
  if (!passed) {
    ++piece_.calls;
    return false;
  }
  record(owner, piece_.where);
  piece_.passed = true;
  return true;
}

bool deadline_code::replay_call(logical_time tag) {
  if (!std::exchange(piece_.is_known, true)) {
    if (auto recorded = take(tag, piece_.where))
      piece_.known_calls = recorded->calls;
    else if (tag >= source_->known_below())
      piece_.known_calls = 0; // a loop must end
  }
  return piece_.known_calls && piece_.calls >= *piece_.known_calls;
}

std::optional<passed_deadline> deadline_code::take(
  logical_time tag, point where) {
  // Changed code may not get to what the earlier run has recorded.
  while (recorded_.empty() || recorded_.back().tag <= tag) {
    auto more = source_->next();
    if (more.empty())
      break;
    std::erase_if(more, [tag](auto& x) { return x.tag < tag; });
    recorded_.insert(recorded_.end(), more.begin(), more.end());
  }
  while (!recorded_.empty() && recorded_.front().tag < tag)
    recorded_.pop_front();
  auto end = std::find_if(recorded_.begin(), recorded_.end(), [tag](auto& x) {
    return x.tag != tag;
  });
  auto found = std::find_if(recorded_.begin(), end, [where](auto& x) {
    return x.where == where;
  });
  if (found == end)
    return std::nullopt;
  auto result = *found;
  recorded_.erase(found);
  return result;
}

} // namespace caf::rosia::engine
