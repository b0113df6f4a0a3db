// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/backup.hpp"

#include "run_file/database.hpp"
#include "run_file/size_limit.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace caf::rosia::run_file {

namespace {

void copy_pages(database& from, database& to) {
  auto* backup
    = sqlite3_backup_init(to.handle(), "main", from.handle(), "main");
  if (backup == nullptr)
    to.fail("copy to it");
  auto code = sqlite3_backup_step(backup, -1);
  sqlite3_backup_finish(backup);
  if (code != SQLITE_DONE)
    to.fail("copy to it");
}

/// The copy's name until it is complete.
std::string unfinished_name(const std::string& to) {
  return to + ".part";
}

void remove_unfinished(const std::string& name) {
  std::error_code ignored;
  for (auto suffix : {"", "-wal", "-shm", "-journal"})
    std::filesystem::remove(name + suffix, ignored);
}

/// Does something for a copy. What fails says what was to be copied.
template <class Fun>
void for_copy(const std::string& to, Fun&& fun) {
  auto unfinished = unfinished_name(to);
  remove_unfinished(unfinished);
  size_limit_is_error limit;
  try {
    fun(unfinished);
  } catch (const std::exception& e) {
    remove_unfinished(unfinished);
    throw std::runtime_error(
      "rosia.backup: there cannot be a copy '" + to + "': " + e.what());
  }
}

} // namespace

void check_backup(const std::string& to) {
  for_copy(to, [&](auto& unfinished) {
    std::error_code ignored;
    // What is replaced has to be such a copy, or empty.
    if (std::filesystem::exists(to, ignored)
        && !(std::filesystem::is_regular_file(to, ignored)
             && std::filesystem::file_size(to, ignored) == 0))
      database{to, database::access::read};
    database{unfinished, database::access::write};
    remove_unfinished(unfinished);
  });
}

void back_up(const std::string& from, const std::string& to) {
  for_copy(to, [&](auto& unfinished) {
    {
      database source{from, database::access::read};
      database target{unfinished, database::access::write};
      target.execute("copy to it", "PRAGMA synchronous = FULL");
      copy_pages(source, target);
      target.execute("close it", "PRAGMA journal_mode = DELETE");
    }
    if (std::rename(unfinished.c_str(), to.c_str()) != 0)
      throw std::runtime_error(std::strerror(errno));
  });
}

} // namespace caf::rosia::run_file
