// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/database.hpp"

#include "base/file_kind.hpp"
#include "base/limit_advice.hpp"
#include "base/link_target.hpp"
#include "run_file/size_limit.hpp"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::run_file {

namespace {

/// The time that another process may lock the file, in milliseconds.
constexpr int busy_timeout = 5000;

[[noreturn]] void refuse(const std::string& path, const std::string& problem) {
  throw std::runtime_error(
    "run file '" + path + "': cannot open it: " + problem);
}

/// Returns advice for an error that the system reported to SQLite.
std::string_view advice_of_system(int reason) {
  switch (reason) {
    case EMFILE:
    case ENFILE:
      // The message of SQLite does not say so.
      return "; there are too many open files: raise the limit (ulimit -n, or "
             "LimitNOFILE of a service)";
    case 0: // SQLite does not know the reason, for example for data in memory
      return "; either the process may not write larger files (ulimit -f, or "
             "LimitFSIZE of a service), or the disk has errors, which are in "
             "the system's log";
    default: {
      auto known = detail::file_advice({reason, std::generic_category()});
      return known.empty() ? "; look for errors of the disk in the system's log"
                           : known;
    }
  }
}

/// Returns advice for an error of SQLite.
/// @param reason the system's error number; 0 if there is none.
std::string_view advice(int code, int reason) {
  switch (code & 0xff) {
    case SQLITE_FULL:
      return advice_of_system(ENOSPC);
    case SQLITE_IOERR:
      return advice_of_system(reason);
    case SQLITE_CANTOPEN:
      if (reason == EMFILE || reason == ENFILE)
        return advice_of_system(reason);
      [[fallthrough]];
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return "; check the permissions of the file and of its folder, where "
             "SQLite has files beside it";
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return "; the file is cut off or garbled: use a copy, or save what can "
             "be read of it with: sqlite3 FILE .recover";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return "; another process is writing the file: wait for its end, or name "
             "another file";
    case SQLITE_TOOBIG:
      return "; a value in the file has up to 1,000,000,000 bytes: divide it, "
             "for example into several states";
    case SQLITE_PROTOCOL:
      return "; has the program closed the file FILE-shm beside it, which it "
             "had not opened?";
    default:
      return "";
  }
}

/// Returns a name that SQLite treats as a plain path. ":memory:" and "file:..."
/// have another meaning.
std::string plain_name(const std::string& path) {
  return path.starts_with('/') ? path : "./" + path;
}

/// Returns the folder of the file that a path leads to, with a slash at its
/// end; empty for the working directory.
std::string folder_of(const std::string& path) {
  auto target = detail::link_target(path);
  return target.substr(0, target.rfind('/') + 1);
}

/// Returns the reason why SQLite cannot create files beside a file; empty if it
/// can.
std::string folder_problem(const std::string& path) {
  auto folder = folder_of(path);
  if (::faccessat(AT_FDCWD, folder.empty() ? "." : folder.c_str(), W_OK | X_OK,
                  AT_EACCESS)
      == 0)
    return {};
  return std::string{"nothing can be created in its folder: "}
         + std::strerror(errno);
}

/// Refuses files for which SQLite's messages would be unclear. Does not open
/// the file: closing a file would drop the process's SQLite locks on it.
void check_file(const std::string& path, database::access mode) {
  if (path.empty())
    refuse(path, "its name is empty; name a file");
  auto require_folder = [&] {
    if (auto problem = folder_problem(path); !problem.empty())
      refuse(path, problem + "; check the permissions of the folder");
  };
  struct stat status;
  if (stat(path.c_str(), &status) != 0) {
    auto reason = errno;
    if (mode == database::access::read)
      refuse(path, std::string{std::strerror(reason)}
                     + "; name a file that a run wrote");
    auto folder = folder_of(path);
    if (reason == ENOENT && !folder.empty()
        && stat(folder.c_str(), &status) != 0)
      refuse(path, "there is no folder '" + folder + "'; create it before");
    if (reason != ENOENT)
      refuse(path, std::string{std::strerror(reason)} + "; name another file");
    require_folder();
    return;
  }
  if (S_ISDIR(status.st_mode))
    refuse(path, "it is a folder; name a file in it");
  if (!S_ISREG(status.st_mode))
    refuse(path, "it is no regular file; name one");
  if (mode == database::access::write)
    require_folder();
  if (status.st_size == 0) {
    if (mode == database::access::write)
      return;
    refuse(path, "it is empty; name a file that a run wrote");
  }
  if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
    refuse(path, std::string{std::strerror(errno)}
                   + "; check the permissions of the file");
}

} // namespace

// -- statement ----------------------------------------------------------------

void statement::closer::operator()(sqlite3_stmt* x) const noexcept {
  sqlite3_finalize(x);
}

statement::statement(database& owner, const char* purpose, const char* sql)
  : owner_(&owner), purpose_(purpose) {
  sqlite3_stmt* prepared = nullptr;
  require(sqlite3_prepare_v3(
    owner.handle(), sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared, nullptr));
  handle_.reset(prepared);
}

statement& statement::bind(int index, std::int64_t x) {
  require(sqlite3_bind_int64(handle_.get(), index, x));
  return *this;
}

statement& statement::bind(int index, std::string_view x) {
  // A null pointer would bind NULL.
  auto* data = x.data() == nullptr ? "" : x.data();
  require(sqlite3_bind_text64(
    handle_.get(), index, data, x.size(), SQLITE_STATIC, SQLITE_UTF8));
  return *this;
}

statement& statement::bind_bytes(int index, std::span<const char> x) {
  const void* data = x.empty() ? "" : static_cast<const void*>(x.data());
  require(
    sqlite3_bind_blob64(handle_.get(), index, data, x.size(), SQLITE_STATIC));
  return *this;
}

statement& statement::bind_null(int index) {
  require(sqlite3_bind_null(handle_.get(), index));
  return *this;
}

bool statement::step() {
  auto code = sqlite3_step(handle_.get());
  if (code == SQLITE_ROW)
    return true;
  if (code != SQLITE_DONE)
    require(code);
  sqlite3_reset(handle_.get());
  return false;
}

void statement::run() {
  while (step()) {
    // nop
  }
}

void statement::reset() noexcept {
  sqlite3_reset(handle_.get());
  sqlite3_clear_bindings(handle_.get());
}

bool statement::is_null(int column) const noexcept {
  return sqlite3_column_type(handle_.get(), column) == SQLITE_NULL;
}

std::int64_t statement::number(int column) const noexcept {
  return sqlite3_column_int64(handle_.get(), column);
}

std::string statement::text(int column) const {
  auto* data = sqlite3_column_text(handle_.get(), column);
  auto size = sqlite3_column_bytes(handle_.get(), column);
  return {reinterpret_cast<const char*>(data), static_cast<std::size_t>(size)};
}

std::vector<char> statement::bytes(int column) const {
  auto* data
    = static_cast<const char*>(sqlite3_column_blob(handle_.get(), column));
  return {data, data + sqlite3_column_bytes(handle_.get(), column)};
}

void statement::require(int code) const {
  if (code == SQLITE_OK)
    return;
  // Reset the statement, but report the failure first.
  try {
    owner_->fail(purpose_);
  } catch (...) {
    sqlite3_reset(handle_.get());
    throw;
  }
}

// -- database -----------------------------------------------------------------

void database::closer::operator()(sqlite3* x) const noexcept {
  size_limit_is_error limit; // closing may write
  sqlite3_close_v2(x);
}

database::database(std::string path, access mode) : path_(std::move(path)) {
  size_limit_is_error limit; // SQLite writes files beside it, even for reading
  check_file(path_, mode);
  if (mode == access::write) {
    open(SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE);
    // SQLite falls back to reading if it cannot write.
    if (is_read_only())
      refuse(path_, "it may not be written; check its permissions");
  } else {
    open(SQLITE_OPEN_READONLY);
    recover();
  }
  check_magic(mode);
  check_format();
}

void database::open(int flags) {
  sqlite3* opened = nullptr;
  auto code = sqlite3_open_v2(
    plain_name(path_).c_str(), &opened, flags | SQLITE_OPEN_NOMUTEX, nullptr);
  handle_.reset(opened);
  if (code != SQLITE_OK)
    fail("open it");
  sqlite3_extended_result_codes(opened, 1);
  sqlite3_busy_timeout(opened, busy_timeout);
}

bool database::is_read_only() const noexcept {
  return sqlite3_db_readonly(handle(), "main") == 1;
}

void database::recover() {
  auto read = [this] {
    return sqlite3_exec(handle(), "SELECT 1 FROM sqlite_schema LIMIT 1",
                        nullptr, nullptr, nullptr);
  };
  // Other problems are found later.
  if (read() == SQLITE_OK
      || sqlite3_extended_errcode(handle()) != SQLITE_READONLY_ROLLBACK)
    return;
  auto problem = folder_problem(path_);
  if (problem.empty()) {
    open(SQLITE_OPEN_READWRITE);
    if (is_read_only())
      problem = "it may not be written";
    else if (read() != SQLITE_OK)
      problem = sqlite3_errmsg(handle());
  }
  if (!problem.empty())
    refuse(
      path_,
      "a process was killed while it changed the file, and the change "
      "cannot be undone ("
        + problem
        + "); make the file and its folder writable, or copy the file and '"
        + detail::link_target(path_)
        + "-journal' to another folder and name the copy");
  open(SQLITE_OPEN_READONLY);
}

void database::check_magic(access mode) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(handle(), "main", SQLITE_FCNTL_FILE_POINTER, &file);
  sqlite3_int64 size = 0;
  if (file == nullptr || file->pMethods == nullptr
      || file->pMethods->xFileSize(file, &size) != SQLITE_OK || size == 0)
    return; // new, or SQLite reports the problem
  constexpr std::string_view magic{"SQLite format 3\0", 16};
  std::array<char, detail::bytes_of_kind> begin{};
  auto length
    = std::min<std::size_t>(begin.size(), static_cast<std::size_t>(size));
  if (file->pMethods->xRead(file, begin.data(), static_cast<int>(length), 0)
      != SQLITE_OK)
    return;
  std::string_view content{begin.data(), length};
  if (!magic.starts_with(content.substr(0, magic.size())))
    refuse(
      path_,
      "it is " + std::string{to_string(detail::kind_of(content))}
        + ", no database of SQLite; name a file that a run "
          "wrote"
        + (mode == access::read ? "" : ", or one that does not exist yet"));
  if (length < magic.size())
    refuse(path_, "it is cut off; use a copy of it");
}

void database::check_format() {
  auto number = [this](const char* sql) {
    statement query{*this, "open it", sql};
    return query.step() ? query.number(0) : 0;
  };
  auto id = number("PRAGMA application_id");
  if (id == 0 && number("SELECT count(*) FROM sqlite_schema") == 0) {
    // It is empty, or its creator was killed before it wrote the mark.
    if (!is_read_only())
      make_format();
    return;
  }
  if (id != application_id)
    refuse(path_, "it is a database of another application; name another file");
  if (auto found = number("PRAGMA user_version"); found > format)
    refuse(path_,
           "its format is " + std::to_string(found)
             + ", and this program knows those up to " + std::to_string(format)
             + "; use the program that wrote it, or a newer one");
  if (!is_read_only())
    execute(
      "open it", "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
}

void database::make_format() {
  // Readers do not wait for the writer, nor the writer for the disk.
  execute("open it", "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  auto mark
    = "BEGIN IMMEDIATE; PRAGMA application_id = "
      + std::to_string(application_id)
      + "; PRAGMA user_version = " + std::to_string(format) + "; COMMIT";
  execute("open it", mark.c_str());
}

void database::execute(const char* purpose, const char* sql) {
  if (!unusable_.empty())
    throw std::runtime_error(unusable_);
  if (sqlite3_exec(handle(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail(purpose);
}

statement& database::prepared(const char* purpose, const char* sql) {
  auto found = prepared_.find(sql);
  if (found == prepared_.end())
    found = prepared_.emplace(sql, statement{*this, purpose, sql}).first;
  found->second.reset();
  return found->second;
}

std::int64_t database::last_row() const noexcept {
  return sqlite3_last_insert_rowid(handle());
}

std::int64_t database::changes() const noexcept {
  return sqlite3_total_changes64(handle());
}

void database::require_in_place() const {
  auto moved = 0;
  sqlite3_file_control(handle(), "main", SQLITE_FCNTL_HAS_MOVED, &moved);
  if (moved != 0)
    throw std::runtime_error(
      "run file '" + path_
      + "': it was deleted, moved or replaced while it was being written, and "
        "what was written since then is lost; leave it where it is until the "
        "program ended");
}

void database::fail(const char* purpose) {
  auto* connection = handle();
  auto code
    = connection == nullptr
        ? SQLITE_NOMEM
        : sqlite3_extended_errcode(connection);
  std::string words
    = connection == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(connection);
  // SQLite has one message for all errors of the disk.
  auto reason = 0;
  if ((code & 0xff) == SQLITE_IOERR || (code & 0xff) == SQLITE_CANTOPEN)
    reason = sqlite3_system_errno(connection);
  if (reason != 0)
    words += std::string{" ("} + std::strerror(reason) + ")";
  auto text = "run file '" + path_ + "': cannot " + purpose + ": " + words;
  text += advice(code, reason);
  if (code == SQLITE_PROTOCOL)
    unusable_ = text;
  throw std::runtime_error(text);
}

// -- transaction --------------------------------------------------------------

transaction::transaction(database& on, durability level) : on_(on) {
  on_.execute(
    "write",
    level == durability::machine
      ? "PRAGMA synchronous = FULL"
      : "PRAGMA synchronous = NORMAL");
  on_.execute("write", "BEGIN IMMEDIATE");
}

transaction::~transaction() {
  // SQLite rolls back some failures itself.
  if (open_ && sqlite3_get_autocommit(on_.handle()) == 0)
    sqlite3_exec(on_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void transaction::commit() {
  on_.execute("write", "COMMIT");
  open_ = false;
}

} // namespace caf::rosia::run_file
