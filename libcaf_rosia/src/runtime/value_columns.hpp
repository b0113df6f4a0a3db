// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "nodes/value_text.hpp"
#include "run_file/database.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Writes values to two columns of a table: bytes and text. One thread at a
/// time may use it. Tests: test/recording.
class value_columns {
public:
  /// Binds the bytes of a value to parameter `index`, and its text, as JSON, to
  /// the next one. Binds null to both if the value cannot be saved. The bytes
  /// are valid until the next call.
  /// @returns why the value cannot be saved; empty if it can.
  std::string bind(run_file::statement& to, int index, const engine::value& x);

  /// Returns the number of bytes of the value that was bound last.
  std::size_t size() const noexcept {
    return bytes_.size();
  }

private:
  value_text text_;
  std::vector<char> bytes_;
};

} // namespace caf::rosia::detail
