// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/node.hpp"

#include "base/text.hpp"
#include "engine/action_spacing.hpp"
#include "engine/explanation.hpp"
#include "engine/group.hpp"
#include "engine/hand_over_timer.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

// -- constructors, destructors ------------------------------------------------

node::~node() {
  execution_.discard_tasks(parts_);
}

void node::init(initial_config&& config, engine::body& code, engine::host& env,
                engine::tracer* trace) {
  parts_.config = std::move(config);
  parts_.code = &code;
  parts_.host = &env;
  parts_.trace = trace;
  parts_.config.watched = watchdogs() != nullptr;
  for (auto [connection, wait] : config.max_waits)
    parts_.events.make_stamped().make_max_waits().add(
      connection, parts_.config.in[connection].input, wait);
  parts_.bounds.init(parts_.config);
  requests_.init(parts_.config);
  if (parts_.config.executes_last_tag)
    parts_.bounds.barrier().make_last_tag();
  init_stamping();
  parts_.outbox.init(parts_.config, config.peers);
  for (auto* port : parts_.config.inputs)
    port->code = code.only_code(*port);
  if (auto* all = modes()) {
    parts_.config.has_modes = true;
    all->init(parts_.config.inputs, code);
  }
  for (std::uint32_t i = 0; i < parts_.config.outputs.size(); ++i) {
    parts_.config.outputs[i]->owner = this;
    parts_.config.outputs[i]->index = i;
  }
}

void node::init_stamping() {
  auto& config = parts_.config;
  auto* stamped = parts_.events.stamped();
  config.notes_values
    = config.stamps != nullptr || config.replayed
      || (stamped && stamped->is_spaced());
  // A value of a physical connection may get a tag at once.
  config.has_lead
    = stamped && !stamped->lead().is_zero()
      && std::none_of(
        config.in.begin(), config.in.end(), [](auto& x) { return x.physical; });
}

// -- checkpoints --------------------------------------------------------------

void node::restore(input& action, std::uint32_t index, logical_time tag,
                   value content) {
  if (action.spacing_state)
    action.spacing_state->restore(tag);
  parts_.events.make_scheduled().push(tag, action, index, std::move(content));
}

void node::take_checkpoints(std::int64_t period, logical_time after) {
  parts_.checkpoints
    = std::make_unique<checkpointing>(period, after, config().out.size());
  stop_to_save();
}

void node::restore(const saved_node& from) {
  execution_.restore(from);
  if (auto* all = modes())
    all->forget_events(parts_.events);
  parts_.events.begin_ticks_at(from.until);
  // A physical value may have arrived before the tag, although its sender sent
  // it beyond the tag, and sends it again.
  if (from.left)
    parts_.bounds.upstreams().close();
  for (std::size_t i = 0; i < from.inputs.size(); ++i)
    config().inputs[i]->values.assign(from.inputs[i]);
  for (std::size_t i = 0; i < from.promises.size(); ++i)
    config().outputs[i]->promised = from.promises[i];
  for (auto& channel : from.channels)
    restore(channel);
  if (from.requested != forever)
    note_request(from.requested, from.requested_status);
}

void node::restore(const saved_node::channel& from) {
  for (std::uint32_t i = 0; i < config().out.size(); ++i) {
    auto& connection = parts_.config.out[i];
    if (connection.number != from.connection)
      continue;
    connection.clock.restore(from.last_arrival);
    for (auto& message : from.in_transit) {
      parts_.flow.sent(config(), connection, message.tag);
      if (parts_.checkpoints)
        parts_.checkpoints->sent(i, logical(), message.tag, message.content);
    }
  }
}

void node::ask_checkpoint() {
  if (execution_.left() || !parts_.checkpoints)
    return;
  auto answer = parts_.checkpoints->answer(logical());
  stop_to_save();
  parts_.host->answer_checkpoint(answer);
}

void node::take_checkpoint(logical_time tag) {
  if (execution_.left() || !parts_.checkpoints)
    return;
  parts_.checkpoints->agree(tag);
  stop_to_save();
}

bool node::save_if_due() {
  if (!parts_.checkpoints || !execution_.started())
    return false;
  auto tag = parts_.checkpoints->due();
  if (tag == forever || tag >= final() || next_tag() <= tag
      || (done() && leaves_when_done()))
    return false;
  if (parts_.bounds.lbts() <= tag
      && (!parts_.bounds.refresh(config()) || parts_.bounds.lbts() <= tag))
    return false;
  auto until = std::min(next_tag(), parts_.bounds.lbts());
  if (parts_.bounds.upstreams().takes_physical()) {
    parts_.clock.read(*parts_.host);
    auto stamp = least_stamp();
    if (stamp <= tag) {
      parts_.clock.wake_no_later_than(bounds::time_beyond(parts_, tag));
      return false;
    }
    until = std::min(until, stamp);
  }
  save(until);
  return true;
}

saved_node node::make_part(logical_time until) const {
  saved_node result;
  result.logical = logical();
  result.until = until;
  result.left = execution_.had_left();
  if (auto& yielded = parts_.events.resumptions();
      !yielded.empty() && !result.left)
    result.yielded = execution::code_name(parts_, yielded.next_reaction());
  else if (auto* all = modes(); all != nullptr && !result.left) // [10.7.5]
    if (auto reaction = all->suspended_reaction(); reaction != modes::none)
      result.yielded = execution::code_name(parts_, reaction);
  result.requested = parts_.checkpoints->requested();
  result.requested_status = parts_.checkpoints->requested_status();
  for (auto* input : config().inputs)
    result.inputs.emplace_back(input->values.begin(), input->values.end());
  for (auto* output : config().outputs)
    result.promises.push_back(output->promised);
  for (std::uint32_t i = 0; i < config().out.size(); ++i) {
    auto& connection = config().out[i];
    if (connection.physical || connection.distance.is_zero())
      continue;
    result.channels.push_back(
      {connection.number, connection.clock.last_arrival(),
       parts_.checkpoints->in_transit(i, logical())});
  }
  return result;
}

void node::save(logical_time until) {
  parts_.host->save(make_part(until));
  parts_.checkpoints->saved(until);
  stop_to_save();
}

void node::stop_to_save() {
  parts_.bounds.barrier().stop_to_save(parts_.checkpoints->last());
  if (parts_.group)
    parts_.group->limit(parts_.seat);
}

// -- driving ------------------------------------------------------------------

void node::start() {
  if (!execution_.idle() || execution_.started())
    return;
  scratch::lease lease{parts_.scratch};
  if (parts_.group)
    parts_.group->limit(parts_.seat);
  parts_.clock.read(*parts_.host);
  if (parts_.trace)
    parts_.trace->start(id(), parts_.clock.elapsed());
  {
    watchdog_scope scope{*this};
    if (!execution_.start(parts_))
      return;
  }
  // Values that arrived before wait without a tag.
  for (std::uint32_t i = 0; i < config().in.size(); ++i)
    if (config().in[i].latest != nullptr)
      parts_.scratch->latest.push_back(i);
  stamp_latest();
  flush();
}

node::state node::advance(std::size_t budget, hand_over_timer& timer) {
  if (execution_.left())
    return state::left;
  scratch::lease lease{parts_.scratch};
  parts_.clock.forget_wake();
  execution_.begin_call();
  if (realtime() || parts_.bounds.upstreams().clocked())
    parts_.clock.read(*parts_.host);
  auto watched = config().watched;
  if (watched)
    expire_watchdogs();
  if (config().has_waits)
    max_waits()->hear(parts_.clock.elapsed());
  take_in();
  if (!execution_.started()) {
    // Values of a replay may be tardy before the start.
    flow_control::report_executed(parts_);
    return state::idle;
  }
  for (;;) {
    if (execution_.failed())
      return state::idle;
    auto goes_on
      = watched ? execute_watched(budget, timer) : execute_some(budget, timer);
    if (execution_.failed())
      return state::idle;
    if (!goes_on) {
      flush();
      flow_control::report_executed(parts_);
      return state::more;
    }
    // In a loop, the messages just sent may let this node continue.
    if (parts_.bounds.loop().exists()) {
      if (flush_intra_loop()) {
        take_in();
        continue;
      }
      if (auto tag = next_tag(); tag < stat() && may_execute(tag))
        continue;
    }
    if (save_if_due()) {
      // Elapsed time may be past the next checkpoint each time. The call ends,
      // so that other nodes can run.
      budget = 0;
      continue;
    }
    if (close_physical())
      continue;
    if (past_final() && is_ready_to_end()) {
      leave(ending::final_tag);
      return execution_.failed() ? state::idle : state::left;
    }
    if (done()) {
      if (leaves_when_done()) {
        leave(ending::done);
        return state::left;
      }
      report_done();
    }
    if (go_idle())
      break;
  }
  if (watched)
    wait_for_expiry();
  flow_control::report_executed(parts_);
  return state::idle;
}

// -- ending -------------------------------------------------------------------

void node::ask_shutdown(logical_time proposal) {
  if (execution_.left())
    return;
  if (parts_.trace)
    parts_.trace->proposal(id(), proposal);
  auto answer = std::max(last_before_end(), proposal);
  parts_.bounds.barrier().answer(answer, proposal);
  if (parts_.group)
    parts_.group->limit(parts_.seat);
  if (parts_.trace)
    parts_.trace->answer(id(), answer);
  parts_.host->answer(answer);
}

void node::take_final(logical_time final, logical_time requested) {
  if (execution_.left())
    return;
  if (parts_.trace)
    parts_.trace->final_taken(id(), final);
  parts_.bounds.barrier().decide(final, requested);
  if (config().watched)
    parts_.note_watchdogs();
  if (parts_.group)
    parts_.group->limit(parts_.seat);
}

void node::abort() {
  if (execution_.left())
    return;
  if (parts_.group)
    parts_.group->deliver_carried();
  scratch::lease lease{parts_.scratch};
  execution_.begin_call();
  parts_.events.clear_messages(parts_.config.in);
  parts_.outbox.clear();
  leave(ending::aborted);
}

// -- called by the user's code ------------------------------------------------

void node::write(std::uint32_t port, const value& content) {
  write(*parts_.config.outputs[port], content);
}

void node::request_shutdown(const delay& d, int status) {
  if (!execution_.accept_request(d))
    return;
  detail::require_exit_status("request_shutdown()", status);
  auto proposal = logical() + d;
  // The end would never be reached.
  if (proposal == forever)
    return;
  // In a replay, the end is already known.
  if (!config().replayed)
    note_request(proposal, status);
  parts_.host->request(proposal, status);
}

void node::note_request(logical_time proposal, int status) {
  parts_.bounds.barrier().request(proposal);
  if (parts_.group)
    parts_.group->limit(parts_.seat);
  if (parts_.checkpoints)
    parts_.checkpoints->request(proposal, status);
}

// -- for observers ------------------------------------------------------------

void node::settle_for_observer() {
  if (execution_.left())
    return;
  // The node was not called for the promises in its inbox.
  if (parts_.scratch == nullptr && !awaits_promises()
      && parts_.host->has_mail()) {
    scratch::lease lease{parts_.scratch};
    take_in();
    if (parts_.group)
      parts_.group->limit(parts_.seat);
  }
  if (parts_.group)
    parts_.group->settle_for_observer();
}

snapshot node::look() const {
  snapshot result;
  result.doing = doing();
  result.logical = logical();
  result.final = final();
  if (execution_.left())
    return result;
  result.next = next_tag();
  result.stat = stat();
  if (execution_.failed())
    result.held_back = {.kind = blocker_kind::failure};
  else if (!execution_.started())
    result.held_back = {.kind = blocker_kind::start};
  else
    result.held_back = explanation{parts_, next_tag()}.find();
  std::vector<std::size_t> sizes(config().inputs.size());
  for (std::uint32_t i = 0; i < config().in.size(); ++i) {
    auto& connection = config().in[i];
    sizes[connection.input] += events().size(connection, i);
  }
  for (std::uint32_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0)
      result.queues.push_back({i, sizes[i]});
  if (auto* stamped = parts_.events.stamped())
    result.outside = stamped->size();
  result.yielded = parts_.events.resumptions().size();
  if (auto* scheduled = parts_.events.scheduled())
    result.scheduled = scheduled->size();
  if (auto* all = modes())
    result.suspended = all->suspended();
  return result;
}

// -- taking in ----------------------------------------------------------------

void node::take_in() {
  if (!parts_.host->has_mail())
    return;
  auto& mail = parts_.scratch->mail;
  if (parts_.bounds.loop().exists())
    parts_.bounds.loop().drain(parts_);
  else
    parts_.host->drain(mail);
  take_in(mail);
  // Keep a buffer for a single message, because inboxes keep theirs as well.
  if (mail.capacity() > 1)
    parts_.scratch->give_buffer(std::move(mail));
  else
    mail.clear();
}

void node::take_in(std::span<envelope> mail) {
  // The messages may have arrived after the call began.
  if (parts_.bounds.upstreams().clocked())
    parts_.clock.read(*parts_.host);
  auto has_waits = config().has_waits;
  for (auto& message : mail) {
    if (has_waits)
      take_waiting(message);
    receive(message);
  }
  if (has_waits)
    note_assumptions();
  stamp_latest();
  parts_.bounds.raise();
}

bool node::awaits_promises(std::size_t inner) const noexcept {
  return !execution_.started() || next_tag() != forever || final() != forever
         || parts_.checkpoints || config().loop_time_table != nullptr
         || config().has_waits || config().out.size() > inner;
}

bool node::take_message(std::uint32_t connection, logical_time tag,
                        const value& content) {
  if (execution_.has_executed(tag)) {
    execution_.fail(
      parts_,
      "a message for tag " + to_string(tag) + " arrived on connection "
        + std::to_string(config().in[connection].number) + " when tag "
        + to_string(logical()) + " had ended; this is an error of the library");
    return false;
  }
  parts_.events.push(parts_.config.in, connection, tag, content);
  execution_.note_message();
  return true;
}

void node::receive(envelope& message) {
  auto connection = message.connection;
  switch (message.kind) {
    case envelope_kind::data:
      if (!take_message(connection, message.tag, message.content))
        return;
      [[fallthrough]];
    case envelope_kind::promise:
      parts_.bounds.upstreams().take_promise(connection, message.promise);
      if (!message.last)
        break;
      [[fallthrough]];
    case envelope_kind::no_more:
      parts_.bounds.upstreams().take_no_more(
        connection, parts_.config.in[connection]);
      break;
    case envelope_kind::physical:
      if (auto* latest = parts_.config.in[connection].latest) {
        // A message without content only announces values.
        if (message.content)
          latest->add(std::move(message.content));
        parts_.scratch->latest.push_back(connection);
        break;
      }
      [[fallthrough]];
    case envelope_kind::action:
      stamp(message.kind, connection, std::move(message.content));
      break;
    case envelope_kind::watchdog: // no message
    case envelope_kind::tardy:    // no message
      break;
    case envelope_kind::bound_request:
      parts_.outbox.request(parts_.config, connection, message.tag);
      break;
    case envelope_kind::done:
      parts_.bounds.upstreams().take_done(
        connection, parts_.config.in[connection]);
      break;
    case envelope_kind::last_tag:
      expect_last(connection, message.content);
      break;
  }
}

void node::stamp_latest(std::uint32_t connection, bool all) {
  auto& from = parts_.config.in[connection];
  while (execution_.started() && (all || !from.has_tag)) {
    auto next = from.latest->take();
    for (; next.dropped > 0; --next.dropped)
      drop(envelope_kind::physical, connection, drop_reason::replaced);
    if (!next.content)
      return;
    stamp(envelope_kind::physical, connection, std::move(*next.content));
  }
}

void node::stamp_all_latest() {
  for (std::uint32_t i = 0; i < config().in.size(); ++i)
    if (config().in[i].latest != nullptr)
      stamp_latest(i, true);
}

void node::stamp(envelope_kind kind, std::uint32_t index, value&& content) {
  if (execution_.failed())
    return;
  if (parts_.bounds.upstreams().closed()) {
    drop(kind, index, drop_reason::past_final_tag);
    return;
  }
  if (config().notes_values) {
    stamp_with_notes(kind, index, std::move(content));
    return;
  }
  auto& queue = parts_.events.make_stamped();
  auto tag = queue.next_stamp({parts_.clock.elapsed(), 0}, logical());
  if (!tag) {
    fail_stamp("a value from outside");
    return;
  }
  if (*tag > final()) {
    drop(kind, index, drop_reason::past_final_tag);
    return;
  }
  queue.push({*tag, kind, index, std::move(content)});
  note_stamp(kind, index);
}

void node::stamp_with_notes(
  envelope_kind kind, std::uint32_t index, value&& content) {
  std::unique_lock<std::mutex> guard;
  auto* log = config().stamps;
  if (log) {
    guard = std::unique_lock{log->mutex()};
    parts_.clock.read(*parts_.host);
  }
  parts_.events.make_stamped();
  std::optional<logical_time> tag;
  try {
    tag = place(kind, index);
  } catch (const std::overflow_error&) {
    if (guard)
      guard.unlock();
    fail_stamp("a value from outside");
    return;
  }
  if (!tag || *tag > final() || *tag == forever) {
    drop(kind, index, tag ? drop_reason::past_final_tag : drop_reason::spacing);
    return;
  }
  queue_stamped(
    {*tag, kind, index, std::move(content)},
    kind != envelope_kind::action || spaced_action(index) == nullptr);
  note_stamp(kind, index);
}

void node::queue_stamped(stamped_value x, bool is_plain) {
  auto& queue = *parts_.events.stamped();
  if (!queue.is_spaced()) {
    if (auto* log = config().stamps)
      log->add(id(), x);
    queue.push(std::move(x));
  } else {
    queue.insert(std::move(x), is_plain);
  }
  if (queue.is_spaced() || config().watched)
    parts_.await_stamps();
}

std::optional<logical_time> node::place(
  envelope_kind kind, std::uint32_t index) {
  auto& queue = *parts_.events.stamped();
  logical_time elapsed{parts_.clock.elapsed(), 0};
  auto* action = kind == envelope_kind::action ? spaced_action(index) : nullptr;
  if (action == nullptr)
    return queue.next_free_stamp(elapsed, logical());
  auto wanted = saturating_add(elapsed, action->options.after);
  if (wanted <= logical())
    wanted = next_microstep(logical());
  auto result = action->spacing.place(wanted, logical());
  if (!result || (result->tag == forever && wanted != forever)) {
    action->dropped.add();
    return std::nullopt;
  }
  if (result->tag == forever)
    return forever;
  // A value past the final tag is not in the queue.
  if (result->withdraws && action->spacing.last() <= final()) {
    queue.withdraw(action->spacing.last());
    parts_.code->consumed(index);
    parts_.forget_next_tag();
  }
  result->tag = queue.free_tag(result->tag);
  action->spacing.note(*result);
  return result->tag;
}

void node::note_stamp(envelope_kind kind, std::uint32_t index) noexcept {
  if (kind == envelope_kind::physical)
    parts_.config.in[index].has_tag = parts_.config.in[index].latest != nullptr;
}

void node::fail_stamp(const std::string& subject) {
  auto last = std::max(logical(), parts_.events.stamped()->last_stamp());
  execution_.fail(
    parts_,
    subject + " cannot get a tag of its own: the microstep overflows after tag "
      + to_string(last)
      + "; let the node reach a later nanosecond, or call it less often");
}

void node::stamp_latest() {
  auto& connections = parts_.scratch->latest;
  if (connections.empty())
    return;
  parts_.clock.read(*parts_.host);
  for (auto i : connections)
    stamp_latest(i, false);
  connections.clear();
}

void node::drop(envelope_kind kind, std::uint32_t index, drop_reason reason) {
  if (config().replayed)
    return;
  if (kind == envelope_kind::physical) {
    auto& connection = config().in[index];
    connection.shared->waiting.fetch_sub(1, std::memory_order_relaxed);
    index = connection.input;
  } else if (kind == envelope_kind::tardy) {
    index = config().in[index].input;
  } else {
    parts_.code->consumed(index);
  }
  parts_.host->dropped(reason);
  if (parts_.trace)
    parts_.trace->drop(id(), index, reason);
}

// -- executing ----------------------------------------------------------------

bool node::may_execute(logical_time tag) {
  if (tag == forever)
    return false;
  if (tag >= stat() && (!parts_.bounds.refresh(config()) || tag >= stat()))
    return false;
  // Past the requested tag of an end, the node does not wait [3.20].
  if (realtime() && tag.ns > parts_.clock.elapsed()
      && tag <= parts_.bounds.barrier().requested()
      && tag.ns > parts_.clock.read(*parts_.host)) {
    parts_.clock.wake_no_later_than(tag.ns);
    return false;
  }
  return !parts_.flow.holds_back(parts_.config, tag);
}

bool node::execute_some(std::size_t& budget, hand_over_timer& timer) {
  while (budget > 0 && !parts_.outbox.full()) {
    auto tag = next_tag();
    if (!may_execute(tag))
      return true;
    if (timer.room() == 0 && timer.is_due(*parts_.host))
      return false;
    --budget;
    timer.note_executed(1);
    auto succeeds = timer.run(*parts_.host, [&] {
      execute(tag);
      return !execution_.failed();
    });
    if (!succeeds)
      return true;
  }
  return false;
}

void node::execute(logical_time tag) {
  auto was_late = begin_tag(tag);
  execution_.run(parts_);
  end_tag(tag, was_late);
}

bool node::begin_tag(logical_time tag) {
  execution_.advance_to(tag);
  auto result = config().lag_warn != no_lag_warning && report_lag(tag, false);
  if (parts_.trace)
    parts_.trace->execute(
      id(), tag, std::max(stat(), saturating_add(tag, microsteps(1))),
      parts_.trace->elapsed(*parts_.host));
  return result;
}

void node::end_tag(logical_time tag, bool was_late) {
  stamp_latest();
  if (config().lag_warn != no_lag_warning && !was_late)
    report_lag(tag, true);
}

bool node::report_lag(logical_time tag, bool ended) {
  auto lag = parts_.clock.read(*parts_.host) - tag.ns;
  if (lag <= config().lag_warn && (ended || -lag <= config().lag_warn))
    return false;
  parts_.host->lagging(tag, lag, ended);
  return true;
}

// -- sending ------------------------------------------------------------------

void node::flush() {
  flush_intra_loop();
  parts_.outbox.send(parts_, parts_.flow, basis());
}

bool node::flush_intra_loop() {
  if (!parts_.bounds.loop().exists() || parts_.bounds.loop().shared())
    return false;
  parts_.bounds.publish_clock(parts_, parts_.clock, logical());
  auto to_itself = false;
  {
    std::lock_guard guard{*config().loop_time_table};
    to_itself = parts_.outbox.send_intra_loop(parts_, parts_.flow);
    parts_.bounds.update_loop(parts_, next_tag());
  }
  parts_.wake_listed();
  return to_itself;
}

bool node::go_idle() {
  bound_requests::collect(parts_, next_tag());
  if (!requests_.wait_in_loop(parts_)
      || (config().has_waits && assume_bounds()))
    return false;
  auto limits = basis();
  parts_.outbox.send(parts_, parts_.flow, limits);
  bound_requests::wait_for_clock(parts_, limits);
  requests_.send(parts_);
  return true;
}

// -- leaving ------------------------------------------------------------------

bool node::close_physical() {
  auto& barrier = parts_.bounds.barrier();
  if (barrier.final() == forever || !parts_.bounds.upstreams().takes_physical())
    return false;
  // Values are accepted until the requested tag has passed. Waiting until STAT
  // passes the final tag would be too long: two such nodes in a loop would wait
  // for each other until elapsed time reaches it.
  if (logical_time{parts_.clock.read(*parts_.host), 0} <= barrier.requested()) {
    parts_.clock.wake_no_later_than(barrier.requested().ns + 1);
    return false;
  }
  parts_.host->close();
  take_in(); // stamps what was accepted before
  if (config().watched)
    expire_watchdogs();
  stamp_all_latest();
  parts_.bounds.upstreams().close();
  return true;
}

bool node::waits_to_be_past() const noexcept {
  auto next = next_tag();
  return (final() != forever && next > final())
         || (parts_.checkpoints && next > parts_.checkpoints->due());
}

bool node::past_final() {
  if (final() == forever || next_tag() <= final()
      || parts_.bounds.upstreams().takes_physical() || await_ends())
    return false;
  return parts_.bounds.lbts() > final()
         || (parts_.bounds.refresh(config()) && parts_.bounds.lbts() > final());
}

bool node::is_ready_to_end() const noexcept {
  if (leaves_when_done())
    return true;
  // The last tag follows the final tag that all agreed on. A lower one may
  // still be decided.
  return parts_.bounds.barrier().last_before_end() >= final()
         && std::all_of(config().in.begin(), config().in.end(), [&](auto& x) {
              // The nodes of a loop without delay execute it together.
              return x.no_more || !x.instant || config().shares_instant_loop(x);
            });
}

bool node::report_done() {
  auto& last_tag = *parts_.bounds.barrier().last_tag();
  if (last_tag.reported() || final() != forever)
    return false;
  last_tag.set_reported();
  if (parts_.trace)
    parts_.trace->done(id(), logical());
  flush();
  engine::group::note_done(*this);
  parts_.outbox.note_done(parts_);
  parts_.wake_listed();
  parts_.host->done(logical());
  return true;
}

bool node::done() const {
  return parts_.bounds.barrier().decided() && next_tag() == forever
         && parts_.bounds.upstreams().exhausted()
         && (config().loop_time_table == nullptr
             || parts_.bounds.loop().ended());
}

void node::leave(ending outcome) {
  if (outcome == ending::final_tag) {
    end_at_final_tag();
    if (!leaves_when_done()) {
      watchdog_scope scope{*this};
      execution_.run_last_tag(parts_);
      if (execution_.failed())
        return;
    }
  }
  leave_at_once(outcome);
}

void node::end_at_final_tag() {
  if (parts_.checkpoints)
    save(just_past(final()));
  report_unexecuted();
}

void node::leave_at_once(ending outcome) {
  auto aborted = outcome == ending::aborted;
  std::optional<saved_node> last_part;
  if (parts_.checkpoints && outcome == ending::done) {
    last_part = make_part(just_past(forever));
    last_part->left = true;
  }
  if (config().watched)
    watchdogs()->stop_all();
  execution_.begin_leaving(outcome);
  parts_.bounds.upstreams().close();
  parts_.host->close();
  if (auto* stamped = parts_.events.stamped()) {
    stamped->close();
    while (!stamped->empty()) {
      auto value = stamped->pop();
      if (value.kind != envelope_kind::watchdog)
        drop(value.kind, value.index, drop_reason::past_final_tag);
    }
    if (auto* log = config().stamps;
        log
        && (stamped->is_spaced() || config().watched || config().has_waits)) {
      // After an abort, late senders have not sent all that was to be tardy.
      auto uncertain = aborted && config().has_waits;
      std::lock_guard guard{log->mutex()};
      log->await(id(), uncertain ? max_waits()->uncertain_from() : forever);
    }
  }
  // Drops the waiting values, because the node no longer accepts any.
  stamp_all_latest();
  if (!aborted)
    flush();
  if (parts_.group)
    parts_.group->part_with(*this, aborted);
  if (parts_.trace)
    parts_.trace->shutdown(id(), logical(), outcome);
  execution_.shut_down(parts_);
  // Only now: a resumed run does not run the node again, so a checkpoint must
  // not be complete before its shutdown() has returned.
  if (last_part)
    parts_.host->save(std::move(*last_part));
  if (parts_.trace)
    parts_.trace->exit(id());
  parts_.outbox.close(parts_, aborted);
  detach(aborted);
  execution_.finish_leaving();
  parts_.wake_listed();
}

void node::report_unexecuted() {
  std::size_t values = 0;
  for (std::uint32_t i = 0; i < config().in.size(); ++i)
    values += events().size(config().in[i], i);
  if (values > 0)
    parts_.host->unexecuted(id(), values);
}

void node::detach(bool aborted) {
  // Before senders see that this node left, and drop their messages to it:
  // otherwise the loop would have no events, and its members would be done.
  auto in_loop = config().loop_time_table != nullptr;
  if (aborted && in_loop)
    parts_.bounds.loop().keep_active(config(), logical());
  parts_.events.clear_messages(parts_.config.in);
  for (auto& connection : parts_.config.in) {
    connection.shared->gone.store(true, std::memory_order_seq_cst);
    if (connection.shared->sender_waits.exchange(false))
      parts_.scratch->wake.push_back(connection.source);
  }
  if (auto* stamped = parts_.events.stamped())
    stamped->release();
  std::vector<in_connection>{}.swap(parts_.config.in);
  std::vector<out_connection>{}.swap(parts_.config.out);
  if (in_loop)
    parts_.bounds.loop().leave(parts_, aborted);
}

} // namespace caf::rosia::engine
