// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/saved_runs.hpp"

#include "base/link_target.hpp"
#include "distributed/role.hpp"
#include "run_file/checkpoint_files.hpp"
#include "run_file/database.hpp"
#include "run_file/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

namespace fs = std::filesystem;

using run_file::checkpoint;
using run_file::checkpoint_file;
using run_file::database;

void compare(const std::string& file, const run_file::graph_lines& saved,
             const run_file::graph_lines& current) {
  // The order of the lines does not matter.
  auto missing_in = [&](auto& some, auto& others) -> const std::string* {
    std::set<std::string_view> known{others.begin(), others.end()};
    for (auto& line : some)
      if (!known.contains(line))
        return &line;
    return nullptr;
  };
  auto fail = [&](const std::string& difference) {
    throw std::runtime_error(
      "'" + file + "' is of another graph: " + difference
      + "; a run continues with the nodes, ports and connections that it had");
  };
  if (auto* line = missing_in(saved, current))
    fail("it has " + *line + ", which the application does not have");
  if (auto* line = missing_in(current, saved))
    fail("the application has " + *line + ", which it does not have");
}

/// Returns the files that the processes of this application write if an option
/// names `path`.
/// @param processes empty if the application runs in one process.
std::set<std::string> own_files(
  const std::vector<std::string>& processes, const std::string& path) {
  if (processes.empty())
    return {path};
  std::set<std::string> result;
  for (auto& name : processes)
    result.insert(path + '.' + name);
  return result;
}

/// @param x the options of the coordinator.
std::set<std::string> own_files(const options& x, const std::string& path) {
  return own_files(
    is_distributed(x) ? all_process_names(x) : std::vector<std::string>{},
    path);
}

/// Opens the files of a run, which no other application may be writing.
/// @param option the option that names them.
std::vector<checkpoint_file> open_files(
  const options& x, const char* option, const std::string& path,
  database::access mode, const output_locks& locks,
  run_file::unreadable_files& unreadable) {
  locks.require_unwritten(option, path);
  // The other processes of this application may have locked their files.
  auto own = own_files(x, path);
  auto result = run_file::open_checkpoint_files(path, unreadable, mode);
  for (auto& file : result)
    if (auto& name = file.file->path();
        !file.all.empty() && !own.contains(name))
      locks.require_unwritten(option, name);
  return result;
}

/// Returns whether two names lead to the same file, which need not exist.
bool is_same_file(const std::string& a, const std::string& b) {
  if (a == b)
    return true;
  std::error_code problem;
  auto path = [&](const std::string& name) {
    fs::path result;
    if (!problem)
      result = fs::absolute(name, problem);
    if (!problem)
      result = fs::weakly_canonical(result, problem);
    return result;
  };
  auto first = path(a);
  auto second = path(b);
  return !problem && first == second;
}

/// Returns whether the run writes its checkpoints to the file from which it
/// resumes.
bool resumes_own_file(const options& x) {
  return !x.checkpoint.file.empty() && !x.resume.file.empty()
         && is_same_file(x.checkpoint.file, x.resume.file);
}

/// Returns the checkpoint to resume from; null if the run starts from the
/// beginning.
const checkpoint* choose_checkpoint(
  const options& x, const std::vector<checkpoint_file>& files,
  const run_file::unreadable_files& unreadable) {
  auto begins = resumes_own_file(x) && !x.resume.at;
  // The checkpoint may be in a file that cannot be read.
  auto require_readable = [&] {
    if (is_distributed(x))
      for (auto& name : all_process_names(x))
        if (auto i = unreadable.find(x.resume.file + '.' + name);
            i != unreadable.end())
          throw std::runtime_error(i->second);
  };
  if (files.empty()) {
    require_readable();
    if (begins)
      return nullptr;
    if (!is_missing(x.resume.file))
      database{x.resume.file, database::access::read}; // throws the error
    throw std::runtime_error(
      "rosia.resume.file: there is no file '" + x.resume.file
      + "'; name one that a run wrote with rosia.checkpoint.file");
  }
  if (auto mixture = run_file::mixture_in(x.resume.file, files);
      !mixture.empty())
    throw std::runtime_error("rosia.resume.file: " + mixture);
  auto* best = run_file::last_complete(files, x.resume.at);
  if (best != nullptr) {
    run_file::refuse_part(x.resume.file, best->process);
    return best;
  }
  require_readable();
  if (begins)
    return nullptr;
  std::string known;
  for (auto& from : files)
    for (auto& candidate : from.all)
      if (candidate.complete)
        known += (known.empty() ? "" : ", ") + to_string(candidate.tag);
  throw std::runtime_error(
    "rosia.resume.file: '" + x.resume.file + "' has no complete checkpoint"
    + (x.resume.at ? " at tag " + to_string(*x.resume.at) : std::string{})
    + (known.empty() ? "; without rosia.resume.file, the run begins anew"
                     : "; it has some at " + known));
}

/// Returns the files that have a complete checkpoint.
std::vector<const checkpoint_file*> used_files(
  const std::vector<checkpoint_file>& files) {
  std::vector<const checkpoint_file*> result;
  for (auto& file : files)
    if (file.has_complete())
      result.push_back(&file);
  return result;
}

/// Refuses files with checkpoints of a run, if there are any.
/// @param run that run, the reason, and the remedy besides moving the files.
void refuse_files(
  const std::string& option, const std::vector<const checkpoint_file*>& files,
  const std::string& run) {
  if (files.empty())
    return;
  auto several = files.size() > 1;
  throw std::runtime_error(
    option + ": " + run_file::describe(files) + (several ? " have" : " has")
    + " checkpoints of " + run + ", or move " + (several ? "them" : "it")
    + " away");
}

/// Refuses files with checkpoints of an earlier run, because new ones would
/// replace them, or would be mixed with them.
void require_no_run(const std::string& path,
                    const std::vector<checkpoint_file>& files) {
  refuse_files(
    "rosia.checkpoint.file", used_files(files),
    "an earlier run, which new ones of '" + path
      + "' would replace or be mixed with; set rosia.resume.file to "
        "the same file to continue it");
}

/// Refuses a copy that would be mixed with checkpoints of another run: the copy
/// replaces only the files of this run's processes.
/// @param own the files that the copies replace.
/// @param resumed the run that this run continues; empty if none.
void require_own_copy(const std::string& path, const std::set<std::string>& own,
                      std::string_view resumed) {
  run_file::unreadable_files unreadable;
  auto files = run_file::open_checkpoint_files(
    path, unreadable, database::access::read_before_write, own);
  std::vector<const checkpoint_file*> others;
  for (auto& file : files)
    if (std::any_of(file.all.begin(), file.all.end(), [&](auto& known) {
          return known.complete
                 && run_file::origin_of(known.run)
                      != run_file::origin_of(resumed);
        }))
      others.push_back(&file);
  refuse_files(
    "rosia.checkpoint.backup", others,
    "another run, with which the copy in '" + path
      + "' would be mixed; name another file");
}

/// Refuses options with which one file would replace another. A recording and
/// checkpoints may share a file.
void require_own_names(const options& x) {
  struct named {
    const char* option;
    const std::string& file;
    bool replaces; // any previous content
  };
  const named all[] = {
    {"checkpoint.backup", x.checkpoint.backup, true},
    {"trace", x.trace, true},
    {"report", x.report, true},
    {"checkpoint.file", x.checkpoint.file, false},
    {"record.file", x.record.file, false},
    {"replay", x.replay, false},
    {"resume.file", x.resume.file, false}};
  auto is_device = [](const std::string& file) {
    std::error_code problem;
    return fs::exists(file, problem) && !fs::is_regular_file(file, problem);
  };
  for (auto& a : all)
    for (auto& b : all)
      // The file to resume from is read before the backup replaces it.
      if (&a < &b && (a.replaces || b.replaces) && !a.file.empty()
          && !b.file.empty() && !(&a == all && &b.file == &x.resume.file)
          && !is_device(a.file) && is_same_file(a.file, b.file))
        throw std::invalid_argument(
          std::string{"rosia."} + a.option + " and rosia." + b.option
          + " are the same file, '" + a.file
          + "', where one would replace the other; give each a name of its "
            "own");
}

} // namespace

void check_checkpoint_options(const options& x) {
  auto require = [](bool given, const char* option, const std::string& other,
                    const char* needed) {
    if (given && other.empty())
      throw std::invalid_argument(
        std::string{"rosia."} + option + " is set, but rosia." + needed
        + " is not: it names the file");
  };
  require(x.checkpoint.every.has_value(), "checkpoint.every", x.checkpoint.file,
          "checkpoint.file");
  require(!x.checkpoint.signal.empty(), "checkpoint.signal", x.checkpoint.file,
          "checkpoint.file");
  if (!x.checkpoint.signal.empty() && x.signals != signal_behavior::handle)
    throw std::invalid_argument(
      "rosia.checkpoint.signal is set, but rosia.signals is "
      + to_string(x.signals)
      + ", with which the application handles no signal; set rosia.signals to "
        "handle, or call application::checkpoint()");
  require(!x.checkpoint.backup.empty(), "checkpoint.backup", x.checkpoint.file,
          "checkpoint.file");
  require(x.resume.at.has_value(), "resume.at", x.resume.file, "resume.file");
  if (!x.replay.empty()
      && !(x.checkpoint.file.empty() && x.resume.file.empty()))
    throw std::invalid_argument(
      "rosia.replay repeats a recorded run from its beginning: it takes no "
      "checkpoints, and continues from none");
  require_own_names(x);
}

starting_point choose_start(const options& x, const output_locks& locks) {
  starting_point result;
  auto note_numbers = [&](auto& files) {
    for (auto& file : files)
      for (auto& known : file.all)
        result.number = std::max(result.number, known.number + 1);
  };
  if (!x.resume.file.empty()) {
    run_file::unreadable_files unreadable;
    auto files = open_files(
      x, "resume.file", x.resume.file,
      resumes_own_file(x)
        ? database::access::read_before_write
        : database::access::read,
      locks, unreadable);
    note_numbers(files);
    if (auto* from = choose_checkpoint(x, files, unreadable)) {
      result.resumed_run = from->run;
      result.resumed_at = from->tag;
    }
  }
  if (!x.checkpoint.file.empty() && !resumes_own_file(x)) {
    run_file::unreadable_files unreadable;
    auto files = open_files(
      x, "checkpoint.file", x.checkpoint.file,
      database::access::read_before_write, locks, unreadable);
    require_no_run(x.checkpoint.file, files);
    note_numbers(files);
  }
  if (!x.checkpoint.backup.empty())
    require_own_copy(x.checkpoint.backup, own_files(x, x.checkpoint.backup),
                     result.resumed_run);
  return result;
}

void check_checkpoint_targets(
  const options& x, const std::vector<std::string>& processes,
  const starting_point& start) {
  run_file::unreadable_files unreadable;
  auto open = [&](const std::string& path, database::access mode) {
    return run_file::open_checkpoint_files(path, unreadable, mode);
  };
  if (!x.checkpoint.file.empty() && !resumes_own_file(x))
    require_no_run(
      x.checkpoint.file,
      open(x.checkpoint.file, database::access::read_before_write));
  if (!x.resume.file.empty() && !start.resumes())
    refuse_files(
      "rosia.resume.file",
      used_files(open(x.resume.file, database::access::read)),
      "a run that the coordinator does not continue; set "
      "rosia.resume.file for all processes, or for none");
  if (auto& copy = x.checkpoint.backup; !copy.empty())
    require_own_copy(copy, own_files(processes, copy), start.resumed_run);
}

std::unique_ptr<resumption> load_checkpoint(
  const std::string& file, const starting_point& start,
  const run_file::graph_lines& graph) {
  std::vector<run_file::node_part> parts;
  auto found = false;
  auto ended = false;
  run_file::unreadable_files unreadable;
  for (auto& from : run_file::open_checkpoint_files(file, unreadable))
    for (auto& candidate : from.all) {
      if (candidate.run != start.resumed_run
          || candidate.tag != start.resumed_at)
        continue;
      compare(
        from.file->path(), run_file::graph_of(*from.file, candidate), graph);
      auto some = run_file::parts_of(*from.file, candidate);
      parts.insert(parts.end(), std::make_move_iterator(some.begin()),
                   std::make_move_iterator(some.end()));
      found = true;
      ended = ended || candidate.final;
    }
  if (!found)
    throw std::runtime_error(
      "rosia.resume.file: '" + file + "' does not have the checkpoint at tag "
      + to_string(start.resumed_at)
      + " from which the coordinator continues; put the files of all processes "
        "into one folder");
  return std::make_unique<resumption>(
    start.resumed_run, start.resumed_at, ended, std::move(parts));
}

} // namespace caf::rosia::detail
