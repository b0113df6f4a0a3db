// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_actors.hpp"

#include "caf/rosia/detail/sending.hpp"
#include "caf/rosia/port.hpp"
#include "compat/actor_calls.hpp"
#include "drills/drill.hpp"
#include "nodes/node_access.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/grouping.hpp"
#include "runtime/node_runner.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_system.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// How long an observation waits for nodes that are busy.
constexpr std::chrono::milliseconds patience{200};
constexpr std::chrono::milliseconds pause_between_looks{5};

} // namespace

// -- from start to end --------------------------------------------------------

void node_actors::spawn(const std::shared_ptr<run_context>& run) {
  auto& nodes = run_->nodes();
  auto& stop_after = run_->opts().stop_after;
  run_->exits().begin(nodes.local().size());
  if (auto* others = run_->others())
    others->open(*run_);
  for (auto id : nodes.local()) {
    auto& node = run_->at(id);
    auto handle = run_->system().spawn<node_runner, caf::lazy_init>(run, node);
    auto& actor = *caf::actor_cast<node_runner*>(handle);
    run_->actor(id, actor, std::move(handle));
    auto& engine = node_access::engine(node);
    auto config = configure(id);
    follows_clock_ = follows_clock_ || config.follows_clock();
    auto* code = &node_access::body(node);
    if (auto* drill = run_->drill())
      code = &drill->disturb(node.name(), *code, engine);
    if (auto* counters = run_->counters())
      config.counts = &counters->make(id, node_access::outputs(node).size());
    engine.init(std::move(config), *code, actor, run_->trace());
    if (auto* checkpoints = run_->checkpoints())
      engine.take_checkpoints(
        checkpoints->how().every, checkpoints->how().after);
    if (stop_after) {
      auto stop
        = run_->replay() == nullptr
            ? *stop_after
            : run_->replay()->stop(id, *stop_after);
      engine.take_final(stop, stop);
    }
  }
  if (auto* from = run_->replay())
    for (auto id : nodes.local())
      node_access::engine(run_->at(id)).replay(from->events_of(id));
  if (auto* from = run_->resumed())
    for (auto id : nodes.local())
      from->restore(*run_, id);
  make_executors(run);
  follows_clock_ = follows_clock_ || nodes.local().size() < nodes.size();
  run_->stages().set_all(
    stop_after ? node_stage::executing : node_stage::running);
}

void node_actors::make_executors(const std::shared_ptr<run_context>& run) {
  auto& how = run_->groups();
  auto exchange
    = how.how == grouping::manner::at_random
        ? executor::exchange::at_random
        : executor::exchange::by_load;
  for (auto& x :
       first_executors(how, run_->graph().topology(), run_->nodes().local())) {
    auto& together = run_->executors().make(
      run, x.moves ? exchange : executor::exchange::none);
    std::vector<node_runner*> members;
    for (auto id : x.members)
      members.push_back(&run_->actor_at(id));
    together.add(std::move(members));
  }
}

engine::initial_config node_actors::configure(engine::node_id id) const {
  auto& node = run_->at(id);
  auto& opts = run_->opts();
  auto& nodes = run_->nodes();
  engine::initial_config result;
  result.inputs = node_access::inputs(node).states();
  result.outputs = node_access::outputs(node).states();
  run_->graph().wiring().wire(id, result);
  for (auto& connection : result.out)
    connection.remote
      = nodes.home(result.peers[connection.peer]) != nodes.self();
  result.realtime = node_access::realtime(node).value_or(opts.realtime);
  if (opts.lag_warn)
    result.lag_warn = opts.lag_warn->count();
  result.replayed = run_->replay() != nullptr;
  if (auto* recorder = run_->recorder()) {
    result.log = recorder->ports(id);
    result.stamps = recorder;
  }
  result.max_in_flight = run_context::max_in_flight(opts);
  return result;
}

void node_actors::start() {
  auto& nodes = run_->nodes().local();
  for (auto id : nodes)
    node_access::inbox(run_->at(id))
      .attach(&run_->actor_at(id), run_context::max_in_flight(run_->opts()));
  if (run_->replay() != nullptr)
    for (auto id : nodes)
      node_access::inbox(run_->at(id)).refuse();
  for (auto id : nodes)
    send_anonymously(run_->handles()[id], start_message{});
}

void node_actors::open() {
  std::lock_guard guard{mutex_};
  open_ = true;
}

void node_actors::close() {
  std::lock_guard guard{mutex_};
  open_ = false;
}

// -- properties ---------------------------------------------------------------

std::uint64_t node_actors::progress() const noexcept {
  std::uint64_t result = 0;
  for (auto id : run_->nodes().local())
    result += node_access::engine(run_->at(id)).progress();
  return result;
}

// -- observing ----------------------------------------------------------------

std::shared_ptr<observation> node_actors::observe() {
  auto nodes = new_observation();
  for_each([&](auto id, auto& actor) {
    if (!actor.observe(*nodes))
      send_anonymously(run_->handles()[id], observation_request{nodes});
  });
  auto end = timekeeper::clock::now() + patience;
  while (timekeeper::clock::now() < end && awaits(*nodes))
    nodes->wait(pause_between_looks);
  return nodes;
}

bool node_actors::awaits(const observation& nodes) const {
  auto result = false;
  // A node that leaves in the meantime does not answer any more.
  nodes.each([&](auto id, auto, auto* state) {
    result = result
             || (state == nullptr && run_->nodes().find(id) != nullptr
                 && !run_->stages().has_left(id));
  });
  return result;
}

std::shared_ptr<observation> node_actors::new_observation() const {
  return std::make_shared<observation>(run_->stages().copy());
}

// -- ending -------------------------------------------------------------------

void node_actors::prepare_last_report() {
  run_->last_look(new_observation());
  for (auto id : run_->nodes().local())
    if (!run_->stages().has_left(id))
      run_->actor_at(id).observe(*run_->last_look());
}

void node_actors::abort() {
  for (auto id : run_->nodes().local()) {
    run_->stages().set(id, node_stage::forced);
    send_anonymously(run_->handles()[id], abort_message{});
  }
}

void node_actors::note_vanished(caf::actor_id actor, const caf::error& why) {
  auto& local = run_->nodes().local();
  auto& handles = run_->handles();
  // The handles are in the order of their actors' numbers.
  auto i = std::lower_bound(
    local.begin(), local.end(), actor,
    [&](auto id, caf::actor_id number) { return handles[id].id() < number; });
  if (i == local.end() || handles[*i].id() != actor
      || run_->stages().has_left(*i))
    return;
  auto name = run_->nodes().name(*i);
  run_->coordinator_log().error(
    "node '{}' vanished; another part of the program ended its actor: {}", name,
    exit_text(why));
  run_->stages().set(*i, node_stage::vanished);
  // Its actor, which did not get to do this, is about to be destroyed.
  node_access::inbox(run_->at(*i)).close();
  node_access::environment(run_->at(*i), nullptr);
  run_->send_to_coordinator(
    node_abort_request{*i, 1, "node '" + name + "' vanished"});
  run_->send_to_coordinator(exit_message{*i, engine::ending::aborted, never});
  run_->exits().note_exit();
}

} // namespace caf::rosia::detail
