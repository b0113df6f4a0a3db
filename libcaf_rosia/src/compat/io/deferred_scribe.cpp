// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/deferred_scribe.hpp"

#include "compat/io/multiplexer.hpp"

#include <utility>

namespace caf::rosia::detail {

deferred_scribe::deferred_scribe(caf::io::network::default_multiplexer& home,
                                 caf::io::connection_handle handle)
  : scribe(handle), home_(dynamic_cast<multiplexer*>(&home)) {
  // nop
}

bool deferred_scribe::defer() {
  if (home_ == nullptr)
    return false;
  if (!std::exchange(pending_, true))
    home_->unwritten_.emplace_back(this);
  return true;
}

bool deferred_scribe::take_back() noexcept {
  return std::exchange(pending_, false);
}

} // namespace caf::rosia::detail
