// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/run_gate.hpp"

#include "catch.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <stdexcept>
#include <thread>

namespace run_gate_test {

using caf::rosia::detail::run_gate;

TEST_CASE("one thread at a time runs an application", "[run_gate]") {
  auto gate = std::make_shared<run_gate>();
  CHECK_FALSE(gate->is_busy());
  {
    run_gate::visit visit{gate};
    CHECK(visit.may_start());
    CHECK(gate->is_busy());
    CHECK_THROWS_AS(run_gate::visit{gate}, std::logic_error);
    CHECK(gate->is_busy());
  }
  CHECK_FALSE(gate->is_busy());
}

TEST_CASE("a closed gate prevents every start", "[run_gate]") {
  auto gate = std::make_shared<run_gate>();
  CHECK(gate->close());
  run_gate::visit visit{gate};
  CHECK_FALSE(visit.may_start());
}

TEST_CASE("a gate does not close while a thread is in", "[run_gate]") {
  auto gate = std::make_shared<run_gate>();
  {
    run_gate::visit visit{gate};
    CHECK_FALSE(gate->close());
  }
  CHECK(run_gate::visit{gate}.may_start());
}

TEST_CASE("waiting for the gate ends when no thread is in", "[run_gate]") {
  auto gate = std::make_shared<run_gate>();
  std::optional<run_gate::visit> visit;
  visit.emplace(gate);
  std::atomic<bool> left = false;
  std::jthread runner{[&] {
    left = true;
    visit.reset();
  }};
  gate->await();
  CHECK(left);
  CHECK_FALSE(gate->is_busy());
}

} // namespace run_gate_test
