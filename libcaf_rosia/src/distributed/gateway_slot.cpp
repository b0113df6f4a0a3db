// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/gateway_slot.hpp"

#include "distributed/gateway.hpp"

namespace caf::rosia::detail {

void gateway_slot::set(gateway* x) {
  std::lock_guard guard{mutex_};
  gateway_ = x;
}

void gateway_slot::receive(
  const caf::node_id& from, std::string_view bytes, worker& unit) {
  std::lock_guard guard{mutex_};
  if (gateway_ != nullptr)
    gateway_->receive(from, bytes, unit);
}

} // namespace caf::rosia::detail
