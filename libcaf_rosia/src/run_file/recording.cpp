// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/recording.hpp"

#include "base/formatting.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>

namespace caf::rosia::run_file {

namespace {

constexpr auto tables = R"(
CREATE TABLE IF NOT EXISTS run (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL,
  process TEXT NOT NULL,
  processes TEXT NOT NULL,
  version TEXT NOT NULL,
  started_ns INTEGER NOT NULL,
  started TEXT AS (strftime('%Y-%m-%dT%H:%M:%fZ', started_ns / 1e9, 'unixepoch')),
  reaches_ns INTEGER NOT NULL DEFAULT 0,
  lost_events INTEGER NOT NULL DEFAULT 0,
  lost_values INTEGER NOT NULL DEFAULT 0,
  how TEXT,
  final_ns INTEGER,
  final_microstep INTEGER,
  status INTEGER,
  reason TEXT);
CREATE TABLE IF NOT EXISTS option (
  run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS node (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL,
  process TEXT NOT NULL, how TEXT, last_ns INTEGER, last_microstep INTEGER);
CREATE TABLE IF NOT EXISTS port (
  id INTEGER PRIMARY KEY,
  run INTEGER NOT NULL REFERENCES run, node TEXT NOT NULL, name TEXT NOT NULL,
  direction TEXT NOT NULL, type TEXT NOT NULL, physical INTEGER NOT NULL,
  recorded INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reaction (
  run INTEGER NOT NULL REFERENCES run, node TEXT NOT NULL, name TEXT NOT NULL,
  kind TEXT NOT NULL, triggers TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS connection (
  run INTEGER NOT NULL REFERENCES run, source TEXT NOT NULL,
  target TEXT NOT NULL, delay_ns INTEGER NOT NULL,
  delay_microsteps INTEGER NOT NULL, physical INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS event (
  run INTEGER NOT NULL REFERENCES run, node TEXT NOT NULL,
  source TEXT NOT NULL, name TEXT NOT NULL, ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL, bytes BLOB, text TEXT);
CREATE INDEX IF NOT EXISTS event_of_node ON event (run, node);
CREATE TABLE IF NOT EXISTS value (
  port INTEGER NOT NULL REFERENCES port, ns INTEGER NOT NULL,
  microstep INTEGER NOT NULL, bytes BLOB, text TEXT);
CREATE VIEW IF NOT EXISTS port_value AS
  SELECT port.run AS run, port.node || '.' || port.name AS port,
         value.ns / 1e9 AS seconds, value.ns AS ns,
         value.microstep AS microstep, value.text AS text, value.bytes AS bytes
  FROM value JOIN port ON port.id = value.port;
)";

// The values of the column `physical` of other connections than plain ones. The
// length of a maximal wait has no effect on a replay.
constexpr std::int64_t physical_kind = 1;
constexpr std::int64_t waiting_kind = 2;

constexpr auto reading_recording = "read the recording";

/// The option that names the checkpoint from which a run was resumed.
constexpr std::string_view resume_option = "resume_at";

/// The kinds of reactions in a file, in the order of the enumeration.
constexpr std::array<std::string_view, 3> reaction_kinds{
  "reaction", "eager", "startup"};

std::string_view text_of(graph_description::reaction_kind x) {
  return reaction_kinds[static_cast<std::size_t>(x)];
}

/// A kind that this version does not know is taken for a plain reaction.
graph_description::reaction_kind kind_of(const std::string& text) {
  auto at = std::find(reaction_kinds.begin(), reaction_kinds.end(), text);
  return at == reaction_kinds.end()
           ? graph_description::reaction_kind::plain
           : static_cast<graph_description::reaction_kind>(
             at - reaction_kinds.begin());
}

/// Returns the names of the triggers of a reaction, separated by ", ".
std::string triggers_of(const graph_description::node& node,
                        const graph_description::reaction& x) {
  std::string result;
  for (auto& trigger : x.triggers) {
    result += result.empty() ? "" : ", ";
    result += graph_description::name_of(node, trigger);
  }
  return result;
}

// -- comparing ----------------------------------------------------------------

std::string line_of(const graph_description& graph,
                    const graph_description::connection& x) {
  auto result
    = "connection '" + graph.output_of(x) + "' to '" + graph.input_of(x) + "'";
  if (x.physical)
    return result + ", physical";
  if (x.distance.ns() > 0)
    result += ", delay " + std::to_string(x.distance.ns()) + "ns";
  if (x.distance.steps() > 0)
    result += ", delay " + std::to_string(x.distance.steps()) + " microsteps";
  if (x.has_max_wait())
    result += ", with a maximal wait";
  return result;
}

std::vector<std::string> lines_of(const graph_description& x) {
  std::vector<std::string> result;
  for (auto& node : x.nodes) {
    auto add_ports = [&](const char* kind, auto& ports) {
      for (auto& port : ports)
        result.push_back(
          std::string{port.physical ? "physical action" : kind} + " '"
          + node.name + '.' + port.name + "' of type " + port.type);
    };
    result.push_back("node '" + node.name + "'");
    add_ports("input", node.inputs);
    add_ports("output", node.outputs);
  }
  for (auto& connection : x.connections)
    result.push_back(line_of(x, connection));
  return result;
}

// -- reading ------------------------------------------------------------------

/// A run in one file.
struct part {
  std::int64_t row = 0;
  run_record start;
  reach_record reach;
  std::optional<end_record> end;
};

std::vector<part> read_parts(database& file) {
  std::vector<part> result;
  if (!has_recording(file))
    return result;
  statement rows{
    file, reading_recording,
    "SELECT id, uuid, process, processes, version, started_ns, "
    "reaches_ns, lost_events, lost_values, how, final_ns, "
    "final_microstep, status, reason FROM run ORDER BY id"};
  while (rows.step()) {
    auto& x = result.emplace_back();
    x.row = rows.number(0);
    x.start.uuid = rows.text(1);
    x.start.process = rows.text(2);
    x.start.processes = rows.text(3);
    x.start.version = rows.text(4);
    x.start.started = rows.number(5);
    x.reach = {rows.number(6), static_cast<std::uint64_t>(rows.number(7)),
               static_cast<std::uint64_t>(rows.number(8))};
    if (rows.is_null(9))
      continue;
    auto& end = x.end.emplace();
    end.ending = rows.text(9);
    if (!rows.is_null(10))
      end.final = rows.tag(10);
    end.status = static_cast<int>(rows.number(12));
    end.reason = rows.text(13);
  }
  return result;
}

graph_description read_graph(database& file, std::int64_t run) {
  using place = std::pair<std::uint32_t, std::uint32_t>; // node and port
  graph_description result;
  std::map<std::string, std::uint32_t> nodes;
  std::map<std::string, place> outputs;
  std::map<std::string, place> inputs;
  auto find = [&](const char* kind, auto& places, const std::string& name) {
    auto at = places.find(name);
    if (at == places.end())
      throw std::runtime_error(
        "run file '" + file.path()
        + "': cannot read the recording: there is no " + kind + " '" + name
        + "'; use a copy of the file");
    return at->second;
  };
  statement node_rows{
    file, reading_recording,
    "SELECT name, process FROM node WHERE run = ? "
    "ORDER BY id"};
  node_rows.bind(1, run);
  while (node_rows.step()) {
    nodes[node_rows.text(0)] = static_cast<std::uint32_t>(result.nodes.size());
    result.nodes.push_back({node_rows.text(0), node_rows.text(1)});
  }
  statement port_rows{
    file, reading_recording,
    "SELECT node, name, type, direction = 'out', physical, "
    "recorded FROM port WHERE run = ? ORDER BY id"};
  port_rows.bind(1, run);
  while (port_rows.step()) {
    auto owner = find("node", nodes, port_rows.text(0));
    auto& node = result.nodes[owner];
    auto is_output = port_rows.number(3) != 0;
    auto& ports = is_output ? node.outputs : node.inputs;
    (is_output ? outputs : inputs)[node.name + '.' + port_rows.text(1)]
      = {owner, static_cast<std::uint32_t>(ports.size())};
    ports.push_back(
      {.name = port_rows.text(1),
       .type = port_rows.text(2),
       .physical = port_rows.number(4) != 0,
       .recorded = port_rows.number(5) != 0});
  }
  statement reactions{
    file, reading_recording,
    "SELECT node, name, kind FROM reaction WHERE run = ? ORDER BY rowid"};
  reactions.bind(1, run);
  while (reactions.step())
    result.nodes[find("node", nodes, reactions.text(0))].reactions.push_back(
      {reactions.text(1), {}, kind_of(reactions.text(2))});
  statement connections{
    file, reading_recording,
    "SELECT source, target, delay_ns, delay_microsteps, "
    "physical FROM connection WHERE run = ? "
    "ORDER BY rowid"};
  connections.bind(1, run);
  while (connections.step()) {
    auto [source, output] = find("output", outputs, connections.text(0));
    auto [target, input] = find("input", inputs, connections.text(1));
    result.connections.push_back(
      {source, output, target, input,
       delay::from_parts(connections.number(2),
                         static_cast<std::uint32_t>(connections.number(3))),
       connections.number(4) == physical_kind});
    if (connections.number(4) == waiting_kind)
      result.connections.back().max_wait = 0; // the wait is not in the file
  }
  return result;
}

/// Reads the nodes that were done past the final tag. In a replay, they ended
/// there because they did in the original run.
void read_ends(database& file, std::int64_t run, recorded_run& to) {
  statement rows{
    file, reading_recording,
    "SELECT name, last_ns, last_microstep FROM node "
    "WHERE run = ? AND how <> 'aborted'"};
  rows.bind(1, run);
  while (rows.step())
    if (auto last = rows.tag(1); last > to.final)
      to.done[rows.text(0)] = last;
}

/// Reads how far the deadlines of the nodes of a process are known in an
/// incomplete recording.
void read_reached(database& file, const part& from, recorded_run& to) {
  statement rows{
    file, reading_recording,
    "SELECT name, how IS NULL AND last_ns IS NOT NULL, last_ns, last_microstep "
    "FROM node WHERE run = ? AND process = ?"};
  rows.bind(1, from.row).bind(2, from.start.process);
  while (rows.step())
    to.deadlines_known[rows.text(0)]
      = rows.number(1) != 0 && from.reach.lost_events == 0
          ? rows.tag(2)
          : never;
}

/// @returns the tag from which the run was resumed; empty if it has a
///   beginning.
std::string read_resumed(database& file, std::int64_t run) {
  statement rows{file, reading_recording,
                 "SELECT value FROM option WHERE run = ?1 AND name = ?2"};
  rows.bind(1, run).bind(2, resume_option);
  return rows.step() ? rows.text(0) : std::string{};
}

bool is_complete(const part& x) {
  return x.end && x.reach.lost_events == 0;
}

/// Returns whether the recording of one process is known up to the end of the
/// run.
bool is_known_to_end(const part& x) {
  return is_complete(x)
         && (x.end->final != forever || x.end->ending != "aborted");
}

/// Returns the tag up to which the recording of one process is known.
logical_time last_tag(const part& x) {
  auto reaches = x.reach.ns > 0 ? logical_time{x.reach.ns - 1, 0} : never;
  if (!is_known_to_end(x))
    return x.end ? std::min(reaches, x.end->final) : reaches;
  return x.end->final;
}

std::string place_of(const part& x) {
  return x.start.process.empty()
           ? std::string{}
           : " of process '" + x.start.process + "'";
}

void add_remarks(const part& x, std::vector<std::string>& to) {
  if (!x.end)
    to.push_back("the recording" + place_of(x)
                 + " has no end: it is cut off, as by a crash");
  else if (x.end->ending == "aborted")
    to.push_back("the recorded run" + place_of(x) + " was aborted"
                 + (x.end->reason.empty() ? "" : ": " + x.end->reason));
  if (x.reach.lost_events > 0)
    to.push_back(
      "the recording" + place_of(x) + " has lost "
      + std::to_string(x.reach.lost_events)
      + " external events, because the disk was full or too slow");
}

void combine_ends(const std::vector<part>& parts, recorded_run& to) {
  auto crashed = false;
  auto known = forever;              // by incomplete parts
  std::optional<logical_time> ended; // by complete parts
  for (auto& x : parts) {
    add_remarks(x, to.remarks);
    auto last = last_tag(x);
    if (!is_known_to_end(x)) {
      crashed = true;
      known = std::min(known, last);
    }
    if (x.end) {
      ended = std::max(ended.value_or(never), x.end->final);
      if (x.end->ending != "aborted" && to.status == 0)
        to.status = x.end->status;
    }
  }
  to.final = std::min(ended.value_or(forever), known);
  if (crashed)
    to.status = 0;
}

void require_all(const std::string& path, const std::vector<part>& parts,
                 const std::map<std::string, std::string>& unreadable) {
  for (auto& name : detail::split(parts.front().start.processes, ',')) {
    if (std::any_of(parts.begin(), parts.end(), [&](auto& x) {
          return x.start.process == name;
        }))
      continue;
    auto file = path + '.' + name;
    if (auto problem = unreadable.find(file); problem != unreadable.end())
      throw std::runtime_error(problem->second);
    refuse_part(path, parts.front().start.process);
    throw std::runtime_error(
      "run file '" + path + "': the recording of process '" + name
      + "' is missing: copy its file '" + file
      + "' beside those of the other processes");
  }
}

} // namespace

std::optional<std::string> first_difference(
  const graph_description& recorded, const graph_description& present) {
  auto old = lines_of(recorded);
  auto now = lines_of(present);
  auto [x, y] = std::mismatch(old.begin(), old.end(), now.begin(), now.end());
  if (x == old.end() && y == now.end())
    return std::nullopt;
  if (x == old.end())
    return "the program has " + *y + ", which was not there";
  if (y == now.end())
    return "there was " + *x + ", which the program does not have";
  return "there was " + *x + ", where the program has " + *y;
}

std::string connection_name(
  const graph_description& graph, const graph_description::connection& x) {
  return graph.output_of(x) + " to " + graph.input_of(x);
}

std::string make_uuid(std::uint64_t random) {
  // The other digits depend on the number, so that all processes make the same
  // UUID (version 8).
  auto rest = (random ^ (random >> 31)) * 0x9e3779b97f4a7c15;
  return fmt::format(
    "{:08x}-{:04x}-8{:03x}-{:04x}-{:012x}", random >> 32,
    (random >> 16) & 0xffff, random & 0xfff, 0x8000 | (rest >> 50),
    rest & 0xffffffffffff);
}

// -- writing ------------------------------------------------------------------

void make_recording_tables(database& file) {
  file.execute("make the tables of a recording", tables);
}

run_rows write_run(database& file, const run_record& x,
                   const graph_description& graph) {
  constexpr auto purpose = "write the graph";
  statement run{
    file, purpose,
    "INSERT INTO run (uuid, process, processes, version, "
    "started_ns) VALUES (?, ?, ?, ?, ?)"};
  run.bind(1, x.uuid).bind(2, x.process).bind(3, x.processes);
  run.bind(4, x.version).bind(5, x.started).run();
  run_rows result;
  result.run = file.last_row();
  statement option{file, purpose, "INSERT INTO option VALUES (?, ?, ?)"};
  for (auto& [name, value] : x.options)
    option.bind(1, result.run).bind(2, name).bind(3, value).run();
  statement node{
    file, purpose, "INSERT INTO node (run, name, process) VALUES (?, ?, ?)"};
  statement port{
    file, purpose,
    "INSERT INTO port (run, node, name, direction, type, "
    "physical, recorded) VALUES (?, ?, ?, ?, ?, ?, ?)"};
  statement reaction{
    file, purpose, "INSERT INTO reaction VALUES (?, ?, ?, ?, ?)"};
  for (auto& n : graph.nodes) {
    node.bind(1, result.run).bind(2, n.name).bind(3, n.process).run();
    result.nodes.push_back(file.last_row());
    auto& rows = result.ports.emplace_back();
    auto write_ports = [&](std::string_view direction, auto& ports) {
      for (auto& p : ports) {
        port.bind(1, result.run).bind(2, n.name).bind(3, p.name);
        port.bind(4, direction).bind(5, p.type);
        port.bind(6, std::int64_t{p.physical});
        port.bind(7, std::int64_t{p.recorded}).run();
        rows.push_back(file.last_row());
      }
    };
    write_ports("in", n.inputs);
    write_ports("out", n.outputs);
    for (auto& r : n.reactions)
      reaction.bind(1, result.run)
        .bind(2, n.name)
        .bind(3, r.name)
        .bind(4, text_of(r.kind))
        .bind(5, triggers_of(n, r))
        .run();
  }
  statement connection{
    file, purpose, "INSERT INTO connection VALUES (?, ?, ?, ?, ?, ?)"};
  for (auto& c : graph.connections)
    connection.bind(1, result.run)
      .bind(2, graph.output_of(c))
      .bind(3, graph.input_of(c))
      .bind(4, c.distance.ns())
      .bind(5, std::int64_t{c.distance.steps()})
      .bind(6, c.physical         ? physical_kind
               : c.has_max_wait() ? waiting_kind
                                  : std::int64_t{0})
      .run();
  return result;
}

void erase_run(database& file, std::int64_t run) {
  for (auto sql :
       {"DELETE FROM option WHERE run = ?1", "DELETE FROM node WHERE run = ?1",
        "DELETE FROM port WHERE run = ?1",
        "DELETE FROM reaction WHERE run = ?1",
        "DELETE FROM connection WHERE run = ?1",
        "DELETE FROM run WHERE id = ?1"})
    file.prepared("remove a run that has not started", sql).bind(1, run).run();
}

void write_resumed(database& file, std::int64_t run, logical_time at) {
  file
    .prepared("write the tag from which the run continues",
              "INSERT INTO option VALUES (?1, ?2, ?3)")
    .bind(1, run)
    .bind(2, resume_option)
    .bind(3, to_string(at))
    .run();
}

void write_reach(database& file, std::int64_t run, const reach_record& x) {
  file
    .prepared("write how far the recording reaches",
              "UPDATE run SET reaches_ns = ?, lost_events = ?, lost_values = ? "
              "WHERE id = ?")
    .bind(1, x.ns)
    .bind(2, static_cast<std::int64_t>(x.lost_events))
    .bind(3, static_cast<std::int64_t>(x.lost_values))
    .bind(4, run)
    .run();
}

namespace {

/// Writes an event without a value.
void write_text_event(database& file, std::int64_t run, std::string_view source,
                      const std::string& node, const std::string& name,
                      logical_time tag, const std::string& text) {
  event_row(file, run, node, source, name, tag)
    .bind_null(7)
    .bind(8, text)
    .run();
}

} // namespace

statement& event_row(
  database& file, std::int64_t run, std::string_view node,
  std::string_view source, std::string_view name, logical_time tag) {
  return file
    .prepared("write an external event",
              "INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
    .bind(1, run)
    .bind(2, node)
    .bind(3, source)
    .bind(4, name)
    .bind(5, tag.ns)
    .bind(6, std::int64_t{tag.microstep});
}

void write_deadline(database& file, std::int64_t run,
                    const deadline_record& x) {
  write_text_event(
    file, run, "deadline", x.node, x.reaction, x.tag, text_of(x));
}

void write_tardy(database& file, std::int64_t run, const tardy_record& x) {
  write_text_event(
    file, run, "tardy", x.node, x.connection, x.intended, text_of(x));
}

void write_reached(database& file, std::int64_t node, logical_time tag) {
  file
    .prepared("write the tag that a node executes",
              "UPDATE node SET last_ns = ?, last_microstep = ? WHERE id = ?")
    .bind(1, tag.ns)
    .bind(2, std::int64_t{tag.microstep})
    .bind(3, node)
    .run();
}

void write_end(database& file, const run_rows& at, const end_record& x) {
  constexpr auto purpose = "write the end of the run";
  auto& end = file.prepared(
    purpose,
    "UPDATE run SET how = ?, final_ns = ?, "
    "final_microstep = ?, status = ?, reason = ? "
    "WHERE id = ?");
  end.bind(1, x.ending).bind(4, x.status).bind(5, x.reason).bind(6, at.run);
  if (x.final != forever)
    end.bind(2, x.final.ns).bind(3, std::int64_t{x.final.microstep});
  end.run();
  auto& node = file.prepared(
    purpose, "UPDATE node SET how = ?, last_ns = ?, "
             "last_microstep = ? WHERE id = ?");
  for (std::size_t i = 0; i < x.nodes.size(); ++i)
    if (auto& y = x.nodes[i])
      node.bind(1, y->ending)
        .bind(2, y->last.ns)
        .bind(3, std::int64_t{y->last.microstep})
        .bind(4, at.nodes[i])
        .run();
}

// -- reading ------------------------------------------------------------------

std::vector<std::string> files_of(const std::string& path) {
  namespace fs = std::filesystem;
  std::vector<std::string> result;
  std::error_code ignored;
  if (fs::exists(path, ignored))
    result.push_back(path);
  auto folder = fs::path{path}.parent_path();
  auto begin = fs::path{path}.filename().string() + '.';
  // SQLite's own files are beside a file that is being written.
  constexpr std::array<std::string_view, 3> others{"-wal", "-shm", "-journal"};
  fs::directory_iterator files{folder.empty() ? "." : folder, ignored};
  std::set<std::string> found;
  for (auto& file : files) {
    auto name = file.path().filename().string();
    if (name.starts_with(begin) && file.is_regular_file(ignored)
        && std::none_of(others.begin(), others.end(), [&](auto x) {
             return name.ends_with(x);
           }))
      found.insert((folder / name).string());
  }
  result.insert(result.end(), found.begin(), found.end());
  return result;
}

bool is_file_of(const std::string& file, const std::string& path,
                const std::string& process) {
  return file == path || file == path + '.' + process;
}

void refuse_part(const std::string& path, const std::string& process) {
  auto suffix = '.' + process;
  std::error_code ignored;
  if (process.empty() || !path.ends_with(suffix)
      || !std::filesystem::exists(path, ignored))
    return;
  throw std::runtime_error(
    "run file '" + path + "' is that of process '" + process + "' alone: name '"
    + path.substr(0, path.size() - suffix.size())
    + "', and the files of all processes are read");
}

bool has_recording(database& file) {
  statement query{
    file, reading_recording, "SELECT 1 FROM sqlite_schema WHERE name = 'run'"};
  return query.step();
}

void refuse_unrecorded(const std::string& path) {
  throw std::runtime_error(
    "run file '" + path
    + "': no run is recorded in it; record one with "
      "--rosia.record.file");
}

recorded_run read_run(const std::string& path) {
  auto files = files_of(path);
  if (files.empty())
    database{path, database::access::read}; // throws the error
  std::vector<std::unique_ptr<database>> databases;
  std::vector<std::vector<part>> runs;
  std::map<std::string, std::string> unreadable; // with the reasons
  const part* last = nullptr;
  for (auto& file : files) {
    try {
      auto opened = std::make_unique<database>(file, database::access::read);
      auto parts = read_parts(*opened);
      std::erase_if(parts, [&](auto& x) {
        return !is_file_of(file, path, x.start.process);
      });
      runs.push_back(std::move(parts));
      databases.push_back(std::move(opened));
    } catch (const std::runtime_error& problem) {
      // The file of a process is only needed if it belongs to the run.
      if (file == path)
        throw;
      unreadable[file] = problem.what();
    }
  }
  // The last row of a file is its last run, even if the clock was set back.
  for (auto& file : runs)
    if (!file.empty()
        && (last == nullptr || file.back().start.started > last->start.started))
      last = &file.back();
  if (last == nullptr && !unreadable.empty())
    throw std::runtime_error(unreadable.begin()->second);
  if (last == nullptr)
    refuse_unrecorded(path);
  recorded_run result;
  result.path = path;
  result.uuid = last->start.uuid;
  std::vector<part> parts;
  std::vector<recorded_events::part> sources;
  // A process's file may have been renamed without its suffix.
  auto is_new = [&](const part& x) {
    return std::none_of(parts.begin(), parts.end(), [&](auto& y) {
      return x.start.process == y.start.process;
    });
  };
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (auto& x : runs[i])
      if (x.start.uuid == result.uuid && is_new(x)) {
        parts.push_back(x);
        sources.push_back({std::move(databases[i]), x.row});
      }
  require_all(path, parts, unreadable);
  combine_ends(parts, result);
  result.graph = read_graph(*sources.front().file, parts.front().row);
  result.resumed_at = read_resumed(*sources.front().file, parts.front().row);
  if (!result.resumed_at.empty())
    result.remarks.push_back(
      "the recorded run continues from a checkpoint at tag " + result.resumed_at
      + ": the events before it are not in the recording, so its replay is "
        "refused");
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (is_complete(parts[i]))
      read_ends(*sources[i].file, parts[i].row, result);
    else
      read_reached(*sources[i].file, parts[i], result);
  result.events = std::make_shared<recorded_events>(
    std::move(sources), result.final, result.done);
  return result;
}

} // namespace caf::rosia::run_file
