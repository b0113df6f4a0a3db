// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/run_file_kind.hpp"

#include "rosia_trace/table.hpp"

#include "base/file_kind.hpp"
#include "run_file/checkpoints.hpp"
#include "run_file/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace rosia_trace {

namespace {

namespace run_file = caf::rosia::run_file;

using caf::rosia::detail::file_kind;
using run_file::database;

file_kind kind_of_file(const std::string& path) {
  std::string begin(caf::rosia::detail::bytes_of_kind, '\0');
  std::ifstream file{path, std::ios::binary};
  file.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(file.gcount()));
  return caf::rosia::detail::kind_of(begin);
}

bool is_regular(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

std::uint64_t count_runs(database& file) {
  if (!run_file::has_recording(file))
    return 0;
  run_file::statement query{
    file, "read the recording", "SELECT count(*) FROM run"};
  return query.step() ? static_cast<std::uint64_t>(query.number(0)) : 0;
}

} // namespace

bool is_run_file(const std::string& path) {
  if (path == "-")
    return false;
  auto is_database = [](auto& x) {
    return is_regular(x) && kind_of_file(x) == file_kind::database;
  };
  if (std::filesystem::exists(path))
    return is_database(path);
  return std::ranges::any_of(run_file::files_of(path), is_database);
}

std::string describe_run_file(database& file) {
  auto runs = count_runs(file);
  auto checkpoints = run_file::checkpoints_of(file).size();
  std::string result = "a run file with ";
  if (runs > 0)
    result += counted(runs, "recorded run");
  if (runs > 0 && checkpoints > 0)
    result += " and ";
  if (checkpoints > 0)
    result += counted(checkpoints, "checkpoint");
  return runs + checkpoints > 0
           ? result
           : "a run file without runs and checkpoints";
}

std::string describe_database(const std::string& path) {
  try {
    database file{path, database::access::read};
    return describe_run_file(file);
  } catch (const std::runtime_error&) {
    return std::string{to_string(file_kind::database)};
  }
}

std::string describe_file(const std::string& path) {
  if (path == "-")
    return "standard input";
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored))
    return "a folder";
  if (!is_regular(path))
    return "no file";
  auto kind = kind_of_file(path);
  return kind == file_kind::database
           ? describe_database(path)
           : std::string{to_string(kind)};
}

void refuse_unrecorded(const std::string& path) {
  for (auto& name : run_file::files_of(path)) {
    database file{name, database::access::read};
    if (!run_file::checkpoints_of(file).empty())
      throw std::runtime_error(
        name + ": it is " + describe_run_file(file)
        + ", and has no recording; record a run with --rosia.record.file");
  }
  run_file::refuse_unrecorded(path);
}

void require_recording(const std::string& path) {
  auto has_recording = [](auto& name) {
    try {
      database file{name, database::access::read};
      return run_file::has_recording(file);
    } catch (const std::runtime_error&) {
      return true; // reading it reports the error
    }
  };
  if (std::ranges::none_of(run_file::files_of(path), has_recording))
    refuse_unrecorded(path);
}

} // namespace rosia_trace
