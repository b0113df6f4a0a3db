// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/held_signal.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <utility>

namespace caf::rosia::detail {

namespace {

struct state {
  std::atomic<int> holders{0};
  std::atomic<bool> has_come{false};
};

std::array<state, NSIG> held_states;

static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<bool>::is_always_lock_free);

state& state_of(int signal) noexcept {
  return held_states[static_cast<std::size_t>(signal)];
}

/// Handles a held signal. `SIG_IGN` would be inherited by programs that the
/// process starts.
extern "C" void rosia_on_held_signal(int signal) {
  auto saved = errno;
  auto& x = state_of(signal);
  if (x.holders.load() > 0) {
    x.has_come = true;
  } else {
    // A watch restored this handler after the last holder was destroyed.
    ::signal(signal, SIG_DFL);
    ::raise(signal); // delivered when this function returns
  }
  errno = saved;
}

bool is_handled_by(int signal, void (*handler)(int)) noexcept {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == handler;
}

void set_handler(int signal, void (*handler)(int)) noexcept {
  struct sigaction action = {};
  action.sa_handler = handler;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(signal, &action, nullptr);
}

/// @returns whether this was the last holder.
bool leave(int signal) noexcept {
  if (state_of(signal).holders.fetch_sub(1) > 1)
    return false;
  if (is_handled_by(signal, rosia_on_held_signal))
    set_handler(signal, SIG_DFL);
  return true;
}

} // namespace

held_signal::held_signal(int signal) : signal_(signal) {
  state_of(signal).holders.fetch_add(1);
  if (is_handled_by(signal, SIG_DFL))
    set_handler(signal, rosia_on_held_signal);
}

held_signal::held_signal(held_signal&& other) noexcept
  : signal_(std::exchange(other.signal_, 0)) {
  // nop
}

held_signal::~held_signal() {
  if (signal_ != 0 && leave(signal_))
    take(signal_);
}

void held_signal::release() noexcept {
  if (auto signal = std::exchange(signal_, 0);
      signal != 0 && leave(signal) && take(signal))
    ::raise(signal);
}

bool held_signal::take(int signal) noexcept {
  return state_of(signal).has_come.exchange(false);
}

} // namespace caf::rosia::detail
