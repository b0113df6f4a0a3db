// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace caf::rosia::run_file {

class database;

/// A prepared statement. Not for several threads at a time; must not outlive
/// its database. Parameters are counted from 1, columns from 0, as in SQLite.
/// What fails throws std::runtime_error.
class statement {
public:
  /// @param purpose what the statement is for, e.g. "write a checkpoint": a
  ///        part of the texts of errors. Both must outlive the statement.
  statement(database& owner, const char* purpose, const char* sql);

  // -- parameters -------------------------------------------------------------

  statement& bind(int index, std::int64_t x);

  /// Text, which has to stay where it is until the statement has run.
  statement& bind(int index, std::string_view x);

  /// Bytes, which have to stay where they are until the statement has run.
  statement& bind_bytes(int index, std::span<const char> x);

  statement& bind_null(int index);

  // -- running ----------------------------------------------------------------

  /// Goes on to the next row. @returns false if there is none; the statement
  /// can be run again then.
  bool step();

  /// Runs it to its end; it can be run again then.
  void run();

  /// Lets it be run from its beginning, with all parameters null.
  void reset() noexcept;

  // -- the columns of a row ---------------------------------------------------

  bool is_null(int column) const noexcept;

  std::int64_t number(int column) const noexcept;

  std::string text(int column) const;

  std::vector<char> bytes(int column) const;

private:
  struct closer {
    void operator()(sqlite3_stmt* x) const noexcept;
  };

  void require(int code) const;

  database* owner_;
  const char* purpose_;
  std::unique_ptr<sqlite3_stmt, closer> handle_;
};

/// A run file: an SQLite database with the mark of this library. Not for
/// several threads at a time. What fails throws std::runtime_error, whose text
/// has the path, what was to be done, SQLite's words, and what to do about it.
class database {
public:
  enum class access {
    /// The file exists, and stays as it is unless a process was killed while
    /// it changed the file.
    read,
    /// The file is created if there is none, or if it is empty.
    write,
  };

  /// The format that is written. Files of a later one are refused.
  static constexpr std::int64_t format = 1;

  /// `PRAGMA application_id` of a run file: "Rosi".
  static constexpr std::int64_t application_id = 0x526f7369;

  database(std::string path, access how);

  database(const database&) = delete;

  database& operator=(const database&) = delete;

  const std::string& path() const noexcept {
    return path_;
  }

  /// SQLite's own handle, for interfaces that are not wrapped here.
  sqlite3* handle() const noexcept {
    return handle_.get();
  }

  /// Runs statements that return nothing.
  void execute(const char* purpose, const char* sql);

  /// A statement that is prepared by the first call, and kept: it is known by
  /// the place of `sql`, a literal. It is reset, its parameters are null.
  statement& prepared(const char* purpose, const char* sql);

  /// The row of the last INSERT.
  std::int64_t last_row() const noexcept;

  /// How many rows it has inserted, changed and deleted.
  std::int64_t changes() const noexcept;

  /// Refuses a file that is not where it was opened any more: nobody finds what
  /// is written to it.
  /// @throws std::runtime_error
  void require_in_place() const;

  /// @throws std::runtime_error that says why `purpose` failed, in SQLite's
  ///         words for the last call.
  [[noreturn]] void fail(const char* purpose) const;

private:
  friend class transaction;

  struct closer {
    void operator()(sqlite3* x) const noexcept;
  };

  /// @param flags as of sqlite3_open_v2.
  void open(int flags);

  bool is_read_only() const noexcept;

  /// Undoes what a process had not committed when it was killed. The connection
  /// may only read, so another one does this.
  void recover();

  /// Refuses a file that is no database, which SQLite would have no good words
  /// for.
  void check_magic();

  void check_format();

  void make_format();

  std::string path_;
  std::unique_ptr<sqlite3, closer> handle_;
  std::map<const char*, statement, std::less<>> prepared_;
};

/// What a commit outlives.
enum class durability {
  /// The end of the process, however it ends.
  process,
  /// The end of the machine, too: the disk has confirmed it.
  machine,
};

/// A transaction: what it does is undone unless it is committed.
class transaction {
public:
  explicit transaction(database& on, durability how = durability::process);

  transaction(const transaction&) = delete;

  transaction& operator=(const transaction&) = delete;

  ~transaction();

  /// If it throws, the transaction is undone.
  void commit();

private:
  database& on_;
  bool open_ = true;
};

} // namespace caf::rosia::run_file
