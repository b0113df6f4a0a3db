// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/has_text.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/logger.h>

/// Lets fmt and spdlog print all types of the library that have a `to_string`:
/// tags, delays and enumerations, for example in `log().info("{}", now())`.
/// They accept the format specifications of texts: `{:>10}`. This header also
/// includes the loggers' class.
template <class T>
  requires caf::rosia::detail::has_text<T>
struct fmt::formatter<T> : fmt::formatter<fmt::string_view> {
  template <class Context>
  auto format(const T& x, Context& where) const {
    return fmt::formatter<fmt::string_view>::format(
      caf::rosia::detail::shown_text(x), where);
  }
};
