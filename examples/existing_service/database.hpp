// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "entry.hpp"

struct sqlite3;
struct sqlite3_stmt;

namespace existing_service {

/// An error of the database. The text names the file, the error and, if
/// possible, a remedy.
class database_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// A table of entries in an SQLite file, locked for other processes. It may
/// move between threads, but only one thread at a time may use it.
class database {
public:
  enum class access {
    /// Creates the file if it does not exist.
    write,

    /// The file must exist.
    read,
  };

  /// @throws database_error
  explicit database(std::string file, access use = access::write);

  /// Stores an entry and commits it. After that, only a loss of power can undo
  /// it.
  /// @returns the row, which is greater than the rows of all earlier entries.
  /// @throws database_error also if the key exists. Then nothing is stored.
  std::int64_t insert(const entry& x);

  /// Returns the last row; 0 if there is none.
  /// @throws database_error
  std::int64_t last_row();

  /// Returns the keys of all entries, in the order of the rows.
  /// @throws database_error
  std::vector<std::string> keys();

  /// Returns the entries after a row, in the order of the rows.
  std::vector<entry> entries_after(std::int64_t row);

private:
  struct closer {
    void operator()(sqlite3* x) const noexcept;
    void operator()(sqlite3_stmt* x) const noexcept;
  };

  using statement = std::unique_ptr<sqlite3_stmt, closer>;

  [[noreturn]] void fail(const std::string& action) const;

  void execute(const char* sql);

  statement prepare(const char* sql);

  void bind(const statement& to, int index, const std::string& text);

  void bind(const statement& to, int index, std::int64_t number);

  /// @returns whether there is a row.
  bool step(const statement& x, const char* action);

  std::string file_;
  std::unique_ptr<sqlite3, closer> handle_;
  statement insert_;
};

} // namespace existing_service
