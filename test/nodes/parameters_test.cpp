// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Parameters of nodes, seen through the harness.

#include "caf/rosia/parameter.hpp"

#include "support.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

namespace parameters_test {

using rosia::graph_error;
using rosia::test::harness;
using rosia::test::parameters;

namespace {

/// A node with a parameter of each kind of type.
struct many : rosia::node {
  explicit many(double factor = 1.5) : gain{this, "gain", factor} {
    // nop
  }

  rosia::parameter<bool> on{this, "on", false};
  rosia::parameter<int> count{this, "count", -3};
  rosia::parameter<std::uint8_t> small{this, "small", 7};
  rosia::parameter<double> gain;
  rosia::parameter<float> ratio{this, "ratio", 0.1f};
  rosia::parameter<std::string> label{this, "label", "a b"};
  rosia::parameter<std::chrono::milliseconds> period{this, "period", 10ms};
  rosia::parameter<std::chrono::seconds> pause{this, "pause", 2s};
  rosia::parameter<std::chrono::duration<double>> wait{
    this, "wait", std::chrono::duration<double>{0.5}};
};

/// Uses a parameter for other members, and in its constructor.
struct wide : rosia::node {
  wide() {
    size = in.size();
  }

  rosia::parameter<std::size_t> width{this, "width", 2};
  rosia::input_ports<int> in{this, "in", width};
  std::size_t size = 0;
};

struct twice : rosia::node {
  rosia::parameter<int> a{this, "x", 1};
  rosia::parameter<int> b{this, "x", 2};
};

/// Returns the error of a value for a parameter of `many`.
std::string problem(const std::string& name, const std::string& value) {
  try {
    harness<many> h{parameters{{{name, value}}}};
  } catch (const std::exception& e) {
    return e.what();
  }
  return "none";
}

} // namespace

TEST_CASE("a parameter has its value in the code, unless one is set",
          "[parameter]") {
  harness<many> plain;
  CHECK_FALSE(*plain->on);
  CHECK(*plain->count == -3);
  CHECK(*plain->gain == 1.5);
  CHECK(plain->label->size() == 3);
  CHECK(plain->gain.text() == "1.5");
  CHECK(plain->ratio.text() == "0.1");
  CHECK(plain->period.text() == "10ms");
  CHECK(plain->wait.text() == "500ms");
  CHECK(*harness<many> { 2.5 } -> gain == 2.5);

  harness<many> set{
    parameters{
      {{"on", "true"},
       {"count", "-2147483648"},
       {"small", "255"},
       {"gain", "2e-9"},
       {"ratio", "0.25"},
       {"label", "x=1, y"},
       {"period", "1.5s"},
       {"wait", "250us"},
       {"count", "4"}}},
    8.5};
  CHECK(set->on);
  CHECK(set->count == 4); // the last one counts
  CHECK(set->small == 255);
  CHECK(set->gain == 2e-9);
  CHECK(set->ratio == 0.25f);
  CHECK(*set->label == "x=1, y");
  CHECK(*set->period == 1500ms);
  CHECK(set->wait->count() == 0.00025);
  CHECK(set->gain.initial_text() == "8.5");
  CHECK(set->gain.text() == "2e-09");
}

TEST_CASE("a parameter has its value while the node is constructed",
          "[parameter]") {
  CHECK(harness<wide> {} -> size == 2);
  CHECK(harness<wide> {
    parameters {
      {
        { "width", "5" }
      }
    }
  } -> size
        == 5);
  // Only that node is meant.
  CHECK(harness<wide> {} -> size == 2);
}

TEST_CASE("a value of a parameter has its type", "[parameter]") {
  CHECK(problem("on", "1")
        == "rosia.set: '1' is no value of parameter 'on', which is true or "
           "false");
  CHECK(problem("small", "256")
        == "rosia.set: '256' is no value of parameter 'small', which is a "
           "whole number from 0 to 255");
  CHECK(problem("gain", "2,5")
        == "rosia.set: '2,5' is no value of parameter 'gain', which is a "
           "number");
  CHECK(problem("period", "10")
        == "rosia.set: '10' is no value of parameter 'period', which is a "
           "multiple of 1ms, such as 20ms");
  CHECK(problem("pause", "1.5s")
        == "rosia.set: '1.5s' is no value of parameter 'pause', which is a "
           "multiple of 1s, such as 20s");
  CHECK(problem("wait", "fast")
        == "rosia.set: 'fast' is no value of parameter 'wait', which is a "
           "duration, such as 1.5s or 20ms");
  for (auto& [name, value] :
       {std::pair{"count", "2147483648"},
        {"count", "1.0"},
        {"count", ""},
        {"count", " 1"},
        {"small", "-1"},
        {"gain", ""},
        {"gain", "1x"},
        {"ratio", "1e300"},
        {"period", "1500us"}}) {
    CAPTURE(name, value);
    CHECK_THAT(problem(name, value), ContainsSubstring("is no value of"));
  }
  CHECK(problem("ratio", "inf") == "none");
}

TEST_CASE("the names of parameters are checked", "[parameter]") {
  CHECK(problem("gian", "1")
        == "the node has no parameter 'gian'; did you mean 'gain'?");
  CHECK_THROWS_WITH(
    harness<twice>{},
    "a node has parameter 'x' twice; give "
    "one of the two another name");
}

} // namespace parameters_test
