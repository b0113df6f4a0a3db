// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/checkpoints.hpp"

#include "run_file/database.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <sqlite3.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace checkpoints_test {

using namespace caf::rosia;
using namespace caf::rosia::run_file;

namespace {

/// The file of one process.
struct file_of_a_run {
  explicit file_of_a_run(const std::string& path)
    : file(path, database::access::write) {
    make_checkpoint_tables(file);
  }

  /// Writes a checkpoint of one node, whose name identifies it.
  /// @param state the size of the node's state; none if 0.
  void take(std::int64_t ns, const std::string& node, std::int64_t number = 1,
            bool final = false, std::size_t state = 0) {
    checkpoint row;
    row.run = "a run";
    row.number = number;
    row.tag.ns = ns;
    row.final = final;
    node_part part;
    part.node = node;
    if (state > 0)
      part.states.push_back({"map", "bytes", 1, blob(state)});
    transaction unit{file};
    write(file, row, {"node"}, {part});
    unit.commit();
  }

  void mark(std::int64_t ns, std::size_t keep) {
    transaction unit{file};
    mark_complete(file, "a run", logical_time{ns, 0}, keep);
    unit.commit();
  }

  /// Returns tag, node and kind of all parts.
  std::string text() {
    std::string result;
    for (auto& x : checkpoints_of(file))
      result
        += std::to_string(x.tag.ns) + ' ' + parts_of(file, x)[0].node
           + (x.complete ? " complete" : "") + (x.final ? " final" : "") + '\n';
    return result;
  }

  database file;
};

} // namespace

TEST_CASE("8.5 a checkpoint at the end that was complete before stays complete",
          "[checkpoint]") {
  test::temporary_folder folder;
  file_of_a_run x{folder.file("run.db")};
  x.take(10, "a");
  x.mark(10, 2);
  x.take(10, "a", 1, true);
  CHECK(x.text() == "10 a complete final\n");
  // Planned checkpoints may be after it.
  for (auto ns : {20, 30, 40}) {
    x.take(ns, "a");
    x.mark(ns, 2);
  }
  CHECK(x.text() == "10 a complete final\n30 a complete\n40 a complete\n");
  x.take(10, "a");
  CHECK(x.text() == "10 a complete final\n30 a complete\n40 a complete\n");
}

TEST_CASE("8.5 a checkpoint at the end that is written first counts as the "
          "last one",
          "[checkpoint]") {
  test::temporary_folder folder;
  file_of_a_run x{folder.file("run.db")};
  x.take(40, "a", 1, true);
  for (auto ns : {10, 20, 30}) {
    x.take(ns, "a");
    x.mark(ns, 2);
  }
  x.mark(40, 2);
  CHECK(x.text() == "40 a complete final\n30 a complete\n");
}

TEST_CASE(
  "8.5 a checkpoint at the end that a later one removed is written again",
  "[checkpoint]") {
  test::temporary_folder folder;
  file_of_a_run x{folder.file("run.db")};
  for (auto ns : {10, 20, 30}) {
    x.take(ns, "a");
    x.mark(ns, 2);
  }
  CHECK(x.text() == "20 a complete\n30 a complete\n");
  x.take(10, "a", 1, true);
  x.mark(10, 2);
  CHECK(x.text() == "30 a complete\n10 a complete final\n");
}

TEST_CASE("8.6 a large state is read once, for its value", "[checkpoint]") {
  constexpr std::size_t size = 4'000'000;
  test::temporary_folder folder;
  auto path = folder.file("run.db");
  {
    file_of_a_run x{path};
    x.take(10, "a", 1, false, size);
    x.mark(10, 1);
  }
  database file{path, database::access::read};
  // SQLite keeps few pages in memory.
  auto pages_read_by = [&](auto&& fun) {
    fun();
    auto pages = 0;
    auto most = 0;
    sqlite3_db_status(
      file.handle(), SQLITE_DBSTATUS_CACHE_MISS, &pages, &most, 1);
    return pages;
  };
  constexpr auto pages_of_state = static_cast<int>(size) / 4096;
  std::vector<checkpoint> all;
  CHECK(
    pages_read_by([&] { all = checkpoints_of(file); }) < pages_of_state / 10);
  REQUIRE(all.size() == 1);
  CHECK(all[0].size == size);
  std::vector<node_part> parts;
  CHECK(pages_read_by([&] { parts = parts_of(file, all[0]); })
        < pages_of_state * 11 / 10);
  CHECK(parts.at(0).states.at(0).content.size() == size);
}

TEST_CASE("8.6 a run that starts again writes its new checkpoints",
          "[checkpoint]") {
  test::temporary_folder folder;
  file_of_a_run x{folder.file("run.db")};
  x.take(10, "a");
  x.mark(10, 3);
  x.take(10, "b", 2);
  CHECK(x.text() == "10 b\n");
}

} // namespace checkpoints_test
