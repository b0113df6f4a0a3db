// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/host.hpp"

namespace caf::rosia::engine {

host::~host() {
  // nop
}

} // namespace caf::rosia::engine
