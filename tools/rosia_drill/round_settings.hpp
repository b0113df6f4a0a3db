// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/certificates.hpp"

#include <atomic>
#include <cstdint>
#include <filesystem>

namespace rosia_drill {

/// The parameters of a round.
struct round_settings {
  /// The path of the program.
  std::filesystem::path program;
  std::uint64_t number = 1;
  std::uint64_t seed = 1;
  /// The folder of the round, which creates it and does not remove it.
  std::filesystem::path folder;
  /// The socket on which the tool listens; a short path.
  std::filesystem::path socket;
  /// Used by drills with certificates.
  caf::rosia::detail::tls_files certificates;
  /// Whether faults are injected.
  bool disturbed = true;
  /// The folder of the round that this one resumes; empty if none.
  std::filesystem::path continued = {};
  /// Set to interrupt the round.
  const std::atomic<bool>* stop = nullptr;
};

} // namespace rosia_drill
