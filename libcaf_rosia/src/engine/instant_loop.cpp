// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/instant_loop.hpp"

#include "engine/group.hpp"
#include "engine/last_tag_sender.hpp"
#include "engine/node.hpp"
#include "engine/scratch.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::engine {

/// Lends the memory of the thread to a member while it runs.
class instant_loop::turn {
public:
  turn(member& x, scratch& memory) : member_(x), memory_(memory) {
    exchange();
  }

  turn(const turn&) = delete;

  turn& operator=(const turn&) = delete;

  ~turn() {
    exchange();
  }

private:
  void exchange() noexcept {
    memory_.present.swap(member_.present);
    memory_.triggered.swap(member_.triggered);
    memory_.unreported.swap(member_.unreported);
    memory_.latest.swap(member_.latest);
  }

  member& member_;
  scratch& memory_;
};

bool instant_loop::step::may_read(const waiting_input& x) const noexcept {
  return reads_all || std::binary_search(reads.begin(), reads.end(), x.port);
}

// -- constructors, destructors ------------------------------------------------

instant_loop::instant_loop(const plan& all) : plan_(all) {
  due_.resize(plan_.steps.size());
}

instant_loop::~instant_loop() {
  // nop
}

// -- members ------------------------------------------------------------------

void instant_loop::seat_from(std::uint32_t first) noexcept {
  members_.clear();
  first_seat_ = first;
}

void instant_loop::add(node& x) {
  members_.emplace_back().self = &x;
  if (!is_complete())
    return;
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i)
    members_[plan_.steps[i].member].steps.push_back(i);
}

// -- bounds -------------------------------------------------------------------

bool instant_loop::raise_bound(logical_time bound, logical_time next) noexcept {
  auto before = std::exchange(bound_, std::max(bound_, bound));
  return before <= next && next < bound_;
}

// -- executing ----------------------------------------------------------------

bool instant_loop::execute(logical_time tag, std::uint32_t seat) {
  tag_ = tag;
  reset(false);
  auto& first = members_[seat - first_seat_];
  add_steps(first);
  // Nothing precedes the resumptions.
  return run_steps(begin(first) && begin_due());
}

void instant_loop::execute_last() {
  reset(true);
  for (std::uint32_t i = 0; i < plan_.steps.size(); ++i)
    due_.insert(i);
  // Nothing precedes the reactions to the last tag.
  run_steps(
    std::ranges::all_of(members_, [this](auto& x) { return begin_last(x); }));
}

void instant_loop::reset(bool is_last) {
  is_last_ = is_last;
  active_.clear();
  next_step_ = 0;
  current_ = nullptr;
}

bool instant_loop::run_steps(bool goes_on) {
  for (auto i = due_.take_first(); i != index_set::none;
       i = due_.take_first()) {
    if (!goes_on)
      continue; // the set must be empty at the end
    next_step_ = i + 1;
    auto& next = plan_.steps[i];
    auto& of = members_[next.member];
    if (!of.is_active && !is_due(of))
      continue;
    goes_on = (of.is_active || begin(of)) && run(of, next);
    while (add_due() != nullptr)
      ; // adds all
  }
  for (auto i : active_)
    end(members_[i], goes_on);
  return goes_on;
}

void instant_loop::add_steps(const member& x) {
  for (auto i : x.steps)
    if (i >= next_step_)
      due_.insert(i);
}

instant_loop::member* instant_loop::add_due() {
  auto& all = *members_.front().self->parts_.group;
  auto seat = is_last_ ? index_set::none : all.take_due(end_of_seats());
  if (seat == index_set::none)
    return nullptr;
  auto& result = members_[seat - first_seat_];
  add_steps(result);
  return &result;
}

bool instant_loop::begin_due() {
  while (auto* x = add_due())
    if (!x->is_active && !begin(*x))
      return false;
  return true;
}

bool instant_loop::is_due(const member& x) const noexcept {
  return is_last_ ? x.self->parts_.bounds.barrier().last_tag()->has_messages()
                  : x.self->next_tag() == tag_;
}

void instant_loop::set_active(member& x) {
  x.is_active = true;
  active_.push_back(static_cast<std::uint32_t>(&x - members_.data()));
}

bool instant_loop::begin(member& x) {
  auto& parts = x.self->parts_;
  auto& code = x.self->execution_;
  current_ = &x;
  if (is_last_)
    return begin_last(x);
  set_active(x);
  x.was_late = x.self->begin_tag(tag_);
  turn now{x, *parts.scratch};
  if (parts.config.has_modes && !code.switch_mode(parts))
    return false;
  if (parts.events.resumptions().is_due(tag_) && !code.resume_instances(parts))
    return false;
  return take_due(x);
}

bool instant_loop::begin_last(member& x) {
  auto& parts = x.self->parts_;
  turn now{x, *parts.scratch};
  if (x.self->execution_.begin_last_tag(parts)) {
    set_active(x);
    x.sender
      = std::make_unique<last_tag_sender>(parts, x.self->execution_.logical());
  }
  return !x.self->failed();
}

bool instant_loop::take_due(member& x) const {
  auto& parts = x.self->parts_;
  if (!is_last_)
    return x.self->execution_.take_due(parts, x.waiting);
  for (auto& y : parts.bounds.barrier().last_tag()->take_messages()) {
    auto& from = parts.config.in[y.connection];
    x.waiting.push_back(
      {y.connection, from.input, from.number, std::move(y.content)});
  }
  return true;
}

bool instant_loop::run(member& x, const step& next) {
  auto& parts = x.self->parts_;
  turn now{x, *parts.scratch};
  if (is_due(x) && !take_due(x))
    return false;
  auto is_read = [&](auto& y) { return next.may_read(y); };
  if (std::ranges::any_of(x.waiting, is_read)) {
    note_turn(x, next);
    set_inputs(x, &next);
  }
  auto& triggered = parts.scratch->triggered;
  if (std::find(triggered.begin(), triggered.end(), next.reaction)
      == triggered.end())
    return true;
  note_turn(x, next);
  return x.self->execution_.run_reaction(parts, next.reaction);
}

void instant_loop::set_inputs(member& x, const step* reader) {
  // All that writes them at this tag has run, so their values are complete.
  if (x.waiting.size() > 1)
    std::ranges::stable_sort(x.waiting, {}, &waiting_input::place);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < x.waiting.size(); ++i) {
    auto& y = x.waiting[i];
    if (reader == nullptr || reader->may_read(y))
      x.self->execution_.set_waiting(x.self->parts_, std::move(y));
    else if (kept++ != i)
      x.waiting[kept - 1] = std::move(y);
  }
  x.waiting.erase(
    x.waiting.begin() + static_cast<std::ptrdiff_t>(kept), x.waiting.end());
}

void instant_loop::note_turn(member& x, const step& next) {
  auto& parts = x.self->parts_;
  if (std::exchange(current_, &x) != &x && parts.trace)
    parts.trace->go_on(parts.config.id, x.self->now(), next.reaction,
                       parts.trace->elapsed(*parts.host));
}

void instant_loop::end(member& x, bool is_complete) {
  auto& parts = x.self->parts_;
  turn now{x, *parts.scratch};
  if (is_complete)
    set_inputs(x, nullptr); // no reaction reads what is left
  x.waiting.clear();
  execution::end_inputs(parts);
  parts.events.end_tag();
  parts.scratch->triggered.clear();
  flow_control::report_executed(parts);
  x.sender.reset();
  x.is_active = false;
  if (is_complete && !is_last_)
    x.self->end_tag(tag_, x.was_late);
}

} // namespace caf::rosia::engine
