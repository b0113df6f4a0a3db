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

/// What a storm does to a process at once.
enum class storm_action {
  interrupt,
  terminate,
  kill,
  stop,
  go_on,
};

/// As drill files name it.
std::string_view to_string(storm_action x);

/// The number of its signal.
int signal_of(storm_action x);

/// What a storm draws from.
struct storm {
  std::vector<storm_action> actions{
    storm_action::kill, storm_action::stop, storm_action::go_on,
    storm_action::terminate};
  range times{1, 8};
  /// Nanoseconds before each action.
  range pause{0, 200'000'000};
};

/// Actions by their names, `kill,stop`. One that is there twice comes twice as
/// often.
/// @throws mistake
std::vector<storm_action> parse_storm_actions(const std::string& text);

/// One blow of a storm.
struct gust {
  std::chrono::nanoseconds pause;
  storm_action action;
  /// The process that it hits: the remainder by their number.
  std::uint64_t target;
};

/// All that a storm will do; the same for the same seed, on any machine.
std::vector<gust> forecast(const storm& x, std::uint64_t seed);

} // namespace rosia_drill
