// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/suggestion.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/run_file_kind.hpp"
#include "rosia_trace/soundness.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"
#include "run_file/checkpoint_files.hpp"
#include "run_file/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace rosia_trace {

namespace {

namespace run_file = caf::rosia::run_file;

using run_file::database;
using run_file::statement;

constexpr auto purpose = "read the recording";

/// In bytes.
constexpr std::size_t read_at_a_time = std::size_t{1} << 20;

/// Opens the files of a run, one after the other.
/// @param skipped called with the reason if a file beside FILE cannot be read
/// and is skipped.
template <class Fun, class Skipped>
void each_file(const std::string& path, Fun&& fun, Skipped&& skipped) {
  auto files = run_file::files_of(path);
  if (files.empty())
    files.push_back(path); // opening it reports the error
  for (auto& name : files) {
    std::unique_ptr<database> file;
    try {
      file = std::make_unique<database>(name, database::access::read);
    } catch (const std::runtime_error& problem) {
      if (files.front() != path || name == path)
        throw;
      skipped(problem.what());
      continue;
    }
    fun(*file);
  }
}

/// Calls `fun` with each recording of a process: its file and its row.
template <class Fun>
void each_recording(const std::string& path, Fun&& fun) {
  auto any = false;
  auto visit = [&](database& file) {
    if (!run_file::has_recording(file))
      return;
    any = true;
    statement runs{file, purpose, "SELECT id, process FROM run ORDER BY id"};
    while (runs.step())
      if (run_file::is_file_of(file.path(), path, runs.text(1)))
        fun(file, runs.number(0));
  };
  each_file(path, visit, [](const char*) {});
  if (!any)
    refuse_unrecorded(path);
}

std::string tag_text(const statement& row, int column) {
  return caf::rosia::to_string(caf::rosia::logical_time{
    row.number(column), static_cast<std::uint32_t>(row.number(column + 1))});
}

std::string end_text(const statement& row, int column) {
  if (row.is_null(column))
    return "none: it is cut off; known up to "
           + caf::rosia::to_string(
             caf::rosia::logical_time{row.number(column + 5), 0});
  auto ending = row.text(column);
  std::string result
    = ending == "done" ? "by itself"
      : ending == "final"
        ? "at the final tag"
        : "aborted";
  if (!row.is_null(column + 1))
    result += (ending == "aborted" ? ", the last tag was " : " ")
              + tag_text(row, column + 1);
  result += ", status " + std::to_string(row.number(column + 3));
  if (auto reason = row.text(column + 4); !reason.empty())
    result += ": " + reason;
  return result;
}

std::uint64_t count(database& file, const char* sql, std::int64_t run) {
  statement query{file, purpose, sql};
  query.bind(1, run);
  return query.step() ? static_cast<std::uint64_t>(query.number(0)) : 0;
}

void print_run(database& file, const statement& row, std::ostream& out) {
  auto run = row.number(0);
  auto number = [&](const char* sql, const char* unit) {
    return counted(count(file, sql, run), unit);
  };
  out << "run " << run << ", " << row.text(1) << ", " << row.text(2);
  if (auto process = row.text(3); !process.empty())
    out << ", process '" << process << "' of " << row.text(4);
  out << "\n  graph: "
      << number("SELECT count(*) FROM node WHERE run = ?", "node") << ", "
      << number("SELECT count(*) FROM port WHERE run = ?", "port") << ", "
      << number("SELECT count(*) FROM connection WHERE run = ?", "connection")
      << "\n  external events: "
      << count(file, "SELECT count(*) FROM event WHERE run = ?", run)
      << "\n  values: "
      << count(file,
               "SELECT count(*) FROM value JOIN port ON port.id = value.port "
               "WHERE port.run = ?",
               run)
      << " of "
      << number("SELECT count(*) FROM port WHERE run = ? AND recorded", "port")
      << "\n  end: " << end_text(row, 5) << '\n';
  if (row.number(11) + row.number(12) > 0)
    out << "  lost: "
        << counted(static_cast<std::uint64_t>(row.number(11)), "external event")
        << ", " << counted(static_cast<std::uint64_t>(row.number(12)), "value")
        << ": the disk was full or too slow\n";
}

/// A checkpoint of all processes.
struct joint_checkpoint {
  run_file::checkpoint sum;
  std::int64_t parts = 0;
};

/// Joins the parts of checkpoints, in the order of the runs and of their tags.
std::vector<joint_checkpoint> join_parts(
  const std::vector<run_file::checkpoint_file>& files) {
  std::map<std::tuple<std::int64_t, std::string, caf::rosia::logical_time>,
           joint_checkpoint>
    joined;
  for (auto& file : files)
    for (auto& x : file.all) {
      auto& [sum, parts] = joined[{x.number, x.run, x.tag}];
      if (parts++ == 0) {
        sum = x;
        continue;
      }
      sum.date = std::max(sum.date, x.date);
      sum.complete = sum.complete || x.complete;
      sum.final = sum.final || x.final;
      sum.nodes += x.nodes;
      sum.size += x.size;
    }
  std::vector<joint_checkpoint> result;
  for (auto& [key, x] : joined)
    result.push_back(std::move(x));
  return result;
}

/// Describes how far a checkpoint is valid.
/// @param end the tag at which the run ended; `forever` if it did not.
std::string state_text(const joint_checkpoint& x,
                       caf::rosia::logical_time end) {
  auto& sum = x.sum;
  if (!sum.complete)
    return sum.processes > 1
             ? ", not complete: the parts of " + std::to_string(x.parts)
                 + " of " + std::to_string(sum.processes) + " processes"
             : ", not complete";
  return std::string{", complete"}
         + (sum.tag == end  ? ", at the end"
            : sum.tag > end ? ", beyond the end"
                            : "");
}

void print_checkpoints(const std::vector<run_file::checkpoint_file>& files,
                       std::ostream& out) {
  auto all = join_parts(files);
  // The lowest final tag counts, because it may have been lowered.
  std::map<std::string, caf::rosia::logical_time> ends;
  for (auto& x : all)
    if (x.sum.complete && x.sum.final)
      ends.try_emplace(x.sum.run, x.sum.tag);
  for (auto& x : all) {
    auto& sum = x.sum;
    auto end = ends.find(sum.run);
    out << "checkpoint at " << caf::rosia::to_string(sum.tag) << ", "
        << sum.date
        << state_text(x, end == ends.end() ? caf::rosia::forever : end->second)
        << "\n  run " << sum.number
        << (sum.processes > 1
              ? " over " + std::to_string(sum.processes) + " processes: "
              : ": ")
        << counted(static_cast<std::uint64_t>(sum.nodes), "node") << ", "
        << counted(static_cast<std::uint64_t>(sum.size), "byte")
        << " of values\n";
  }
}

/// Prints the recordings of all processes, in the order in which the runs
/// started.
void print_runs(const std::string& path, std::ostream& out) {
  struct recording {
    std::string run;
    std::string text;
  };
  std::vector<recording> all;
  std::map<std::string, std::int64_t> starts; // of the first process
  auto visit = [&](database& file) {
    if (!run_file::has_recording(file))
      return;
    statement rows{
      file, purpose,
      "SELECT id, uuid, started, process, processes, how, "
      "final_ns, final_microstep, status, reason, reaches_ns, "
      "lost_events, lost_values, started_ns FROM run ORDER BY id"};
    while (rows.step()) {
      if (!run_file::is_file_of(file.path(), path, rows.text(3)))
        continue;
      std::ostringstream text;
      print_run(file, rows, text);
      auto started = rows.number(13);
      auto& first = starts.try_emplace(rows.text(1), started).first->second;
      first = std::min(first, started);
      all.push_back({rows.text(1), text.str()});
    }
  };
  each_file(path, visit, [](const char*) {});
  std::ranges::stable_sort(all, {}, [&](auto& x) {
    return std::pair{starts[x.run], std::string_view{x.run}};
  });
  for (auto& x : all)
    out << x.text;
}

/// Returns the names of the recorded ports of a run, sorted.
std::vector<std::string> recorded_ports(
  const std::string& path, const std::string& uuid) {
  std::set<std::string> result;
  each_recording(path, [&](database& file, std::int64_t run) {
    statement ports{
      file, purpose,
      "SELECT node || '.' || port.name FROM port JOIN run "
      "ON run.id = port.run "
      "WHERE uuid = ? AND recorded AND run.id = ?"};
    ports.bind(1, uuid).bind(2, run);
    while (ports.step())
      result.insert(ports.text(0));
  });
  return {result.begin(), result.end()};
}

void print_quoted(std::ostream& out, const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) {
    out << text;
    return;
  }
  out << '"';
  for (auto c : text)
    out << (c == '"' ? "\"\"" : std::string{c});
  out << '"';
}

void print_table(statement& rows, std::ostream& out, int columns) {
  while (rows.step())
    for (auto i = 0; i < columns; ++i) {
      print_quoted(out, rows.text(i));
      out << (i + 1 < columns ? ',' : '\n');
    }
}

void export_to(const export_options& options, std::ostream& out) {
  out << (options.events ? "run,node,source,name,ns,microstep,text\n"
                         : "run,port,ns,microstep,text\n");
  each_recording(options.file, [&](database& file, std::int64_t run) {
    statement rows{
      file, purpose,
      options.events
        ? "SELECT run.uuid, node, source, name, ns, microstep, text FROM event "
          "JOIN run ON run.id = event.run WHERE run.id = ? "
          "ORDER BY event.rowid"
        : "SELECT run.uuid, port, ns, microstep, text FROM port_value "
          "JOIN run ON run.id = port_value.run WHERE run.id = ?"};
    rows.bind(1, run);
    print_table(rows, out, options.events ? 7 : 5);
  });
}

} // namespace

int info_command(const std::string& file, std::ostream& out) {
  auto describe = [&](database& file) {
    out << file.path() << ": " << describe_run_file(file) << ", "
        << counted(std::filesystem::file_size(file.path()), "byte") << '\n';
  };
  each_file(file, describe, [&](const char* problem) {
    out << problem << '\n';
  });
  run_file::unreadable_files unreadable;
  auto files = run_file::open_checkpoint_files(file, unreadable);
  print_checkpoints(files, out);
  if (auto mixture = run_file::mixture_in(file, files); !mixture.empty())
    out << mixture << '\n';
  print_runs(file, out);
  return exit_good;
}

namespace {

/// Returns a pattern for SQLite. Names of ports may have brackets.
std::string glob_of(const std::string& pattern) {
  std::string result;
  for (auto c : pattern)
    result += c == '[' ? "[[]" : std::string(1, c);
  return result;
}

} // namespace

int values_command(const values_options& options, std::ostream& out) {
  auto last = run_file::read_run(options.file).uuid;
  auto pattern = glob_of(options.port);
  auto found = false;
  each_recording(options.file, [&](database& file, std::int64_t run) {
    statement ports{
      file, purpose,
      "SELECT port.id, node || '.' || name FROM port JOIN run "
      "ON run.id = port.run WHERE uuid = ? AND recorded AND "
      "node || '.' || name GLOB ? AND run.id = ?"};
    ports.bind(1, last).bind(2, pattern).bind(3, run);
    while (ports.step()) {
      found = true;
      auto several = ports.text(1) != options.port;
      statement rows{
        file, purpose,
        "SELECT ns, microstep, text FROM value WHERE port = ? "
        "ORDER BY ns, microstep"};
      rows.bind(1, ports.number(0));
      while (rows.step())
        out << tag_text(rows, 0) << '\t'
            << (several ? ports.text(1) + '\t' : "") << rows.text(2) << '\n';
    }
  });
  if (!found)
    throw std::runtime_error(
      "no port '" + options.port + "' is recorded in the last run of '"
      + options.file + "': name it with --rosia.record.ports when you record"
      + caf::rosia::detail::suggestion(
        options.port, recorded_ports(options.file, last)));
  return exit_good;
}

/// Returns the number of external events of a run. Reads all of them.
std::uint64_t count_events(const run_file::recorded_run& run) {
  std::uint64_t result = 0;
  run_file::event_reader reader{run.events};
  for (auto some = reader.next(read_at_a_time); !some.empty();
       some = reader.next(read_at_a_time))
    result += some.size();
  for (auto& node : run.graph.nodes)
    for (auto& reaction : node.reactions) {
      run_file::deadline_reader deadlines{run.events, node.name, reaction.name};
      for (auto some = deadlines.next(); !some.empty(); some = deadlines.next())
        result += some.size();
    }
  for (auto& x : run.graph.connections) {
    run_file::tardy_reader tardy{
      run.events, run.graph.nodes[x.target].name,
      run_file::connection_name(run.graph, x)};
    for (auto some = tardy.next(); !some.empty(); some = tardy.next())
      result += some.size();
  }
  return result;
}

/// Returns the reason why no run can continue from the last checkpoint; empty
/// if there is none.
std::string resume_problem(
  const std::string& path,
  const std::vector<run_file::checkpoint_file>& files) {
  auto* last = run_file::last_complete(files);
  if (auto mixture = run_file::mixture_in(path, files);
      last == nullptr || !mixture.empty())
    return mixture;
  for (auto& x : join_parts(files))
    if (x.sum.run == last->run && x.sum.tag == last->tag
        && x.parts < x.sum.processes)
      return path + ": the checkpoint at tag " + to_string(last->tag)
             + " needs the files of " + std::to_string(x.sum.processes)
             + " processes, and there are those of " + std::to_string(x.parts)
             + "; put all of them into one folder";
  return {};
}

soundness check_run_file(const std::string& path) {
  soundness result;
  auto check_file = [&](database& file) {
    statement check{file, purpose, "PRAGMA integrity_check"};
    while (check.step())
      if (auto text = check.text(0); text != "ok")
        result.problems.push_back(
          file.path() + ": " + text + "; use a copy of the file");
    result.recorded = result.recorded || run_file::has_recording(file);
  };
  each_file(path, check_file, [](const char*) {});
  run_file::unreadable_files unreadable;
  auto files = run_file::open_checkpoint_files(path, unreadable);
  // Each process has its own part of a checkpoint in its own file.
  std::set<std::pair<std::string, caf::rosia::logical_time>> complete;
  for (auto& from : files)
    for (auto& x : from.all)
      if (x.complete) {
        run_file::parts_of(*from.file, x);
        complete.emplace(x.run, x.tag);
      }
  if (auto problem = resume_problem(path, files); !problem.empty())
    result.problems.push_back(std::move(problem));
  result.checkpoints = complete.size();
  return result;
}

int verify_command(const std::string& file, std::ostream& out) {
  try {
    auto [problems, checkpoints, recorded] = check_run_file(file);
    for (auto& problem : problems)
      out << problem << '\n';
    std::vector<std::string> contents;
    if (checkpoints > 0)
      contents.push_back(counted(checkpoints, "complete checkpoint"));
    if (recorded) {
      auto run = run_file::read_run(file);
      for (auto& remark : run.remarks)
        out << file << ": " << remark << '\n';
      contents.push_back(counted(run.graph.nodes.size(), "node") + ", "
                         + counted(count_events(run), "external event"));
    }
    auto good = problems.empty();
    for (auto& x : contents)
      out << file << ": " << (good ? "sound" : "not sound") << ", " << x
          << '\n';
    if (good && contents.empty())
      out << file
          << ": there is neither a recorded run nor a complete checkpoint in "
             "it: the process that wrote it ended before it had one\n";
    return good && !contents.empty() ? exit_good : exit_bad;
  } catch (const std::runtime_error& problem) {
    out << problem.what() << '\n';
    return exit_bad;
  }
}

int export_command(const export_options& options, std::ostream& out) {
  if (!options.output.empty())
    for (auto& input : run_file::files_of(options.file))
      require_other_file(options.output, input);
  write_to(options.output, out, [&](std::ostream& to) {
    export_to(options, to);
  });
  return exit_good;
}

} // namespace rosia_trace
