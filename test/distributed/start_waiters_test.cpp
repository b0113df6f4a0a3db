// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/start_waiters.hpp"

#include "catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace start_waiters_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

/// Waits for everything, and records the events.
struct waiting {
  waiting() {
    x.await_join([this](const join_reply& reply) {
      joins.emplace_back(reply.problem, reply.ended);
    });
    x.await_start([this](const start_reply& reply) {
      starts.emplace_back(reply.problem, reply.ended);
    });
    x.await_hello([this](const std::string& problem) {
      hellos.push_back(problem);
    });
  }

  start_waiters x;
  std::vector<std::pair<std::string, bool>> joins;
  std::vector<std::pair<std::string, bool>> starts;
  std::vector<std::string> hellos;
};

using answers = std::vector<std::pair<std::string, bool>>;

} // namespace

TEST_CASE("a waiter is answered once", "[start_waiters]") {
  waiting w;
  CHECK(w.x.has_start_waiter());
  w.x.answer_join({});
  w.x.answer_start({});
  w.x.answer_hello({});
  CHECK_FALSE(w.x.has_start_waiter());
  w.x.refuse("too late", false);
  CHECK(w.joins == answers{{"", false}});
  CHECK(w.starts == answers{{"", false}});
  CHECK(w.hellos == std::vector<std::string>{""});
}

TEST_CASE("all waiters get the reason if there will be no start",
          "[start_waiters]") {
  waiting w;
  auto peers = 0;
  w.x.await_peers({1}, [&](const start_waiters::handles& known) {
    ++peers;
    CHECK(known.empty());
  });
  CHECK_FALSE(w.x.is_refused());
  w.x.refuse("signal 15", true);
  CHECK(w.x.is_refused());
  CHECK(w.joins == answers{{"signal 15", true}});
  CHECK(w.starts == answers{{"signal 15", true}});
  CHECK(w.hellos == std::vector<std::string>{"signal 15"});
  CHECK(peers == 1);
}

TEST_CASE("the first reason stays", "[start_waiters]") {
  waiting w;
  w.x.refuse("first", true);
  w.x.await_start([&](const start_reply& reply) {
    w.starts.emplace_back(reply.problem, reply.ended);
  });
  w.x.refuse("second", false);
  CHECK(w.x.problem() == "first");
  CHECK(w.x.no_join().ended);
  CHECK(w.starts == answers{{"first", true}, {"first", true}});
}

TEST_CASE("peers are awaited until all are known", "[start_waiters]") {
  start_waiters x;
  auto met = 0;
  x.await_peers({1}, [&](const start_waiters::handles&) { ++met; });
  start_waiters::handles known(2);
  x.check_peers(known);
  CHECK(met == 0);
  // Without peers to wait for, at once.
  x.await_peers({}, [&](const start_waiters::handles& result) {
    ++met;
    CHECK(result.size() == 2);
  });
  x.check_peers(known);
  x.check_peers(known);
  CHECK(met == 1);
}

} // namespace start_waiters_test
