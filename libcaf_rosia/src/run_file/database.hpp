// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

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

/// A prepared statement. One thread at a time may use it; it must not outlive
/// its database. Parameters are counted from 1, columns from 0, as in SQLite.
/// All functions throw std::runtime_error on errors. Tests:
/// test/run_file/database_test.cpp.
class statement {
public:
  /// @param purpose the purpose of the statement, such as "write a checkpoint",
  ///   for error messages. Both texts must outlive the statement.
  statement(database& owner, const char* purpose, const char* sql);

  // -- parameters -------------------------------------------------------------

  statement& bind(int index, std::int64_t x);

  /// Binds a text, which must stay valid until the statement has run.
  statement& bind(int index, std::string_view x);

  /// Binds bytes, which must stay valid until the statement has run.
  statement& bind_bytes(int index, std::span<const char> x);

  statement& bind_null(int index);

  // -- running ----------------------------------------------------------------

  /// Advances to the next row.
  /// @returns false if there is none. The statement can then run again.
  bool step();

  /// Runs the statement to its end. It can then run again.
  void run();

  /// Resets the statement, and sets all parameters to null.
  void reset() noexcept;

  // -- the columns of a row ---------------------------------------------------

  bool is_null(int column) const noexcept;

  std::int64_t number(int column) const noexcept;

  std::string text(int column) const;

  std::vector<char> bytes(int column) const;

  /// @param column that of the nanoseconds; the microstep is in the next one.
  logical_time tag(int column) const noexcept {
    return {number(column), static_cast<std::uint32_t>(number(column + 1))};
  }

private:
  struct closer {
    void operator()(sqlite3_stmt* x) const noexcept;
  };

  void require(int code) const;

  database* owner_;
  const char* purpose_;
  std::unique_ptr<sqlite3_stmt, closer> handle_;
};

/// A run file: an SQLite database with the mark of this library. One thread at
/// a time may use it. All functions throw std::runtime_error on errors, with
/// the path, the purpose, SQLite's message, and advice. Tests:
/// test/run_file/database_test.cpp.
class database {
public:
  enum class access {
    /// The file must exist. It is not changed, unless a process was killed
    /// while it changed the file.
    read,
    /// As `read`, for a file that will be written or replaced.
    read_before_write,
    /// The file is created if it does not exist or is empty.
    write,
  };

  /// The format that is written. Files of a later format are refused.
  static constexpr std::int64_t format = 1;

  /// `PRAGMA application_id` of a run file: "Rosi".
  static constexpr std::int64_t application_id = 0x526f7369;

  database(std::string path, access mode);

  database(const database&) = delete;

  database& operator=(const database&) = delete;

  const std::string& path() const noexcept {
    return path_;
  }

  /// Returns SQLite's handle, for interfaces that are not wrapped here.
  sqlite3* handle() const noexcept {
    return handle_.get();
  }

  /// Runs statements without results.
  void execute(const char* purpose, const char* sql);

  /// Returns a statement, which is prepared by the first call and then cached
  /// by the address of `sql`, a literal. It is reset, and its parameters are
  /// null.
  statement& prepared(const char* purpose, const char* sql);

  /// Returns the row of the last INSERT.
  std::int64_t last_row() const noexcept;

  /// Returns the number of rows that were inserted, changed and deleted.
  std::int64_t changes() const noexcept;

  /// Refuses a file that was moved or removed after it was opened, because
  /// written data would be lost.
  /// @throws std::runtime_error
  void require_in_place() const;

  /// @throws std::runtime_error that says why `purpose` failed, with SQLite's
  /// message for the last call.
  [[noreturn]] void fail(const char* purpose);

private:
  friend class transaction;

  struct closer {
    void operator()(sqlite3* x) const noexcept;
  };

  /// @param flags those of sqlite3_open_v2.
  void open(int flags);

  bool is_read_only() const noexcept;

  /// Rolls back the uncommitted changes of a process that was killed. Uses
  /// another connection, because this one is read-only.
  void recover();

  /// Refuses a file that is not a database, for which SQLite's message would be
  /// unclear.
  void check_magic(access mode);

  void check_format();

  void make_format();

  std::string path_;
  // Why SQLite can no longer lock the file; empty if it can. It finds out by
  // trying for ten seconds, which must not happen for each transaction.
  std::string unusable_;
  std::unique_ptr<sqlite3, closer> handle_;
  std::map<const char*, statement, std::less<>> prepared_;
};

/// The guarantee of a commit.
enum class durability {
  /// The data survives the end of the process.
  process,
  /// The data survives a failure of the machine: the disk has confirmed it.
  machine,
};

/// A transaction. It is rolled back unless it is committed. Tests:
/// test/run_file/database_test.cpp.
class transaction {
public:
  explicit transaction(database& on, durability level = durability::process);

  transaction(const transaction&) = delete;

  transaction& operator=(const transaction&) = delete;

  ~transaction();

  /// Commits. The transaction is rolled back if this throws.
  void commit();

private:
  database& on_;
  bool open_ = true;
};

} // namespace caf::rosia::run_file
