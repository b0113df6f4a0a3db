// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/shutdown_options.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <string>
#include <utility>

namespace caf::rosia::detail {

/// A step of a shutdown. The shutdown's lock protects it, except for `living`.
/// Tests: test/shutdown/rooms_test.cpp.
struct shutdown_phase {
  using clock = std::chrono::steady_clock;

  explicit shutdown_phase(std::string its_name) : name(std::move(its_name)) {
    // nop
  }

  std::string name;
  phase_options options;
  bool began = false;
  bool over = false;
  bool late = false;         // its timeout ended it
  bool released = false;     // its actors may exit
  bool takes_strays = false; // set just before it begins, see `stray_actors`
  std::size_t undrained = 0; // actors that did not handle their backlog yet
  clock::time_point began_at{};
  clock::time_point over_at{};

  // Number of living participants. An actor decrements it at its exit.
  std::atomic<std::size_t> living = 0;
};

} // namespace caf::rosia::detail
