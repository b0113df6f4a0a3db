// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Tardy values: section 10.10 of the semantics, seen through the harness.

#include "support.hpp"

#include <stdexcept>
#include <string>
#include <vector>

namespace max_wait_test {

using Catch::Matchers::ContainsSubstring;
using rosia::test::harness;
using rosia::test::sent;
using texts = std::vector<sent<std::string>>;

namespace {

/// Tells how its values arrive.
struct fusion : rosia::node {
  rosia::input_port<int> left{this, "left"};
  rosia::input_port<int> right{this, "right"};
  rosia::output_port<std::string> out{this, "out"};
  rosia::reaction on_any{
    this, "on_any", {left, right}, [this] {
      std::string text;
      for (auto* port : {&left, &right})
        if (port->is_present()) {
          text += port->name() + '=' + std::to_string(**port);
          if (port->is_tardy())
            text += " for " + to_string(port->intended());
          text += ' ';
        } else if (port->is_tardy()) {
          text += "wrong";
        }
      out(text);
    }};
};

} // namespace

TEST_CASE("10.10.1 the harness delivers tardy values") {
  harness<fusion> h;
  h.set(&fusion::left, 10ms, 1);
  h.set(&fusion::left, 30ms, 2);
  h.set_tardy(&fusion::right, 10ms, 20ms, 3);
  h.set_tardy(&fusion::right, 15ms, 30ms, 4);
  h.run();
  CHECK(h.outputs(&fusion::out)
        == texts{{10ms, "left=1 "},
                 {20ms, "right=3 for 10ms "},
                 {30ms, "left=2 right=4 for 15ms "}});
  CHECK(h.ended());
  CHECK(h.dropped() == 0);
}

TEST_CASE(
  "10.10.1 a tardy value at an input precedes the values that are on time") {
  harness<fusion> h;
  h.set(&fusion::left, 20ms, 1);
  h.set_tardy(&fusion::left, 20ms, 20ms, 2);
  h.run_until(50ms);
  CHECK(h.outputs(&fusion::out) == texts{{20ms, "left=1 for 20ms "}});
  // At once, because that time has passed.
  h.set_tardy(&fusion::right, 20ms, 30ms, 3);
  h.run_until(60ms);
  CHECK(h.outputs(&fusion::out).back()
        == sent<std::string>{50ms, "right=3 for 20ms "});
  CHECK_FALSE(h.ended());
  h.run();
  CHECK(h.ended());
}

TEST_CASE("10.10.1 the harness refuses a tardy value that is not late") {
  harness<fusion> h;
  auto problem = [&](rosia::test::moment intended, rosia::time_span when) {
    try {
      h.set_tardy(&fusion::left, intended, when, 1);
    } catch (const std::logic_error& e) {
      return std::string{e.what()};
    }
    return std::string{"no error"};
  };
  CHECK(problem(20ms, 19ms)
        == "input 'left' cannot get a tardy value for tag 20ms at 19ms: a "
           "tardy value is meant for a tag from 0s on, and arrives at its "
           "physical time or later");
  CHECK_THAT(problem(-1ms, 19ms), ContainsSubstring("from 0s on"));
  h.run();
  CHECK_THAT(problem(1ms, 19ms), ContainsSubstring("the node ended"));
}

} // namespace max_wait_test
