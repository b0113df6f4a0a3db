// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/duration.hpp"
#include "caf/rosia/graph_description.hpp"
#include "drawing/palette.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// The style of a connection in a drawing.
enum class connection_style : std::uint8_t { plain, delayed, physical, loop };

/// Returns the style of a connection. A loop takes precedence over a delay,
/// which is shown as text.
inline connection_style style_of(
  const graph_description::connection& x) noexcept {
  using enum connection_style;
  if (x.physical)
    return physical;
  if (x.in_loop)
    return loop;
  return x.distance.is_zero() ? plain : delayed;
}

constexpr const char* name_of(connection_style x) noexcept {
  constexpr const char* names[] = {"plain", "delayed", "physical", "loop"};
  return names[static_cast<std::size_t>(x)];
}

constexpr const paint& paint_of(connection_style x) noexcept {
  constexpr const paint* colors[]
    = {&paints::line, &paints::delayed, &paints::physical, &paints::loop};
  return *colors[static_cast<std::size_t>(x)];
}

/// Returns the label of a connection; empty for none.
inline std::string text_of(const graph_description::connection& x) {
  if (x.keep_latest > 0)
    return "latest " + std::to_string(x.keep_latest);
  if (x.physical)
    return "physical";
  auto result
    = x.distance.is_zero() ? std::string{} : "after " + to_string(x.distance);
  if (x.has_max_wait())
    result += (result.empty() ? "maxwait " : ", maxwait ")
              + time_text(std::chrono::nanoseconds{x.max_wait});
  return result;
}

} // namespace caf::rosia::detail
