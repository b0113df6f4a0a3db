// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/watchdogs.hpp"

#include "base/duration.hpp"
#include "engine/node.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

namespace caf::rosia::engine {

// -- watchdogs ----------------------------------------------------------------

watchdog& watchdogs::find(std::uint32_t action) noexcept {
  return *std::find_if(all_.begin(), all_.end(), [action](auto& x) {
    return x.index == action;
  });
}

watchdog* watchdogs::first() noexcept {
  watchdog* result = nullptr;
  for (auto& x : all_)
    if (x.runs()
        && (result == nullptr || x.expiry_tag() < result->expiry_tag()))
      result = &x;
  return result;
}

logical_time watchdogs::next_expiry() noexcept {
  auto* next = first();
  return next == nullptr ? forever : next->expiry_tag();
}

std::string handler_name(std::string_view watchdog) {
  return "handler of " + std::string{watchdog};
}

// -- watchdog_scope -----------------------------------------------------------

namespace {

/// The node with watchdogs whose code this thread runs.
thread_local const node* node_on_thread = nullptr;

} // namespace

watchdog_scope::watchdog_scope(const node& x) noexcept
  : previous_(std::exchange(node_on_thread, &x)) {
  // nop
}

watchdog_scope::~watchdog_scope() {
  node_on_thread = previous_;
}

bool watchdog_scope::covers(const node& x) noexcept {
  return node_on_thread == &x;
}

// -- the node's calls ---------------------------------------------------------

void node::add_watchdog(input& action, std::uint32_t index,
                        std::int64_t timeout, bool has_handler) {
  parts_.events.make_stamped().make_watchdogs().add(
    action, index, timeout, has_handler);
}

void node::start_watchdog(std::uint32_t action, std::int64_t extra) {
  if (!execution_.accept_watchdog_call(
        parts_, action, "started", watchdog_scope::covers(*this)))
    return;
  if (extra < 0)
    throw std::logic_error(
      "watchdog '" + std::string{parts_.code->action_name(action)}
      + "' was started with an extra time of "
      + detail::time_text(std::chrono::nanoseconds{extra})
      + "; it is 0 or more");
  auto& x = watchdogs()->find(action);
  std::int64_t expiry = 0;
  if (__builtin_add_overflow(logical().ns, x.timeout, &expiry)
      || __builtin_add_overflow(expiry, extra, &expiry))
    expiry = std::numeric_limits<std::int64_t>::max();
  set_watchdog(x, expiry);
}

void node::stop_watchdog(std::uint32_t action) {
  if (!execution_.accept_watchdog_call(
        parts_, action, "stopped", watchdog_scope::covers(*this)))
    return;
  // Traced even if it does not run: it may in a replay, which does not know
  // that it has expired until the expiry is present.
  set_watchdog(watchdogs()->find(action), watchdog::stopped);
}

void node::set_watchdog(watchdog& x, std::int64_t expiry) {
  x.set(expiry);
  parts_.note_watchdogs();
  if (auto* log = config().stamps) {
    std::lock_guard guard{log->mutex()};
    parts_.await_stamps();
  }
  if (parts_.trace)
    parts_.trace->watchdog(id(), logical(), x.index, expiry);
}

void node::restore_watchdog(std::uint32_t action, std::int64_t expiry) {
  watchdogs()->find(action).set(expiry);
  parts_.note_watchdogs();
}

void node::restore_expiry(std::uint32_t action, logical_time tag) {
  parts_.events.make_stamped().insert(
    {tag, envelope_kind::watchdog, action, make_value<watchdog_event>()}, true);
}

// -- expiries -----------------------------------------------------------------

void node::expire_watchdogs() {
  auto& upstreams = parts_.bounds.upstreams();
  // The watchdog that expires first may be beyond the final tag.
  while (upstreams.watches() && !upstreams.closed() && execution_.idle()
         && execution_.started()) {
    auto& next = *watchdogs()->first();
    if (next.expiry_tag().ns > parts_.clock.read(*parts_.host))
      return;
    expire(next);
  }
}

void node::expire(watchdog& x) {
  auto tag = stamp_expiry(x.expiry_tag());
  x.set(watchdog::stopped);
  parts_.note_watchdogs();
  if (!tag) {
    auto name = std::string{parts_.code->action_name(x.index)};
    fail_stamp("the expiry of watchdog '" + name + "'");
    return;
  }
  std::unique_lock<std::mutex> guard;
  if (auto* log = config().stamps)
    guard = std::unique_lock{log->mutex()};
  if (*tag > final()) {
    parts_.await_stamps();
    return;
  }
  queue_stamped(
    {*tag, envelope_kind::watchdog, x.index, make_value<watchdog_event>()},
    true);
  if (guard)
    guard.unlock();
  x.expiries.add();
  if (parts_.trace)
    parts_.trace->expire(id(), x.index, *tag, parts_.clock.elapsed());
  if (x.has_handler)
    execution_.run_handler(parts_, x.index, *tag);
}

std::optional<logical_time> node::stamp_expiry(logical_time expiry) const {
  try {
    return parts_.events.stamped()->next_free_stamp(expiry, logical());
  } catch (const std::overflow_error&) {
    return std::nullopt;
  }
}

void node::wait_for_expiry() noexcept {
  auto& upstreams = parts_.bounds.upstreams();
  if (upstreams.watches() && upstreams.takes_physical())
    parts_.clock.wake_no_later_than(watchdogs()->next_expiry().ns);
}

bool node::execute_watched(std::size_t& budget, hand_over_timer& timer) {
  watchdog_scope scope{*this};
  while (budget > 0) {
    expire_watchdogs();
    if (execution_.failed())
      return true;
    std::size_t one = 1;
    auto goes_on = execute_some(one, timer);
    if (one > 0 || execution_.failed())
      return goes_on;
    --budget;
  }
  return false;
}

// -- node_parts ---------------------------------------------------------------

void node_parts::note_watchdogs() noexcept {
  auto next = events.stamped()->watchdogs()->next_expiry();
  bounds.upstreams().watch(next != forever && next <= bounds.barrier().final());
}

void node_parts::await_stamps() {
  if (config.stamps == nullptr)
    return;
  auto& queue = *events.stamped();
  auto first = queue.is_spaced() ? queue.next_tag() : forever;
  if (bounds.upstreams().watches())
    first = std::min(first, queue.watchdogs()->next_expiry());
  if (config.has_waits)
    first = std::min(first, queue.max_waits()->uncertain_from());
  config.stamps->await(config.id, first);
}

} // namespace caf::rosia::engine
