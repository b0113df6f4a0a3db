// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/runtime.hpp"

#include "caf/rosia/actor/coordinator.hpp"
#include "caf/rosia/actor/node_actor.hpp"
#include "caf/rosia/detail/parse_time.hpp"
#include "caf/rosia/port.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace caf::rosia::detail {

namespace {

/// A ledger that the threads of one process share.
class shared_ledger : public engine::ledger {
public:
  using engine::ledger::ledger;

  void lock() override {
    mutex_.lock();
  }

  void unlock() override {
    mutex_.unlock();
  }

private:
  std::mutex mutex_;
};

std::unique_ptr<engine::ledger> make_shared_ledger(
  std::vector<engine::node_id> nodes,
  const std::vector<engine::ledger::edge>& edges,
  const std::vector<bool>& clocked) {
  return std::make_unique<shared_ledger>(std::move(nodes), edges, clocked);
}

/// How many nodes a report in the log tells of.
constexpr std::size_t nodes_in_log = 20;

/// How long a report waits for nodes that are busy.
constexpr std::chrono::milliseconds patience{200};
constexpr std::chrono::milliseconds pause_between_looks{5};

/// In nanoseconds: signals that ask for one before that count as one.
constexpr std::int64_t least_time_between_reports
  = 2 * std::chrono::nanoseconds{patience}.count();

/// The coordinator may be silent for the grace period and this, when it
/// matters; and if the process seems to have been stopped meanwhile, for this
/// in addition.
constexpr std::chrono::seconds silence_after_grace_period{2};
constexpr std::chrono::nanoseconds silence_after_stop = std::chrono::seconds{1};

bool has_gone(node_stage x) noexcept {
  return x == node_stage::left || x == node_stage::vanished;
}

std::string code_name(node& x, std::uint32_t code) {
  if (code == engine::activity::start_code)
    return "start";
  if (code == engine::activity::shutdown_code)
    return "shutdown";
  return std::string{node_access::body(x).reaction_name(code)};
}

obstacle public_name(engine::obstacle::kind x) noexcept {
  using kind = engine::obstacle::kind;
  switch (x) {
    case kind::none:
      return obstacle::none;
    case kind::start:
      return obstacle::start;
    case kind::failure:
      return obstacle::failure;
    case kind::input:
      return obstacle::input;
    case kind::loop:
      return obstacle::loop;
    case kind::agreement:
      return obstacle::agreement;
    case kind::clock:
      return obstacle::clock;
    case kind::receiver:
      return obstacle::receiver;
    case kind::outside:
      return obstacle::outside;
    default:
      return obstacle::sender;
  }
}

} // namespace

// -- constructors, destructors ------------------------------------------------

runtime::runtime(
  caf::actor_system& sys, const options& opts, std::shared_ptr<log_context> log,
  std::unique_ptr<trace_writer> trace, std::vector<node*> nodes,
  engine::topology graph)
  : system_(&sys), options_(opts), log_(std::move(log)),
    coordinator_log_(log_->make("rosia")), nodes_(std::move(nodes)),
    graph_(std::move(graph)), wiring_(graph_.make_wiring(make_shared_ledger)),
    trace_(std::move(trace)),
    stages_(std::make_unique<std::atomic<node_stage>[]>(nodes_.size())) {
  if (trace_)
    trace_->graph(options_, nodes_, graph_);
}

runtime::~runtime() {
  // nop
}

// -- running ------------------------------------------------------------------

int runtime::run(const std::shared_ptr<runtime>& self) {
  auto& time = self->time_;
  // Not before the signals are taken care of: that may throw, and actors that
  // nobody ends would keep their system from ending.
  auto start_nodes = [&] {
    self->spawn(self);
    {
      std::lock_guard guard{self->mutex_}; // of those who ask for the summary
      time.start();
    }
    if (auto& timeout = self->options_.timeout)
      // A share of the runtime would keep it alive: the call is a part of it.
      time.call_at(timeout->count(), [run = self.get()] {
        caf::anon_send(
          run->coordinator_,
          force_application{
            129, "its timeout is over",
            "the application did not end within its timeout ("
              + time_text(*run->options_.timeout) + "): it ends by force"});
        run->expect_life();
      });
    // From here on calls of triggers wake their nodes; not before, when the
    // nodes were not ready to run.
    for (std::size_t i = 0; i < self->size(); ++i)
      node_access::inbox(*self->nodes_[i])
        .attach(self->actors_[i], max_in_flight(self->options_));
    for (auto& handle : self->handles_)
      caf::anon_send(handle, start_message{});
    std::lock_guard guard{self->mutex_};
    self->has_actors_ = true;
    if (self->summary_.stage == application_stage::not_started)
      self->summary_.stage = application_stage::running;
    if (self->requested_)
      caf::anon_send(self->coordinator_, rosia::request_from_outside{never, 0});
    if (self->forced_)
      caf::anon_send(self->coordinator_, *self->forced_);
  };
  // Each may keep the coordinator for a while, which has to end things in time.
  auto next_report = std::numeric_limits<std::int64_t>::min();
  auto report_is_due = false;
  auto ask_for_report = [&] {
    if (report_is_due)
      return;
    auto ask = [&, run = self.get()] {
      report_is_due = false;
      next_report = time.elapsed() + least_time_between_reports;
      caf::anon_send(run->coordinator_, report_request{});
    };
    if (time.elapsed() >= next_report) {
      ask();
    } else {
      report_is_due = true;
      time.call_at(next_report, ask);
    }
  };
  time.run(
    {start_nodes, [&](auto node) { self->actors_[node]->signal(); },
     [&](auto signal, auto count) { self->on_signal(signal, count); },
     ask_for_report},
    self->options_.signals);
  auto status = 0;
  {
    std::lock_guard guard{self->mutex_};
    self->has_actors_ = false;
    status = self->summary_.status;
  }
  self->handles_.clear();
  self->coordinator_ = nullptr;
  if (self->trace_) {
    self->trace_->end(status);
    if (!self->trace_->flush())
      self->coordinator_log_->error(
        "the trace '{}' is not complete: it could "
        "not be written (is the disk full?)",
        self->options_.trace);
  }
  self->log_->flush();
  return status;
}

node_handle runtime::handle_of(engine::node_id id) const {
  return id < handles_.size() ? handles_[id] : node_handle{};
}

void runtime::finish(int status) {
  set_stage(application_stage::over, forever, status);
  time_.finish();
}

void runtime::give_up(int status) {
  give_last_report();
  coordinator_log_->critical("the process ends with status {}", status);
  log_->flush();
  if (trace_)
    trace_->flush();
  std::_Exit(status);
}

std::uint64_t runtime::progress() const noexcept {
  std::uint64_t result = 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    result += node_access::engine(*nodes_[i]).progress();
  return result;
}

// -- for the coordinator's deadlines
// -------------------------------------------

std::uint64_t runtime::call_overdue(
  std::int64_t ns, std::uint64_t deadline, bool look) {
  return time_.call_at(ns, [this, deadline, look] {
    if (look)
      caf::anon_send(coordinator_, look_at_progress{deadline});
    else
      caf::anon_send(coordinator_, stage_overdue{deadline});
    expect_life();
  });
}

// -- from outside -------------------------------------------------------------

void runtime::request_from_outside() {
  std::lock_guard guard{mutex_};
  requested_ = true;
  if (has_actors_)
    caf::anon_send(coordinator_, rosia::request_from_outside{never, 0});
}

void runtime::force_from_outside(int status) {
  std::lock_guard guard{mutex_};
  forced_ = force_application{status, "a request from outside", {}};
  if (has_actors_)
    caf::anon_send(coordinator_, *forced_);
}

// -- for the coordinator and the nodes ----------------------------------------

void runtime::set_stage(engine::node_id id, node_stage x) noexcept {
  auto& stage = stages_[id];
  auto old = stage.load(std::memory_order_relaxed);
  while (old != node_stage::left && old != node_stage::vanished
         && !stage.compare_exchange_weak(old, x, std::memory_order_release)) {
    // again
  }
}

void runtime::set_stage(application_stage x, logical_time final, int status) {
  std::lock_guard guard{mutex_};
  summary_.stage = x;
  summary_.final = std::min(summary_.final, final);
  summary_.status = status;
}

void runtime::set_reason(const std::string& x) {
  std::lock_guard guard{mutex_};
  if (summary_.reason.empty())
    summary_.reason = x;
}

void runtime::prepare_last_report() {
  last_look_ = new_observation();
  for (engine::node_id i = 0; i < nodes_.size(); ++i)
    if (!has_gone(stages_[i]))
      actors_[i]->observe(*last_look_);
}

void runtime::last_words(const engine::node& x) {
  if (!last_look_->knows(x.id()))
    last_look_->put(x.id(), x.look());
}

// -- reports ------------------------------------------------------------------

report runtime::look() {
  auto seen = new_observation();
  {
    std::lock_guard guard{mutex_};
    if (has_actors_)
      for (engine::node_id i = 0; i < nodes_.size(); ++i)
        if (!has_gone(stages_[i]) && !actors_[i]->observe(*seen))
          caf::anon_send(handles_[i], observation_request{seen});
  }
  // A node that leaves in the meantime does not answer any more.
  for (auto end = timekeeper::clock::now() + patience;
       timekeeper::clock::now() < end;) {
    auto missing = false;
    seen->each([&](auto id, auto, auto* state) {
      missing = missing || (state == nullptr && !has_gone(stages_[id]));
    });
    if (!missing)
      break;
    seen->wait(pause_between_looks);
  }
  return make_report(*seen);
}

report runtime::summary() const {
  std::lock_guard guard{mutex_};
  auto result = summary_;
  result.elapsed = std::chrono::nanoseconds{time_.elapsed()};
  return result;
}

void runtime::give(const report& x) {
  coordinator_log_->info("{}", to_string(x, nodes_in_log));
  if (!options_.report.empty())
    try {
      write_report(options_.report, x);
    } catch (const std::system_error& e) {
      coordinator_log_->error("{}", e.what());
    }
}

void runtime::give_last_report() {
  if (last_look_)
    give(make_report(*last_look_));
}

std::string runtime::describe(engine::node_id id) const {
  return to_string(describe(id, stages_[id].load(), nullptr));
}

// -- implementation -----------------------------------------------------------

engine::node_config runtime::configure(engine::node_id id) const {
  auto& x = *nodes_[id];
  engine::node_config result;
  for (auto* port : node_access::inputs(x))
    result.inputs.push_back(&port->state());
  for (auto* port : node_access::outputs(x))
    result.outputs.push_back(&port->state());
  wiring_.wire(id, result);
  result.realtime = node_access::realtime(x).value_or(options_.realtime);
  if (options_.lag_warn)
    result.lag_warn = options_.lag_warn->count();
  result.max_in_flight = max_in_flight(options_);
  return result;
}

std::uint32_t runtime::max_in_flight(const options& opts) noexcept {
  return static_cast<std::uint32_t>(
    std::min<std::size_t>(opts.max_in_flight, 1u << 31));
}

void runtime::spawn(const std::shared_ptr<runtime>& self) {
  if (trace_ && options_.stop_after) {
    trace_->request(std::nullopt, never, *options_.stop_after, 0);
    trace_->final(*options_.stop_after);
  }
  auto first
    = options_.stop_after ? node_stage::executing : node_stage::running;
  actors_.reserve(nodes_.size());
  handles_.reserve(nodes_.size());
  for (engine::node_id i = 0; i < nodes_.size(); ++i) {
    auto& x = *nodes_[i];
    auto handle = system_->spawn<node_actor, caf::lazy_init>(self, x);
    actors_.push_back(caf::actor_cast<node_actor*>(handle));
    handles_.push_back(std::move(handle));
    auto& engine = node_access::engine(x);
    auto config = configure(i);
    follows_clock_ = follows_clock_ || config.follows_clock();
    engine.init(
      std::move(config), node_access::body(x), *actors_.back(), trace_.get());
    set_stage(i, first);
    if (options_.stop_after)
      engine.take_final(*options_.stop_after, *options_.stop_after);
  }
  coordinator_ = system_->spawn<coordinator, caf::detached>(self);
}

std::shared_ptr<observation> runtime::new_observation() const {
  std::vector<node_stage> stages(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    stages[i] = stages_[i].load(std::memory_order_acquire);
  return std::make_shared<observation>(std::move(stages));
}

report runtime::make_report(const observation& x) const {
  auto result = summary();
  result.nodes.reserve(nodes_.size());
  x.each([&](auto id, auto stage, auto* state) {
    result.nodes.push_back(describe(id, stage, state));
  });
  return result;
}

node_report runtime::describe(
  engine::node_id id, node_stage stage, const engine::snapshot* state) const {
  auto& x = *nodes_[id];
  node_report result;
  result.name = x.name();
  result.stage = stage;
  result.has_left = has_gone(stages_[id].load(std::memory_order_acquire));
  result.inbox = node_access::inbox(x).size();
  auto doing = state != nullptr ? state->doing : node_access::engine(x).doing();
  if (doing.count > 0) {
    result.code = code_name(x, doing.code);
    result.code_tag = doing.tag;
    result.running = doing.running;
  }
  if (doing.running)
    result.running_for = std::chrono::nanoseconds{
      std::max<std::int64_t>(time_.elapsed() - doing.since, 0)};
  if (state == nullptr)
    return result;
  result.complete = true;
  result.logical = state->logical;
  result.stat = state->stat;
  result.next = state->next;
  result.outside = state->outside;
  result.yielded = state->yielded;
  for (auto [input, size] : state->queues)
    result.queues.emplace_back(node_access::inputs(x)[input]->name(), size);
  auto& held = state->held_back;
  result.held_back_by = public_name(held.what);
  result.bound = held.bound;
  switch (held.what) {
    case engine::obstacle::kind::loop:
      result.waits_for = nodes_[held.node]->name();
      [[fallthrough]];
    case engine::obstacle::kind::input:
    case engine::obstacle::kind::sender:
      if (held.connection != engine::obstacle::no_connection) {
        auto& c = graph_.connections()[held.connection];
        result.port = node_access::inputs(x)[c.input]->name();
        if (c.source == held.node)
          result.waits_for
            = node_access::port_name(*nodes_[c.source], true, c.output);
      }
      break;
    case engine::obstacle::kind::receiver: {
      auto& c = graph_.connections()[held.connection];
      result.port = node_access::outputs(x)[c.output]->name();
      result.waits_for
        = node_access::port_name(*nodes_[c.target], false, c.input);
      break;
    }
    default:
      break;
  }
  return result;
}

void runtime::on_signal(int signal, int count) {
  if (count == 1)
    caf::anon_send(coordinator_, rosia::request_from_outside{never, signal});
  else
    caf::anon_send(
      coordinator_,
      force_application{
        128, "a second signal",
        "signal " + std::to_string(signal)
          + " again: the application ends by force"});
  expect_life();
}

void runtime::expect_life() {
  auto number = ++expected_;
  caf::anon_send(coordinator_, show_life{number});
  auto check = [this, number] { return heard_.load() >= number; };
  auto end = saturating_add(
    logical_time{time_.elapsed(), 0},
    delay{options_.grace_period + silence_after_grace_period});
  time_.call_at(end.ns, [this, check] {
    if (check())
      return;
    // Perhaps the process was stopped for all that time.
    time_.call_at(time_.elapsed() + silence_after_stop.count(), [check] {
      if (!check())
        std::_Exit(129);
    });
  });
}

} // namespace caf::rosia::detail
