// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "database.hpp"

#include <utility>

#include <sqlite3.h>

namespace existing_service {

namespace {

const char* hint_for(int code) {
  switch (code & 0xff) { // the upper bits are details
    case SQLITE_CANTOPEN:
      return " (does it, or at least its folder, exist, and may you use it?)";
    case SQLITE_READONLY:
    case SQLITE_PERM:
      return " (may you write to the file and to its folder?)";
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return " (is another process using it?)";
    case SQLITE_NOTADB:
      return " (name another file, or remove this one)";
    case SQLITE_ERROR:
      return " (does it belong to another program?)";
    case SQLITE_FULL:
      return " (is the disk full?)";
    case SQLITE_IOERR:
      return " (is the disk full, or may you not write to its folder?)";
    default:
      return "";
  }
}

/// Returns a name that SQLite always takes for a file. The bare names
/// ":memory:" and "file:..." have a special meaning.
std::string plain_name(const std::string& file) {
  return file.starts_with('/') ? file : "./" + file;
}

std::string text_at(sqlite3_stmt* row, int column) {
  const auto* text = sqlite3_column_text(row, column);
  const auto size = sqlite3_column_bytes(row, column);
  return text == nullptr
           ? std::string{}
           : std::string{reinterpret_cast<const char*>(text),
                         static_cast<std::size_t>(size)};
}

} // namespace

void database::closer::operator()(sqlite3* x) const noexcept {
  sqlite3_close(x);
}

void database::closer::operator()(sqlite3_stmt* x) const noexcept {
  sqlite3_finalize(x);
}

database::database(std::string file, access use) : file_{std::move(file)} {
  sqlite3* opened = nullptr;
  const auto writes = use == access::write;
  // A reader without write permission would leave the files of the write-ahead
  // log behind. SQLite itself falls back to reading if the file is read-only.
  const auto flags = SQLITE_OPEN_READWRITE | (writes ? SQLITE_OPEN_CREATE : 0);
  const auto code
    = sqlite3_open_v2(plain_name(file_).c_str(), &opened, flags, nullptr);
  handle_.reset(opened); // set after an error, too
  if (code != SQLITE_OK)
    fail("it cannot be opened");
  // In normal locking mode, a write-ahead log needs another file as shared
  // memory.
  execute("PRAGMA locking_mode = EXCLUSIVE");
  if (!writes)
    return;
  // With a write-ahead log, NORMAL survives the end of the process, however it
  // ends. FULL would also survive a loss of power, but wait for the disk at
  // each request.
  execute("PRAGMA journal_mode = WAL");
  execute("PRAGMA synchronous = NORMAL");
  execute("BEGIN EXCLUSIVE");
  execute("CREATE TABLE IF NOT EXISTS entries (row INTEGER PRIMARY KEY, "
          "key TEXT UNIQUE NOT NULL, value TEXT NOT NULL, "
          "checksum INTEGER NOT NULL)");
  execute("COMMIT");
  insert_
    = prepare("INSERT INTO entries (key, value, checksum) VALUES (?, ?, ?)");
}

std::int64_t database::insert(const entry& x) {
  bind(insert_, 1, x.key);
  bind(insert_, 2, x.value);
  bind(insert_, 3, std::int64_t{x.checksum});
  step(insert_, "an entry cannot be stored");
  return sqlite3_last_insert_rowid(handle_.get());
}

std::int64_t database::last_row() {
  const auto query = prepare("SELECT coalesce(max(row), 0) FROM entries");
  step(query, "the last row cannot be read");
  return sqlite3_column_int64(query.get(), 0);
}

std::vector<std::string> database::keys() {
  const auto query = prepare("SELECT key FROM entries ORDER BY row");
  std::vector<std::string> result;
  while (step(query, "the keys cannot be read"))
    result.push_back(text_at(query.get(), 0));
  return result;
}

std::vector<entry> database::entries_after(std::int64_t row) {
  const auto query = prepare(
    "SELECT key, value, checksum FROM entries WHERE row > ? ORDER BY row");
  bind(query, 1, row);
  std::vector<entry> result;
  // Another program may have stored values of any type. A converted value does
  // not match its checksum.
  while (step(query, "the entries cannot be read"))
    result.push_back(
      {text_at(query.get(), 0), text_at(query.get(), 1),
       static_cast<std::uint32_t>(sqlite3_column_int64(query.get(), 2))});
  return result;
}

void database::fail(const std::string& action) const {
  auto* x = handle_.get();
  throw database_error{"database " + file_ + ": " + action + ": "
                       + sqlite3_errmsg(x) + hint_for(sqlite3_errcode(x))};
}

void database::execute(const char* sql) {
  if (sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK)
    fail("it cannot be used");
}

database::statement database::prepare(const char* sql) {
  sqlite3_stmt* result = nullptr;
  if (sqlite3_prepare_v2(handle_.get(), sql, -1, &result, nullptr) != SQLITE_OK)
    fail("it cannot be used");
  return statement{result};
}

void database::bind(const statement& to, int index, const std::string& text) {
  // Not copied: the text outlives the step.
  if (sqlite3_bind_text64(
        to.get(), index, text.data(), text.size(), SQLITE_STATIC, SQLITE_UTF8)
      != SQLITE_OK)
    fail("a text is not accepted");
}

void database::bind(const statement& to, int index, std::int64_t number) {
  if (sqlite3_bind_int64(to.get(), index, number) != SQLITE_OK)
    fail("a number is not accepted");
}

bool database::step(const statement& x, const char* action) {
  const auto code = sqlite3_step(x.get());
  if (code == SQLITE_ROW)
    return true;
  // Ends the statement, and its implicit transaction.
  if (sqlite3_reset(x.get()) != SQLITE_OK || code != SQLITE_DONE)
    fail(action);
  return false;
}

} // namespace existing_service
