// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/report_signal_guard.hpp"

#include <csignal>

namespace caf::rosia::detail {

namespace {

/// Not `SIG_IGN`, which programs that the process starts would inherit.
extern "C" void rosia_on_early_signal(int) {
  // nop
}

bool is_handler(void (*handler)(int)) noexcept {
  struct sigaction now = {};
  sigaction(SIGUSR1, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == handler;
}

void set_handler(void (*handler)(int)) noexcept {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGUSR1, &action, nullptr);
}

} // namespace

report_signal_guard::report_signal_guard() {
  if (is_handler(SIG_DFL))
    set_handler(rosia_on_early_signal);
}

report_signal_guard::~report_signal_guard() {
  release();
}

void report_signal_guard::release() noexcept {
  if (is_handler(rosia_on_early_signal))
    set_handler(SIG_DFL);
}

} // namespace caf::rosia::detail
