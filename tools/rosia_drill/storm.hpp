// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/words.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rosia_drill {

/// An action of a storm on a process.
enum class storm_action {
  interrupt,
  terminate,
  kill,
  stop,
  go_on,
};

/// Returns the name in drill files.
std::string_view to_string(storm_action x);

/// Returns the number of the signal.
int signal_of(storm_action x);

/// The parameters of a storm.
struct storm {
  std::vector<storm_action> actions{
    storm_action::kill, storm_action::stop, storm_action::go_on,
    storm_action::terminate};
  range times{1, 8};
  /// Pause before each action, in nanoseconds.
  range pause{0, 200'000'000};
};

/// Parses actions such as `kill,stop`. The more often an action is named, the
/// more likely it is.
/// @throws mistake
std::vector<storm_action> parse_storm_actions(const std::string& text);

/// One action of a storm.
struct gust {
  std::chrono::nanoseconds pause;
  storm_action action;
  /// The target process, modulo the number of processes.
  std::uint64_t target;
};

/// Returns all gusts of a storm, which depend only on the seed.
std::vector<gust> forecast(const storm& x, std::uint64_t seed);

} // namespace rosia_drill
