// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_receiver.hpp"

#include <caf/fwd.hpp>

#include <mutex>
#include <string_view>

namespace caf::rosia::detail {

class gateway;

/// Where the connections of a process find the process's gateway, which is
/// there for a part of their lives. May be used from any thread.
class gateway_slot final : public frame_receiver {
public:
  /// Hands what comes from now on to `x`, or drops it if that is null. Returns
  /// once the gateway before handles nothing any more.
  void set(gateway* x);

  void receive(const caf::node_id& from, std::string_view bytes,
               worker& unit) override;

private:
  std::mutex mutex_;
  gateway* gateway_ = nullptr; // protected by `mutex_`
};

} // namespace caf::rosia::detail
