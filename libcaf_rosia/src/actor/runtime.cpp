// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/runtime.hpp"

#include "caf/rosia/actor/coordinator.hpp"
#include "caf/rosia/actor/node_actor.hpp"
#include "caf/rosia/port.hpp"

#include <caf/send.hpp>

#include <algorithm>
#include <cstdlib>

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
    left_(std::make_unique<std::atomic<bool>[]>(nodes_.size())) {
  if (trace_)
    trace_->graph(options_, nodes_, graph_);
}

runtime::~runtime() {
  // nop
}

// -- running ------------------------------------------------------------------

int runtime::run(const std::shared_ptr<runtime>& self) {
  self->spawn(self);
  auto& time = self->time_;
  time.start();
  if (auto& timeout = self->options_.timeout)
    // A share of the runtime would keep it alive: the call is a part of it.
    time.call_at(timeout->count(), [run = self.get()] {
      run->coordinator_log_->error(
        "the application did not end within its timeout ({}): it ends by force",
        to_string(logical_time{run->options_.timeout->count(), 0}));
      caf::anon_send(run->coordinator_, force_application{129});
    });
  // From here on calls of triggers wake their nodes; not before, when the nodes
  // were not ready to run.
  for (std::size_t i = 0; i < self->size(); ++i)
    node_access::inbox(*self->nodes_[i])
      .attach(self->actors_[i], max_in_flight(self->options_));
  for (auto& handle : self->handles_)
    caf::anon_send(handle, start_message{});
  if (!self->nodes_.empty())
    time.run({[&](auto node) { self->actors_[node]->signal(); },
              [&](auto signal, auto count) { self->on_signal(signal, count); }},
             self->options_.signals);
  self->handles_.clear();
  self->coordinator_ = nullptr;
  auto status = self->status_.load();
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
  status_ = status;
  time_.finish();
}

void runtime::give_up(int status) {
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
    if (options_.stop_after)
      engine.take_final(*options_.stop_after, *options_.stop_after);
  }
  coordinator_ = system_->spawn<coordinator, caf::detached>(self);
}

void runtime::on_signal(int signal, int count) {
  if (count == 1) {
    coordinator_log_->info(
      "signal {}: the application ends; a second signal "
      "forces it",
      signal);
    caf::anon_send(coordinator_, request_from_outside{never});
  } else {
    coordinator_log_->warn(
      "signal {} again: the application ends by force", signal);
    caf::anon_send(coordinator_, force_application{128});
  }
}

} // namespace caf::rosia::detail
