// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "existing_service/database.hpp"

#include "catch.hpp"
#include "lines_of.hpp"
#include "temporary_folder.hpp"

#include <sqlite3.h>

namespace database_test {

using namespace existing_service;
using Catch::Matchers::ContainsSubstring;

namespace {

entry make_entry(const std::string& key, const std::string& value) {
  return {key, value, checksum_of(key, value)};
}

/// Returns the error of opening a database.
std::string error(const std::string& file,
                  database::access access = database::access::write) {
  try {
    database{file, access};
  } catch (const database_error& problem) {
    return problem.what();
  }
  return "";
}

/// Executes SQL on a database without the class.
void execute(const std::string& file, const char* sql) {
  sqlite3* handle = nullptr;
  REQUIRE(sqlite3_open(file.c_str(), &handle) == SQLITE_OK);
  CHECK(sqlite3_exec(handle, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
  sqlite3_close(handle);
}

} // namespace

TEST_CASE("database: stored entries exist after it is opened again") {
  test::temporary_folder folder;
  const auto file = folder.file("a.db");
  const auto first = make_entry("k1", "v");
  const auto second = make_entry("k2", "a\nb = 'c'");
  {
    database x{file};
    CHECK(x.last_row() == 0);
    CHECK(x.insert(first) == 1);
  }
  {
    database x{file};
    CHECK(x.last_row() == 1);
    CHECK(x.insert(second) == 2);
  }
  database x{file, database::access::read};
  CHECK(x.keys() == std::vector<std::string>{"k1", "k2"});
  CHECK(x.entries_after(0) == std::vector<entry>{first, second});
  CHECK(x.entries_after(1) == std::vector<entry>{second});
  CHECK(x.entries_after(2).empty());
}

TEST_CASE("database: only the database remains in the folder") {
  test::temporary_folder folder;
  database{folder.file("a.db")}.insert(make_entry("k", "v"));
  database{folder.file("a.db"), database::access::read}.last_row();
  CHECK(folder.files() == 1);
}

TEST_CASE("database: a key is stored once, and other keys after that") {
  test::temporary_folder folder;
  database x{folder.file("a.db")};
  x.insert(make_entry("k", "v"));
  CHECK_THROWS_WITH(
    x.insert(make_entry("k", "w")),
    ContainsSubstring("a.db: an entry cannot be stored: UNIQUE constraint "
                      "failed: entries.key"));
  CHECK(x.insert(make_entry("l", "w")) == 2);
  CHECK(x.entries_after(0)
        == std::vector<entry>{make_entry("k", "v"), make_entry("l", "w")});
}

TEST_CASE("database: it cannot be opened twice at the same time") {
  test::temporary_folder folder;
  database x{folder.file("a.db")};
  CHECK_THAT(error(folder.file("a.db")),
             ContainsSubstring("is another process using it?"));
  CHECK_THROWS_WITH(
    (database{folder.file("a.db"), database::access::read}.last_row()),
    ContainsSubstring("is another process using it?"));
}

TEST_CASE("database: the error names the file and a remedy") {
  test::temporary_folder folder;
  const std::string text(4105, 'x');
  const auto no_database = folder.write("a.txt", text);
  CHECK_THAT(error(no_database),
             ContainsSubstring("a.txt: it cannot be used: file is not a "
                               "database (name another file"));
  CHECK(lines_of(no_database) == std::vector{text});
  CHECK_THAT(error(folder.file("none/a.db")),
             ContainsSubstring("none/a.db: it cannot be opened")
               && ContainsSubstring("its folder, exist"));
  CHECK_THAT(error(folder.file("b.db"), database::access::read),
             ContainsSubstring("(does it, or at least its folder, exist"));
  const auto foreign = folder.file("c.db");
  execute(foreign, "CREATE TABLE entries (a, b)");
  CHECK_THAT(
    error(foreign), ContainsSubstring("does it belong to another program?"));
}

TEST_CASE("database: a failed statement has no effect") {
  test::temporary_folder folder;
  const auto file = folder.file("a.db");
  { database x{file}; }
  execute(file, "CREATE TRIGGER t AFTER INSERT ON entries BEGIN SELECT "
                "RAISE(ABORT, 'the disk burns'); END");
  database x{file};
  CHECK_THROWS_WITH(
    x.insert(make_entry("k", "v")), ContainsSubstring("the disk burns"));
  CHECK(x.entries_after(0).empty());
}

} // namespace database_test
