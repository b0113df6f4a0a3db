// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "existing_service/report.hpp"

#include "catch.hpp"

namespace report_test {

using namespace existing_service;
using Catch::Matchers::ContainsSubstring;

namespace {

using strings = std::vector<std::string>;

entry stored_as_sent(const std::string& key) {
  return {key, value_of(key), checksum_of(key, value_of(key))};
}

/// A successful run.
struct run {
  run() {
    clients.sent = 5;
    clients.acknowledged = {"b", "a", "c"};
    clients.refused = 2;
    door.accepted = 3;
    door.refused = 2;
    for (auto* key : {"a", "b", "c"})
      stored.push_back(stored_as_sent(key));
  }

  report result() const {
    return make_report(status, "a test", clients, door, stored);
  }

  int status = 0;
  load_figures clients;
  door_figures door;
  std::vector<entry> stored;
};

} // namespace

TEST_CASE("report: acknowledged entries are stored") {
  run x;
  const auto result = x.result();
  CHECK(result.exact());
  CHECK_THAT(
    to_string(result),
    ContainsSubstring("sent          5\n")
      && ContainsSubstring("accepted      3\n")
      && ContainsSubstring("acknowledged  3\n")
      && ContainsSubstring("refused       2 (2 at the door, 0 ")
      && ContainsSubstring("stored        3\nexact: "));
  CHECK_THAT(to_json(result), ContainsSubstring("\"reason\": \"a test\"")
                                && ContainsSubstring("\"exact\": true"));
}

TEST_CASE("report: differences are named") {
  run x;
  std::string expected;
  SECTION("a lost acknowledgement") {
    x.stored.push_back(stored_as_sent("d"));
    expected = "1 stored, but not acknowledged, the first is d";
  }
  SECTION("a lost entry") {
    x.stored.pop_back();
    expected = "1 acknowledged, but not stored, the first is c";
  }
  SECTION("a different value") {
    x.stored[1].value += "x";
    expected = "1 not stored as sent, the first is b";
  }
  SECTION("a different checksum") {
    ++x.stored[1].checksum;
    expected = "1 not stored as sent, the first is b";
  }
  SECTION("a lost answer") {
    ++x.clients.sent;
    ++x.clients.given_up;
    expected = "1 requests were not answered";
  }
  SECTION("a lost request") {
    ++x.clients.sent;
    expected = "the answers are not as many as the requests";
  }
  SECTION("a lost refusal") {
    ++x.door.refused;
    expected = "the acceptor refused 3 requests, but the clients count 2";
  }
  SECTION("an accepted request that is turned back in time") {
    ++x.clients.sent;
    ++x.clients.turned_back;
    ++x.door.accepted;
    expected = "4 requests were accepted, but 3 answered";
  }
  SECTION("an answer to a request that was not accepted") {
    --x.door.accepted;
    expected = "2 requests were accepted, but 3 answered";
  }
  const auto result = x.result();
  CHECK_FALSE(result.exact());
  CHECK(result.differences == strings{expected});
  CHECK_THAT(to_string(result), ContainsSubstring("NOT EXACT: " + expected));
  CHECK_THAT(to_json(result), ContainsSubstring("\"exact\": false"));
}

TEST_CASE("report: an abort may turn back accepted requests") {
  run x;
  x.status = 129;
  x.clients.sent += 2;
  x.clients.turned_back = 2;
  x.door.accepted += 1; // the other request was refused by the acceptor
  CHECK(x.result().exact());
  x.door.accepted += 2;
  CHECK(x.result().differences
        == strings{"6 requests were accepted, but 3 answered"});
}

TEST_CASE("report: failures are not differences") {
  run x;
  x.clients.sent += 1;
  x.clients.failed = 1;
  x.clients.first_failure = "no space";
  x.door.accepted += 1;
  CHECK(x.result().exact());
  CHECK_THAT(to_string(x.result()),
             ContainsSubstring("failed        1 (the first: no space)"));
}

} // namespace report_test
