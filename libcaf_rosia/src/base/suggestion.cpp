// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/suggestion.hpp"

#include "base/closest_name.hpp"

#include <cstddef>

namespace caf::rosia::detail {

namespace {

/// The maximal number of listed names.
constexpr std::size_t most_names = 8;

} // namespace

std::string suggestion(std::string_view name,
                       const std::vector<std::string>& names) {
  if (names.empty())
    return "; there are none";
  if (auto closest = closest_name(name, names); !closest.empty())
    return "; did you mean '" + closest + "'?";
  if (names.size() > most_names)
    return {};
  std::string result = "; there is ";
  for (auto& other : names) {
    if (&other != &names.front())
      result += &other == &names.back() ? " and " : ", ";
    (result += '\'') += other;
    result += '\'';
  }
  return result;
}

} // namespace caf::rosia::detail
