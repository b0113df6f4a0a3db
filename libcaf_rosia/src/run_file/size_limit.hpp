// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <csignal>

namespace caf::rosia::run_file {

/// While it exists, a write by this thread beyond the process's limit of file
/// sizes (`ulimit -f`) is an error, and does not end the process. Tests:
/// test/run_file/database_test.cpp, test/recording.
class size_limit_is_error {
public:
  size_limit_is_error() noexcept {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }

  size_limit_is_error(const size_limit_is_error&) = delete;

  size_limit_is_error& operator=(const size_limit_is_error&) = delete;

  /// Discards a signal that arrived while it was blocked.
  ~size_limit_is_error() {
    if (sigismember(&before_, SIGXFSZ) == 1)
      return;
    constexpr timespec at_once{};
    sigtimedwait(&signal_, nullptr, &at_once);
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }

private:
  sigset_t signal_;
  sigset_t before_;
};

} // namespace caf::rosia::run_file
