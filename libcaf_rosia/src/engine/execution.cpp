// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/execution.hpp"

#include "base/ended_thread.hpp"
#include "base/exception_text.hpp"
#include "engine/action_spacing.hpp"
#include "engine/group.hpp"
#include "engine/last_tag_sender.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

namespace {

static_assert(activity::start_code == tracer::start_reaction);

std::string output_name(const node_context& context, std::uint32_t port) {
  return std::string{context.code->output_name(port)};
}

/// Returns the beginning of messages about a call of `schedule`.
std::string scheduled_action(
  const node_context& context, std::uint32_t action) {
  return "action '" + std::string{context.code->action_name(action)}
         + "' was scheduled";
}

} // namespace

std::string execution::code_name(
  const node_context& context, std::uint32_t reaction) {
  if (activity::is_handler(reaction))
    return handler_name(
      context.code->action_name(reaction - activity::first_handler));
  return reaction == tracer::start_reaction
           ? std::string{"start"}
           : std::string{context.code->reaction_name(reaction)};
}

// -- running ------------------------------------------------------------------

bool execution::start(node_parts& parts) {
  if (origin_ != origin::fresh)
    return resume(parts);
  auto& code = *parts.code;
  if (!guarded(parts, tracer::start_reaction, [&] { code.start(); }))
    return false;
  for (auto i = code.next_startup(0); i != body::no_startup;
       i = code.next_startup(i + 1)) {
    if (parts.trace)
      parts.trace->reaction(parts.config.id, logical_, i);
    if (!guarded(parts, i, [&] { code.react(i); }))
      return false;
  }
  started_ = true;
  return true;
}

void execution::restore(const saved_node& from) noexcept {
  logical_ = from.logical;
  executed_any_ = true;
  origin_ = from.left ? origin::left : origin::saved;
}

bool execution::resume(node_parts& parts) {
  started_ = true;
  if (origin_ == origin::left)
    return true;
  // Not as code that may write: all nodes continue from what was saved.
  begin_other(parts, activity::start_code);
  try {
    parts.code->resumed();
  } catch (...) {
    fail(parts, "resumed", detail::current_exception_text());
    detail::hold_end_of_thread();
    return false;
  }
  recorder_.end();
  return true;
}

void execution::run(node_parts& parts) {
  auto& events = parts.events;
  if (events.has_besides_lane()) {
    if (parts.config.has_modes && !switch_mode(parts))
      return;
    if (events.resumptions().is_due(logical_) && !resume_instances(parts))
      return;
  }
  // Only now: a resumed reaction may have sent a message to its own node.
  events.keep_none_apart();
  if (!events.only_lane(logical_))
    run_all(parts);
  else if (auto size = events.lane_size(logical_); size == 1)
    run_single(parts);
  else if (size > 1)
    run_lane(parts);
}

bool execution::read_on(node_parts& parts) {
  try {
    if (auto* stamped = parts.events.stamped_at(logical_))
      stamped->read_on();
    return true;
  } catch (const std::exception& e) {
    fail(parts, "replay", detail::exception_text(e));
    return false;
  }
}

void execution::run_all(node_parts& parts) {
  if (parts.config.replayed && !read_on(parts))
    return;
  set_inputs(parts);
  auto* scheduled = parts.events.scheduled_at(logical_);
  if (scheduled)
    set_actions(parts, *scheduled);
  run_reactions(parts);
  end_inputs(parts);
  if (scheduled)
    scheduled->end_tag();
}

bool execution::switch_mode(node_parts& parts) {
  auto& all = *parts.events.modes();
  if (!all.is_due(logical_))
    return true;
  try {
    auto& entered = all[all.wanted()];
    auto dropped = all.enter(parts.events, logical_);
    parts.forget_next_tag();
    if (!discard(parts, dropped))
      return false;
    if (!entered.by_history)
      parts.code->reset(entered.index);
    all.filter(*parts.code);
    if (parts.trace)
      parts.trace->mode(
        parts.config.id, logical_, entered.index, entered.by_history);
  } catch (...) {
    fail(parts, "enter", detail::current_exception_text());
    detail::hold_end_of_thread();
    return false;
  }
  return true;
}

bool execution::resume_instances(node_parts& parts) {
  auto& events = parts.events;
  if (auto [token, reaction] = events.take_only_resumption(); token != nullptr)
    return resume(parts, reaction, token);
  auto& order = parts.scratch->resumed;
  events.resumptions().list(logical_, order);
  for (auto [number, reaction] : order)
    if (!resume(parts, reaction, events.pop_resumption(logical_, reaction)))
      return false;
  order.clear();
  return true;
}

bool execution::resume(node_parts& parts, std::uint32_t reaction, void* token) {
  if (parts.trace)
    parts.trace->resume(parts.config.id, logical_, reaction);
  return guarded(parts, reaction, [&] { parts.code->resume(token); });
}

inline bool execution::counts_as_taken(
  node_parts& parts, const stamped_value& x) {
  if (!parts.config.notes_values)
    return true;
  if (parts.config.replayed) {
    parts.events.stamped()->note_present(x);
    return false;
  }
  note_present(parts, x);
  return true;
}

void execution::note_present(node_parts& parts, const stamped_value& x) {
  auto& queue = *parts.events.stamped();
  if (!queue.is_spaced())
    return;
  queue.note_present(x);
  if (auto* log = parts.config.stamps) {
    std::lock_guard guard{log->mutex()};
    log->add(parts.config.id, x);
    parts.await_stamps();
  }
}

template <class Fun>
void execution::take_inputs(node_parts& parts, Fun&& take) {
  auto& events = parts.events;
  auto& in = parts.config.in;
  // Stamps are unique: at most one stamped value is due. The value of a
  // connection is placed among the messages by the declaration of its
  // connection. A tardy value precedes a message of the same one.
  auto* stamped = events.stamped_at(logical_);
  auto take_physical_before = [&](std::uint32_t connection) {
    if (stamped == nullptr || !is_of_connection(stamped->front().kind)
        || stamped->front().index > connection)
      return;
    auto& queue = *std::exchange(stamped, nullptr);
    auto value = queue.pop();
    auto& from = in[value.index];
    if (value.kind == envelope_kind::tardy)
      queue.max_waits()->note_present(value.index, logical_);
    else if (counts_as_taken(parts, value))
      from.shared->waiting.fetch_sub(1, std::memory_order_relaxed);
    if (std::exchange(from.has_tag, false))
      parts.scratch->latest.push_back(value.index);
    take(value.index, from.input, from.number, std::move(value.content));
  };
  while (events.has_message(logical_)) {
    auto connection = events.next_connection();
    take_physical_before(connection);
    auto& from = in[connection];
    take(connection, from.input, from.number, events.pop(in));
    flow_control::executed(*parts.scratch, from, connection);
    ++messages_;
  }
  auto end = static_cast<std::uint32_t>(in.size());
  take_physical_before(end);
  if (stamped == nullptr)
    return;
  auto value = stamped->pop();
  if (value.kind == envelope_kind::watchdog)
    return take_expiry(parts, std::move(value));
  if (counts_as_taken(parts, value))
    parts.code->consumed(value.index);
  take(end, value.index, tracer::no_connection, std::move(value.content));
}

void execution::set_inputs(node_parts& parts) {
  take_inputs(
    parts,
    [&](auto, std::uint32_t port, std::uint32_t connection, value&& content) {
      set_input(parts, port, connection, std::move(content));
    });
}

bool execution::take_due(node_parts& parts, std::vector<waiting_input>& into) {
  parts.events.keep_none_apart();
  if (parts.config.replayed && !read_on(parts))
    return false;
  take_inputs(parts, [&](std::uint32_t place, std::uint32_t port,
                         std::uint32_t connection, value&& content) {
    into.push_back({place, port, connection, std::move(content)});
  });
  if (auto* scheduled = parts.events.scheduled_at(logical_))
    set_actions(parts, *scheduled);
  return true;
}

void execution::set_waiting(node_parts& parts, waiting_input&& x) {
  set_input(parts, x.port, x.connection, std::move(x.content));
}

void execution::take_expiry(node_parts& parts, stamped_value x) const {
  counts_as_taken(parts, x);
  auto& dog = parts.events.stamped()->watchdogs()->find(x.index);
  // In a replay, it has just expired, unless code has started it again since.
  if (parts.config.replayed) {
    dog.expiries.add();
    if (dog.runs() && dog.expiry_tag() <= logical_)
      dog.set(watchdog::stopped);
    parts.note_watchdogs();
  }
  parts.events.make_scheduled().push(
    logical_, *dog.action, x.index, std::move(x.content));
}

void execution::run_single(node_parts& parts) {
  auto& port = parts.events.take_single(
    [&](std::uint32_t connection, value&& content) -> input& {
      auto& from = parts.config.in[connection];
      if (parts.trace)
        parts.trace->input(
          parts.config.id, logical_, from.input, from.number, content);
      if (parts.config.log)
        parts.config.log->arrived(from.input, logical_, content);
      auto& result = *parts.config.inputs[from.input];
      result.values.make_only().take(content);
      flow_control::executed(*parts.scratch, from, connection);
      return result;
    });
  port.present = true;
  if (port.numbered)
    alone_ = &port;
  for (auto reaction : port.reactions)
    if (!run_reaction(parts, reaction))
      break;
  port.present = false;
}

void execution::run_reactions_to(node_parts& parts, input& only) {
  only.present = true;
  if (only.numbered)
    alone_ = &only;
  try {
    for (auto reaction : only.reactions) {
      begin(parts, reaction);
      parts.code->react(reaction);
      end(parts);
    }
  } catch (...) {
    fail_by_exception(parts);
  }
  only.present = false;
}

bool execution::run_behind_lane(
  node& self, node_parts& parts, const logical_time& tag) {
  auto& from = parts.config.in[parts.events.connection_behind_lane()];
  if (from.fused == nullptr || parts.config.log != nullptr)
    return false;
  advance_to(tag);
  auto& port = *parts.config.inputs[from.input];
  auto content = parts.events.pop_behind_lane(parts.config.in);
  port.values.make_only().take(content);
  run_reactions_to(self, parts, port);
  return true;
}

void execution::run_scheduled(node_parts& parts, logical_time tag) {
  advance_to(tag);
  auto& action = parts.events.take_only_scheduled();
  run_reactions_to(parts, action);
  action.values.clear();
}

bool execution::begin_last_tag(node_parts& parts) {
  if (origin_ == origin::left)
    return false;
  auto& barrier = parts.bounds.barrier();
  auto& code = *parts.code;
  auto& triggered = parts.scratch->triggered;
  auto* all = parts.events.modes();
  for (auto reaction = code.next_at_shutdown(0); reaction != body::no_reaction;
       reaction = code.next_at_shutdown(reaction + 1))
    if (all == nullptr || all->runs_at_shutdown(reaction))
      triggered.push_back(reaction);
  if (triggered.empty() && !barrier.last_tag()->has_messages())
    return false;
  auto tag = just_past(barrier.final());
  if (tag.ns != barrier.final().ns || tag == forever) {
    triggered.clear();
    fail(
      parts, "shutdown",
      "there is no last tag, because the microstep overflows after the "
      "final tag "
        + to_string(barrier.final()) + "; end the application at another tag");
    return false;
  }
  advance_to(tag);
  if (parts.trace)
    parts.trace->execute_last(
      parts.config.id, tag, parts.trace->elapsed(*parts.host));
  return true;
}

void execution::run_last_tag(node_parts& parts) {
  if (!begin_last_tag(parts))
    return;
  last_tag_sender sender{parts, logical_};
  set_last_inputs(parts);
  run_reactions(parts);
  end_inputs(parts);
}

void execution::set_last_inputs(node_parts& parts) {
  for (auto& x : parts.bounds.barrier().last_tag()->take_messages()) {
    auto& from = parts.config.in[x.connection];
    set_input(parts, from.input, from.number, std::move(x.content));
  }
}

void execution::run_lane(node_parts& parts) {
  messages_ += parts.events.lane_size(logical_);
  auto observed = parts.trace != nullptr || parts.config.log != nullptr;
  if (auto* port = parts.events.port_of_lane(); port != nullptr && !observed) {
    parts.events.take_lane_into_port();
    run_reactions_to(parts, *port);
    return;
  }
  parts.events.take_lane(
    [&](std::uint32_t connection, value&& content, input* port) {
      if (port != nullptr && !observed) {
        set_input(*parts.scratch, *port, std::move(content));
        return;
      }
      auto& from = parts.config.in[connection];
      set_input(parts, from.input, from.number, std::move(content));
      flow_control::executed(*parts.scratch, from, connection);
    });
  run_reactions(parts);
  end_inputs(parts);
}

void execution::end_inputs(node_context& context) noexcept {
  for (auto* port : context.scratch->present)
    port->present = false;
  context.scratch->present.clear();
}

inline void execution::set_input(node_context& context, std::uint32_t port,
                                 std::uint32_t connection, value&& content) {
  if (context.trace)
    context.trace->input(
      context.config.id, logical_, port, connection, content);
  if (context.config.log)
    context.config.log->arrived(port, logical_, content);
  set_input(*context.scratch, *context.config.inputs[port], std::move(content));
}

inline void execution::set_input(
  engine::scratch& memory, input& port, value&& content) {
  if (!port.present) {
    port.present = true;
    port.values.clear();
    memory.present.push_back(&port);
    auto& triggered = memory.triggered;
    triggered.insert(
      triggered.end(), port.reactions.begin(), port.reactions.end());
  }
  port.values.push_back(std::move(content));
}

void execution::set_actions(node_parts& parts, scheduled_queue& scheduled) {
  while (scheduled.next_tag() == logical_) {
    auto event = scheduled.pop();
    if (parts.trace)
      parts.trace->action(
        parts.config.id, logical_, event.index, event.content);
    if (!scheduled.set_present(*event.action, std::move(event.content)))
      continue;
    auto& reactions = event.action->reactions;
    auto& triggered = parts.scratch->triggered;
    triggered.insert(triggered.end(), reactions.begin(), reactions.end());
  }
}

void execution::run_reactions(node_parts& parts) {
  auto& triggered = parts.scratch->triggered;
  // The reactions of one input already ascend.
  if (std::adjacent_find(
        triggered.begin(), triggered.end(), std::greater_equal<>{})
      != triggered.end()) {
    std::sort(triggered.begin(), triggered.end());
    triggered.erase(
      std::unique(triggered.begin(), triggered.end()), triggered.end());
  }
  for (auto reaction : triggered)
    if (!run_reaction(parts, reaction))
      break;
  triggered.clear();
}

bool execution::run_reaction(node_parts& parts, std::uint32_t reaction) {
  if (parts.trace)
    parts.trace->reaction(parts.config.id, logical_, reaction);
  return guarded(parts, reaction, [&] { parts.code->react(reaction); });
}

template <class Fun>
bool execution::guarded(node_parts& parts, std::uint32_t reaction, Fun&& fun) {
  begin(parts, reaction);
  auto began = parts.trace ? parts.trace->elapsed(*parts.host) : 0;
  auto trace_end = [&] {
    if (parts.trace)
      parts.trace->ran(parts.config.id, logical_, reaction, began,
                       parts.trace->elapsed(*parts.host));
  };
  try {
    fun();
    end(parts);
    trace_end();
    return true;
  } catch (...) {
    trace_end();
    fail_by_exception(parts);
  }
  return false;
}

void execution::end_by_exception(node_parts& parts) {
  if (parts.code->ends_early())
    end(parts);
  else
    fail_by_exception(parts);
}

void execution::run_handler(
  node_parts& parts, std::uint32_t action, logical_time tag) {
  auto code = activity::first_handler + action;
  recorder_.begin(code, tag, activity_recorder::mode::other, *parts.host);
  if (parts.config.counts)
    parts.config.counts->begin([&] { return parts.host->elapsed(); });
  try {
    parts.code->expire(action);
    end(parts);
  } catch (...) {
    fail(parts,
         {code_name(parts, code), tag, detail::current_exception_text()});
    detail::hold_end_of_thread();
  }
}

void execution::fail_by_exception(node_parts& parts) {
  fail(parts, detail::current_exception_text());
  detail::hold_end_of_thread();
}

void execution::fail(node_parts& parts, std::string text) {
  fail(parts, code_name(parts, recorder_.code()), std::move(text));
}

void execution::fail(node_parts& parts, const failure& reason) {
  phase_ = phase::failed;
  recorder_.end();
  parts.outbox.clear();
  if (parts.trace)
    parts.trace->error(parts.config.id, reason);
  parts.host->failed(reason);
}

namespace {

/// The node whose `shutdown()` this thread runs.
thread_local const execution* node_in_shutdown = nullptr;

/// The node whose tasks this thread destroys, and the errors of destructors.
thread_local const execution* node_in_discard = nullptr;
thread_local std::vector<std::string> discard_problems;

/// Destroys tasks of a node. @returns the errors of their destructors.
template <class Fun>
std::vector<std::string> problems_of(const execution& owner, Fun&& destroy) {
  auto previous = std::exchange(node_in_discard, &owner);
  destroy();
  node_in_discard = previous;
  return std::exchange(discard_problems, {});
}

} // namespace

bool execution::runs_shutdown() const noexcept {
  return node_in_shutdown == this;
}

std::string execution::outside_of_reactions() const {
  std::string result = " outside of the node's reactions";
  if (phase_ == phase::leaving || phase_ == phase::left)
    result += ", and after the node ended";
  if (recorder_.current_mode() == activity_recorder::mode::other
      && activity::is_handler(recorder_.code()))
    result += ", in the handler of a watchdog";
  return result;
}

void execution::shut_down(node_parts& parts) {
  auto report = [&](const char* code, std::string text) {
    parts.host->shutdown_failed({code, logical_, std::move(text)});
  };
  begin_other(parts, activity::shutdown_code);
  try {
    if (origin_ != origin::left) {
      node_in_shutdown = this;
      parts.code->shutdown();
      count_piece(parts);
    }
  } catch (...) {
    report("shutdown", detail::current_exception_text());
    detail::hold_end_of_thread();
  }
  node_in_shutdown = nullptr;
  recorder_.end();
  for (auto& problem : discard_tasks(parts))
    report("destructor", std::move(problem));
  parts.events.clear_scheduled();
  started_ = true;
}

std::vector<std::string> execution::discard_tasks(node_parts& parts) {
  return problems_of(*this, [&] {
    auto discard = [&](void* token) { parts.code->discard(token); };
    parts.events.clear_resumptions(discard);
    if (auto* all = parts.events.modes())
      all->clear_instances(discard);
  });
}

bool execution::discard(node_parts& parts,
                        const std::vector<suspended_instance>& dropped) {
  auto problems = problems_of(*this, [&] {
    for (auto& x : dropped)
      parts.code->discard(x.token);
  });
  if (problems.empty())
    return true;
  fail(parts, "destructor", std::move(problems.front()));
  return false;
}

void execution::refuse(std::string problem) const {
  if (node_in_discard != this)
    throw std::logic_error(problem);
  discard_problems.push_back(std::move(problem));
}

// -- called by the user's code ------------------------------------------------

inline logical_time execution::stamp(out_connection& connection) const {
  return connection.clock.stamp(
    connection.distance.is_zero() ? logical_ : logical_ + connection.distance);
}

[[gnu::always_inline]] inline void execution::send_inside(
  engine::group& group, out_connection& connection, const value& content) {
  if (connection.distance.is_zero() && connection.clock.stamp_now(logical_))
    connection.fused->expect(connection, logical_, content);
  else
    send_inside_later(group, connection, content);
}

void execution::send_inside_later(
  engine::group& group, out_connection& connection, const value& content) {
  auto arrival = stamp(connection);
  if (arrival != forever)
    group.deliver_later(connection, arrival, content);
}

void execution::send(node_parts& parts, out_connection& connection,
                     const value& content) {
  // A receiver in the same group clears `fused` before it leaves.
  auto is_gone = connection.fused == nullptr
                 && connection.shared->gone.load(std::memory_order_acquire);
  auto arrival = stamp(connection);
  if (arrival == forever)
    return;
  if (arrival != logical_ && parts.checkpoints)
    parts.checkpoints->sent(
      static_cast<std::uint32_t>(&connection - parts.config.out.data()),
      logical_, arrival, content);
  if (parts.trace)
    parts.trace->send(
      parts.config.id, logical_, connection.number, arrival, content);
  // The trace and the checkpoint at the final tag still contain the value,
  // because they do not depend on when the receiver left.
  if (is_gone) {
    parts.host->unexecuted(parts.outbox.receiver(connection), 1);
    return;
  }
  if (connection.fused != nullptr) {
    connection.fused->expect(connection, arrival, content);
    return;
  }
  parts.flow.sent(parts.config, connection, arrival);
  if (connection.intra_loop && parts.bounds.loop().shared())
    parts.group->send_to_part(
      parts.outbox.receiver(connection), connection, arrival, content);
  else
    parts.outbox.add(*parts.scratch, connection, arrival, content);
}

void execution::send(node_parts& parts, const output& out,
                     const value& content) {
  if (parts.config.log)
    parts.config.log->written(out.index, logical_, content);
  auto* connections = parts.config.out.data();
  auto untraced = parts.trace == nullptr;
  for (auto i = out.first; i < out.last; ++i) {
    auto& connection = connections[i];
    if (connection.fused != nullptr && untraced
        && (!parts.checkpoints || connection.distance.is_zero()))
      send_inside(*parts.group, connection, content);
    else if (connection.physical)
      send_physical(parts, connection, content);
    else
      send(parts, connection, content);
  }
}

void execution::send_physical(
  node_parts& parts, out_connection& connection, const value& content) {
  auto& shared = *connection.shared;
  // The trace contains the value even if the receiver drops it: a drop depends
  // on physical time, and a replay must have the same trace.
  if (parts.trace)
    parts.trace->send(
      parts.config.id, logical_, connection.number, never, content);
  // In a replay, the receiver has the values of the earlier run.
  if (parts.config.replayed || shared.gone.load(std::memory_order_acquire))
    return;
  // In another process, the receiver drops the oldest values that have arrived.
  auto keeps_latest = connection.latest != nullptr && !connection.remote;
  if (!keeps_latest
      && shared.waiting.load(std::memory_order_relaxed)
           >= parts.config.max_in_flight) {
    parts.host->dropped(drop_reason::queue_full);
    if (parts.trace)
      parts.trace->drop(parts.outbox.receiver(connection),
                        connection.target_input, drop_reason::queue_full);
    return;
  }
  shared.waiting.fetch_add(1, std::memory_order_relaxed);
  if (!keeps_latest)
    parts.outbox.add_physical(*parts.scratch, connection, content);
  else if (connection.latest->add(content))
    parts.outbox.add_physical(*parts.scratch, connection, {});
}

void execution::promise(const node_context& context, std::uint32_t port,
                        const delay& d) {
  if (!executing())
    return refuse("a promise for output '" + output_name(context, port)
                  + "' was made" + outside_of_reactions());
  if (d.ns() < 0)
    throw std::logic_error(
      "a promise for output '" + output_name(context, port)
      + "' has a negative delay, " + to_string(d));
  auto& out = *context.config.outputs[port];
  out.promised = std::max(out.promised, logical_ + d);
}

void execution::wait(event_queue& events, const delay& d, void* token) {
  if (!executing())
    throw std::logic_error(
      "co_await after(...) outside of the node's reactions");
  if (d.ns() < 0)
    throw std::logic_error(
      "co_await after(...) with a negative delay, " + to_string(d));
  if (d.is_zero())
    throw std::logic_error(
      "co_await after(...) without a delay; "
      "after(microsteps(1)) is the smallest");
  // Without nanoseconds the microstep may overflow.
  auto tag = d.ns() == 0 ? logical_ + d : saturating_add(logical_, d);
  events.yield(tag, recorder_.code(), token);
}

bool execution::schedule(node_parts& parts, input& action, std::uint32_t index,
                         const delay& d, value content) {
  if (!executing()) {
    refuse_schedule(parts, index);
    return false;
  }
  if (d.ns() <= 0)
    require_delay(parts, index, d);
  auto tag = logical_ + d;
  // The event would never be present.
  if (tag == forever)
    return false;
  if (action.spacing_state != nullptr && !make_room(parts, action, index, tag))
    return false;
  if (parts.trace)
    parts.trace->schedule(parts.config.id, logical_, index, tag, content);
  parts.events.make_scheduled().push(tag, action, index, std::move(content));
  return true;
}

bool execution::make_room(node_parts& parts, input& action, std::uint32_t index,
                          logical_time& tag) {
  auto& spacing = *action.spacing_state;
  if (&spacing == &action_spacing::inactive())
    refuse_inactive(parts, index);
  auto place = spacing.place(tag, logical_);
  if (!place || place->tag == forever)
    return false;
  if (place->withdraws) {
    auto last = spacing.last();
    if (parts.trace)
      parts.trace->withdraw(parts.config.id, logical_, index, last);
    parts.events.make_scheduled().withdraw(action, last);
    parts.forget_next_tag();
  }
  spacing.note(*place);
  tag = place->tag;
  return true;
}

void execution::enter(node_parts& parts, std::uint32_t number, bool history) {
  auto& all = *parts.events.modes();
  auto index = all[number].index;
  if (!executing())
    return refuse_call(
      "mode '" + std::string{parts.code->action_name(index)} + "' was entered",
      "its node enters it, in reactions or start()");
  auto tag = next_microstep(logical_);
  auto& scheduled = parts.events.make_scheduled();
  // The last call at a tag counts. At the last tag, a call before the final tag
  // may be left.
  if (auto before = all.wanted();
      before != modes::none && !all.is_due(logical_)) {
    if (parts.trace)
      parts.trace->withdraw(parts.config.id, logical_, all[before].index, tag);
    scheduled.withdraw(*all[before].action, tag);
  }
  all.request(number, history, logical_);
  auto content = make_value<mode_event>(mode_event{history});
  if (parts.trace)
    parts.trace->schedule(parts.config.id, logical_, index, tag, content);
  scheduled.push(tag, *all[number].action, index, std::move(content));
}

void execution::refuse_inactive(
  const node_context& context, std::uint32_t action) {
  auto& all = *context.events.modes();
  auto name = [&](std::uint32_t index) {
    return "'" + std::string{context.code->action_name(index)} + "'";
  };
  throw std::logic_error(
    scheduled_action(context, action) + " while its mode "
    + name(all[all.mode_of_action(action)].index) + " is not active, but "
    + name(all[all.active()].index)
    + "; enter the mode, and schedule the action in a reaction to the mode");
}

void execution::refuse_schedule(
  const node_context& context, std::uint32_t action) const {
  refuse_call(
    scheduled_action(context, action), "schedule a physical action instead");
}

void execution::refuse_call(const std::string& call, const char* advice) const {
  if (runs_shutdown())
    throw std::logic_error(
      call + " in shutdown(), when the node is ending already");
  refuse(call + outside_of_reactions() + "; " + advice);
}

void execution::require_delay(
  const node_context& context, std::uint32_t action, const delay& d) {
  if (d.ns() < 0)
    throw std::logic_error(
      scheduled_action(context, action) + " with a negative delay, "
      + to_string(d));
  if (d.is_zero())
    throw std::logic_error(
      scheduled_action(context, action)
      + " without a delay; after(microsteps(1)) is the smallest");
}

bool execution::accept_request(const delay& d) const {
  if (runs_shutdown())
    throw std::logic_error(
      "request_shutdown() in shutdown(): the node is ending already");
  if (!executing()) {
    refuse("request_shutdown()" + outside_of_reactions());
    return false;
  }
  if (d.ns() < 0)
    throw std::logic_error(
      "request_shutdown() with a negative delay, " + to_string(d));
  return true;
}

bool execution::accept_watchdog_call(
  const node_parts& parts, std::uint32_t action, const char* verb,
  bool by_thread) const {
  if (executing() && by_thread)
    return true;
  refuse_call("watchdog '" + std::string{parts.code->action_name(action)}
                + "' was " + verb,
              "its node starts and stops it, in reactions or start()");
  return false;
}

deadline_code* execution::running_deadline(const node_parts& parts) const {
  if (!executing()) {
    refuse("deadline_missed()" + outside_of_reactions());
    return nullptr;
  }
  auto code = recorder_.code();
  auto* running
    = code == tracer::start_reaction ? nullptr : parts.code->code_of(code);
  auto* result = running == nullptr ? nullptr : running->deadline();
  if (result == nullptr)
    throw std::logic_error(
      "deadline_missed() in '" + code_name(parts, code)
      + "', which has no deadline; give the reaction a rosia::deadline");
  return result;
}

void execution::refuse_write(
  const node_context& context, std::uint32_t port) const {
  if (runs_shutdown())
    throw std::logic_error(
      "output '" + output_name(context, port)
      + "' was written in shutdown(), when its receivers may have left");
  if (!executing())
    return refuse(
      "output '" + output_name(context, port) + "' was written"
      + outside_of_reactions() + "; schedule a physical action instead");
  auto& out = *context.config.outputs[port];
  if (out.written == logical_)
    throw std::logic_error(second_write(context, port));
  throw std::logic_error(
    "output '" + output_name(context, port) + "' was written at tag "
    + to_string(logical_) + ", but the node promised to write nothing before "
    + to_string(out.promised));
}

std::string execution::second_write(
  const node_context& context, std::uint32_t port) const {
  auto& out = *context.config.outputs[port];
  auto result = "output '" + output_name(context, port)
                + "' was written twice at tag " + to_string(logical_);
  if (out.piece == piece())
    return result
           + "; yield with co_await after(microsteps(1)) between the writes, "
             "or send both in one value";
  auto first = "'" + code_name(context, out.writer) + "'";
  auto second
    = out.writer == recorder_.code()
        ? "another instance of " + first
        : "'" + code_name(context, recorder_.code()) + "'";
  return result + ", by " + first + " and then by " + second
         + "; let one of the two yield with co_await after(microsteps(1)) "
           "before it writes, or give each an output of its own";
}

} // namespace caf::rosia::engine
