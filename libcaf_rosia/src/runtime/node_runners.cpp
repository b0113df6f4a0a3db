// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_runners.hpp"

#include "caf/rosia/port.hpp"
#include "drills/drill.hpp"
#include "nodes/node_access.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/seating.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The maximal time that an observation waits for busy nodes.
constexpr std::chrono::milliseconds observation_patience{200};
constexpr std::chrono::milliseconds pause_between_looks{5};

} // namespace

// -- from start to end --------------------------------------------------------

void node_runners::make(const std::shared_ptr<run_context>& run) {
  auto& nodes = run_->nodes();
  auto& stop_after = run_->opts().stop_after;
  run_->progress().exits.begin(nodes.local().size());
  if (auto* others = run_->actors().others())
    others->open(*run_);
  for (auto id : nodes.local()) {
    auto& node = run_->at(id);
    auto& runner = run_->actors().make_runner(*run_, id);
    auto& engine = node_access::engine(node);
    auto config = configure(id);
    auto* code = &node_access::body(node);
    if (auto& drill = run_->observers().drill)
      code = &drill->disturb(node.name(), *code, engine);
    if (auto& counters = run_->observers().counters)
      config.counts = &counters->make(id, node_access::outputs(node).size());
    engine.init(std::move(config), *code, runner, run_->trace());
    follows_clock_ = follows_clock_ || engine.config().follows_clock();
    if (auto* checkpoints = run_->checkpoints())
      engine.take_checkpoints(
        checkpoints->config().every, checkpoints->config().after);
    if (stop_after) {
      auto stop
        = run_->records().replay == nullptr
            ? *stop_after
            : run_->records().replay->stop(id, *stop_after);
      engine.take_final(stop, stop);
    }
  }
  if (auto& from = run_->records().replay)
    for (auto id : nodes.local()) {
      node_access::engine(run_->at(id)).replay(from->events_of(id));
      from->replay_deadlines(id);
      from->replay_tardy(id);
    }
  if (auto& from = run_->records().resumed) {
    for (auto id : nodes.local())
      from->restore(*run_, id);
    from->release_values();
  }
  make_executors(run);
  follows_clock_ = follows_clock_ || nodes.local().size() < nodes.size();
  run_->actors().mailboxes().open(*run_);
  run_->progress().stages.set_all(
    stop_after ? node_stage::executing : node_stage::running);
}

void node_runners::make_executors(const std::shared_ptr<run_context>& run) {
  auto& all = run_->executors();
  auto& graph = run_->graph().topology();
  auto& nodes = run_->nodes().local();
  all.find_loops(graph, nodes);
  all.limit(limits_for(nodes.size(), all.workers(),
                       nodes.size() == run_->nodes().size(), follows_clock_));
  all.follow_clock(follows_clock_);
  auto exchange
    = all.rules().kind == grouping::manner::at_random
        ? node_exchange::at_random
        : node_exchange::by_load;
  auto add = [&](std::vector<node_runner*> members, const executed_nodes& x,
                 std::shared_ptr<seating> later = nullptr) {
    auto& owner = all.make(
      run, x.moves     ? exchange
           : x.divides ? node_exchange::by_division
                       : node_exchange::none);
    if (later)
      later->add(owner);
    auto on_trial = x.on_trial && members.size() > 1;
    owner.add(std::move(members), std::move(later), on_trial);
  };
  for (auto& x : first_executors(all.rules(), graph, nodes, all.limits())) {
    std::vector<node_runner*> members;
    members.reserve(x.members.size());
    for (auto id : x.members)
      members.push_back(&run_->actors().runner_at(id));
    // In physical time, a node that blocks would delay its group before that is
    // known.
    auto may_block = std::ranges::any_of(members, [](auto* y) {
      return y->engine().realtime();
    });
    if (!x.seated_later || (x.on_trial && !may_block)) {
      add(std::move(members), x);
      continue;
    }
    auto later = may_block ? nullptr : std::make_shared<seating>();
    for (auto* y : members)
      add({y}, x, later);
  }
}

engine::initial_config node_runners::configure(engine::node_id id) const {
  auto& node = run_->at(id);
  auto& opts = run_->opts();
  auto& nodes = run_->nodes();
  engine::initial_config result;
  result.inputs = node_access::input_states(node);
  result.outputs = node_access::output_states(node);
  run_->graph().wiring().wire(id, result);
  for (auto& connection : result.out)
    connection.remote
      = nodes.home(result.peers[connection.peer]) != nodes.self();
  result.realtime = node_access::realtime(node).value_or(opts.realtime);
  auto own = node_access::lag_warn(node);
  if (auto& limit = own ? own : opts.lag_warn)
    result.lag_warn = limit->count();
  result.replayed = run_->records().replay != nullptr;
  if (auto& recorder = run_->records().recorder) {
    result.log = recorder->ports().of(id);
    result.stamps = &recorder->events();
  }
  result.max_in_flight = run_context::max_in_flight(opts);
  return result;
}

void node_runners::start() {
  auto& nodes = run_->nodes().local();
  for (auto id : nodes)
    node_access::inbox(run_->at(id))
      .attach(&run_->actors().runner_at(id),
              run_context::max_in_flight(run_->opts()));
  if (run_->records().replay != nullptr)
    for (auto id : nodes)
      node_access::inbox(run_->at(id)).refuse();
  for (auto id : nodes)
    run_->actors().tell(id, start_message{});
}

void node_runners::open() {
  std::lock_guard guard{mutex_};
  open_ = true;
}

void node_runners::close() {
  std::lock_guard guard{mutex_};
  open_ = false;
}

// -- observing ----------------------------------------------------------------

std::shared_ptr<observation> node_runners::observe() {
  auto nodes = new_observation();
  for_each([&](auto, auto& runner) {
    if (!runner.observe(*nodes))
      runner.tell(observation_request{nodes});
  });
  auto end = timekeeper::clock::now() + observation_patience;
  while (timekeeper::clock::now() < end && awaits(*nodes))
    nodes->wait(pause_between_looks);
  return nodes;
}

bool node_runners::awaits(const observation& nodes) const {
  auto result = false;
  // A node that leaves meanwhile no longer answers.
  nodes.each([&](auto id, auto, auto* state) {
    result = result
             || (state == nullptr && run_->nodes().find(id) != nullptr
                 && !run_->progress().stages.has_left(id));
  });
  return result;
}

std::shared_ptr<observation> node_runners::new_observation() const {
  return std::make_shared<observation>(run_->progress().stages.copy());
}

// -- ending -------------------------------------------------------------------

std::uint64_t node_runners::count_progress(logical_time final) {
  for (auto id : run_->nodes().local())
    progress_.look(id, node_access::engine(run_->at(id)).doing(), final);
  return progress_.value();
}

void node_runners::prepare_last_report() {
  auto nodes = new_observation();
  run_->progress().last_look(nodes);
  for (auto id : run_->nodes().local())
    if (!run_->progress().stages.has_left(id))
      run_->actors().runner_at(id).observe(*nodes);
}

void node_runners::abort() {
  for (auto id : run_->nodes().local())
    if (!run_->progress().stages.has_left(id)) {
      run_->progress().stages.set(id, node_stage::aborted);
      run_->actors().tell(id, abort_message{});
    }
}

} // namespace caf::rosia::detail
