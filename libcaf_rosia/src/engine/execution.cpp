// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/execution.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <stdexcept>
#include <utility>

namespace caf::rosia::engine {

// -- constructors, destructors ------------------------------------------------

execution::~execution() {
  events_->resumptions().clear([this](void* token) {
    context_->code->discard(token);
  });
}

// -- running ------------------------------------------------------------------

bool execution::start() {
  auto& code = *context_->code;
  if (!guarded(tracer::start_reaction, [&] { code.start(); }))
    return false;
  for (auto i = code.next_startup(0); i != body::no_startup;
       i = code.next_startup(i + 1)) {
    if (context_->trace)
      context_->trace->reaction(context_->config.id, logical_, i);
    if (!guarded(i, [&] { code.react(i); }))
      return false;
  }
  return true;
}

void execution::run() {
  if (!resume_instances())
    return;
  set_inputs();
  run_reactions();
  for (auto port : context_->scratch->present)
    context_->config.inputs[port]->present = false;
  context_->scratch->present.clear();
}

bool execution::resume_instances() {
  if (events_->resumptions().next_tag() != logical_)
    return true;
  auto& order = context_->scratch->resumed;
  events_->resumptions().list(logical_, order);
  for (auto [number, reaction] : order) {
    auto token = events_->resumptions().pop(logical_, reaction);
    if (context_->trace)
      context_->trace->resume(context_->config.id, logical_, reaction);
    if (!guarded(reaction, [&] { context_->code->resume(token); }))
      return false;
  }
  order.clear();
  return true;
}

void execution::set_inputs() {
  auto& in = context_->config.in;
  auto& stamped = events_->stamped();
  // Stamps are unique: at most one stamped value is due. That of a physical
  // connection comes among the messages where its connection was declared.
  auto has_stamped = !stamped.empty() && stamped.front().tag == logical_;
  auto take_physical_before = [&](std::size_t connection) {
    if (!has_stamped || stamped.front().kind != envelope::kind::physical
        || stamped.front().index >= connection)
      return;
    has_stamped = false;
    auto value = stamped.pop();
    auto& from = in[value.index];
    from.shared->waiting.fetch_sub(1, std::memory_order_relaxed);
    set_input(from.input, from.number, std::move(value.content));
  };
  while (events_->has_message(logical_)) {
    auto connection = events_->next_connection();
    take_physical_before(connection);
    auto& from = in[connection];
    set_input(from.input, from.number, events_->pop());
    flow_->executed(connection);
  }
  take_physical_before(in.size());
  if (!has_stamped)
    return;
  auto& value = stamped.front();
  if (value.kind == envelope::kind::injected) {
    context_->code->consumed(false, value.index);
    set_input(value.index, tracer::injected, std::move(value.content));
    stamped.pop();
    return;
  }
  context_->code->consumed(true, value.index);
  if (context_->trace)
    context_->trace->trigger(
      context_->config.id, logical_, value.index, *value.content);
  context_->scratch->triggered.push_back(value.index);
  // It is removed when its reaction runs.
}

void execution::set_input(std::uint32_t port, std::uint32_t connection,
                          value_ptr content) {
  if (context_->trace)
    context_->trace->input(
      context_->config.id, logical_, port, connection, *content);
  auto& in = *context_->config.inputs[port];
  if (!in.present) {
    in.present = true;
    in.values.clear();
    context_->scratch->present.push_back(port);
    auto& triggered = context_->scratch->triggered;
    triggered.insert(triggered.end(), in.reactions.begin(), in.reactions.end());
  }
  in.values.push_back(std::move(content));
}

void execution::run_reactions() {
  auto& triggered = context_->scratch->triggered;
  auto& stamped = events_->stamped();
  if (triggered.size() > 1) {
    std::sort(triggered.begin(), triggered.end());
    triggered.erase(
      std::unique(triggered.begin(), triggered.end()), triggered.end());
  }
  for (auto reaction : triggered) {
    if (context_->trace)
      context_->trace->reaction(context_->config.id, logical_, reaction);
    auto has_value
      = !stamped.empty() && stamped.front().tag == logical_
        && stamped.front().index == reaction;
    auto goes_on
      = has_value
          ? guarded(reaction,
                    [&] {
                      auto content = stamped.pop().content;
                      context_->code->react(reaction, content);
                    })
          : guarded(reaction, [&] { context_->code->react(reaction); });
    if (!goes_on)
      break;
  }
  triggered.clear();
}

template <class Fun>
bool execution::guarded(std::uint32_t reaction, Fun&& fun) {
  current_ = reaction;
  phase_ = phase::executing;
  recorder_.begin(
    reaction == tracer::start_reaction ? activity::start_code : reaction,
    logical_, *context_->host);
  try {
    fun();
    phase_ = phase::idle;
    recorder_.end();
    return true;
  } catch (const std::exception& e) {
    fail(e.what());
  } catch (...) {
    fail("an exception that is not derived from std::exception");
  }
  return false;
}

void execution::fail(std::string text) {
  phase_ = phase::failed;
  recorder_.end();
  outbox_->clear();
  failure reason{code_name(current_), logical_, std::move(text)};
  if (context_->trace)
    context_->trace->error(context_->config.id, reason);
  context_->host->failed(reason);
}

void execution::shut_down() {
  auto report = [this](std::string text) {
    context_->host->shutdown_failed({"shutdown", logical_, std::move(text)});
  };
  recorder_.begin(activity::shutdown_code, logical_, *context_->host);
  try {
    context_->code->shutdown();
  } catch (const std::exception& e) {
    report(e.what());
  } catch (...) {
    report("an exception that is not derived from std::exception");
  }
  recorder_.end();
  events_->resumptions().clear([this](void* token) {
    context_->code->discard(token);
  });
}

// -- called by the user's code ------------------------------------------------

inline void execution::send(
  out_connection& connection, const value_ptr& content) {
  auto is_gone = connection.shared->gone.load(std::memory_order_acquire);
  // A trace tells of it all the same: it does not depend on who left when.
  if (is_gone && context_->trace == nullptr)
    return;
  auto arrival = connection.clock.stamp(logical_ + connection.distance);
  if (arrival == forever)
    return;
  if (context_->trace)
    context_->trace->send(
      context_->config.id, logical_, connection.number, arrival, *content);
  if (is_gone)
    return;
  flow_->sent(connection, arrival);
  outbox_->add(connection, arrival, content);
}

void execution::write(std::uint32_t port, value_ptr content) {
  if (phase_ == phase::leaving)
    throw std::logic_error(
      "output '" + output_name(port)
      + "' was written in shutdown(), when its receivers may have left");
  if (!executing())
    throw std::logic_error(
      "output '" + output_name(port)
      + "' was written outside of the node's reactions; "
        "call a trigger instead");
  auto& out = *context_->config.outputs[port];
  if (out.written == logical_)
    throw std::logic_error(second_write(port));
  if (logical_ < out.promised)
    throw std::logic_error(
      "output '" + output_name(port) + "' was written at tag "
      + to_string(logical_) + ", but the node promised to write nothing before "
      + to_string(out.promised));
  out.written = logical_;
  out.writer = current_;
  out.piece = recorder_.count();
  for (auto i = out.first; i < out.last; ++i) {
    auto& connection = context_->config.out[i];
    if (connection.physical)
      send_physical(connection, content);
    else
      send(connection, content);
  }
}

void execution::send_physical(
  out_connection& connection, const value_ptr& content) {
  auto& shared = *connection.shared;
  if (shared.gone.load(std::memory_order_acquire))
    return;
  if (shared.waiting.load(std::memory_order_relaxed)
      >= context_->config.max_in_flight) {
    context_->host->dropped(
      false, connection.target_input, drop_reason::queue_full);
    if (context_->trace)
      context_->trace->drop(outbox_->receiver(connection), false,
                            connection.target_input, drop_reason::queue_full);
    return;
  }
  shared.waiting.fetch_add(1, std::memory_order_relaxed);
  if (context_->trace)
    context_->trace->send(
      context_->config.id, logical_, connection.number, never, *content);
  outbox_->add_physical(connection, content);
}

void execution::promise(std::uint32_t port, const delay& d) {
  if (!executing())
    throw std::logic_error(
      "a promise for output '" + output_name(port)
      + "' was made outside of the node's reactions");
  if (d.ns() < 0)
    throw std::logic_error(
      "a promise for output '" + output_name(port) + "' has a negative delay, "
      + to_string(d));
  auto& out = *context_->config.outputs[port];
  out.promised = std::max(out.promised, logical_ + d);
}

void execution::wait(const delay& d, void* token) {
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
  events_->resumptions().push(logical_ + d, current_, token);
}

void execution::require_request(const delay& d) const {
  if (phase_ == phase::leaving)
    throw std::logic_error(
      "request_shutdown() in shutdown(): the node is ending already");
  if (!executing())
    throw std::logic_error(
      "request_shutdown() outside of the node's reactions");
  if (d.ns() < 0)
    throw std::logic_error(
      "request_shutdown() with a negative delay, " + to_string(d));
}

std::string execution::output_name(std::uint32_t port) const {
  return std::string{context_->code->output_name(port)};
}

std::string execution::code_name(std::uint32_t reaction) const {
  return reaction == tracer::start_reaction
           ? std::string{"start"}
           : std::string{context_->code->reaction_name(reaction)};
}

std::string execution::second_write(std::uint32_t port) const {
  auto& out = *context_->config.outputs[port];
  auto result = "output '" + output_name(port) + "' was written twice at tag "
                + to_string(logical_);
  if (out.piece == recorder_.count())
    return result
           + "; yield with co_await after(microsteps(1)) between the writes, "
             "or send both in one value";
  auto first = "'" + code_name(out.writer) + "'";
  auto second
    = out.writer == current_
        ? "another instance of " + first
        : "'" + code_name(current_) + "'";
  return result + ", by " + first + " and then by " + second
         + "; let one of the two yield with co_await after(microsteps(1)) "
           "before it writes, or give each an output of its own";
}

} // namespace caf::rosia::engine
