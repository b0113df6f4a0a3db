// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/tracer.hpp"

namespace caf::rosia::engine {

tracer::~tracer() {
  // nop
}

} // namespace caf::rosia::engine
