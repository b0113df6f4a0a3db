// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/max_waits.hpp"

#include "base/exception_text.hpp"
#include "engine/node.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <utility>

namespace caf::rosia::engine {

// -- max_wait -----------------------------------------------------------------

std::optional<logical_time> max_wait::tag_in_replay(logical_time arrival) {
  for (;;) {
    if (next_ == read_.size()) {
      if (!source)
        return std::nullopt;
      read_ = source->next();
      next_ = 0;
      if (read_.empty()) {
        source.reset();
        return std::nullopt;
      }
    }
    // Changed code may no longer send a value.
    while (next_ < read_.size() && read_[next_].intended < arrival)
      ++next_;
    if (next_ == read_.size())
      continue;
    return read_[next_].intended == arrival
             ? std::optional{read_[next_++].tag}
             : std::nullopt;
  }
}

// -- max_waits ----------------------------------------------------------------

max_wait* max_waits::find(std::uint32_t connection) noexcept {
  auto i = std::lower_bound(
    all_.begin(), all_.end(), connection,
    [](auto& x, auto index) { return x.connection < index; });
  return i != all_.end() && i->connection == connection ? &*i : nullptr;
}

logical_time max_waits::promise() const noexcept {
  auto result = forever;
  for (auto& x : all_)
    result = std::min(result, x.promise);
  return result;
}

logical_time max_waits::uncertain_from() const noexcept {
  auto result = forever;
  for (auto& x : all_)
    if (x.assumed > x.promise)
      result = std::min(result, x.promise);
  return result;
}

// -- the node's calls ---------------------------------------------------------

void node::take_waiting(envelope& message) {
  auto* from = max_waits()->find(message.connection);
  if (from == nullptr)
    return;
  auto is_value = message.kind == envelope_kind::data;
  if (execution_.failed()) { // the recording is certain below the promise
    if (is_value)
      message.kind = envelope_kind::promise;
    return;
  }
  from->take_promise(
    message.kind == envelope_kind::no_more || message.last
      ? forever
      : message.promise);
  if (!is_value)
    return;
  from->take_promise(just_past(message.tag));
  if (config().replayed ? take_in_replay(*from, message)
                        : take_tardy(*from, message))
    message.kind = envelope_kind::promise; // the rest of it
}

bool node::take_tardy(max_wait& from, envelope& message) {
  if (message.tag >= parts_.bounds.upstreams().promise_of(from.connection))
    return false;
  auto tag = forever;
  if (from.intended.size() >= config().max_in_flight) {
    drop(envelope_kind::tardy, from.connection, drop_reason::queue_full);
  } else {
    try {
      tag = parts_.events.stamped()->next_free_stamp(
        {parts_.clock.elapsed(), 0}, logical());
    } catch (const std::overflow_error&) {
      fail_stamp("a tardy value");
    }
    if (tag > final()) {
      tag = forever;
      drop(envelope_kind::tardy, from.connection, drop_reason::past_final_tag);
    }
  }
  queue_tardy(from, tag, message);
  return true;
}

bool node::take_in_replay(max_wait& from, envelope& message) {
  try {
    auto tag = from.tag_in_replay(message.tag);
    if (tag)
      queue_tardy(from, *tag, message);
    return tag.has_value();
  } catch (const std::exception& e) {
    execution_.fail(parts_, detail::exception_text(e));
    return true;
  }
}

void node::queue_tardy(max_wait& from, logical_time tag, envelope& message) {
  auto& connection = parts_.config.in[from.connection];
  flow_control::executed(*parts_.scratch, connection, from.connection);
  execution_.note_message();
  from.tardy.add();
  if (auto* log = config().stamps)
    log->add(id(), from.connection, {message.tag, tag});
  if (parts_.trace)
    parts_.trace->tardy(
      id(), connection.input, connection.number, message.tag, tag);
  if (tag == forever)
    return;
  from.intended.push(message.tag);
  parts_.events.stamped()->insert(
    {tag, envelope_kind::tardy, from.connection, std::move(message.content)},
    true);
}

bool node::assume_bounds() {
  auto& upstreams = parts_.bounds.upstreams();
  if (!upstreams.clocked()) // a replay assumes nothing
    return false;
  auto& needed = parts_.scratch->requested_bounds;
  auto& waits = *max_waits();
  auto raised = false;
  for (auto& x : waits) {
    auto bound = std::lower_bound(
      needed.begin(), needed.end(), upstreams.promise_of(x.connection));
    if (bound == needed.end())
      continue;
    std::int64_t passes = 0;
    if (auto assumable = waits.assumable(x); assumable > *bound) {
      x.assumed = assumable;
      raised = true;
      upstreams.take_promise(x.connection, assumable);
    } else if (!__builtin_add_overflow(bound->ns, x.wait, &passes)
               && passes < node_clock::no_wake) {
      parts_.clock.wake_no_later_than(passes + 1);
    }
  }
  note_assumptions();
  parts_.bounds.raise();
  return raised;
}

bool node::await_ends() const noexcept {
  return config().has_waits && max_waits()->promise() <= final();
}

void node::note_assumptions() {
  auto& waits = *max_waits();
  auto from = waits.uncertain_from();
  if (config().stamps == nullptr || from == waits.awaited)
    return;
  waits.awaited = from;
  std::lock_guard guard{config().stamps->mutex()};
  parts_.await_stamps();
}

} // namespace caf::rosia::engine
