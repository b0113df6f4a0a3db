// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/report_collection.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

namespace report_collection_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

process_report_reply answer_of(const std::string& name) {
  process_report_reply result;
  result.self.name = name;
  return result;
}

} // namespace

TEST_CASE("a collection is complete when all processes answered, or will "
          "not answer",
          "[report_collection]") {
  report_collection x;
  x.begin(3);
  x.note_request();
  x.note_request();
  CHECK_FALSE(x.note_answer()); // of this process
  x.put(2, answer_of("right"));
  CHECK_FALSE(x.note_answer());
  CHECK(x.note_answer()); // for a process that does not answer
  REQUIRE(x.all().size() == 3);
  CHECK_FALSE(x.all()[1]);
  REQUIRE(x.all()[2]);
  CHECK(x.all()[2]->self.name == "right");
}

TEST_CASE("without other processes a collection is complete at once",
          "[report_collection]") {
  report_collection x;
  x.begin(1);
  CHECK(x.note_answer());
}

TEST_CASE("a collection does not keep the answers of the previous one",
          "[report_collection]") {
  report_collection x;
  x.begin(2);
  x.put(1, answer_of("left"));
  x.begin(2);
  CHECK_FALSE(x.all()[1]);
}

TEST_CASE("a request during a collection gets its report",
          "[report_collection]") {
  report_collection x;
  std::vector<int> statuses;
  auto note = [&](const application_report& result) {
    statuses.push_back(result.status);
  };
  CHECK(x.add(note));
  CHECK_FALSE(x.add(note));
  application_report result;
  result.status = 7;
  x.publish(result);
  CHECK(statuses == std::vector{7, 7});
  x.publish(result);
  CHECK(statuses.size() == 2);
  CHECK(x.add(note)); // the next collection
}

} // namespace report_collection_test
