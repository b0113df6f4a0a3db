// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/output_locks.hpp"

#include "base/link_target.hpp"
#include "base/standard_streams.hpp"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <stdexcept>
#include <system_error>

#include <sys/stat.h>

namespace caf::rosia::detail {

void output_locks::add(const char* option, const std::string& file) {
  if (file.empty() || has(file))
    return;
  if (is_standard_stream(file))
    throw std::runtime_error(
      std::string{"rosia."} + option + ": '" + file
      + "' is the file to which the program's own output goes, so that one "
        "would overwrite the other; name another file");
  try {
    locks_.emplace_back(file);
    if (is_missing(file))
      new_files_.push_back(link_target(file));
  } catch (const std::runtime_error& problem) {
    throw std::runtime_error(
      std::string{"rosia."} + option + ": " + problem.what());
  }
}

void output_locks::add_in_place(const char* option, const std::string& file) {
  add(option, file);
  struct stat status;
  if (stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)
      && status.st_nlink > 1)
    throw std::runtime_error(
      std::string{"rosia."} + option + ": '" + file + "' has "
      + std::to_string(status.st_nlink)
      + " names (hard links), so another program could write it at the same "
        "time; copy the file, and name the copy");
}

std::string output_locks::other_writer_of(const std::string& file) const {
  return has(file) ? std::string{} : writer_of(file);
}

void output_locks::require_unwritten(
  const char* option, const std::string& file) const {
  if (auto writer = other_writer_of(file); !writer.empty())
    throw std::runtime_error(
      std::string{"rosia."} + option + ": '" + file + "' is being written by "
      + writer + "; wait for its end, or name another file, such as a copy");
}

void output_locks::remove_new() const noexcept {
  std::error_code ignored;
  for (auto& file : new_files_)
    for (auto suffix : {"", "-wal", "-shm"})
      std::filesystem::remove(file + suffix, ignored);
}

void output_locks::keep() {
  static std::mutex mutex;
  static auto& kept = *new std::vector<write_lock>;
  std::lock_guard guard{mutex};
  std::move(locks_.begin(), locks_.end(), std::back_inserter(kept));
  locks_.clear();
}

bool output_locks::has(const std::string& file) const {
  auto name = write_lock::name_beside(file);
  return std::any_of(locks_.begin(), locks_.end(), [&](auto& x) {
    return x.name() == name;
  });
}

} // namespace caf::rosia::detail
