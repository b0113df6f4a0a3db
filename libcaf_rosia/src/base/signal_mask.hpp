// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <csignal>

namespace caf::rosia::detail {

/// Unblocks a signal for this thread. A process inherits the signals that its
/// parent blocks, and threads inherit them from their creator.
inline void unblock_signal(int signal) noexcept {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
}

} // namespace caf::rosia::detail
