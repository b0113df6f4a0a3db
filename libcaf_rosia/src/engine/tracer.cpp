// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/tracer.hpp"

namespace caf::rosia::engine {

tracer::~tracer() {
  // nop
}

void tracer::ran(node_id, logical_time, std::uint32_t, std::int64_t,
                 std::int64_t) {
  // nop
}

} // namespace caf::rosia::engine
