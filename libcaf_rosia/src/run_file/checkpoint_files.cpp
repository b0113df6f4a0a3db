// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/checkpoint_files.hpp"

#include "base/text.hpp"
#include "run_file/recording.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>

namespace caf::rosia::run_file {

namespace {

/// The files of one run, with the names of its origins. Files of earlier
/// versions have an origin for each of its starts.
struct run_files {
  std::set<std::string_view> origins;
  std::vector<const checkpoint_file*> files;

  bool is_same_run(const run_files& other) const {
    return std::any_of(origins.begin(), origins.end(), [&](auto x) {
      return other.origins.contains(x);
    });
  }

  void merge(run_files& other) {
    origins.merge(other.origins);
    files.insert(files.begin(), other.files.begin(), other.files.end());
  }
};

} // namespace

bool checkpoint_file::has_complete() const {
  return std::any_of(all.begin(), all.end(), [](auto& x) {
    return x.complete;
  });
}

bool is_blank(const std::string& file) {
  namespace fs = std::filesystem;
  std::error_code problem;
  return fs::is_regular_file(file, problem)
         && fs::file_size(file, problem) == 0;
}

std::vector<checkpoint_file> open_checkpoint_files(
  const std::string& path, unreadable_files& unreadable, database::access mode,
  const std::set<std::string>& omitted) {
  std::vector<checkpoint_file> result;
  for (auto& file : files_of(path)) {
    if (omitted.contains(file) || is_blank(file))
      continue;
    try {
      auto opened = std::make_unique<database>(file, mode);
      auto all = checkpoints_of(*opened);
      std::erase_if(all, [&](auto& x) {
        return !is_file_of(file, path, x.process);
      });
      result.push_back({std::move(opened), std::move(all)});
    } catch (const std::runtime_error& problem) {
      if (file == path)
        throw;
      unreadable[file] = problem.what();
    }
  }
  return result;
}

const checkpoint* last_complete(
  const std::vector<checkpoint_file>& files, std::optional<logical_time> at) {
  // Planned checkpoints may be later than the final tag, if they were taken
  // before it was decided. The run did not reach them. This includes final
  // checkpoints, if a lower final tag was decided later.
  auto precedes = [](const checkpoint& x, const checkpoint& y) {
    if (auto a = std::tie(x.number, x.final), b = std::tie(y.number, y.final);
        a != b)
      return a < b;
    return x.final ? y.tag < x.tag : x.tag < y.tag;
  };
  const checkpoint* result = nullptr;
  for (auto& file : files)
    for (auto& x : file.all)
      if (x.complete && (!at || x.tag == *at)
          && (result == nullptr || precedes(*result, x)))
        result = &x;
  return result;
}

std::string mixture_in(const std::string& path,
                       const std::vector<checkpoint_file>& files) {
  std::vector<run_files> runs;
  for (auto& file : files) {
    run_files run{{}, {&file}};
    for (auto& x : file.all)
      if (x.complete)
        run.origins.insert(origin_of(x.run));
    if (run.origins.empty())
      continue;
    std::erase_if(runs, [&](auto& known) {
      auto same = known.is_same_run(run);
      if (same)
        run.merge(known);
      return same;
    });
    runs.push_back(std::move(run));
  }
  if (runs.size() < 2)
    return {};
  std::string result
    = "the files of '" + path + "' have checkpoints of different runs: ";
  for (auto& run : runs)
    result += (&run == runs.data() ? "" : "; ") + describe(run.files);
  return result + "; move the files of all runs but one to another folder";
}

std::string describe(const std::vector<const checkpoint_file*>& files) {
  std::vector<std::string> names;
  const checkpoint* last = nullptr;
  for (auto* file : files) {
    names.push_back(file->file->path());
    for (auto& x : file->all)
      if (x.complete && (last == nullptr || last->date < x.date))
        last = &x;
  }
  return detail::quoted_list(names) + " ("
         + detail::plural(
           static_cast<std::size_t>(last->processes), "process", "processes")
         + ", last checkpoint at tag " + to_string(last->tag) + ", "
         + last->date + ')';
}

} // namespace caf::rosia::run_file
