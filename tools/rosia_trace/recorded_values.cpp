// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/recorded_values.hpp"

#include <algorithm>
#include <functional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace rosia_trace {

namespace {

namespace run_file = caf::rosia::run_file;

using run_file::statement;

constexpr auto reading_purpose = "read the recording";

/// Hashes a value by its bytes, or by its text if CAF cannot serialise it.
std::size_t hash_at(const statement& row, int bytes, int text) {
  auto hash
    = [](std::string_view x) { return std::hash<std::string_view>{}(x); };
  if (!row.is_null(bytes)) {
    auto content = row.bytes(bytes);
    return hash({content.data(), content.size()});
  }
  return row.is_null(text) ? 0 : hash(row.text(text));
}

std::string event_name(const std::string& source, const std::string& name,
                       const std::string& node) {
  return source + " '" + name + "' of '" + node + "'";
}

} // namespace

recorded_values::recorded_values(const std::string& path)
  : run_{run_file::read_run(path)} {
  for (auto& name : run_file::files_of(path)) {
    std::unique_ptr<database> file;
    try {
      file = std::make_unique<database>(name, database::access::read);
    } catch (const std::runtime_error&) {
      continue; // It belongs to no process of the run; otherwise read_run would
                // have thrown.
    }
    if (!run_file::has_recording(*file))
      continue;
    statement runs{
      *file, reading_purpose, "SELECT id, process FROM run WHERE uuid = ?"};
    runs.bind(1, run_.uuid);
    while (runs.step())
      if (run_file::is_file_of(name, path, runs.text(1))) {
        auto run = runs.number(0);
        files_.push_back(std::move(file));
        read_file(files_.size() - 1, run);
        break;
      }
  }
  for (auto& [name, x] : streams_)
    std::ranges::sort(x.entries, [](auto& a, auto& b) {
      return std::pair{a.tag, a.row} < std::pair{b.tag, b.row};
    });
}

const recorded_stream* recorded_values::find(const std::string& name) const {
  auto i = streams_.find(name);
  return i == streams_.end() ? nullptr : &i->second;
}

bool recorded_values::is_complete(const std::string& node) const {
  auto i = complete_.find(node);
  return i != complete_.end() && i->second;
}

std::string recorded_values::text(
  const recorded_stream& of, const recorded_stream::entry& which) const {
  auto* sql
    = of.kind == recorded_stream::direction::event
        ? "SELECT text FROM event WHERE rowid = ?"
        : "SELECT text FROM value WHERE rowid = ?";
  statement row{*files_[of.file], reading_purpose, sql};
  row.bind(1, which.row);
  return row.step() && !row.is_null(0) ? row.text(0) : "(not known)";
}

void recorded_values::read_file(std::size_t file, std::int64_t run) {
  statement end{*files_[file], reading_purpose,
                "SELECT how, lost_values FROM run WHERE id = ?"};
  end.bind(1, run);
  end.step();
  auto has_end = !end.is_null(0);
  cut_off_ = cut_off_ || !has_end;
  auto lost = static_cast<std::uint64_t>(end.number(1));
  lost_values_ += lost;
  // Nodes of other processes have no end in this file.
  statement nodes{
    *files_[file], reading_purpose,
    "SELECT name, how <> 'aborted' FROM node "
    "WHERE run = ? AND how IS NOT NULL"};
  nodes.bind(1, run);
  while (nodes.step())
    complete_[nodes.text(0)] = has_end && lost == 0 && nodes.number(1) != 0;
  read_values(file, run);
  read_events(file, run);
}

void recorded_values::read_values(std::size_t file, std::int64_t run) {
  std::map<std::int64_t, recorded_stream*> by_port;
  // All processes list all ports, but each node is recorded by its process.
  statement ports{
    *files_[file], reading_purpose,
    "SELECT port.id, port.node, port.name, direction = 'out' "
    "FROM port JOIN run ON run.id = port.run "
    "JOIN node ON node.run = run.id AND node.name = port.node "
    "WHERE run.id = ? AND recorded "
    "AND node.process = run.process"};
  ports.bind(1, run);
  while (ports.step()) {
    auto node = ports.text(1);
    auto name = node + '.' + ports.text(2);
    auto kind
      = ports.number(3) != 0
          ? recorded_stream::direction::output
          : recorded_stream::direction::input;
    auto i
      = streams_.try_emplace(name, recorded_stream{name, node, kind, {}, file});
    by_port[ports.number(0)] = &i.first->second;
  }
  statement rows{
    *files_[file], reading_purpose,
    "SELECT port, ns, microstep, bytes, text, value.rowid "
    "FROM value JOIN port ON port.id = value.port "
    "WHERE port.run = ?"};
  rows.bind(1, run);
  while (rows.step())
    if (auto i = by_port.find(rows.number(0)); i != by_port.end()) {
      i->second->file = file;
      i->second->entries.push_back(
        {rows.tag(1), hash_at(rows, 3, 4), rows.number(5)});
    }
}

void recorded_values::read_events(std::size_t file, std::int64_t run) {
  statement rows{
    *files_[file], reading_purpose,
    "SELECT node, source, name, ns, microstep, bytes, text, rowid "
    "FROM event WHERE run = ?"};
  rows.bind(1, run);
  while (rows.step()) {
    auto node = rows.text(0);
    auto name = event_name(rows.text(1), rows.text(2), node);
    auto& stream
      = streams_
          .try_emplace(
            name,
            recorded_stream{
              name, node, recorded_stream::direction::event, {}, file})
          .first->second;
    stream.entries.push_back(
      {rows.tag(3), hash_at(rows, 5, 6), rows.number(7)});
  }
}

} // namespace rosia_trace
