// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/instant_loop.hpp"

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
  // All reactions of a node may read its physical actions.
  return reads_all || x.connection == tracer::no_connection
         || std::find(reads.begin(), reads.end(), x.port) != reads.end();
}

// -- constructors, destructors ------------------------------------------------

instant_loop::instant_loop(const plan& what) : plan_(what) {
  // nop
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
}

// -- bounds -------------------------------------------------------------------

bool instant_loop::raise_bound(logical_time bound, logical_time next) noexcept {
  auto before = std::exchange(bound_, std::max(bound_, bound));
  return before <= next && next < bound_;
}

// -- executing ----------------------------------------------------------------

void instant_loop::execute(logical_time tag) {
  tag_ = tag;
  is_last_ = false;
  run_steps();
}

void instant_loop::execute_last() {
  is_last_ = true;
  run_steps();
}

void instant_loop::run_steps() {
  current_ = nullptr;
  // Nothing precedes the resumptions, and the reactions to the last tag.
  auto goes_on = std::ranges::all_of(members_, [this](auto& x) {
    return is_last_ ? begin_last(x) : !is_due(x) || begin(x);
  });
  for (auto i = plan_.steps.begin(); goes_on && i != plan_.steps.end(); ++i) {
    auto& of = members_[i->member];
    if (of.is_active || is_due(of))
      goes_on = (of.is_active || begin(of)) && run(of, *i);
  }
  for (auto& x : members_)
    if (x.is_active)
      end(x, goes_on);
}

bool instant_loop::is_due(const member& x) const noexcept {
  return is_last_ ? x.self->parts_.bounds.barrier().last_tag()->has_messages()
                  : x.self->next_tag() == tag_;
}

bool instant_loop::begin(member& x) {
  auto& parts = x.self->parts_;
  auto& code = x.self->execution_;
  current_ = &x;
  if (is_last_)
    return begin_last(x);
  x.is_active = true;
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
  x.is_active = x.self->execution_.begin_last_tag(parts);
  if (x.is_active)
    x.sender
      = std::make_unique<last_tag_sender>(parts, x.self->execution_.logical());
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

bool instant_loop::run(member& x, const step& what) {
  auto& parts = x.self->parts_;
  turn now{x, *parts.scratch};
  if (is_due(x) && !take_due(x))
    return false;
  auto is_read = [&](auto& y) { return what.may_read(y); };
  if (std::ranges::any_of(x.waiting, is_read)) {
    note_turn(x, what);
    set_inputs(x, &what);
  }
  auto& triggered = parts.scratch->triggered;
  if (std::find(triggered.begin(), triggered.end(), what.reaction)
      == triggered.end())
    return true;
  note_turn(x, what);
  return x.self->execution_.run_reaction(parts, what.reaction);
}

void instant_loop::set_inputs(member& x, const step* reader) {
  // All that writes them at this tag has run, so their values are complete.
  std::stable_sort(x.waiting.begin(), x.waiting.end(), [](auto& y, auto& z) {
    return y.place < z.place;
  });
  std::vector<waiting_input> rest;
  for (auto& y : x.waiting)
    if (reader == nullptr || reader->may_read(y))
      x.self->execution_.set_waiting(x.self->parts_, std::move(y));
    else
      rest.push_back(std::move(y));
  x.waiting.swap(rest);
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
