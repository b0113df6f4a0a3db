// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/certificates.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace rosia_drill {

/// How a round is run.
struct round_settings {
  /// Its path.
  std::filesystem::path program;
  std::uint64_t number = 1;
  std::uint64_t seed = 1;
  /// Of its own; made by the round, and left as it is.
  std::filesystem::path folder;
  /// Where the processes find the tool; short.
  std::filesystem::path socket;
  /// For drills with certificates.
  caf::rosia::detail::tls_files certificates;
  /// Without its faults, if not.
  bool disturbed = true;
  /// The folder of the round that this one continues; empty if none.
  std::filesystem::path continued = {};
  /// Set when the round is to be given up.
  const std::atomic<bool>* stop = nullptr;
};

} // namespace rosia_drill
