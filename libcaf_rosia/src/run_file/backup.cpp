// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/backup.hpp"

#include "run_file/database.hpp"

#include <sqlite3.h>

#include <cerrno>
#include <cstring>
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

} // namespace

void back_up(const std::string& from, const std::string& to) {
  auto unfinished = to + ".part";
  std::error_code ignored;
  std::filesystem::remove(unfinished, ignored);
  try {
    database source{from, database::access::read};
    database target{unfinished, database::access::write};
    target.execute("copy to it", "PRAGMA synchronous = FULL");
    copy_pages(source, target);
    target.execute("close it", "PRAGMA journal_mode = DELETE");
  } catch (...) {
    for (auto suffix : {"", "-wal", "-shm", "-journal"})
      std::filesystem::remove(unfinished + suffix, ignored);
    throw;
  }
  if (std::rename(unfinished.c_str(), to.c_str()) != 0)
    throw std::runtime_error(
      "the copy of run file '" + from + "' cannot be named '" + to
      + "': " + std::strerror(errno));
}

} // namespace caf::rosia::run_file
