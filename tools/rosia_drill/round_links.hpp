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

/// The links between a round's processes that faults disturb. The tool relays
/// their data. All other processes connect directly.
class round_links {
public:
  /// @param loop must outlive this object, as must the processes.
  round_links(event_loop& loop, round_processes& processes,
              const std::vector<planned_fault>& faults);

  /// Returns the link that a fault disturbs. @pre The constructor got the
  /// fault.
  link_proxy& of(const fault& x) const;

  /// Returns the process that initiates the connection of a link: the later one
  /// of two.
  const round_process& connecting(const fault& x) const;

  /// Returns the port at which one process reaches another.
  std::uint16_t port(std::size_t of, std::size_t user) const;

  /// Returns the addresses of relayed links for a process.
  std::vector<relayed_address> addresses(std::size_t user) const;

private:
  /// The process that accepts the connection, and the one that initiates it.
  using ends = std::pair<std::size_t, std::size_t>;

  ends ends_of(const fault& x) const;

  round_processes* processes_;
  std::map<ends, std::unique_ptr<link_proxy>> proxies_;
};

} // namespace rosia_drill
