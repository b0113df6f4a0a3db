// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/session.hpp"

namespace caf::rosia::detail {

session::~session() {
  // nop
}

} // namespace caf::rosia::detail
