// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/event_rows.hpp"

#include <spdlog/fmt/fmt.h>

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

/// Number of bytes of a replayed run's events that are copied at a time.
constexpr std::size_t copied_at_a_time = std::size_t{4} << 20;

} // namespace

event_rows::event_rows(
  const run_file::run_rows& rows, const graph_description& description,
  const engine::topology& graph, pending_events& events,
  std::atomic<std::uint64_t>& steps)
  : rows_(rows), description_(description), graph_(graph), events_(events),
    steps_(steps) {
  // nop
}

void event_rows::copy_from(
  run_file::event_reader from, std::set<std::string> nodes) {
  copied_nodes_ = std::move(nodes);
  copied_ = std::move(from);
}

void event_rows::copy_some(run_file::database& to, std::uint64_t& taken) {
  if (!copied_)
    return;
  std::vector<run_file::event_record> events;
  try {
    events = copied_->next(copied_at_a_time);
  } catch (const std::runtime_error&) {
    // The receiving node reports the reason.
    events_.note_lost(1);
  }
  if (events.empty())
    copied_.reset();
  std::erase_if(events, [this](auto& x) {
    return !copied_nodes_.contains(x.node);
  });
  taken += events.size();
  for (auto& x : events) {
    auto& to_insert = row(to, x.node, x.source, x.name, x.tag);
    if (x.text)
      to_insert.bind_bytes(7, x.bytes).bind(8, *x.text);
    to_insert.run();
  }
}

void event_rows::write(run_file::database& to,
                       const pending_events::batch& from) {
  for (auto& x : from.events)
    write(to, x);
  for (auto& x : from.deadlines) {
    auto& node = description_.nodes[x.node];
    run_file::write_deadline(
      to, rows_.run,
      {node.name, node.reactions[x.reaction].name, x.passed.tag,
       static_cast<run_file::deadline_record::point>(x.passed.where),
       x.passed.calls});
    ++steps_;
  }
  for (auto& x : from.tardy) {
    run_file::write_tardy(
      to, rows_.run,
      {description_.nodes[x.node].name, incoming_name(x.node, x.connection),
       x.value.intended, x.value.tag});
    ++steps_;
  }
  // A deadline that was lost may have passed before these tags.
  if (events_.lost() == 0)
    for (auto& [id, tag] : from.reached)
      run_file::write_reached(to, rows_.nodes[id], tag);
}

void event_rows::write(run_file::database& to, const pending_events::event& x) {
  auto& node = description_.nodes[x.node];
  std::string_view source = "action";
  std::string name;
  if (x.value.kind == engine::envelope_kind::action) {
    name = node.inputs[x.value.index].name;
  } else if (x.value.kind == engine::envelope_kind::watchdog) {
    source = "watchdog";
    name = node.actions[x.value.index].name;
  } else {
    source = "physical";
    name = incoming_name(x.node, x.value.index);
  }
  auto& to_insert = row(to, node.name, source, name, x.value.tag);
  if (auto problem = columns_.bind(to_insert, 7, x.value.content);
      !problem.empty()) {
    events_.note_lost(1);
    if (rejection_.empty())
      rejection_ = fmt::format(
        "the {} value '{}' of node '{}' at tag {} cannot be saved: {}", source,
        name, node.name, to_string(x.value.tag), problem);
    return;
  }
  to_insert.run();
  events_.payload_size(columns_.size());
}

std::string event_rows::incoming_name(
  engine::node_id node, std::uint32_t connection) const {
  return run_file::connection_name(
    description_, description_.connections[graph_.incoming(node)[connection]]);
}

run_file::statement& event_rows::row(
  run_file::database& to, std::string_view node, std::string_view source,
  std::string_view name, logical_time tag) {
  ++steps_;
  return run_file::event_row(to, rows_.run, node, source, name, tag);
}

} // namespace caf::rosia::detail
