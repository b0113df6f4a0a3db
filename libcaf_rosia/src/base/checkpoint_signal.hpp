// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <csignal>
#include <optional>
#include <string_view>
#include <utility>

namespace caf::rosia::detail {

/// The signals that may be chosen to request a checkpoint. They have no other
/// meaning for an application.
inline constexpr std::pair<std::string_view, int> checkpoint_signals[] = {
  {"USR2", SIGUSR2},
  {"QUIT", SIGQUIT},
  {"ALRM", SIGALRM},
  {"WINCH", SIGWINCH},
};

/// Returns the number of such a signal. Its name may start with "SIG".
constexpr std::optional<int> checkpoint_signal_number(
  std::string_view name) noexcept {
  if (name.starts_with("SIG"))
    name.remove_prefix(3);
  for (auto& [known, number] : checkpoint_signals)
    if (known == name)
      return number;
  return std::nullopt;
}

} // namespace caf::rosia::detail
