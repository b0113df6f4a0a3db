// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// Stops children when the terminal stops this process, as by Ctrl-Z (SIGTSTP,
/// SIGTTIN, SIGTTOU), and continues them with this process. A terminal does not
/// stop children in other process groups. Does nothing for signals that the
/// process handles or ignores. From any thread. Tests:
/// test/distributed/child_processes_test.cpp.
class stop_relay {
public:
  stop_relay();

  stop_relay(const stop_relay&) = delete;

  stop_relay& operator=(const stop_relay&) = delete;

  ~stop_relay();

  /// @param pidfd refers to a child; must stay open until `remove`.
  void add(int pidfd);

  void remove(int pidfd) noexcept;
};

} // namespace caf::rosia::detail
