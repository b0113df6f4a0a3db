// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/suggestion.hpp"

#include "base/closest_name.hpp"

#include <cstddef>

namespace caf::rosia::detail {

namespace {

/// How many names are listed.
constexpr std::size_t most_names = 8;

std::string did_you_mean(const std::string& closest) {
  return closest.empty() ? closest : "; did you mean '" + closest + "'?";
}

} // namespace

std::string suggestion(const std::string& name,
                       const std::vector<std::string>& names) {
  if (names.empty())
    return "; there are none";
  if (names.size() <= most_names) {
    std::string result = "; there is ";
    for (auto& other : names) {
      if (&other != &names.front())
        result += &other == &names.back() ? " and " : ", ";
      (result += '\'') += other;
      result += '\'';
    }
    return result;
  }
  return did_you_mean(closest_name(name, names));
}

std::string correction(const std::string& name,
                       const std::vector<std::string>& names) {
  auto closest = closest_name(name, names);
  return closest.empty() ? suggestion(name, names) : did_you_mean(closest);
}

} // namespace caf::rosia::detail
