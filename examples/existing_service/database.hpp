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

/// A database that does not do what it should. The text names the file, what
/// went wrong, and, where that can be guessed, what to do.
class database_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Entries in a file of SQLite, which nobody else can use at the same time. May
/// be handed from one thread to another, but not be used by two at once.
class database {
public:
  enum class access {
    /// Creates it if it does not exist.
    write,

    /// It has to exist.
    read,
  };

  /// @throws database_error
  explicit database(std::string file, access how = access::write);

  /// Stores an entry. It is committed when this returns: nothing but a loss of
  /// power can undo it.
  /// @returns its row, which is larger than that of any entry before.
  /// @throws database_error, also if the key exists. Then nothing is stored.
  std::int64_t insert(const entry& x);

  /// Returns the last row; 0 if there is none.
  /// @throws database_error
  std::int64_t last_row();

  /// Returns the keys of all entries, in the order of the rows.
  /// @throws database_error
  std::vector<std::string> keys();

  /// Returns what is stored behind a row, in the order of the rows.
  /// @throws database_error
  std::vector<entry> entries_after(std::int64_t row);

private:
  struct closer {
    void operator()(sqlite3* x) const noexcept;
    void operator()(sqlite3_stmt* x) const noexcept;
  };

  using statement = std::unique_ptr<sqlite3_stmt, closer>;

  [[noreturn]] void fail(const std::string& what) const;

  void execute(const char* sql);

  statement prepare(const char* sql);

  void bind(const statement& to, int index, const std::string& text);

  void bind(const statement& to, int index, std::int64_t number);

  /// @returns whether there is a row.
  bool step(const statement& x, const char* what);

  std::string file_;
  std::unique_ptr<sqlite3, closer> handle_;
  statement insert_;
};

} // namespace existing_service
