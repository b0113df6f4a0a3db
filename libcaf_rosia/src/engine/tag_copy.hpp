// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <cstdint>

namespace caf::rosia::engine {

/// Copies a tag with one load and one store. Compilers use two of each for an
/// assignment, and each message copies its tag several times.
[[gnu::always_inline]] inline void copy_tag(
  logical_time& to, const logical_time& from) noexcept {
  using words [[gnu::vector_size(16), gnu::aligned(8), gnu::may_alias]]
  = std::uint64_t;
  static_assert(sizeof(words) == sizeof(logical_time));
  *reinterpret_cast<words*>(&to) = *reinterpret_cast<const words*>(&from);
}

} // namespace caf::rosia::engine
