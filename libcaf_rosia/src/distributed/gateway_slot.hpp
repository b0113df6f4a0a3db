// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_receiver.hpp"

#include <caf/fwd.hpp>

#include <mutex>
#include <string_view>

namespace caf::rosia::detail {

class gateway;

/// The place where the connections of a process find its gateway, which exists
/// for a part of their lifetime. May be used from any thread. Tests:
/// test/distributed.
class gateway_slot final : public frame_receiver {
public:
  /// Passes all further frames to `x`, or drops them if it is null. Returns
  /// after the previous gateway handled its last frame.
  void set(gateway* x);

  void receive(const caf::node_id& from, std::string_view bytes,
               worker& unit) override;

private:
  std::mutex mutex_;
  gateway* gateway_ = nullptr; // protected by `mutex_`
};

} // namespace caf::rosia::detail
