// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/session.hpp"

#include "caf/rosia/options.hpp"

namespace caf::rosia::detail {

std::string text_of(const ended_early& x, const options& opts) {
  std::string result = "the application ends before it started: ";
  result += x.what();
  if (!opts.checkpoint.file.empty())
    result += "; nothing has run, so no checkpoint is taken";
  return result;
}

session::~session() {
  // nop
}

} // namespace caf::rosia::detail
