// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/outside_requests.hpp"

#include "stub_session.hpp"

#include "catch.hpp"

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <chrono>
#include <utility>
#include <vector>

namespace outside_requests_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

/// A run whose coordinator is in another process.
struct desk : ::test::stub_run {
  desk() {
    others->hub = caf::actor_cast<caf::actor>(coordinator);
  }

  ~desk() {
    others->hub = nullptr;
  }

  /// Returns the messages to the coordinator so far: signals of requests to
  /// end, and statuses of aborts.
  std::vector<std::pair<char, int>> received() {
    std::vector<std::pair<char, int>> result;
    auto more = true;
    while (more)
      coordinator->receive(
        [&](const request_from_outside& x) {
          result.emplace_back('r', x.signal);
        },
        [&](const abort_application& x) { result.emplace_back('a', x.status); },
        caf::after(std::chrono::seconds{0}) >> [&] { more = false; });
    return result;
  }

  caf::scoped_actor coordinator{sys};
  outside_requests requests{context};
};

using messages = std::vector<std::pair<char, int>>;

} // namespace

TEST_CASE("requests are sent to the coordinator while the application runs",
          "[outside_requests]") {
  desk x;
  x.requests.open();
  CHECK(x.received().empty());
  x.requests.request_end(15);
  x.requests.abort(3);
  CHECK(x.received() == messages{{'r', 15}, {'a', 3}});
}

TEST_CASE("early requests wait for the start", "[outside_requests]") {
  desk x;
  x.requests.abort(3);
  x.requests.request_end();
  CHECK(x.received().empty());
  x.requests.open();
  CHECK(x.received() == messages{{'r', 0}, {'a', 3}});
}

TEST_CASE("requests after the end have no effect", "[outside_requests]") {
  desk x;
  x.requests.open();
  x.requests.close();
  x.requests.request_end();
  x.requests.abort(3);
  CHECK(x.received().empty());
}

} // namespace outside_requests_test
