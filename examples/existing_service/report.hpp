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

/// What a run comes to: the clients' figures, the door's, and the database's.
struct report {
  /// The shutdown's status.
  int status = 0;

  /// Why the service has ended.
  std::string reason = {};

  load_figures clients = {};

  /// At the door.
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;

  std::uint64_t stored = 0;

  /// What does not fit together; for people.
  std::vector<std::string> differences = {};

  bool exact() const noexcept {
    return differences.empty();
  }
};

/// Compares the figures with each other, and with what is stored.
report make_report(int status, std::string reason, load_figures clients,
                   const door_figures& door, const std::vector<entry>& stored);

/// Renders it for people.
std::string to_string(const report& x);

std::string to_json(const report& x);

} // namespace existing_service
