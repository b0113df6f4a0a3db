// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/event_loop.hpp"
#include "rosia_drill/instructions.hpp"
#include "rosia_drill/link_proxy.hpp"
#include "rosia_drill/planned_fault.hpp"
#include "rosia_drill/round_processes.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace rosia_drill {

/// The links between a round's processes that faults disturb: the tool relays
/// what goes over them. All other processes find each other directly.
class round_links {
public:
  /// @param loop outlives it, as do the processes.
  round_links(event_loop& loop, round_processes& processes,
              const std::vector<planned_fault>& faults);

  /// The link that a fault disturbs. @pre The fault was given at the start.
  link_proxy& of(const fault& x) const;

  /// The process at the end of a link that connects: the later one of two.
  const round_process& connecting(const fault& x) const;

  /// The port at which one process finds another.
  std::uint16_t port(std::size_t of, std::size_t for_whom) const;

  /// What a process has to be told of relayed links.
  std::vector<relayed_address> addresses(std::size_t for_whom) const;

private:
  /// The process that is connected to, and the one that connects.
  using ends = std::pair<std::size_t, std::size_t>;

  ends ends_of(const fault& x) const;

  round_processes* processes_;
  std::map<ends, std::unique_ptr<link_proxy>> proxies_;
};

} // namespace rosia_drill
