// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/node.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <mutex>
#include <stdexcept>

namespace caf::rosia::engine {

namespace {

/// Buffers that a thread keeps to spare, and their greatest capacity.
constexpr std::size_t max_spare_buffers = 32;
constexpr std::size_t max_spare_capacity = 1024;

/// Queues of at most this capacity keep their memory when they are empty.
constexpr std::size_t kept_capacity = 4;

/// Within an activation, so many pieces of code pass from one look at the
/// observers' clock to the next; but after one that took longer than this, in
/// nanoseconds, it is looked at each time.
constexpr std::uint32_t looks_apart = 16;
constexpr std::int64_t slow_code = 5'000'000;

/// An activation ends when it has so many messages to send.
constexpr std::uint32_t max_unsent = 4096;

template <class T>
void release(std::vector<T>& x) noexcept {
  std::vector<T>{}.swap(x);
}

} // namespace

scratch::lease::lease(scratch*& slot) : slot_(&slot) {
  auto& shared = of_this_thread();
  if (shared.lent_) {
    own_ = std::make_unique<scratch>();
    slot = own_.get();
  } else {
    shared.lent_ = true;
    slot = &shared;
  }
}

scratch::lease::~lease() {
  auto& x = **slot_;
  // A call that ends early, because the node fails or leaves, leaves something.
  x.mail.clear();
  x.present.clear();
  x.triggered.clear();
  x.resumed.clear();
  x.unreported.clear();
  x.wake.clear();
  x.requested_bounds.clear();
  x.lent_ = false;
  *slot_ = nullptr;
}

scratch& scratch::of_this_thread() {
  thread_local scratch instance;
  return instance;
}

std::vector<envelope> scratch::take_buffer() {
  if (spare_.empty())
    return {};
  auto result = std::move(spare_.back());
  spare_.pop_back();
  return result;
}

void scratch::give_buffer(std::vector<envelope>&& buffer) {
  buffer.clear();
  if (buffer.capacity() > 0 && buffer.capacity() <= max_spare_capacity
      && spare_.size() < max_spare_buffers)
    spare_.push_back(std::move(buffer));
  else
    release(buffer);
}

host::~host() {
  // nop
}

tracer::~tracer() {
  // nop
}

body::~body() {
  // nop
}

std::uint32_t body::next_startup(std::uint32_t) const noexcept {
  return no_startup;
}

bool node_config::follows_clock() const noexcept {
  return realtime || external || std::any_of(in.begin(), in.end(), [](auto& x) {
           return x.physical;
         });
}

// -- constructors, destructors ------------------------------------------------

node::~node() {
  for (auto& [when, x] : waiting_)
    body_->discard(x.token);
}

void node::init(node_config&& config, engine::body& code, engine::host& env,
                engine::tracer* trace) {
  config_ = std::move(config);
  body_ = &code;
  host_ = &env;
  trace_ = trace;
  outside_ = least{config_.in.size()};
  for (std::size_t i = 0; i < config_.in.size(); ++i) {
    auto& x = config_.in[i];
    if (x.physical) {
      ++open_physical_;
    } else if (!x.intra_loop) {
      ++open_;
      outside_.set(i, logical_time{});
    }
  }
  clocked_ = config_.external || open_physical_ > 0;
  for (std::uint32_t i = 0; i < config_.in.size(); ++i)
    if (auto& x = config_.in[i];
        x.needs_requests && !x.intra_loop && !x.physical) {
      if (!requester_)
        requester_ = std::make_unique<requester>();
      requester_->connections.push_back(i);
    }
  if (config_.loop_time_table != nullptr)
    loop_bound_ = logical_time{};
  stat0_ = std::min(outside_.get(), loop_bound_);
  peers_.reserve(config_.peers.size());
  for (auto id : config_.peers)
    peers_.push_back({id, false, {}});
  for (auto& x : config_.out)
    if (x.intra_loop)
      peers_[x.peer].intra_loop = true;
  config_.peers = {};
}

// -- driving ------------------------------------------------------------------

void node::start() {
  if (phase_ != phase::idle || started_)
    return;
  scratch::lease lease{scratch_};
  elapsed_ = host_->elapsed();
  if (trace_)
    trace_->start(config_.id, elapsed_);
  if (!guarded(tracer::start_reaction, [this] { body_->start(); }))
    return;
  for (auto i = body_->next_startup(0); i != body::no_startup;
       i = body_->next_startup(i + 1)) {
    if (trace_)
      trace_->reaction(config_.id, logical_, i);
    if (!guarded(i, [&] { body_->react(i); }))
      return;
  }
  started_ = true;
  flush();
}

node::state node::advance(std::size_t budget) {
  if (phase_ == phase::left)
    return state::left;
  scratch::lease lease{scratch_};
  wake_at_ = no_wake;
  next_look_ = 0;
  if (config_.realtime || clocked_)
    elapsed_ = host_->elapsed();
  take_in();
  if (!started_)
    return state::idle;
  for (;;) {
    if (phase_ == phase::failed)
      return state::idle;
    while (budget > 0 && unsent_ < max_unsent) {
      auto tag = next_tag();
      if (!may_execute(tag))
        break;
      --budget;
      execute(tag);
      if (phase_ == phase::failed)
        return state::idle;
    }
    if (budget == 0 || unsent_ >= max_unsent) {
      flush();
      report_executed();
      return state::more;
    }
    // In a loop, what was just sent may let this very node go on.
    if (config_.loop_time_table != nullptr) {
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
    if (settle())
      break;
  }
  report_executed();
  return state::idle;
}

// -- ending -------------------------------------------------------------------

void node::ask_shutdown(logical_time proposal) {
  if (phase_ == phase::left)
    return;
  if (trace_)
    trace_->asked(config_.id, proposal);
  barrier_ = std::max(logical_, proposal);
  requested_ = proposal;
  if (trace_)
    trace_->answer(config_.id, barrier_);
  host_->answer(barrier_);
}

void node::take_final(logical_time final, logical_time requested) {
  if (phase_ == phase::left)
    return;
  if (trace_)
    trace_->final_taken(config_.id, final);
  barrier_ = final_ = final;
  requested_ = requested;
  // It is what this node had asked for. After another one its own follows.
  if (requested == own_barrier_)
    own_barrier_ = forever;
}

void node::force() {
  if (phase_ == phase::left)
    return;
  scratch::lease lease{scratch_};
  next_look_ = 0;
  for (auto& x : config_.in)
    x.queue.clear();
  for (auto& x : peers_)
    x.batch.clear();
  due_.clear();
  leave(ending::forced);
}

// -- called by the user's code ------------------------------------------------

void node::write(std::uint32_t port, value_ptr content) {
  auto name = [&] { return std::string{body_->output_name(port)}; };
  if (phase_ == phase::ending)
    throw std::logic_error(
      "output '" + name()
      + "' was written in shutdown(), when its receivers may have left");
  if (!executing())
    throw std::logic_error(
      "output '" + name()
      + "' was written outside of the node's reactions; "
        "call a trigger instead");
  auto& out = *config_.outputs[port];
  if (out.written == logical_)
    throw std::logic_error(second_write(port));
  if (logical_ < out.promised)
    throw std::logic_error(
      "output '" + name() + "' was written at tag " + to_string(logical_)
      + ", but the node promised to write nothing before "
      + to_string(out.promised));
  out.written = logical_;
  out.writer = current_;
  out.piece = activity_.count();
  for (auto i = out.first; i < out.last; ++i) {
    auto& x = config_.out[i];
    auto is_gone = x.shared->gone.load(std::memory_order_acquire);
    // A trace tells of it all the same: it does not depend on who left when.
    if (is_gone && (trace_ == nullptr || x.physical))
      continue;
    auto& batch = peers_[x.peer].batch;
    if (batch.capacity() == 0)
      batch = scratch_->take_buffer();
    if (x.physical) {
      if (x.shared->waiting.load(std::memory_order_relaxed)
          >= config_.max_in_flight) {
        host_->dropped(false, x.target_input, drop_reason::queue_full);
        if (trace_)
          trace_->drop(
            peers_[x.peer].id, false, x.target_input, drop_reason::queue_full);
        continue;
      }
      x.shared->waiting.fetch_add(1, std::memory_order_relaxed);
      if (trace_)
        trace_->send(config_.id, logical_, x.number, never, *content);
      batch.push_back(
        {envelope::kind::physical, x.target_index, never, never, content});
      continue;
    }
    auto arrival = logical_ + x.distance;
    if (arrival <= x.last)
      arrival = next_microstep(x.last);
    if (arrival == forever)
      continue;
    x.last = arrival;
    if (trace_)
      trace_->send(config_.id, logical_, x.number, arrival, *content);
    if (is_gone)
      continue;
    if (x.in_flight.full())
      update_in_flight(x);
    x.in_flight.push(arrival);
    if (x.in_flight.size() == config_.max_in_flight)
      ++saturated_;
    if (x.pending == 0)
      x.first_pending = arrival;
    batch.push_back(
      {envelope::kind::data, x.target_index, arrival, never, content});
    x.pending = static_cast<std::uint32_t>(batch.size());
    ++unsent_;
  }
}

void node::promise(std::uint32_t port, const delay& d) {
  if (!executing())
    throw std::logic_error(
      "a promise for output '" + std::string{body_->output_name(port)}
      + "' was made outside of the node's reactions");
  if (d.ns() < 0)
    throw std::logic_error(
      "a promise for output '" + std::string{body_->output_name(port)}
      + "' has a negative delay, " + to_string(d));
  auto& out = *config_.outputs[port];
  out.promised = std::max(out.promised, logical_ + d);
}

void node::wait(const delay& d, void* token) {
  if (!executing())
    throw std::logic_error(
      "co_await after(...) outside of the node's "
      "reactions");
  if (d.ns() < 0)
    throw std::logic_error(
      "co_await after(...) with a negative delay, " + to_string(d));
  if (d.is_zero())
    throw std::logic_error(
      "co_await after(...) without a delay; "
      "after(microsteps(1)) is the smallest");
  auto tag = free_moment(logical_ + d);
  waiting_.emplace(moment{tag, current_}, resumption{scheduled_++, token, tag});
}

void node::request_shutdown(const delay& d, int status) {
  if (phase_ == phase::ending)
    throw std::logic_error(
      "request_shutdown() in shutdown(): the node is "
      "ending already");
  if (!executing())
    throw std::logic_error(
      "request_shutdown() outside of the node's "
      "reactions");
  if (d.ns() < 0)
    throw std::logic_error(
      "request_shutdown() with a negative delay, " + to_string(d));
  detail::require_exit_status("request_shutdown()", status);
  auto proposal = logical_ + d;
  // Otherwise it might be past that before it is asked.
  own_barrier_ = std::min(own_barrier_, proposal);
  host_->request(proposal, status);
}

// -- properties ---------------------------------------------------------------

logical_time node::stat() const noexcept {
  auto last = barrier();
  if (last == forever)
    return stat0_;
  return std::min(stat0_, saturating_add(last, delay{microsteps(1)}));
}

logical_time node::next_tag() const noexcept {
  if (!started_)
    return {};
  auto result = forever;
  if (!due_.empty())
    result = due_.front().tag;
  if (!waiting_.empty())
    result = std::min(result, waiting_.begin()->first.tag);
  if (!physical_.empty())
    result = std::min(result, physical_[0].tag);
  return result;
}

// -- taking in ----------------------------------------------------------------

void node::take_in() {
  if (!host_->has_mail())
    return;
  if (config_.loop_time_table != nullptr) {
    std::lock_guard guard{*config_.loop_time_table};
    host_->drain(scratch_->mail);
    config_.loop_time_table->absorb(config_.member);
    loop_bound_ = config_.loop_time_table->bound(config_.member);
  } else {
    host_->drain(scratch_->mail);
  }
  for (auto& x : scratch_->mail)
    receive(x);
  scratch_->give_buffer(std::move(scratch_->mail));
  stat0_ = std::max(stat0_, std::min(outside_.get(), loop_bound_));
}

void node::receive(envelope& x) {
  switch (x.what) {
    case envelope::kind::data: {
      auto& c = config_.in[x.connection];
      if (executed_any_ && x.tag <= logical_) {
        fail("a message for tag " + to_string(x.tag) + " arrived on connection "
             + std::to_string(c.number) + " when tag " + to_string(logical_)
             + " was over; this is an error of the library");
        return;
      }
      if (c.queue.empty()) {
        due_.push_back({x.tag, x.connection});
        std::push_heap(due_.begin(), due_.end(), std::greater<>{});
      }
      c.queue.push({x.tag, std::move(x.content)});
      [[fallthrough]];
    }
    case envelope::kind::promise: {
      auto& c = config_.in[x.connection];
      if (!c.intra_loop && x.promise > outside_[x.connection])
        outside_.set(x.connection, x.promise);
      break;
    }
    case envelope::kind::no_more: {
      auto& c = config_.in[x.connection];
      if (c.no_more)
        break;
      c.no_more = true;
      if (c.physical) {
        --open_physical_;
      } else if (!c.intra_loop) {
        outside_.set(x.connection, forever);
        --open_;
      }
      break;
    }
    case envelope::kind::physical:
    case envelope::kind::injected:
    case envelope::kind::trigger:
      stamp(x);
      break;
    case envelope::kind::bound_request:
      // A promise that answers it may be under way already.
      if (auto& c = config_.out[x.connection]; c.announced <= x.tag)
        c.asked = x.tag;
      break;
  }
}

void node::stamp(envelope& x) {
  if (closed_) {
    drop(x, drop_reason::past_final_tag);
    return;
  }
  auto tag = std::max(logical_time{elapsed_, 0}, next_microstep(logical_));
  if (tag <= last_stamp_)
    tag = next_microstep(last_stamp_);
  if (tag > final_) {
    drop(x, drop_reason::past_final_tag);
    return;
  }
  last_stamp_ = tag;
  physical_.push({tag, x.what, x.connection, std::move(x.content)});
}

void node::drop(const envelope& x, drop_reason why) {
  auto trigger = x.what == envelope::kind::trigger;
  auto index = x.connection;
  if (x.what == envelope::kind::physical) {
    auto& c = config_.in[x.connection];
    c.shared->waiting.fetch_sub(1, std::memory_order_relaxed);
    index = c.input;
  } else {
    body_->consumed(trigger, index);
  }
  host_->dropped(trigger, index, why);
  if (trace_)
    trace_->drop(config_.id, trigger, index, why);
}

// -- executing ----------------------------------------------------------------

bool node::may_execute(logical_time tag) {
  if (tag == forever)
    return false;
  if (tag >= stat() && (!refresh_stat() || tag >= stat()))
    return false;
  if (config_.realtime && tag.ns > elapsed_ && tag <= requested_) {
    elapsed_ = host_->elapsed();
    if (tag.ns > elapsed_) {
      wake_no_later_than(tag.ns);
      return false;
    }
  }
  return saturated_ == 0 || !paused(tag);
}

void node::execute(logical_time tag) {
  logical_ = tag;
  executed_any_ = true;
  if (config_.lag_warn) {
    elapsed_ = host_->elapsed();
    auto lag = elapsed_ - tag.ns;
    if (lag > *config_.lag_warn || -lag > *config_.lag_warn)
      host_->lagging(tag, lag);
  }
  if (trace_)
    trace_->execute(config_.id, tag, stat(), host_->elapsed());
  if (!resume_instances(tag))
    return;
  set_inputs(tag);
  run_reactions();
  for (auto port : scratch_->present)
    config_.inputs[port]->present = false;
  scratch_->present.clear();
}

bool node::resume_instances(logical_time tag) {
  auto& order = scratch_->resumed;
  for (auto i = waiting_.begin(); i != waiting_.end() && i->first.tag == tag;
       ++i)
    order.emplace_back(i->second.number, i->first.reaction);
  std::sort(order.begin(), order.end());
  for (auto [number, reaction] : order) {
    auto next = waiting_.find({tag, reaction});
    auto token = next->second.token;
    waiting_.erase(next);
    if (trace_)
      trace_->resume(config_.id, tag, reaction);
    if (!guarded(reaction, [&] { body_->resume(token); }))
      return false;
  }
  order.clear();
  return true;
}

logical_time node::free_moment(logical_time wanted) {
  if (wanted == forever)
    return forever; // nobody is resumed then
  auto result = wanted;
  auto first = waiting_.find({wanted, current_});
  for (auto i = first; i != waiting_.end();
       i = waiting_.find({result, current_}))
    result = next_microstep(i->second.row_end);
  // Or each of many that want the same would walk past all before it.
  if (first != waiting_.end())
    first->second.row_end = result;
  return result;
}

void node::set_inputs(logical_time tag) {
  // Stamps are unique: at most one physical value is due. Among the others it
  // comes where its connection was declared.
  auto has_physical = !physical_.empty() && physical_.front().tag == tag;
  auto take_physical_before = [&](std::size_t index) {
    if (!has_physical || physical_.front().what != envelope::kind::physical
        || physical_.front().index >= index)
      return;
    has_physical = false;
    auto x = physical_.pop();
    auto& c = config_.in[x.index];
    c.shared->waiting.fetch_sub(1, std::memory_order_relaxed);
    set_input(c.input, c.number, std::move(x.content));
  };
  while (!due_.empty() && due_.front().tag == tag) {
    std::pop_heap(due_.begin(), due_.end(), std::greater<>{});
    auto index = due_.back().connection;
    take_physical_before(index);
    auto& c = config_.in[index];
    set_input(c.input, c.number, c.queue.pop().content);
    ++c.executed;
    if (c.reported) {
      c.reported = false;
      scratch_->unreported.push_back(index);
    }
    if (c.queue.empty()) {
      due_.pop_back();
    } else {
      due_.back().tag = c.queue.front().tag;
      std::push_heap(due_.begin(), due_.end(), std::greater<>{});
    }
  }
  take_physical_before(config_.in.size());
  if (!has_physical)
    return;
  auto& x = physical_.front();
  if (x.what == envelope::kind::injected) {
    body_->consumed(false, x.index);
    set_input(x.index, tracer::injected, std::move(x.content));
    physical_.pop();
    return;
  }
  body_->consumed(true, x.index);
  if (trace_)
    trace_->trigger(config_.id, tag, x.index, *x.content);
  scratch_->triggered.push_back(x.index); // popped when its reaction runs
}

void node::set_input(std::uint32_t port, std::uint32_t connection,
                     value_ptr content) {
  if (trace_)
    trace_->input(config_.id, logical_, port, connection, *content);
  auto& in = *config_.inputs[port];
  if (!in.present) {
    in.present = true;
    in.values.clear();
    scratch_->present.push_back(port);
    scratch_->triggered.insert(
      scratch_->triggered.end(), in.reactions.begin(), in.reactions.end());
  }
  in.values.push_back(std::move(content));
}

void node::run_reactions() {
  if (scratch_->triggered.size() > 1) {
    std::sort(scratch_->triggered.begin(), scratch_->triggered.end());
    scratch_->triggered.erase(
      std::unique(scratch_->triggered.begin(), scratch_->triggered.end()),
      scratch_->triggered.end());
  }
  for (auto reaction : scratch_->triggered) {
    if (trace_)
      trace_->reaction(config_.id, logical_, reaction);
    auto has_value
      = !physical_.empty() && physical_.front().tag == logical_
        && physical_.front().index == reaction;
    auto ok
      = has_value
          ? guarded(reaction,
                    [&] {
                      auto content = physical_.pop().content;
                      body_->react(reaction, content);
                    })
          : guarded(reaction, [&] { body_->react(reaction); });
    if (!ok)
      break;
  }
  scratch_->triggered.clear();
}

template <class Fun>
bool node::guarded(std::uint32_t reaction, Fun&& fun) {
  current_ = reaction;
  phase_ = phase::executing;
  begin_code(
    reaction == tracer::start_reaction ? activity::start_code : reaction);
  try {
    fun();
    phase_ = phase::idle;
    activity_.end();
    return true;
  } catch (const std::exception& e) {
    fail(e.what());
  } catch (...) {
    fail("an exception that is not derived from std::exception");
  }
  return false;
}

void node::fail(std::string what) {
  phase_ = phase::failed;
  activity_.end();
  for (auto& x : peers_)
    x.batch.clear();
  failure reason{code_name(current_), logical_, std::move(what)};
  if (trace_)
    trace_->error(config_.id, reason);
  host_->failed(reason);
}

std::string node::code_name(std::uint32_t reaction) const {
  return reaction == tracer::start_reaction
           ? std::string{"start"}
           : std::string{body_->reaction_name(reaction)};
}

std::string node::second_write(std::uint32_t port) const {
  auto& out = *config_.outputs[port];
  auto result = "output '" + std::string{body_->output_name(port)}
                + "' was written twice at tag " + to_string(logical_);
  if (out.piece == activity_.count())
    return result
           + "; yield with co_await after(microsteps(1)) between the writes, "
             "or "
             "send both in one value";
  auto first = "'" + code_name(out.writer) + "'";
  auto second
    = out.writer == current_
        ? "another instance of " + first
        : "'" + code_name(current_) + "'";
  return result + ", by " + first + " and then by " + second
         + "; let one of the two yield with co_await after(microsteps(1)) "
           "before it writes, or give each an output of its own";
}

// -- bounds -------------------------------------------------------------------

bool node::refresh_stat() {
  auto bound = outside_.get();
  if (config_.loop_time_table != nullptr && bound > stat0_) {
    std::lock_guard guard{*config_.loop_time_table};
    loop_bound_ = config_.loop_time_table->bound(config_.member);
    bound = std::min(bound, loop_bound_);
  }
  if (bound <= stat0_)
    return false;
  stat0_ = bound;
  return true;
}

logical_time node::entry() const noexcept {
  auto result = std::min(next_tag(), outside_.get());
  return takes_physical() ? std::min(result, published_) : result;
}

logical_time node::clock_bound() const noexcept {
  return std::max(
    logical_time{elapsed_, 0}, saturating_add(logical_, delay{microsteps(1)}));
}

bool node::takes_physical() const noexcept {
  return clocked_ && !closed_ && (config_.external || open_physical_ > 0);
}

node::bounds node::promise_bounds() const noexcept {
  bounds result;
  result.base = std::min(next_tag(), stat());
  result.physical = takes_physical();
  result.bound
    = result.physical ? std::min(result.base, clock_bound()) : result.base;
  return result;
}

logical_time node::promise_of(const out_connection& x, const bounds& y) const {
  auto bound = y.bound;
  if (started_ && !y.physical)
    bound = std::max(bound, config_.outputs[x.output]->promised);
  auto result = saturating_add(bound, x.distance);
  return x.last == never ? result : std::max(result, next_microstep(x.last));
}

// -- back-pressure ------------------------------------------------------------

bool node::paused(logical_time tag) {
  for (auto& x : config_.out) {
    if (!holds_too_many(x, tag))
      continue;
    update_in_flight(x);
    if (!holds_too_many(x, tag))
      continue;
    // The receiver looks at `paused` after it has written `executed`.
    x.shared->paused.store(true, std::memory_order_seq_cst);
    update_in_flight(x);
    if (holds_too_many(x, tag))
      return true;
  }
  return false;
}

bool node::holds_too_many(out_connection& x, logical_time tag) {
  auto limit = config_.max_in_flight;
  return x.in_flight.size() >= limit && x.in_flight[limit - 1] < tag;
}

void node::update_in_flight(out_connection& x, logical_time done) {
  auto was_saturated = x.in_flight.size() >= config_.max_in_flight;
  if (x.shared->gone.load(std::memory_order_seq_cst)) {
    x.in_flight.clear();
  } else {
    auto executed = x.shared->executed.load(std::memory_order_seq_cst);
    while (!x.in_flight.empty()
           && (x.executed < executed || x.in_flight.front() < done)) {
      x.in_flight.pop();
      ++x.executed;
    }
    if (x.in_flight.empty())
      x.in_flight.release_above(kept_capacity);
  }
  if (was_saturated && x.in_flight.size() < config_.max_in_flight)
    --saturated_;
}

void node::request_ack(out_connection& x) {
  auto half = std::max(config_.max_in_flight / 2, 1u);
  auto distance = ack_distance(config_.max_in_flight);
  auto sent = x.executed + x.in_flight.size();
  if (x.in_flight.size() < half || sent < x.ack_requests + distance)
    return;
  // In a loop the entries tell of what was executed, too; but those of what is
  // about to leave are still to come.
  auto done
    = x.intra_loop ? std::min(
        config_.loop_time_table->low(x.target_member), x.first_pending)
                   : never;
  update_in_flight(x, done);
  if (x.in_flight.size() < half)
    return;
  x.ack_requests = sent;
  peers_[x.peer].batch[x.pending - 1].ack_request = true;
}

void node::report_executed() {
  for (auto index : scratch_->unreported) {
    auto& c = config_.in[index];
    c.reported = true;
    if (c.queue.empty())
      c.queue.release_above(kept_capacity);
    c.shared->executed.store(c.executed, std::memory_order_seq_cst);
    if (c.shared->paused.load(std::memory_order_seq_cst)
        && c.shared->paused.exchange(false))
      host_->wake(c.source);
  }
  scratch_->unreported.clear();
}

// -- sending ------------------------------------------------------------------

void node::flush() {
  unsent_ = 0;
  flush_intra_loop();
  flush_outside();
}

bool node::flush_intra_loop() {
  if (config_.loop_time_table == nullptr)
    return false;
  auto to_itself = false;
  if (takes_physical())
    published_ = std::max(published_, clock_bound());
  {
    std::lock_guard guard{*config_.loop_time_table};
    for (auto& x : config_.out) {
      if (!x.intra_loop || x.pending == 0)
        continue;
      if (x.remote)
        request_ack(x);
      x.pending = 0;
      config_.loop_time_table->in_transit(x.target_member, x.first_pending);
    }
    for (auto& x : peers_)
      if (x.intra_loop && !x.batch.empty()) {
        to_itself = to_itself || x.id == config_.id;
        send(x);
        scratch_->wake.push_back(x.id);
      }
    config_.loop_time_table->update(config_.member, entry(), scratch_->wake);
    loop_ended_ = config_.loop_time_table->ended();
    loop_bound_ = config_.loop_time_table->bound(config_.member);
    stat0_ = std::max(stat0_, std::min(outside_.get(), loop_bound_));
  }
  wake_all();
  return to_itself;
}

void node::flush_outside() {
  auto limits = promise_bounds();
  for (auto& x : config_.out)
    if (!x.intra_loop && !x.physical)
      announce(x, limits);
  for (auto& x : peers_) {
    if (x.batch.empty())
      continue;
    send(x);
    host_->wake(x.id);
  }
}

void node::announce(out_connection& x, const bounds& y) {
  if (x.remote && x.pending != 0)
    request_ack(x);
  auto pending = std::exchange(x.pending, 0);
  if (pending == 0
      && (x.announced == forever
          || x.shared->gone.load(std::memory_order_acquire)))
    return;
  auto promise = promise_of(x, y);
  if (promise <= x.announced)
    return;
  if (pending != 0) {
    peers_[x.peer].batch[pending - 1].promise = promise;
  } else {
    // Elapsed time alone is no reason to speak, unless somebody asked.
    if (y.physical && promise <= x.asked && y.base == x.base)
      return;
    if (trace_)
      trace_->promise(config_.id, x.number, promise);
    peers_[x.peer].batch.push_back(
      {envelope::kind::promise, x.target_index, never, promise, nullptr});
  }
  x.announced = promise;
  x.base = y.base;
  if (promise > x.asked)
    x.asked = forever;
}

void node::send(peer& x) {
  host_->send(x.id, x.batch);
  scratch_->give_buffer(std::move(x.batch));
}

void node::post(node_id receiver, envelope x) {
  std::vector<envelope> batch;
  batch.push_back(std::move(x));
  host_->send(receiver, batch);
  host_->wake(receiver);
}

void node::wake_all() {
  // A wake may lead to calls that want to add to the list.
  for (auto id : scratch_->wake)
    if (id != config_.id)
      host_->wake(id);
  scratch_->wake.clear();
}

// -- waiting ------------------------------------------------------------------

bool node::settle() {
  collect_requested_bounds();
  if (config_.loop_time_table != nullptr
      && (!scratch_->requested_bounds.empty() || waits_in_loop_ || relays())) {
    std::unique_lock guard{*config_.loop_time_table};
    loop_bound_ = config_.loop_time_table->bound(config_.member);
    // Not for what is held back from outside only: to wait for that and then
    // for something else would be news to the members each time.
    auto want = std::lower_bound(
      scratch_->requested_bounds.begin(), scratch_->requested_bounds.end(),
      loop_bound_);
    waits_in_loop_
      = want != scratch_->requested_bounds.end()
        && config_.loop_time_table->wait(config_.member, *want, scratch_->wake);
    if (!waits_in_loop_)
      config_.loop_time_table->stop_waiting(config_.member);
    auto bound = std::min(outside_.get(), loop_bound_);
    if (bound > stat0_) {
      // Somebody else has moved on in the meantime: look again.
      stat0_ = bound;
      guard.unlock();
      wake_all();
      return false;
    }
    // Only who can do something about it looks what the others wait for.
    if (auto asked
        = relays() ? config_.loop_time_table->asked(config_.member) : forever;
        asked != forever) {
      scratch_->requested_bounds.push_back(asked);
      if (takes_physical() && published_ <= asked)
        wake_no_later_than(asked.ns + 1);
    }
    guard.unlock();
    wake_all();
  }
  flush_outside();
  wait_for_clock();
  request_bounds();
  return true;
}

void node::wait_for_clock() {
  auto limits = promise_bounds();
  if (!limits.physical || limits.bound == limits.base)
    return; // not the clock keeps back what was asked for
  for (auto& x : config_.out)
    if (x.asked != forever && !x.shared->gone.load(std::memory_order_acquire))
      wake_no_later_than(inverse(x.asked, x.distance).ns + 1);
}

void node::collect_requested_bounds() {
  scratch_->requested_bounds.clear();
  if (auto tag = next_tag(); tag != forever && tag >= stat0_)
    scratch_->requested_bounds.push_back(tag);
  if (final_ != forever && stat0_ <= final_)
    scratch_->requested_bounds.push_back(final_);
  for (auto& x : config_.out) {
    if (x.asked == forever)
      continue;
    if (auto want = inverse(x.asked, x.distance);
        want != never && stat0_ <= want)
      scratch_->requested_bounds.push_back(want);
  }
  std::sort(
    scratch_->requested_bounds.begin(), scratch_->requested_bounds.end());
}

void node::request_bounds() {
  auto& requested_bounds = scratch_->requested_bounds;
  if (!requester_ || requested_bounds.empty())
    return;
  std::sort(requested_bounds.begin(), requested_bounds.end());
  // Whoever has thousands of inputs cannot look at all of them whenever one
  // answers: as long as it wants the same, everybody has been asked.
  if (requester_->requested_bounds == requested_bounds)
    return;
  requester_->requested_bounds = requested_bounds;
  for (auto index : requester_->connections) {
    auto& c = config_.in[index];
    auto want = std::lower_bound(
      requested_bounds.begin(), requested_bounds.end(), outside_[index]);
    if (want == requested_bounds.end() || c.asked == *want)
      continue;
    c.asked = *want;
    post(c.source, {envelope::kind::bound_request, c.source_index, *want, never,
                    nullptr});
  }
}

void node::wake_no_later_than(std::int64_t ns) noexcept {
  wake_at_ = std::min(wake_at_, ns);
}

// -- observing ----------------------------------------------------------------

snapshot node::look() const {
  snapshot result;
  result.doing = activity_.read();
  result.logical = logical_;
  result.final = final_;
  if (phase_ == phase::left)
    return result;
  result.next = next_tag();
  result.stat = stat();
  result.held_back = find_blocker();
  std::vector<std::size_t> sizes(config_.inputs.size());
  for (auto& x : config_.in)
    sizes[x.input] += x.queue.size();
  for (std::uint32_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] > 0)
      result.queues.push_back({i, sizes[i]});
  result.outside = physical_.size();
  result.yielded = waiting_.size();
  return result;
}

void node::begin_code(std::uint32_t code) {
  if (next_look_ == 0) {
    auto now = host_->coarse_elapsed();
    next_look_ = now - looked_at_ > slow_code ? 1 : looks_apart;
    looked_at_ = now;
  }
  --next_look_;
  activity_.begin(code, logical_, looked_at_);
}

blocker node::find_blocker() const {
  using kind = blocker::kind;
  if (phase_ == phase::failed)
    return {.what = kind::failure};
  if (!started_)
    return {.what = kind::start};
  auto next = next_tag();
  // What STAT has to be greater than: the next tag, or, to leave, the final one
  // or everything.
  auto want = std::min(next, final_);
  if (next > final_ && takes_physical())
    return {.what = kind::clock, .bound = requested_};
  if (auto last = barrier(); last != final_ && next > last)
    return {.what = kind::agreement, .bound = last};
  auto outside = outside_.get();
  auto inside = forever;
  auto member = config_.member;
  if (config_.loop_time_table != nullptr) {
    std::lock_guard guard{*config_.loop_time_table};
    if (config_.loop_time_table->is_small()) {
      inside = config_.loop_time_table->bound(config_.member, &member);
    } else {
      inside = loop_bound_;
      member = config_.loop_time_table->holder(config_.member);
    }
  }
  if (auto bound = std::min(outside, inside);
      bound <= want && bound != forever) {
    if (inside < outside) {
      auto holder = config_.loop_time_table->nodes()[member];
      auto* input = input_towards(holder);
      // Nobody has searched for the holder: its input has to do.
      if (holder == config_.id && input != nullptr)
        holder = input->source;
      return {
        .what = kind::loop,
        .connection = input != nullptr ? input->number : blocker::no_connection,
        .node = holder,
        .bound = inside};
    }
    auto i = outside_.position();
    return {.what = kind::input,
            .connection = config_.in[i].number,
            .node = config_.in[i].source,
            .bound = outside};
  }
  if (want == forever) {
    for (auto& x : config_.in)
      if (x.physical && !x.no_more)
        return {.what = kind::sender, .connection = x.number, .node = x.source};
    return {.what = config_.external ? kind::outside : kind::none};
  }
  if (config_.realtime && next <= requested_ && next.ns > host_->elapsed())
    return {.what = kind::clock, .bound = next};
  for (auto& x : config_.out)
    if (x.in_flight.size() >= config_.max_in_flight
        && x.in_flight[config_.max_in_flight - 1] < next
        && !x.shared->gone.load(std::memory_order_acquire)
        && x.shared->paused.load(std::memory_order_relaxed))
      return {.what = kind::receiver,
              .connection = x.number,
              .node = peers_[x.peer].id};
  return {};
}

const in_connection* node::input_towards(node_id holder) const {
  const in_connection* result = nullptr;
  auto inside = 0;
  for (auto& x : config_.in)
    if (x.intra_loop) {
      if (x.source == holder)
        return &x;
      result = &x;
      ++inside;
    }
  return inside == 1 ? result : nullptr;
}

// -- leaving ------------------------------------------------------------------

bool node::close_physical() {
  if (final_ == forever || !takes_physical())
    return false;
  // Values are taken until the tag that was asked for is over. Not until STAT
  // has passed the final tag: two such nodes in a loop would wait for each
  // other until elapsed time has reached it.
  elapsed_ = host_->elapsed();
  if (logical_time{elapsed_, 0} <= requested_) {
    wake_no_later_than(requested_.ns + 1);
    return false;
  }
  host_->close();
  take_in(); // what was accepted before is stamped like everything else
  closed_ = true;
  return true;
}

bool node::past_final() {
  if (final_ == forever || next_tag() <= final_ || takes_physical())
    return false;
  return stat0_ > final_ || (refresh_stat() && stat0_ > final_);
}

bool node::done() const {
  // Who has answered waits for what is decided: all who take part know it.
  return barrier_ == final_ && next_tag() == forever && !config_.external
         && open_ == 0 && open_physical_ == 0
         && (config_.loop_time_table == nullptr || loop_ended_);
}

void node::leave(ending how) {
  how_ = how;
  phase_ = phase::ending;
  closed_ = true;
  host_->close();
  while (!physical_.empty()) {
    auto x = physical_.pop();
    drop({x.what, x.index, x.tag, never, nullptr}, drop_reason::past_final_tag);
  }
  if (how != ending::forced)
    flush();
  if (trace_)
    trace_->shutdown(config_.id, logical_, how);
  auto failed = [this](std::string what) {
    host_->shutdown_failed({"shutdown", logical_, std::move(what)});
  };
  begin_code(activity::shutdown_code);
  try {
    body_->shutdown();
  } catch (const std::exception& e) {
    failed(e.what());
  } catch (...) {
    failed("an exception that is not derived from std::exception");
  }
  activity_.end();
  for (auto& [when, x] : waiting_)
    body_->discard(x.token);
  waiting_.clear();
  started_ = true;
  if (trace_)
    trace_->exit(config_.id);
  // After an abort nobody may conclude anything from this node's
  // silence: what it had still to send is lost, and the others are told to end
  // as well.
  for (auto& x : config_.out)
    if (how != ending::forced
        && !x.shared->gone.load(std::memory_order_acquire))
      peers_[x.peer].batch.push_back(
        {envelope::kind::no_more, x.target_index, never, never, nullptr});
  for (auto& x : peers_) {
    if (x.batch.empty())
      continue;
    send(x);
    scratch_->wake.push_back(x.id);
  }
  // Before anybody sees that this node is gone, and drops what it has for it:
  // otherwise nothing would be left in the loop, and its members done.
  if (how == ending::forced && config_.loop_time_table != nullptr) {
    std::lock_guard guard{*config_.loop_time_table};
    config_.loop_time_table->in_transit(config_.member, logical_);
  }
  for (auto& x : config_.in) {
    x.queue.clear();
    x.shared->gone.store(true, std::memory_order_seq_cst);
    if (x.shared->paused.exchange(false))
      scratch_->wake.push_back(x.source);
  }
  // An application may have many nodes that left early.
  release(config_.in);
  release(config_.out);
  release(peers_);
  release(due_);
  physical_.clear();
  if (config_.loop_time_table != nullptr) {
    std::lock_guard guard{*config_.loop_time_table};
    config_.loop_time_table->stop_waiting(config_.member);
    if (how != ending::forced) {
      config_.loop_time_table->absorb(config_.member);
      config_.loop_time_table->update(config_.member, forever, scratch_->wake);
    }
  }
  phase_ = phase::left;
  wake_all();
}

} // namespace caf::rosia::engine
