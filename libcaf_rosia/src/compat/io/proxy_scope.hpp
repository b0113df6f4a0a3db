// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"

#include <caf/config.hpp>
#include <caf/node_id.hpp>
#include <caf/proxy_registry.hpp>

#if CAF_MAJOR_VERSION < 1
#  include <caf/execution_unit.hpp>
#endif

namespace caf::rosia::detail {

/// A scope in which handles of remote actors that this thread reads become
/// proxies of a broker, as in messages that CAF reads.
class proxy_scope {
public:
  /// @param proxies may be null.
  /// @param from the sender of the data.
  proxy_scope([[maybe_unused]] worker& unit, caf::proxy_registry* proxies,
              caf::node_id& from)
    :
#if CAF_MAJOR_VERSION < 1
      unit_(unit),
#endif
      proxies_(proxies) {
    set(proxies);
    if (proxies_ != nullptr)
      proxies_->set_last_hop(&from);
  }

  proxy_scope(const proxy_scope&) = delete;

  proxy_scope& operator=(const proxy_scope&) = delete;

  ~proxy_scope() {
    if (proxies_ != nullptr)
      proxies_->set_last_hop(nullptr);
    set(nullptr);
  }

private:
  void set(caf::proxy_registry* x) {
#if CAF_MAJOR_VERSION >= 1
    caf::proxy_registry::current(x);
#else
    unit_.proxy_registry_ptr(x);
#endif
  }

#if CAF_MAJOR_VERSION < 1
  worker& unit_;
#endif
  caf::proxy_registry* proxies_;
};

} // namespace caf::rosia::detail
