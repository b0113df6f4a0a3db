// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include <caf/init_global_meta_objects.hpp>

namespace caf::rosia::detail {

namespace {

/// CAF's own messages are known before `main`, so that programs are written the
/// same for all versions. CAF terminates without; it may be told again.
[[maybe_unused]] const bool caf_knows_own_messages
  = (caf::core::init_global_meta_objects(), true);

} // namespace

} // namespace caf::rosia::detail
