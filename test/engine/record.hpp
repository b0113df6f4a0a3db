// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace caf::rosia {

inline std::ostream& operator<<(std::ostream& out, logical_time x) {
  return out << to_string(x);
}

inline std::ostream& operator<<(std::ostream& out, const delay& x) {
  return out << to_string(x);
}

} // namespace caf::rosia

namespace engine_test {

using caf::rosia::delay;
using caf::rosia::forever;
using caf::rosia::logical_time;
using caf::rosia::never;

/// Returns a delay of `x` nanoseconds.
inline delay ns(std::int64_t x) {
  return delay{std::chrono::nanoseconds{x}};
}

/// Returns a delay of `n` microsteps.
inline delay steps(std::uint32_t n) {
  return delay{caf::rosia::microsteps(n)};
}

/// The index of `start()` in place of a reaction's.
inline constexpr std::uint32_t start_reaction = ~std::uint32_t{0};

/// In place of the number of a mode, as `engine::modes::none`.
inline constexpr auto no_mode = ~std::uint32_t{0};

/// An event in a node.
struct record {
  enum class kind : char {
    start = 's',
    resume = 'c',   // `index` is a reaction
    input = 'i',    // `index` is a port, `from` a connection
    action = 'a',   // `index` is an action
    reaction = 'r', // `index` is a reaction
    mode = 'm',     // `index` is a mode, `from` whether by its history
    state = '=',    // the state that the node's code computed
  };

  logical_time tag;
  kind type = kind::state;
  std::uint32_t index = 0;
  std::uint32_t from = 0;
  std::uint64_t value = 0;

  friend bool operator==(const record&, const record&) = default;
};

/// The events in a node, in order.
using history = std::vector<record>;

inline std::string to_string(const record& x) {
  return to_string(x.tag) + ' ' + static_cast<char>(x.type) + ' '
         + std::to_string(static_cast<std::int32_t>(x.index)) + " from "
         + std::to_string(static_cast<std::int32_t>(x.from)) + ": "
         + std::to_string(x.value);
}

} // namespace engine_test
