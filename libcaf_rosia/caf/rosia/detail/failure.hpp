// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <string>

namespace caf::rosia::engine {

/// An unrecoverable error of a node. It aborts the application.
struct failure {
  std::string reaction; // the reaction's name, "start" or "shutdown"
  logical_time tag;
  std::string text; // the text of an exception, or a description
};

} // namespace caf::rosia::engine
