// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/stop_limit.hpp"

#include "base/duration.hpp"
#include "base/last_words.hpp"
#include "base/write_all.hpp"

#include <cstdlib>
#include <system_error>

#include <unistd.h>

namespace caf::rosia::detail {

void stop_limit::begin() {
  try {
    last_resort_.emplace();
  } catch (const std::system_error&) {
    return; // threads are exhausted
  }
  auto end = add_saturated(last_resort::clock::now(), limit_);
  last_resort_->set(end, [this] {
    limit_last_words(status_);
    write_all(STDERR_FILENO, late_stop_text(limit_, status_));
    std::_Exit(status_);
  });
}

} // namespace caf::rosia::detail
