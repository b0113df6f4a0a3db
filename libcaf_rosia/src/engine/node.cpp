// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/node.hpp"

#include "base/text.hpp"
#include "engine/explanation.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

// -- constructors -------------------------------------------------------------

void node::init(node_config&& config, engine::body& code, engine::host& env,
                engine::tracer* trace) {
  context_.config = std::move(config);
  context_.code = &code;
  context_.host = &env;
  context_.trace = trace;
  bounds_.init();
  requests_.init();
  outbox_.init();
}

// -- driving ------------------------------------------------------------------

void node::start() {
  if (!execution_.idle() || started_)
    return;
  scratch::lease lease{context_.scratch};
  clock_.read();
  if (context_.trace)
    context_.trace->start(id(), clock_.elapsed());
  if (!execution_.start())
    return;
  started_ = true;
  flush();
}

node::state node::advance(std::size_t budget) {
  if (execution_.left())
    return state::left;
  scratch::lease lease{context_.scratch};
  clock_.forget_wake();
  execution_.begin_call();
  if (realtime() || bounds_.upstreams().clocked())
    clock_.read();
  take_in();
  if (!started_)
    return state::idle;
  for (;;) {
    if (execution_.failed())
      return state::idle;
    auto goes_on = execute_some(budget);
    if (execution_.failed())
      return state::idle;
    if (!goes_on) {
      flush();
      flow_.report_executed();
      return state::more;
    }
    // In a loop, what was just sent may let this very node go on.
    if (bounds_.loop().exists()) {
      if (flush_intra_loop()) {
        take_in();
        continue;
      }
      if (auto tag = next_tag(); tag < stat() && may_execute(tag))
        continue;
    }
    if (close_physical())
      continue;
    if (past_final()) {
      leave(ending::final_tag);
      return state::left;
    }
    if (done()) {
      leave(ending::done);
      return state::left;
    }
    if (go_idle())
      break;
  }
  flow_.report_executed();
  return state::idle;
}

// -- ending -------------------------------------------------------------------

void node::ask_shutdown(logical_time proposal) {
  if (execution_.left())
    return;
  if (context_.trace)
    context_.trace->asked(id(), proposal);
  auto answer = std::max(logical(), proposal);
  bounds_.barrier().answer(answer, proposal);
  if (context_.trace)
    context_.trace->answer(id(), answer);
  context_.host->answer(answer);
}

void node::take_final(logical_time final, logical_time requested) {
  if (execution_.left())
    return;
  if (context_.trace)
    context_.trace->final_taken(id(), final);
  bounds_.barrier().decide(final, requested);
}

void node::force() {
  if (execution_.left())
    return;
  scratch::lease lease{context_.scratch};
  execution_.begin_call();
  events_.clear_messages();
  outbox_.clear();
  leave(ending::aborted);
}

// -- called by the user's code ------------------------------------------------

void node::request_shutdown(const delay& d, int status) {
  execution_.require_request(d);
  detail::require_exit_status("request_shutdown()", status);
  auto proposal = logical() + d;
  bounds_.barrier().request(proposal);
  context_.host->request(proposal, status);
}

// -- for observers ------------------------------------------------------------

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
    result.held_back = {.what = blocker::kind::failure};
  else if (!started_)
    result.held_back = {.what = blocker::kind::start};
  else
    result.held_back
      = explanation{context_, bounds_, flow_, outbox_, next_tag()}.find();
  std::vector<std::size_t> sizes(config().inputs.size());
  for (auto& connection : config().in)
    sizes[connection.input] += connection.queue.size();
  for (std::uint32_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0)
      result.queues.push_back({i, sizes[i]});
  result.outside = events_.stamped().size();
  result.yielded = events_.resumptions().size();
  return result;
}

// -- taking in ----------------------------------------------------------------

void node::take_in() {
  if (!context_.host->has_mail())
    return;
  auto& mail = context_.scratch->mail;
  if (bounds_.loop().exists())
    bounds_.loop().drain();
  else
    context_.host->drain(mail);
  for (auto& message : mail)
    receive(message);
  context_.scratch->give_buffer(std::move(mail));
  bounds_.raise();
}

void node::receive(envelope& message) {
  auto connection = message.connection;
  switch (message.what) {
    case envelope::kind::data:
      if (execution_.has_executed(message.tag)) {
        execution_.fail(
          "a message for tag " + to_string(message.tag)
          + " arrived on connection "
          + std::to_string(config().in[connection].number) + " when tag "
          + to_string(logical())
          + " was over; this is an error of the library");
        return;
      }
      events_.push(connection, {message.tag, std::move(message.content)});
      [[fallthrough]];
    case envelope::kind::promise:
      bounds_.upstreams().take_promise(connection, message.promise);
      break;
    case envelope::kind::no_more:
      bounds_.upstreams().take_no_more(connection);
      break;
    case envelope::kind::physical:
    case envelope::kind::injected:
    case envelope::kind::trigger:
      stamp(message);
      break;
    case envelope::kind::bound_request:
      context_.config.out[connection].clock.request(message.tag);
      break;
  }
}

void node::stamp(envelope& message) {
  if (bounds_.upstreams().closed()) {
    drop(message.what, message.connection);
    return;
  }
  auto earliest
    = std::max(logical_time{clock_.elapsed(), 0}, next_microstep(logical()));
  auto tag = events_.stamped().next_stamp(earliest);
  if (tag > final()) {
    drop(message.what, message.connection);
    return;
  }
  events_.stamped().push(
    {tag, message.what, message.connection, std::move(message.content)});
}

void node::drop(envelope::kind kind, std::uint32_t index) {
  auto trigger = kind == envelope::kind::trigger;
  if (kind == envelope::kind::physical) {
    auto& connection = config().in[index];
    connection.shared->waiting.fetch_sub(1, std::memory_order_relaxed);
    index = connection.input;
  } else {
    context_.code->consumed(trigger, index);
  }
  context_.host->dropped(trigger, index, drop_reason::past_final_tag);
  if (context_.trace)
    context_.trace->drop(id(), trigger, index, drop_reason::past_final_tag);
}

// -- executing ----------------------------------------------------------------

bool node::may_execute(logical_time tag) {
  if (tag == forever)
    return false;
  if (tag >= stat() && (!bounds_.refresh() || tag >= stat()))
    return false;
  if (realtime() && tag.ns > clock_.elapsed()
      && tag <= bounds_.barrier().requested() && tag.ns > clock_.read()) {
    clock_.wake_no_later_than(tag.ns);
    return false;
  }
  return !flow_.holds_back(tag);
}

bool node::execute_some(std::size_t& budget) {
  while (budget > 0 && !outbox_.full()) {
    auto tag = next_tag();
    if (!may_execute(tag))
      return true;
    --budget;
    execute(tag);
    if (execution_.failed())
      return true;
  }
  return false;
}

void node::execute(logical_time tag) {
  execution_.advance_to(tag);
  if (auto limit = config().lag_warn) {
    auto lag = clock_.read() - tag.ns;
    if (lag > *limit || -lag > *limit)
      context_.host->lagging(tag, lag);
  }
  if (context_.trace)
    context_.trace->execute(id(), tag, stat(), context_.host->elapsed());
  execution_.run();
}

// -- sending ------------------------------------------------------------------

void node::flush() {
  outbox_.restart_count();
  flush_intra_loop();
  outbox_.send(basis());
}

bool node::flush_intra_loop() {
  if (!bounds_.loop().exists())
    return false;
  bounds_.publish_clock(logical());
  auto to_itself = false;
  {
    std::lock_guard guard{*config().loop_time_table};
    to_itself = outbox_.send_intra_loop();
    bounds_.update_loop(next_tag());
  }
  context_.wake_listed();
  return to_itself;
}

bool node::go_idle() {
  requests_.collect(next_tag());
  if (!requests_.wait_in_loop())
    return false;
  outbox_.send(basis());
  requests_.wait_for_clock(basis());
  requests_.send();
  return true;
}

// -- leaving ------------------------------------------------------------------

bool node::close_physical() {
  auto& barrier = bounds_.barrier();
  if (barrier.final() == forever || !bounds_.upstreams().takes_physical())
    return false;
  // Values are taken until the tag that was asked for is over. Not until STAT
  // has passed the final tag: two such nodes in a loop would wait for each
  // other until elapsed time has reached it.
  if (logical_time{clock_.read(), 0} <= barrier.requested()) {
    clock_.wake_no_later_than(barrier.requested().ns + 1);
    return false;
  }
  context_.host->close();
  take_in(); // what was accepted before is stamped like everything else
  bounds_.upstreams().close();
  return true;
}

bool node::past_final() {
  if (final() == forever || next_tag() <= final()
      || bounds_.upstreams().takes_physical())
    return false;
  return bounds_.lbts() > final()
         || (bounds_.refresh() && bounds_.lbts() > final());
}

bool node::done() const {
  return bounds_.barrier().decided() && next_tag() == forever
         && bounds_.upstreams().exhausted()
         && (!bounds_.loop().exists() || bounds_.loop().ended());
}

void node::leave(ending how) {
  auto aborted = how == ending::aborted;
  how_ = how;
  execution_.begin_leaving();
  bounds_.upstreams().close();
  context_.host->close();
  while (!events_.stamped().empty()) {
    auto value = events_.stamped().pop();
    drop(value.kind, value.index);
  }
  if (!aborted)
    flush();
  if (context_.trace)
    context_.trace->shutdown(id(), logical(), how);
  execution_.shut_down();
  started_ = true;
  if (context_.trace)
    context_.trace->exit(id());
  outbox_.close(aborted);
  detach(aborted);
  execution_.finish_leaving();
  context_.wake_listed();
}

void node::detach(bool aborted) {
  // Before anybody sees that this node is gone, and drops what it has for it:
  // otherwise nothing would be left in the loop, and its members done.
  if (aborted && bounds_.loop().exists())
    bounds_.loop().keep_active(logical());
  events_.clear_messages();
  for (auto& connection : context_.config.in) {
    connection.shared->gone.store(true, std::memory_order_seq_cst);
    if (connection.shared->sender_waits.exchange(false))
      context_.scratch->wake.push_back(connection.source);
  }
  events_.stamped().release();
  std::vector<in_connection>{}.swap(context_.config.in);
  std::vector<out_connection>{}.swap(context_.config.out);
  if (bounds_.loop().exists())
    bounds_.loop().leave(aborted);
}

} // namespace caf::rosia::engine
