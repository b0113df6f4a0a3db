// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace caf::rosia::detail {

/// Writes values as JSON: numbers, strings, arrays. The members that a type's
/// `inspect` lists become an array without names, which includes the members of
/// nested structures; a single member is written as itself. Raw bytes become a
/// string of hexadecimal digits. One thread at a time may use it. Tests:
/// test/nodes/value_text_test.cpp.
class value_text {
public:
  value_text();

  ~value_text();

  /// @returns none if CAF cannot write the value's type. The text is valid
  ///   until the next call.
  std::optional<std::string_view> write(const engine::value& x);

private:
  class sink;

  std::unique_ptr<sink> sink_;
};

} // namespace caf::rosia::detail
