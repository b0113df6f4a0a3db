// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

/// The values of a node's parameters, by name, as text.
using parameter_values = std::vector<std::pair<std::string, std::string>>;

/// Sets parameters of the node that this thread constructs while this object
/// exists.
class parameter_scope {
public:
  explicit parameter_scope(parameter_values values) noexcept;

  parameter_scope(const parameter_scope&) = delete;

  parameter_scope& operator=(const parameter_scope&) = delete;

  ~parameter_scope();

  /// Returns the value of a parameter; null if it is not set. The last of
  /// several values counts.
  static const std::string* find(std::string_view name) noexcept;

private:
  parameter_values values_;
  const parameter_scope* outer_;
};

} // namespace caf::rosia::detail
