// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// While it lives, children stop when the terminal stops this process, as by
/// Ctrl-Z (SIGTSTP, SIGTTIN, SIGTTOU), and continue when it continues. A
/// terminal does not stop children that are in other process groups. Does
/// nothing for signals that the process handles itself, or ignores.
/// From any thread.
class stop_relay {
public:
  stop_relay();

  stop_relay(const stop_relay&) = delete;

  stop_relay& operator=(const stop_relay&) = delete;

  ~stop_relay();

  /// @param pidfd of a child; stays open until it is removed.
  void add(int pidfd);

  void remove(int pidfd) noexcept;
};

} // namespace caf::rosia::detail
