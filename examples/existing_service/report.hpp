// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "entry.hpp"
#include "load.hpp"
#include "service.hpp"

namespace existing_service {

/// The result of a run: the figures of the clients, the acceptor and the
/// database.
struct report {
  /// The shutdown's status.
  int status = 0;

  /// The reason for the shutdown.
  std::string reason = {};

  load_figures clients = {};

  /// The acceptor's counters.
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;

  std::uint64_t stored = 0;

  /// Descriptions of figures that contradict each other.
  std::vector<std::string> differences = {};

  bool exact() const noexcept {
    return differences.empty();
  }
};

/// Compares the figures with each other and with the stored entries.
report make_report(int status, std::string reason, load_figures clients,
                   const door_figures& door, const std::vector<entry>& stored);

/// Renders a report as text.
std::string to_string(const report& x);

std::string to_json(const report& x);

} // namespace existing_service
