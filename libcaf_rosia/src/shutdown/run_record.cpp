// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/run_record.hpp"

namespace caf::rosia::detail {

void run_record::wait() {
  state = part_report::state::waiting;
  since = clock::now();
}

void run_record::begin() {
  state = part_report::state::ending;
  since = began_at = clock::now();
  error.clear();
}

void run_record::end(const std::string& failure) {
  state
    = failure.empty() ? part_report::state::ended : part_report::state::failed;
  since = clock::now();
  error = failure;
}

} // namespace caf::rosia::detail
