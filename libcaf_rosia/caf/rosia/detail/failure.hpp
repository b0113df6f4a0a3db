// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <string>

namespace caf::rosia::engine {

/// An unrecoverable error of a node: it aborts the application.
struct failure {
  std::string reaction; // its name, "start" or "shutdown"
  logical_time tag;
  std::string what; // what() of an exception, or the like
};

} // namespace caf::rosia::engine
