// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/checkpoints.hpp"

#include <stdexcept>
#include <utility>

namespace caf::rosia::run_file {

namespace {

constexpr const char* writing = "write a checkpoint";
constexpr const char* reading = "read its checkpoints";

// Tables of values have a rowid: without one, SQLite reads a whole row to find
// it, which takes seconds for large states. Files of earlier versions have
// tables without, which work in the same way.
constexpr const char* schema = R"(
CREATE TABLE IF NOT EXISTS checkpoint_graph (
  id INTEGER PRIMARY KEY,
  lines TEXT NOT NULL UNIQUE
);
CREATE TABLE IF NOT EXISTS checkpoint (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  run TEXT NOT NULL,
  number INTEGER NOT NULL,
  process TEXT NOT NULL,
  processes INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  date TEXT NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ')),
  complete INTEGER NOT NULL DEFAULT 0,
  final INTEGER NOT NULL DEFAULT 0,
  graph INTEGER NOT NULL REFERENCES checkpoint_graph,
  UNIQUE (run, ns, microstep)
);
CREATE TABLE IF NOT EXISTS checkpoint_node (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  has_left INTEGER NOT NULL,
  PRIMARY KEY (checkpoint, node)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoint_state (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  type TEXT NOT NULL,
  version INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (checkpoint, node, number)
);
CREATE TABLE IF NOT EXISTS checkpoint_event (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  number INTEGER NOT NULL,
  action TEXT NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (checkpoint, node, number)
);
CREATE TABLE IF NOT EXISTS checkpoint_action (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  action TEXT NOT NULL,
  physical INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  PRIMARY KEY (checkpoint, node, action, physical)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoint_mode (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  mode TEXT NOT NULL,
  active INTEGER NOT NULL,
  was_active INTEGER NOT NULL,
  by_history INTEGER NOT NULL,
  entries INTEGER NOT NULL,
  PRIMARY KEY (checkpoint, node, mode)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoint_suspended (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  number INTEGER NOT NULL,
  action TEXT NOT NULL,
  ns INTEGER NOT NULL,
  microsteps INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (checkpoint, node, number)
);
CREATE TABLE IF NOT EXISTS checkpoint_input (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  number INTEGER NOT NULL,
  port TEXT NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (checkpoint, node, number)
);
CREATE TABLE IF NOT EXISTS checkpoint_promise (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  port TEXT NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  PRIMARY KEY (checkpoint, node, port)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoint_channel (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  port TEXT NOT NULL,
  target TEXT NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  PRIMARY KEY (checkpoint, node, port, target)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS checkpoint_message (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  port TEXT NOT NULL,
  target TEXT NOT NULL,
  number INTEGER NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  value BLOB NOT NULL,
  PRIMARY KEY (checkpoint, node, port, target, number)
);
CREATE TABLE IF NOT EXISTS checkpoint_request (
  checkpoint INTEGER NOT NULL REFERENCES checkpoint,
  node TEXT NOT NULL,
  ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL,
  status INTEGER NOT NULL,
  PRIMARY KEY (checkpoint, node)
) WITHOUT ROWID;
)";

/// The statements that delete the rows of a checkpoint.
constexpr const char* removals[] = {
  "DELETE FROM checkpoint_node WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_state WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_event WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_action WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_mode WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_suspended WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_input WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_promise WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_channel WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_message WHERE checkpoint = ?1",
  "DELETE FROM checkpoint_request WHERE checkpoint = ?1",
  "DELETE FROM checkpoint WHERE id = ?1",
};

void remove(database& file, std::int64_t checkpoint) {
  for (auto sql : removals)
    file.prepared("remove an old checkpoint", sql).bind(1, checkpoint).run();
}

statement& bind(statement& to, int index, logical_time x) {
  return to.bind(index, x.ns)
    .bind(index + 1, static_cast<std::int64_t>(x.microstep));
}

/// @returns the id of the graph.
std::int64_t write_graph(database& file, const graph_lines& graph) {
  std::string text;
  for (auto& line : graph)
    text += line + '\n';
  file
    .prepared(
      writing, "INSERT OR IGNORE INTO checkpoint_graph (lines) VALUES (?1)")
    .bind(1, text)
    .run();
  auto& query = file.prepared(
    writing, "SELECT id FROM checkpoint_graph WHERE lines = ?1");
  query.bind(1, text).step();
  auto result = query.number(0);
  query.reset();
  return result;
}

void write(database& file, std::int64_t id, const node_part& x) {
  auto into = [&](const char* sql) -> statement& {
    return file.prepared(writing, sql).bind(1, id).bind(2, x.node);
  };
  {
    auto& row = into("INSERT INTO checkpoint_node VALUES (?1, ?2, ?3, ?4, ?5)");
    bind(row, 3, x.logical).bind(5, std::int64_t{x.left}).run();
  }
  if (auto& end = x.requested)
    bind(into("INSERT INTO checkpoint_request VALUES (?1, ?2, ?3, ?4, ?5)"), 3,
         end->tag)
      .bind(5, std::int64_t{end->status})
      .run();
  std::int64_t number = 0;
  for (auto& state : x.states)
    into("INSERT INTO checkpoint_state VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      .bind(3, ++number)
      .bind(4, state.name)
      .bind(5, state.type)
      .bind(6, std::int64_t{state.version})
      .bind_bytes(7, state.content)
      .run();
  number = 0;
  for (auto& event : x.events)
    bind(into("INSERT INTO checkpoint_event VALUES "
              "(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
           .bind(3, ++number)
           .bind(4, event.action),
         5, event.tag)
      .bind_bytes(7, event.content)
      .run();
  for (auto& last : x.last_events)
    bind(into("INSERT INTO checkpoint_action VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
           .bind(3, last.action)
           .bind(4, std::int64_t{last.physical}),
         5, last.tag)
      .run();
  for (auto& mode : x.modes)
    into("INSERT INTO checkpoint_mode VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      .bind(3, mode.name)
      .bind(4, std::int64_t{mode.is_active})
      .bind(5, std::int64_t{mode.was_active})
      .bind(6, std::int64_t{mode.by_history})
      .bind(7, mode.entries)
      .run();
  number = 0;
  for (auto& event : x.suspended_events)
    into("INSERT INTO checkpoint_suspended VALUES "
         "(?1, ?2, ?3, ?4, ?5, ?6, ?7)")
      .bind(3, ++number)
      .bind(4, event.action)
      .bind(5, event.distance.ns())
      .bind(6, std::int64_t{event.distance.steps()})
      .bind_bytes(7, event.content)
      .run();
  number = 0;
  for (auto& value : x.inputs)
    into("INSERT INTO checkpoint_input VALUES (?1, ?2, ?3, ?4, ?5)")
      .bind(3, ++number)
      .bind(4, value.input)
      .bind_bytes(5, value.content)
      .run();
  for (auto& promise : x.promises)
    bind(into("INSERT INTO checkpoint_promise VALUES (?1, ?2, ?3, ?4, ?5)")
           .bind(3, promise.output),
         4, promise.tag)
      .run();
  for (auto& channel : x.channels) {
    bind(into("INSERT INTO checkpoint_channel VALUES (?1, ?2, ?3, ?4, ?5, ?6)")
           .bind(3, channel.output)
           .bind(4, channel.target),
         5, channel.last_arrival)
      .run();
    number = 0;
    for (auto& message : channel.in_transit)
      bind(into("INSERT INTO checkpoint_message VALUES "
                "(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")
             .bind(3, channel.output)
             .bind(4, channel.target)
             .bind(5, ++number),
           6, message.arrival)
        .bind_bytes(8, message.content)
        .run();
  }
}

bool has_table(database& file, std::string_view name) {
  statement query{
    file, reading,
    "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1"};
  return query.bind(1, name).step();
}

bool has_checkpoints(database& file) {
  return has_table(file, "checkpoint");
}

[[noreturn]] void refuse_damaged(
  const database& file, const checkpoint& which, const std::string& problem) {
  throw std::runtime_error(
    "run file '" + file.path() + "': the checkpoint at tag "
    + to_string(which.tag) + " " + problem
    + "; the file is damaged: use a copy, or continue from another checkpoint "
      "(rosia.resume.at)");
}

/// Reads a tag that must not be greater than the checkpoint's.
logical_time tag_before(const database& file, const checkpoint& which,
                        const statement& row, int column) {
  auto result = row.tag(column);
  if (result.ns < 0 || result > which.tag)
    refuse_damaged(file, which, "has a node that was beyond it");
  return result;
}

logical_time tag_beyond(const database& file, const checkpoint& which,
                        const statement& row, int column) {
  auto result = row.tag(column);
  if (result <= which.tag)
    refuse_damaged(file, which, "has something that was due before it");
  return result;
}

/// Reads a checkpoint's rows in a table. Calls `take` with each row's node,
/// whose name is in column 0.
template <class Fun>
void each_row(database& file, const char* sql, const checkpoint& which,
              std::map<std::string, node_part>& parts, Fun&& take) {
  statement query{file, reading, sql};
  query.bind(1, which.id);
  while (query.step()) {
    auto i = parts.find(query.text(0));
    if (i == parts.end())
      refuse_damaged(
        file, which,
        "has something of a node '" + query.text(0)
          + "' that it does not have");
    take(i->second, query);
  }
}

} // namespace

std::string name_of_run(const std::string& own, std::string_view continued) {
  return continued.empty()
           ? own
           : std::string{origin_of(continued)} + '.' + own;
}

std::string_view origin_of(std::string_view run) {
  return run.substr(0, run.find('.'));
}

void make_checkpoint_tables(database& file) {
  file.execute("create its tables of checkpoints", schema);
}

std::int64_t write(
  database& file, const checkpoint& saved, const graph_lines& graph,
  const std::vector<node_part>& parts) {
  std::optional<std::int64_t> same;
  std::optional<std::int64_t> former;
  {
    auto& query = file.prepared(
      writing, "SELECT id, number FROM checkpoint WHERE run = ?1 "
               "AND ns = ?2 AND microstep = ?3");
    if (bind(query.bind(1, saved.run), 2, saved.tag).step())
      (query.number(1) == saved.number ? same : former) = query.number(0);
    query.reset();
  }
  if (same) {
    file
      .prepared(
        writing, "UPDATE checkpoint SET final = MAX(final, ?2) WHERE id = ?1")
      .bind(1, *same)
      .bind(2, std::int64_t{saved.final})
      .run();
    return *same;
  }
  // The run was restarted before that tag, possibly with another program.
  if (former)
    remove(file, *former);
  auto graph_id = write_graph(file, graph);
  bind(
    file
      .prepared(writing,
                "INSERT INTO checkpoint (run, number, process, processes, "
                "ns, microstep, complete, final, graph) "
                "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")
      .bind(1, saved.run)
      .bind(2, saved.number)
      .bind(3, saved.process)
      .bind(4, saved.processes),
    5, saved.tag)
    .bind(7, std::int64_t{saved.complete})
    .bind(8, std::int64_t{saved.final})
    .bind(9, graph_id)
    .run();
  auto id = file.last_row();
  for (auto& part : parts)
    write(file, id, part);
  return id;
}

void mark_complete(database& file, const std::string& run, logical_time tag,
                   std::size_t keep) {
  bind(file
         .prepared("mark a checkpoint as complete",
                   "UPDATE checkpoint SET complete = 1 "
                   "WHERE run = ?1 AND ns = ?2 AND microstep = ?3")
         .bind(1, run),
       2, tag)
    .run();
  // An incomplete checkpoint that is older than a complete one will never be
  // completed. Planned checkpoints may be later than the final tag of their
  // run; the final checkpoint is kept. It may have been written first, so that
  // the checkpoint that becomes complete counts as the last one.
  std::vector<std::int64_t> old;
  {
    statement query{
      file, "find old checkpoints",
      "SELECT id FROM checkpoint WHERE NOT (final AND run = ?2) AND CASE WHEN "
      "complete THEN id NOT IN (SELECT id FROM checkpoint WHERE complete "
      "ORDER BY run = ?2 AND ns = ?3 AND microstep = ?4 DESC, id DESC LIMIT "
      "?1) ELSE id < (SELECT MAX(id) FROM checkpoint WHERE complete) END"};
    bind(query.bind(1, static_cast<std::int64_t>(keep)).bind(2, run), 3, tag);
    while (query.step())
      old.push_back(query.number(0));
  }
  for (auto id : old)
    remove(file, id);
}

std::vector<checkpoint> checkpoints_of(database& file) {
  std::vector<checkpoint> result;
  if (!has_checkpoints(file))
    return result;
  statement query{
    file, reading,
    "SELECT c.id, run, number, process, processes, c.ns, c.microstep, date, "
    "complete, final, (SELECT COUNT(*) FROM checkpoint_node n "
    "WHERE n.checkpoint = c.id), "
    "(SELECT IFNULL(SUM(LENGTH(value)), 0) FROM checkpoint_state s "
    "WHERE s.checkpoint = c.id) + (SELECT IFNULL(SUM(LENGTH(value)), 0) "
    "FROM checkpoint_message m WHERE m.checkpoint = c.id) "
    "FROM checkpoint c ORDER BY c.id"};
  while (query.step())
    result.push_back(
      {query.number(0), query.text(1), query.number(2), query.text(3),
       query.number(4), query.tag(5), query.text(7), query.number(8) != 0,
       query.number(9) != 0, query.number(10), query.number(11)});
  return result;
}

graph_lines graph_of(database& file, const checkpoint& which) {
  statement query{
    file, reading,
    "SELECT lines FROM checkpoint_graph WHERE id = "
    "(SELECT graph FROM checkpoint WHERE id = ?1)"};
  query.bind(1, which.id);
  graph_lines result;
  if (!query.step())
    return result;
  auto text = query.text(0);
  for (std::size_t begin = 0; begin < text.size();) {
    auto end = text.find('\n', begin);
    if (end == std::string::npos)
      end = text.size();
    result.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

std::vector<node_part> parts_of(database& file, const checkpoint& which) {
  std::map<std::string, node_part> parts;
  {
    statement query{
      file, reading,
      "SELECT node, ns, microstep, has_left "
      "FROM checkpoint_node WHERE checkpoint = ?1"};
    query.bind(1, which.id);
    while (query.step()) {
      node_part part;
      part.node = query.text(0);
      part.logical = tag_before(file, which, query, 1);
      part.left = query.number(3) != 0;
      auto name = part.node;
      parts.emplace(std::move(name), std::move(part));
    }
  }
  each_row(
    file,
    "SELECT node, name, type, version, value FROM checkpoint_state "
    "WHERE checkpoint = ?1 ORDER BY node, number",
    which, parts, [](node_part& to, statement& row) {
      to.states.push_back(
        {row.text(1), row.text(2), static_cast<std::uint32_t>(row.number(3)),
         row.bytes(4)});
    });
  each_row(
    file,
    "SELECT node, action, ns, microstep, value FROM checkpoint_event "
    "WHERE checkpoint = ?1 ORDER BY node, number",
    which, parts, [&](node_part& to, statement& row) {
      to.events.push_back(
        {row.text(1), tag_beyond(file, which, row, 2), row.bytes(4)});
    });
  // Files of earlier versions lack it.
  if (has_table(file, "checkpoint_action"))
    each_row(
      file,
      "SELECT node, action, physical, ns, microstep FROM checkpoint_action "
      "WHERE checkpoint = ?1",
      which, parts, [&](node_part& to, statement& row) {
        to.last_events.push_back(
          {row.text(1), row.number(2) != 0, tag_before(file, which, row, 3)});
      });
  if (has_table(file, "checkpoint_mode")) {
    each_row(
      file,
      "SELECT node, mode, active, was_active, by_history, entries "
      "FROM checkpoint_mode WHERE checkpoint = ?1",
      which, parts, [](node_part& to, statement& row) {
        to.modes.push_back({row.text(1), row.number(2) != 0, row.number(3) != 0,
                            row.number(4) != 0, row.number(5)});
      });
    each_row(
      file,
      "SELECT node, action, ns, microsteps, value FROM checkpoint_suspended "
      "WHERE checkpoint = ?1 ORDER BY node, number",
      which, parts, [&](node_part& to, statement& row) {
        auto distance = delay::from_parts(
          row.number(2), static_cast<std::uint32_t>(row.number(3)));
        if (distance.ns() < 0 || distance.is_zero())
          refuse_damaged(file, which, "has a suspended event without distance");
        to.suspended_events.push_back({row.text(1), distance, row.bytes(4)});
      });
  }
  each_row(
    file,
    "SELECT node, port, value FROM checkpoint_input "
    "WHERE checkpoint = ?1 ORDER BY node, number",
    which, parts, [](node_part& to, statement& row) {
      to.inputs.push_back({row.text(1), row.bytes(2)});
    });
  each_row(
    file,
    "SELECT node, port, ns, microstep FROM checkpoint_promise "
    "WHERE checkpoint = ?1",
    which, parts, [&](node_part& to, statement& row) {
      to.promises.push_back({row.text(1), tag_beyond(file, which, row, 2)});
    });
  each_row(
    file,
    "SELECT node, port, target, ns, microstep FROM checkpoint_channel "
    "WHERE checkpoint = ?1 ORDER BY node, port, target",
    which, parts, [](node_part& to, statement& row) {
      to.channels.push_back({row.text(1), row.text(2), row.tag(3), {}});
    });
  each_row(
    file,
    "SELECT node, port, target, ns, microstep, value FROM checkpoint_message "
    "WHERE checkpoint = ?1 ORDER BY node, port, target, number",
    which, parts, [&](node_part& to, statement& row) {
      for (auto& channel : to.channels)
        if (channel.output == row.text(1) && channel.target == row.text(2)) {
          auto arrival = tag_beyond(file, which, row, 3);
          if (!channel.in_transit.empty()
              && arrival <= channel.in_transit.back().arrival)
            refuse_damaged(file, which, "has messages that are not in order");
          channel.in_transit.push_back({arrival, row.bytes(5)});
        }
    });
  each_row(
    file,
    "SELECT node, ns, microstep, status FROM checkpoint_request "
    "WHERE checkpoint = ?1",
    which, parts, [](node_part& to, statement& row) {
      to.requested = {row.tag(1), static_cast<int>(row.number(3))};
    });
  std::vector<node_part> result;
  for (auto& [name, part] : parts)
    result.push_back(std::move(part));
  return result;
}

} // namespace caf::rosia::run_file
