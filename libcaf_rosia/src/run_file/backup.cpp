// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/backup.hpp"

#include "base/duration.hpp"
#include "base/link_target.hpp"
#include "run_file/checkpoint_files.hpp"
#include "run_file/database.hpp"
#include "run_file/disk_wait.hpp"
#include "run_file/size_limit.hpp"

#include <sqlite3.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <future>
#include <memory>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

namespace caf::rosia::run_file {

namespace {

/// The number of pages of each step.
constexpr int pages_at_a_time = 1024;

/// The number of steps so far, for the waiting thread.
using step_count = std::atomic<std::uint64_t>;

void copy_pages(database& from, database& to, step_count& steps) {
  // Lock the state. Otherwise the backup would restart after each write to the
  // file.
  from.execute("read it", "BEGIN; SELECT count(*) FROM sqlite_schema");
  auto* backup
    = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (backup == nullptr)
    to.fail("copy to it");
  auto code = SQLITE_OK;
  while (code == SQLITE_OK) {
    code = sqlite3_backup_step(backup, pages_at_a_time);
    ++steps;
  }
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE)
    to.fail("copy to it");
}

/// Returns the name of an incomplete copy.
std::string unfinished_name(const std::string& to) {
  return to + ".part";
}

/// Removes files that SQLite would read as parts of the file.
void remove_beside(const std::string& name) {
  std::error_code ignored;
  for (auto suffix : {"-wal", "-shm", "-journal"})
    std::filesystem::remove(name + suffix, ignored);
}

void remove_unfinished(const std::string& name) {
  std::error_code ignored;
  std::filesystem::remove(name, ignored);
  remove_beside(name);
}

/// Moves all content into the file itself. SQLite would read files beside it as
/// parts of its replacement.
void make_whole(const std::string& file) {
  std::error_code ignored;
  auto is_there = [&](const char* suffix) {
    return std::filesystem::exists(file + suffix, ignored);
  };
  if (is_there("") && (is_there("-wal") || is_there("-journal")))
    database{file, database::access::write}.execute(
      "close it", "PRAGMA journal_mode = DELETE");
  remove_beside(file);
}

/// Runs a part of a copy. Adds the names of the files to its errors.
/// @param fun gets the name of the copy, and that of the incomplete copy.
template <class Fun>
void for_copy(const std::string& to, Fun&& fun) {
  auto target = detail::link_target(to);
  auto unfinished = unfinished_name(target);
  remove_unfinished(unfinished);
  size_limit_is_error limit;
  try {
    fun(target, unfinished);
  } catch (const std::exception& e) {
    remove_unfinished(unfinished);
    throw std::runtime_error(
      "rosia.checkpoint.backup: there cannot be a copy '" + to
      + "': " + e.what());
  }
}

void back_up(const std::string& from, const std::string& to,
             step_count& steps) {
  for_copy(to, [&](auto& target, auto& unfinished) {
    {
      database source{from, database::access::read};
      database copy{unfinished, database::access::write};
      copy.execute("copy to it", "PRAGMA synchronous = FULL");
      copy_pages(source, copy, steps);
      copy.execute("close it", "PRAGMA journal_mode = DELETE");
    }
    make_whole(target);
    if (std::rename(unfinished.c_str(), target.c_str()) != 0)
      throw std::runtime_error(std::strerror(errno));
  });
}

} // namespace

void check_backup(const std::string& to) {
  for_copy(to, [&](auto& target, auto& unfinished) {
    // Only an older copy, or an empty file, may be replaced.
    if (!detail::is_missing(target) && !is_blank(target))
      database{target, database::access::read_before_write};
    database{unfinished, database::access::write};
    remove_unfinished(unfinished);
  });
}

void back_up(const std::string& from, const std::string& to) {
  step_count steps = 0;
  back_up(from, to, steps);
}

void back_up(const std::string& from, const std::string& to,
             std::chrono::nanoseconds patience) {
  auto steps = std::make_shared<step_count>(0);
  std::packaged_task<void()> copy{[=] { back_up(from, to, *steps); }};
  auto copied = copy.get_future();
  std::thread thread{std::move(copy)};
  if (!wait_for_disk(copied, *steps, patience)) {
    thread.detach(); // a thread that waits for a disk cannot be stopped
    throw std::runtime_error(
      "rosia.checkpoint.backup: '" + from + "' could not be copied to '" + to
      + "': nothing was written for " + detail::time_text(patience)
      + ": the disk does not respond, or another process holds the file");
  }
  thread.join();
  copied.get();
}

} // namespace caf::rosia::run_file
