// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include <caf/init_global_meta_objects.hpp>

namespace caf::rosia::detail {

namespace {

/// Registers CAF's own messages before `main`, so that programs are equal for
/// all versions. Without these, CAF terminates. The function may be called
/// several times.
[[maybe_unused]] const bool caf_knows_own_messages
  = (caf::core::init_global_meta_objects(), true);

} // namespace

} // namespace caf::rosia::detail
