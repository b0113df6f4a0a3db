// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/writer.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

namespace writer_test {

namespace run_file = caf::rosia::run_file;

using run_file::database;

namespace {

constexpr auto insert = "INSERT INTO t VALUES (?)";

run_file::writer::job put(std::int64_t x) {
  return [x](database& to) {
    to.prepared("write a number", insert).bind(1, x).run();
  };
}

void make_table(database& to) {
  to.execute("make a table", "CREATE TABLE t (a)");
}

std::int64_t number(const std::string& path, const char* sql) {
  database file{path, database::access::read};
  run_file::statement query{file, "read a number", sql};
  REQUIRE(query.step());
  return query.number(0);
}

/// Writes durably. @returns the error.
std::string write_durably(run_file::writer& to, run_file::writer::job work) {
  std::promise<std::string> result;
  to.post_durable(std::move(work), [&](const std::string& error) {
    result.set_value(error);
  });
  return result.get_future().get();
}

/// A gate at which a job waits.
struct gate {
  std::promise<void> opened;

  run_file::writer::job wait() {
    return [seen = opened.get_future().share()](database&) { seen.wait(); };
  }
};

} // namespace

TEST_CASE("a writer writes the jobs of all threads, each thread's in order") {
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  {
    run_file::writer file{path};
    file.post(0, make_table);
    std::vector<std::thread> threads;
    for (auto i = 0; i < 4; ++i)
      threads.emplace_back([&file, i] {
        for (auto n = 0; n < 1000; ++n)
          file.post(8, put(n * 4 + i));
      });
    for (auto& x : threads)
      x.join();
    CHECK(file.lost() == 0);
  }
  CHECK(number(path, "SELECT count(*) FROM t") == 4000);
  CHECK(number(path, "SELECT count(*) FROM t x JOIN t y ON x.rowid < y.rowid "
                     "AND x.a % 4 = y.a % 4 AND x.a > y.a")
        == 0);
  // The database is the only file.
  CHECK(folder.files() == 1);
}

TEST_CASE("durable work follows posted jobs, and is reported as done") {
  test::temporary_folder folder;
  run_file::writer file{folder.file("run.db")};
  file.post(0, make_table);
  file.post(0, put(1));
  CHECK(write_durably(file, put(2)).empty());
  CHECK(number(file.path(), "SELECT sum(a) FROM t") == 3);
}

TEST_CASE("durable work that fails has no effect, and the reason is reported") {
  test::temporary_folder folder;
  run_file::writer file{folder.file("run.db")};
  file.post(0, make_table);
  auto problem = write_durably(file, [](database& to) {
    put(1)(to);
    throw std::runtime_error("no more");
  });
  CHECK(problem == "no more");
  CHECK(file.lost() == 0);
  CHECK(write_durably(file, put(2)).empty());
  CHECK(number(file.path(), "SELECT sum(a) FROM t") == 2);
}

TEST_CASE("durable work in a removed file fails") {
  test::temporary_folder folder;
  run_file::writer file{folder.file("run.db")};
  CHECK(write_durably(file, make_table).empty());
  std::filesystem::rename(file.path(), folder.file("other.db"));
  CHECK(write_durably(file, put(1)).find("was deleted, moved or replaced")
        != std::string::npos);
  // A new file in its place is a different file.
  database{file.path(), database::access::write};
  CHECK(!write_durably(file, put(1)).empty());
}

TEST_CASE("a writer closes its file, but does not wait for a disk that does "
          "not respond") {
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  run_file::writer file{path};
  gate slow;
  file.post(0, make_table);
  file.post(0, slow.wait());
  CHECK(!file.close(std::chrono::milliseconds{10}));
  slow.opened.set_value();
  CHECK(file.close(std::chrono::seconds{60}));
  CHECK(number(path, "SELECT count(*) FROM t") == 0);
  CHECK(!std::filesystem::exists(path + "-wal"));
}

TEST_CASE("data that a slow disk cannot take is dropped and counted") {
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  {
    run_file::writer file{path, {}, {.pending_bytes = 10'000}};
    gate slow;
    file.post(0, make_table);
    file.post(0, slow.wait());
    auto taken = 0;
    while (file.post(1000, put(1)))
      ++taken;
    CHECK(taken > 0);
    CHECK(taken < 10);
    CHECK_FALSE(file.post(1000, put(1)));
    CHECK(file.lost() == 2);
    // Durable work is never dropped.
    std::promise<std::string> done;
    file.post_durable(put(1), [&](auto& error) { done.set_value(error); });
    slow.opened.set_value();
    CHECK(done.get_future().get().empty());
    // There is space again.
    file.flush();
    CHECK(file.post(1000, put(1)));
    file.flush();
    CHECK(number(path, "SELECT count(*) FROM t") == taken + 2);
  }
}

TEST_CASE("a full disk is reported once, counted, and survived") {
  test::temporary_folder folder;
  std::vector<std::string> said;
  std::atomic<int> undone = 0;
  run_file::writer file{
    folder.file("run.db"), [&](const std::string& x) { said.push_back(x); }};
  file.post(0, make_table);
  file.post(0, put(1));
  file.flush();
  auto fill = [](database& to) {
    to.execute("write a value", "INSERT INTO t VALUES (randomblob(100000))");
  };
  auto limit = [](const char* sql) {
    return [sql](database& to) { to.execute("limit it", sql); };
  };
  CHECK(write_durably(file, limit("PRAGMA max_page_count = 8")).empty());
  for (auto i = 0; i < 3; ++i) {
    file.post(0, put(2));
    file.post(0, fill, [&] { ++undone; });
    file.flush();
  }
  CHECK(file.lost() == 6);
  CHECK(undone == 3);
  REQUIRE(said.size() == 1);
  CHECK(said[0].find("database or disk is full; free some space")
        != std::string::npos);
  CHECK(write_durably(file, fill).find("disk is full") != std::string::npos);
  CHECK(write_durably(file, limit("PRAGMA max_page_count = 8000")).empty());
  file.post(0, put(3));
  file.post(0, fill, [&] { ++undone; });
  file.flush();
  CHECK(file.lost() == 6);
  CHECK(undone == 3);
  CHECK(number(file.path(), "SELECT sum(a) FROM t WHERE a < 4") == 4);
}

TEST_CASE("a writer of a file that cannot be opened is not created") {
  test::temporary_folder folder;
  CHECK_THROWS_AS(run_file::writer{folder.path()}, std::runtime_error);
}

} // namespace writer_test
