// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/scheduling.hpp"

#include <caf/node_id.hpp>
#include <caf/proxy_registry.hpp>

namespace caf::rosia::detail {

/// A scope in which handles of remote actors that this thread reads become
/// proxies of a broker, as in messages that CAF reads. Tests: test/distributed.
class proxy_scope {
public:
  /// @param proxies may be null.
  /// @param from the sender of the data.
  proxy_scope(worker& unit, caf::proxy_registry* proxies, caf::node_id& from)
    : unit_(unit), proxies_(proxies) {
    set_proxies(unit_, proxies_);
    if (proxies_ != nullptr)
      proxies_->set_last_hop(&from);
  }

  proxy_scope(const proxy_scope&) = delete;

  proxy_scope& operator=(const proxy_scope&) = delete;

  ~proxy_scope() {
    if (proxies_ != nullptr)
      proxies_->set_last_hop(nullptr);
    set_proxies(unit_, nullptr);
  }

private:
  worker& unit_;
  caf::proxy_registry* proxies_;
};

} // namespace caf::rosia::detail
