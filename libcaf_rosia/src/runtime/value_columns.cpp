// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/value_columns.hpp"

#include "base/exception_text.hpp"
#include "compat/bytes.hpp"

#include <caf/error.hpp>

namespace caf::rosia::detail {

std::string value_columns::bind(
  run_file::statement& to, int index, const engine::value& x) {
  bytes_.clear();
  byte_writer sink{bytes_};
  std::string problem;
  try {
    if (auto error = x.save(sink)) {
      problem = caf::to_string(error);
    } else {
      to.bind_bytes(index, bytes_);
      if (auto text = text_.write(x))
        to.bind(index + 1, *text);
      return {};
    }
  } catch (...) {
    problem = current_exception_text();
  }
  to.bind_null(index).bind_null(index + 1);
  return problem;
}

} // namespace caf::rosia::detail
