// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string_view>

namespace caf::rosia::detail {

/// The kind of a file, as far as messages distinguish it.
enum class file_kind {
  empty,
  /// The lines that the option `trace` writes.
  trace,
  /// The JSON that the option `report` writes.
  report,
  database,
  json,
  program,
  compressed,
  text,
  binary,
};

/// The number of bytes that `kind_of` reads.
inline constexpr std::size_t bytes_of_kind = 512;

/// Returns the kind of a file from its first bytes.
file_kind kind_of(std::string_view begin);

/// Returns a noun with its article: "a trace".
std::string_view to_string(file_kind x);

} // namespace caf::rosia::detail
