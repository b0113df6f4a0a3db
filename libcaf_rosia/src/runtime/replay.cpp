// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/replay.hpp"

#include "caf/rosia/graph_error.hpp"
#include "caf/rosia/reaction.hpp"
#include "engine/max_waits.hpp"
#include "engine/watchdogs.hpp"
#include "nodes/node_access.hpp"
#include "nodes/saved_data.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

using engine::envelope_kind;
using engine::stamped_value;

namespace {

/// Maximum number of bytes of remaining events that the nodes of a process keep
/// in memory.
constexpr std::size_t most_of_all = std::size_t{64} << 20;

} // namespace

// -- the events of a node -----------------------------------------------------

class replay::node_events final : public engine::stamped_source {
public:
  node_events(const replay& from, engine::node_id id, node& to)
    : reader_(from.events_, to.name()), piece_(from.piece_) {
    auto& inputs = node_access::inputs(to);
    auto add = [&](const char* source, const std::string& name,
                   envelope_kind kind, std::uint32_t index, auto& input) {
      receivers_.emplace(
        std::pair{std::string{source}, name},
        receiver{kind, index, &member_access::payload(input),
                 to.name() + '.' + input.name()});
    };
    for (auto* x : inputs)
      if (x->is_physical())
        add("action", x->name(), envelope_kind::action, x->index(), *x);
    if (auto* watchdogs = node_access::engine(to).watchdogs())
      for (auto& dog : *watchdogs) {
        auto& x = *node_access::saved(to).actions[dog.index];
        add("watchdog", x.name(), envelope_kind::watchdog, dog.index, x);
      }
    auto incoming = from.graph_.incoming(id);
    for (std::uint32_t i = 0; i < incoming.size(); ++i)
      if (auto& x = from.graph_.connections()[incoming[i]]; x.physical)
        add("physical", run_file::connection_name(from.description_, x),
            envelope_kind::physical, i, *inputs[x.input]);
  }

  std::vector<stamped_value> next() override {
    std::vector<stamped_value> result;
    for (auto& x : reader_.next(piece_)) {
      auto& to = find(x);
      result.push_back(
        {x.tag, to.kind, to.index,
         from_bytes("the recorded value for '" + to.port + "' at tag "
                      + to_string(x.tag),
                    x.bytes, *to.type)});
    }
    return result;
  }

private:
  /// A physical action, a watchdog or a connection that receives events.
  struct receiver {
    envelope_kind kind;
    std::uint32_t index;
    const engine::payload_type* type;
    std::string port; // "node.port"
  };

  const receiver& find(const run_file::event_record& x) const {
    auto found = receivers_.find({x.source, x.name});
    if (found == receivers_.end())
      throw std::runtime_error(
        "rosia.replay: node '" + x.node + "' has no " + x.source + " '" + x.name
        + "', for which a value was recorded");
    return found->second;
  }

  run_file::event_reader reader_;
  std::size_t piece_;
  std::map<std::pair<std::string, std::string>, receiver> receivers_;
};

// -- the deadlines of a reaction ----------------------------------------------

class replay::reaction_deadlines final : public engine::deadline_source {
public:
  reaction_deadlines(const replay& from, const std::string& node,
                     const std::string& reaction)
    : reader_(from.events_, node, reaction) {
    if (auto known = from.deadlines_known_.find(node);
        known != from.deadlines_known_.end())
      known_below_ = known->second;
  }

  std::vector<engine::passed_deadline> next() override {
    std::vector<engine::passed_deadline> result;
    if (ended_)
      return result;
    for (auto& x : reader_.next())
      result.push_back(
        {x.tag, static_cast<engine::passed_deadline::point>(x.where), x.calls});
    ended_ = result.empty();
    return result;
  }

  logical_time known_below() const noexcept override {
    return known_below_;
  }

private:
  run_file::deadline_reader reader_;
  logical_time known_below_ = forever;
  bool ended_ = false;
};

// -- the tardy values of a connection -----------------------------------------

class replay::connection_tardy final : public engine::tardy_source {
public:
  connection_tardy(const replay& from, const std::string& node,
                   const std::string& connection)
    : reader_(from.events_, node, connection) {
    // nop
  }

  std::vector<engine::tardy_value> next() override {
    std::vector<engine::tardy_value> result;
    for (auto& x : reader_.next())
      result.push_back({x.intended, x.tag});
    return result;
  }

private:
  run_file::tardy_reader reader_;
};

// -- replay -------------------------------------------------------------------

replay::replay(const run_file::recorded_run& run, const node_directory& nodes,
               const engine::topology& graph,
               const graph_description& description, std::size_t piece)
  : nodes_(nodes), graph_(graph), description_(description),
    events_(run.events),
    piece_(std::min(
      piece, most_of_all / std::max<std::size_t>(nodes.local().size(), 1))),
    final_(run.final), deadlines_known_(run.deadlines_known),
    status_(run.status) {
  if (auto difference = run_file::first_difference(run.graph, description))
    throw graph_error(
      "rosia.replay: the graph is not the one that is recorded in '" + run.path
      + "': " + *difference);
  for (auto id : nodes.local())
    if (auto found = run.done.find(nodes.name(id)); found != run.done.end())
      done_[id] = found->second;
}

std::unique_ptr<engine::stamped_source> replay::events_of(
  engine::node_id node) const {
  return std::make_unique<node_events>(*this, node, *nodes_.find(node));
}

void replay::replay_deadlines(engine::node_id node) const {
  auto& owner = *nodes_.find(node);
  node_access::for_each_deadline(owner, [&](auto& reaction, auto& deadline) {
    deadline.replay(std::make_unique<reaction_deadlines>(
      *this, owner.name(), reaction.name()));
  });
}

void replay::replay_tardy(engine::node_id node) const {
  auto& owner = *nodes_.find(node);
  auto* waits = node_access::engine(owner).max_waits();
  if (waits == nullptr)
    return;
  auto incoming = graph_.incoming(node);
  for (auto& x : *waits)
    x.source = std::make_unique<connection_tardy>(
      *this, owner.name(),
      run_file::connection_name(
        description_, graph_.connections()[incoming[x.connection]]));
}

logical_time replay::stop(engine::node_id node, logical_time stop) const {
  auto done = done_.find(node);
  // The user may end the replay earlier.
  return done == done_.end() || stop < final_ ? stop : done->second;
}

} // namespace caf::rosia::detail
