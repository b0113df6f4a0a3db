// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <string_view>

namespace caf::rosia::detail {

/// A color of diagrams, and its counterpart on a dark page.
struct paint {
  std::string_view light;
  std::string_view dark;
};

/// The colors of diagrams. Each text has a contrast of 4.5 or more to its
/// background, in light and in dark.
namespace paints {

inline constexpr paint background{"#ffffff", "#0d1117"};
inline constexpr paint node_fill{"#f6f8fa", "#161b22"};
inline constexpr paint reaction_fill{"#ddf4ff", "#12304f"};
inline constexpr paint group_fill{"#fbf7ff", "#1b1626"};
inline constexpr paint line{"#59636e", "#9198a1"};
inline constexpr paint text{"#1f2328", "#e6edf3"};
inline constexpr paint remark{"#57606a", "#9aa4ae"};
inline constexpr paint frame{"#8c959f", "#6e7681"};
inline constexpr paint delayed{"#0969da", "#58a6ff"};
inline constexpr paint physical{"#8250df", "#bc8cff"};
inline constexpr paint loop{"#bc4c00", "#f0883e"};

inline constexpr std::array all{
  background, node_fill, reaction_fill, group_fill, line, text,
  remark,     frame,     delayed,       physical,   loop};

} // namespace paints

} // namespace caf::rosia::detail
