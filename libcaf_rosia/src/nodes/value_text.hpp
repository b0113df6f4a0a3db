// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace caf::rosia::detail {

/// Writes values as JSON: numbers, strings, arrays. The members that a type's
/// `inspect` lists are an array without their names, those of a member that is
/// a structure included; a single one stands for itself. Raw bytes are a string
/// of hexadecimal digits. Not for several threads at a time.
class value_text {
public:
  value_text();

  ~value_text();

  /// @returns nothing if CAF cannot write the value's type. The text is good
  ///          until the next call.
  std::optional<std::string_view> write(const engine::value& x);

private:
  class sink;

  std::unique_ptr<sink> sink_;
};

} // namespace caf::rosia::detail
