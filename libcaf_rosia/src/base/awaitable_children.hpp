// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <csignal>

namespace caf::rosia::detail {

/// Lets the process wait for its children while it exists. The process may have
/// inherited that SIGCHLD is ignored, and then the system discards the statuses
/// of children. Tests: test/drawing.
class awaitable_children {
public:
  awaitable_children() noexcept {
    sigaction(SIGCHLD, nullptr, &before_);
    forgets_
      = (before_.sa_flags & SA_NOCLDWAIT) != 0
        || ((before_.sa_flags & SA_SIGINFO) == 0
            && before_.sa_handler == SIG_IGN);
    if (!forgets_)
      return;
    struct sigaction usual = {};
    usual.sa_handler = SIG_DFL;
    sigaction(SIGCHLD, &usual, nullptr);
  }

  awaitable_children(const awaitable_children&) = delete;

  awaitable_children& operator=(const awaitable_children&) = delete;

  ~awaitable_children() {
    if (forgets_)
      sigaction(SIGCHLD, &before_, nullptr);
  }

private:
  struct sigaction before_ = {};
  bool forgets_ = false;
};

} // namespace caf::rosia::detail
