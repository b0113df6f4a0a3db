// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/unexecuted_values.hpp"

#include "base/text.hpp"
#include "runtime/node_directory.hpp"

#include <spdlog/fmt/fmt.h>

#include <utility>

namespace caf::rosia::detail {

namespace {

constexpr std::size_t most_named = 10;

} // namespace

void unexecuted_values::count(engine::node_id node, std::size_t values) {
  std::lock_guard guard{mutex_};
  values_[node] += values;
}

std::string unexecuted_values::text(const node_directory& nodes) const {
  std::lock_guard guard{mutex_};
  std::size_t sum = 0;
  std::size_t named = 0;
  std::string names;
  for (auto [node, values] : values_) {
    sum += values;
    if (named++ < most_named)
      names += fmt::format(
        "{}{} for '{}'", names.empty() ? "" : ", ", values, nodes.name(node));
  }
  if (sum == 0)
    return {};
  auto result = fmt::format(
    "{}: {}", plural(sum, "value was not executed", "values were not executed"),
    names);
  if (named > most_named)
    result += fmt::format(
      ", and others for {}",
      plural(named - most_named, "more node", "more nodes"));
  return result;
}

} // namespace caf::rosia::detail
