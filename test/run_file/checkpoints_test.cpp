// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "run_file/checkpoints.hpp"

#include "run_file/database.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <string>

namespace checkpoints_test {

using namespace caf::rosia;
using namespace caf::rosia::run_file;

namespace {

/// The file of one process.
struct file_of_a_run {
  file_of_a_run() {
    make_checkpoint_tables(file);
  }

  /// Writes a checkpoint of one node, whose name identifies it.
  void take(std::int64_t ns, const std::string& node, std::int64_t number = 1,
            bool final = false) {
    checkpoint row;
    row.run = "a run";
    row.number = number;
    row.tag.ns = ns;
    row.final = final;
    node_part part;
    part.node = node;
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

  test::temporary_folder folder;
  database file{folder.file("run.db"), database::access::write};
};

} // namespace

TEST_CASE("8.5 a checkpoint at the end that was complete before stays complete",
          "[checkpoint]") {
  file_of_a_run x;
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

TEST_CASE(
  "8.5 a checkpoint at the end that a later one has removed is written again",
  "[checkpoint]") {
  file_of_a_run x;
  for (auto ns : {10, 20, 30}) {
    x.take(ns, "a");
    x.mark(ns, 2);
  }
  CHECK(x.text() == "20 a complete\n30 a complete\n");
  x.take(10, "a", 1, true);
  x.mark(10, 2);
  CHECK(x.text() == "30 a complete\n10 a complete final\n");
}

TEST_CASE("8.6 a run that starts again writes its new checkpoints",
          "[checkpoint]") {
  file_of_a_run x;
  x.take(10, "a");
  x.mark(10, 3);
  x.take(10, "b", 2);
  CHECK(x.text() == "10 b\n");
}

} // namespace checkpoints_test
