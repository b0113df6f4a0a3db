// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/saved_runs.hpp"

#include "distributed/role.hpp"
#include "run_file/database.hpp"
#include "run_file/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <stdexcept>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

namespace fs = std::filesystem;

using run_file::checkpoint;
using run_file::database;

/// A readable file of checkpoints.
struct source {
  std::unique_ptr<database> file;
  std::vector<checkpoint> all;
};

/// Returns whether the file is empty: the process that created it was killed
/// before it wrote anything.
bool is_blank(const std::string& file) {
  std::error_code problem;
  return fs::is_regular_file(file, problem)
         && fs::file_size(file, problem) == 0;
}

/// The files that cannot be read, and the reasons.
using problems = std::map<std::string, std::string>;

/// Opens the files of a run: the file of this name, and those of its processes.
/// @param unreadable gets the files of processes that cannot be read. They are
///   only an error if they are needed.
std::vector<source> open_all(const std::string& name, problems& unreadable) {
  std::vector<source> result;
  for (auto& file : run_file::files_of(name)) {
    if (is_blank(file))
      continue;
    try {
      auto opened = std::make_unique<database>(file, database::access::read);
      auto all = run_file::checkpoints_of(*opened);
      std::erase_if(all, [&](auto& x) {
        return !run_file::is_file_of(file, name, x.process);
      });
      result.push_back({std::move(opened), std::move(all)});
    } catch (const std::runtime_error& problem) {
      if (file == name)
        throw;
      unreadable[file] = problem.what();
    }
  }
  return result;
}

bool is_of(const checkpoint& x, const checkpoint_name& which) {
  return x.run == which.run && x.tag == which.tag;
}

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

/// Refuses options with which one file would replace another. A recording and
/// checkpoints may share a file.
void require_own_names(const options& x) {
  struct named {
    const char* option;
    const std::string& file;
    bool replaces; // any previous content
  };
  const named all[]
    = {{"backup", x.backup, true},  {"trace", x.trace, true},
       {"report", x.report, true},  {"checkpoint", x.checkpoint, false},
       {"record", x.record, false}, {"replay", x.replay, false},
       {"resume", x.resume, false}};
  auto is_device = [](const std::string& file) {
    std::error_code problem;
    return fs::exists(file, problem) && !fs::is_regular_file(file, problem);
  };
  auto same = [](const std::string& a, const std::string& b) {
    std::error_code problem;
    return fs::weakly_canonical(fs::absolute(a, problem), problem)
           == fs::weakly_canonical(fs::absolute(b, problem), problem);
  };
  for (auto& a : all)
    for (auto& b : all)
      // The file to resume from is read before the backup replaces it.
      if (&a < &b && (a.replaces || b.replaces) && !a.file.empty()
          && !b.file.empty() && !(&a == all && &b.file == &x.resume)
          && !is_device(a.file) && same(a.file, b.file))
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
  require(x.checkpoint_every.has_value(), "checkpoint_every", x.checkpoint,
          "checkpoint");
  require(!x.checkpoint_signal.empty(), "checkpoint_signal", x.checkpoint,
          "checkpoint");
  require(!x.backup.empty(), "backup", x.checkpoint, "checkpoint");
  require(x.resume_at.has_value(), "resume_at", x.resume, "resume");
  if (!x.replay.empty() && !(x.checkpoint.empty() && x.resume.empty()))
    throw std::invalid_argument(
      "rosia.replay repeats a recorded run from its beginning: it takes no "
      "checkpoints, and continues from none");
  require_own_names(x);
}

std::optional<checkpoint_name> choose_checkpoint(const options& x) {
  auto begins = x.resume == x.checkpoint && !x.resume_at;
  problems unreadable;
  auto sources = open_all(x.resume, unreadable);
  // The checkpoint may be in a file that cannot be read.
  auto require_readable = [&] {
    if (is_distributed(x))
      for (auto& name : all_process_names(x))
        if (auto i = unreadable.find(x.resume + '.' + name);
            i != unreadable.end())
          throw std::runtime_error(i->second);
  };
  if (sources.empty()) {
    require_readable();
    if (begins)
      return std::nullopt;
    if (is_blank(x.resume))
      database{x.resume, database::access::read}; // throws the error
    throw std::runtime_error(
      "rosia.resume: there is no file '" + x.resume
      + "'; name one that a run has written with rosia.checkpoint");
  }
  // Planned checkpoints may be later than the final tag, if they were taken
  // before it was decided. The run did not reach them. This includes final
  // checkpoints, if a lower final tag was decided later.
  auto precedes = [](const checkpoint& y, const checkpoint& z) {
    if (auto a = std::tie(y.number, y.final), b = std::tie(z.number, z.final);
        a != b)
      return a < b;
    return y.final ? z.tag < y.tag : y.tag < z.tag;
  };
  const checkpoint* best = nullptr;
  for (auto& from : sources)
    for (auto& candidate : from.all)
      if (candidate.complete && (!x.resume_at || candidate.tag == *x.resume_at)
          && (best == nullptr || precedes(*best, candidate)))
        best = &candidate;
  if (best != nullptr) {
    run_file::refuse_part(x.resume, best->process);
    return checkpoint_name{best->run, best->tag};
  }
  require_readable();
  if (begins)
    return std::nullopt;
  std::string known;
  for (auto& from : sources)
    for (auto& candidate : from.all)
      if (candidate.complete)
        known += (known.empty() ? "" : ", ") + to_string(candidate.tag);
  throw std::runtime_error(
    "rosia.resume: '" + x.resume + "' has no complete checkpoint"
    + (x.resume_at ? " at tag " + to_string(*x.resume_at) : std::string{})
    + (known.empty() ? "; without rosia.resume, the run begins anew"
                     : "; it has some at " + known));
}

std::unique_ptr<resumption> load_checkpoint(
  const std::string& file, const checkpoint_name& which,
  const run_file::graph_lines& graph) {
  std::vector<run_file::node_part> parts;
  auto found = false;
  auto ended = false;
  problems unreadable;
  for (auto& from : open_all(file, unreadable))
    for (auto& candidate : from.all) {
      if (!is_of(candidate, which))
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
      "rosia.resume: '" + file + "' does not have the checkpoint at tag "
      + to_string(which.tag)
      + " from which the coordinator continues; put the files of all processes "
        "into one folder");
  return std::make_unique<resumption>(
    which.run, which.tag, ended, std::move(parts));
}

std::int64_t number_run(const std::string& file, const std::string& continued) {
  std::error_code problem;
  if (!fs::exists(file, problem) || is_blank(file))
    return 1;
  database opened{file, database::access::read};
  auto last = run_file::last_run_number(opened);
  if (last > 0 && continued != file) {
    auto all = run_file::checkpoints_of(opened);
    if (std::any_of(all.begin(), all.end(), [](auto& x) { return x.complete; }))
      throw std::runtime_error(
        "rosia.checkpoint: '" + file
        + "' has checkpoints of an earlier run, which new ones would replace; "
          "set rosia.resume to the same file to continue it, or move it away");
  }
  return last + 1;
}

} // namespace caf::rosia::detail
