// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/database.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <sqlite3.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <stdexcept>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace database_test {

using namespace std::literals;

namespace run_file = caf::rosia::run_file;

using run_file::database;
using run_file::transaction;

namespace {

constexpr auto read_only = database::access::read;
constexpr auto writable = database::access::write;

/// Returns the error of opening a file; empty on success.
std::string problem(const std::string& path,
                    database::access access = read_only) {
  try {
    database opened{path, access};
    return {};
  } catch (const std::runtime_error& x) {
    return x.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  INFO(text);
  CHECK(text.find(part) != std::string::npos);
  return true;
}

std::int64_t number(database& from, const char* sql) {
  run_file::statement query{from, "read a number", sql};
  query.step();
  return query.number(0);
}

/// Creates a run file with a few hundred pages.
std::string filled_file(const test::temporary_folder& folder) {
  auto path = folder.file("filled.db");
  database file{path, writable};
  file.execute("fill it", "CREATE TABLE t (x BLOB)");
  transaction unit{file};
  for (auto i = 0; i < 300; ++i)
    file.execute("fill it", "INSERT INTO t VALUES (randomblob(4000))");
  unit.commit();
  file.execute("close it", "PRAGMA journal_mode = DELETE");
  return path;
}

/// Changes a file in a process that is killed before it commits.
void kill_in_transaction(const std::string& path) {
  auto child = fork();
  if (child == 0) {
    sqlite3* raw = nullptr;
    sqlite3_open(path.c_str(), &raw);
    // Data that does not fit into the cache is written to the file before the
    // commit.
    sqlite3_exec(raw, "PRAGMA cache_size = 2; BEGIN; UPDATE t SET x = 'new'",
                 nullptr, nullptr, nullptr);
    _exit(0);
  }
  REQUIRE(waitpid(child, nullptr, 0) == child);
  REQUIRE(std::filesystem::exists(path + "-journal"));
}

} // namespace

TEST_CASE("a run file keeps numbers, texts, bytes and nulls") {
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  {
    database file{path, writable};
    file.execute("make a table", "CREATE TABLE t (a, b, c, d)");
    auto& insert
      = file.prepared("write a row", "INSERT INTO t VALUES (?, ?, ?, ?)");
    auto text = "a\0b"s;
    auto bytes = std::vector<char>{'\0', '\xff'};
    insert.bind(1, std::numeric_limits<std::int64_t>::min())
      .bind(2, text)
      .bind_bytes(3, bytes)
      .bind_null(4)
      .run();
    CHECK(file.last_row() == 1);
    insert.bind(1, 2).bind(2, ""sv).bind_bytes(3, {}).run();
  }
  database file{path, read_only};
  run_file::statement rows{file, "read the rows", "SELECT * FROM t"};
  REQUIRE(rows.step());
  CHECK(rows.number(0) == std::numeric_limits<std::int64_t>::min());
  CHECK(rows.text(1) == "a\0b"s);
  CHECK(rows.bytes(2) == std::vector<char>{'\0', '\xff'});
  CHECK(rows.is_null(3));
  REQUIRE(rows.step());
  CHECK(rows.text(1).empty());
  CHECK_FALSE(rows.is_null(1));
  CHECK(rows.bytes(2).empty());
  CHECK_FALSE(rows.is_null(2));
  CHECK_FALSE(rows.step());
  // The query can be executed again.
  CHECK(rows.step());
}

TEST_CASE("a prepared statement is kept, without its parameters") {
  test::temporary_folder folder;
  database file{folder.file("run.db"), writable};
  file.execute("make a table", "CREATE TABLE t (a)");
  constexpr auto sql = "INSERT INTO t VALUES (?)";
  auto& first = file.prepared("write", sql);
  first.bind(1, 7).run();
  auto& again = file.prepared("write", sql);
  CHECK(&first == &again);
  again.run();
  CHECK(number(file, "SELECT count(*) FROM t WHERE a IS NULL") == 1);
}

TEST_CASE("an uncommitted transaction has no effect") {
  test::temporary_folder folder;
  database file{folder.file("run.db"), writable};
  file.execute("make a table", "CREATE TABLE t (a)");
  {
    transaction unit{file};
    file.execute("write", "INSERT INTO t VALUES (1)");
  }
  CHECK(number(file, "SELECT count(*) FROM t") == 0);
  {
    transaction unit{file, run_file::durability::machine};
    file.execute("write", "INSERT INTO t VALUES (1)");
    unit.commit();
  }
  CHECK(number(file, "SELECT count(*) FROM t") == 1);
}

TEST_CASE("a file that is not a run file is refused with the reason") {
  test::temporary_folder folder;
  auto other = folder.file("other.db");
  {
    sqlite3* raw = nullptr;
    REQUIRE(sqlite3_open(other.c_str(), &raw) == SQLITE_OK);
    sqlite3_exec(raw, "CREATE TABLE t (a)", nullptr, nullptr, nullptr);
    sqlite3_close(raw);
  }
  for (auto access : {read_only, writable}) {
    has(problem(folder.path(), access), "it is a folder; name a file in it");
    has(problem(folder.write("text", "hello, this is a text\n"), access),
        "it is text, no database of SQLite");
    has(problem(folder.write("trace", "{\"event\":\"application\"}\n"), access),
        "it is a trace, no database of SQLite");
    has(problem(folder.write("stub", "SQLite f"), access), "it is cut off");
    has(problem("/dev/null", access), "it is no regular file");
    has(problem(other, access), "it is a database of another application");
  }
  has(problem(folder.file("none/run.db")), "No such file or directory; name");
  has(problem(folder.file("none/run.db"), writable),
      "there is no folder '" + folder.file("none/") + "'; create it before");
  has(problem(folder.file("text/run.db"), writable),
      "Not a directory; name another file");
  has(problem(folder.file("none.db")), "No such file or directory");
  has(problem(folder.write("empty", "")), "it is empty");
  CHECK(problem(folder.write("empty", ""), writable).empty());
}

TEST_CASE("a file of a later format is refused") {
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  database{path, writable}.execute("change it", "PRAGMA user_version = 99");
  has(problem(path), "its format is 99, and this program knows those up to 1");
  has(problem(path, writable), "its format is 99");
}

TEST_CASE("a truncated file is refused") {
  test::temporary_folder folder;
  auto path = filled_file(folder);
  std::filesystem::resize_file(path, std::filesystem::file_size(path) / 2);
  for (auto access : {read_only, writable})
    has(problem(path, access), "the file is cut off or garbled: use a copy");
}

TEST_CASE("a damaged page is named when it is read") {
  test::temporary_folder folder;
  auto path = filled_file(folder);
  {
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    file.seekp(4096 * 2);
    file << std::string(4096 * 20, 'x');
  }
  std::string words;
  try {
    database file{path, read_only};
    number(file, "SELECT sum(length(x)) FROM t");
  } catch (const std::runtime_error& x) {
    words = x.what();
  }
  has(words, "run file '" + path + "'");
  has(words, "cut off or garbled");
}

TEST_CASE(
  "uncommitted changes of a killed process are undone, even for reading") {
  test::temporary_folder folder;
  auto path = filled_file(folder);
  auto access = GENERATE(read_only, writable);
  kill_in_transaction(path);
  database file{path, access};
  CHECK(number(file, "SELECT count(*) FROM t WHERE length(x) = 4000") == 300);
  CHECK_FALSE(std::filesystem::exists(path + "-journal"));
}

TEST_CASE("a name with a special meaning in SQLite is the name of a file") {
  test::temporary_folder folder;
  auto before = std::filesystem::current_path();
  std::filesystem::current_path(folder.path());
  for (auto* name :
       {":memory:", "file:run.db", "file:run.db?mode=memory",
        "file::memory:", "run%41.db", "run?.db", "-run.db", "run'.db"}) {
    INFO(name);
    {
      database file{name, writable};
      file.execute("make a table", "CREATE TABLE t (a)");
      file.execute("close it", "PRAGMA journal_mode = DELETE");
    }
    CHECK(std::filesystem::file_size(folder.file(name)) > 0);
    CHECK(problem(name).empty());
  }
  CHECK(folder.files() == 8);
  for (auto access : {read_only, writable})
    has(problem("", access), "its name is empty; name a file");
  has(problem("file:" + folder.file("run.db"), writable), "there is no folder");
  std::filesystem::current_path(before);
}

TEST_CASE("a file that may not be read or written is refused") {
  if (geteuid() == 0) {
    WARN("root may read and write everything");
    return;
  }
  test::temporary_folder folder;
  auto path = filled_file(folder);
  chmod(path.c_str(), 0400);
  has(problem(path, writable), "it may not be written; check its permissions");
  CHECK(problem(path, read_only).empty());
  chmod(path.c_str(), 0);
  has(problem(path), "Permission denied; check the permissions of the file");
}

TEST_CASE("a file that cannot grow is refused, and does not end the process") {
  test::temporary_folder folder;
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
  auto low = before;
  low.rlim_cur = GENERATE(rlim_t{1}, rlim_t{4096}, rlim_t{20'000});
  setrlimit(RLIMIT_FSIZE, &low);
  auto words = problem(folder.file("run.db"), writable);
  setrlimit(RLIMIT_FSIZE, &before);
  has(words, "run.db': cannot open it");
}

TEST_CASE(
  "if too many files are open, the error explains how to raise the limit") {
  test::temporary_folder folder;
  auto path = filled_file(folder);
  rlimit before = {};
  REQUIRE(getrlimit(RLIMIT_NOFILE, &before) == 0);
  auto low = before;
  low.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &low);
  auto words = problem(path, read_only);
  setrlimit(RLIMIT_NOFILE, &before);
  has(words, "raise the limit (ulimit -n");
}

TEST_CASE("an error has the attempted operation and a suggestion") {
  test::temporary_folder folder;
  database file{folder.file("run.db"), writable};
  file.execute("make a table", "CREATE TABLE t (a)");
  file.execute("limit it", "PRAGMA max_page_count = 4");
  std::string words;
  try {
    file.execute("write a value", "INSERT INTO t VALUES (randomblob(100000))");
  } catch (const std::runtime_error& x) {
    words = x.what();
  }
  CHECK(words
        == "run file '" + file.path()
             + "': cannot write a value: database or disk is full; free some "
               "space, or name a file on another disk");
}

TEST_CASE("a value that is too big for a file is refused with the limit") {
  test::temporary_folder folder;
  database file{folder.file("run.db"), writable};
  file.execute("make a table", "CREATE TABLE t (a)");
  std::size_t size = 1'000'000'001;
  // The memory takes no space before it is written.
  auto* bytes = ::mmap(nullptr, size, PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  REQUIRE(bytes != MAP_FAILED);
  auto& row = file.prepared("write a value", "INSERT INTO t VALUES (?)");
  std::string words;
  try {
    row.bind_bytes(1, {static_cast<const char*>(bytes), size});
  } catch (const std::runtime_error& x) {
    words = x.what();
  }
  ::munmap(bytes, size);
  has(words, "too big; a value in the file has up to 1,000,000,000 bytes");
}

TEST_CASE("opening a file takes no locks from other users of the file") {
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  int go[2];
  REQUIRE(pipe(go) == 0);
  // This process is independent of SQLite's lock records in the test.
  auto other = fork();
  if (other == 0) {
    char ignored;
    if (read(go[0], &ignored, 1) != 1)
      _exit(2);
    _exit(problem(path, writable).empty() ? 0 : 1);
  }
  database file{path, writable};
  file.execute("make a table", "CREATE TABLE t (a)");
  CHECK(problem(path).empty());
  REQUIRE(write(go[1], "x", 1) == 1);
  auto status = -1;
  REQUIRE(waitpid(other, &status, 0) == other);
  CHECK(status == 0);
  // The last process that closes a file removes its log.
  CHECK(std::filesystem::exists(path + "-wal"));
  close(go[0]);
  close(go[1]);
}

} // namespace database_test
