// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/closest_name.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <numeric>

namespace caf::rosia::detail {

namespace {

std::string fold(std::string_view name) {
  std::string result{name};
  for (auto& c : result)
    c = c == '-'
          ? '_'
          : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

// Returns the number of characters to add, remove or replace (Levenshtein).
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    auto diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      auto replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

} // namespace

std::string closest_name(std::string_view name,
                         const std::vector<std::string>& candidates) {
  auto wanted = fold(name);
  // A greater distance than a third of the name is no resemblance.
  auto best = wanted.size() / 3 + 2;
  std::string result;
  for (auto& candidate : candidates) {
    auto d = distance(wanted, fold(candidate));
    if (d < best) {
      best = d;
      result = candidate;
    }
  }
  return result;
}

} // namespace caf::rosia::detail
