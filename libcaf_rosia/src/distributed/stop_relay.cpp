// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/stop_relay.hpp"

#include "base/signal_mask.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <mutex>

#include <sys/syscall.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

constexpr std::array<int, 3> stop_signals{SIGTSTP, SIGTTIN, SIGTTOU};

/// An entry that the signal handler reads. Entries are reused, and never freed.
struct stop_entry {
  std::atomic<int> pidfd{-1};
  stop_entry* next = nullptr;
};

std::atomic<stop_entry*> stop_entries{nullptr};

static_assert(std::atomic<int>::is_always_lock_free);
static_assert(std::atomic<stop_entry*>::is_always_lock_free);

std::mutex relay_mutex; // protects the number below
std::size_t relay_count = 0;

void send_to_children(int signal) noexcept {
  for (auto* x = stop_entries.load(); x != nullptr; x = x->next)
    if (auto fd = x->pidfd.load(); fd >= 0)
      ::syscall(SYS_pidfd_send_signal, fd, signal, nullptr, 0);
}

/// Stops the children, and then this process by the default action, which does
/// nothing if no shell could continue it.
extern "C" void rosia_on_stop(int signal) {
  auto saved = errno;
  send_to_children(SIGSTOP);
  ::signal(signal, SIG_DFL);
  ::raise(signal);
  unblock_signal(signal); // stops here
  send_to_children(SIGCONT);
  ::signal(signal, rosia_on_stop);
  errno = saved;
}

bool has_stop_handler(int signal, void (*handler)(int)) noexcept {
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  return (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == handler;
}

/// Replaces the handler `from` by `to`. Does nothing if `from` is not set.
void replace_stop_handler(void (*from)(int), void (*to)(int)) noexcept {
  for (auto signal : stop_signals)
    if (has_stop_handler(signal, from))
      ::signal(signal, to);
}

} // namespace

stop_relay::stop_relay() {
  std::lock_guard guard{relay_mutex};
  if (++relay_count == 1)
    replace_stop_handler(SIG_DFL, rosia_on_stop);
}

stop_relay::~stop_relay() {
  std::lock_guard guard{relay_mutex};
  if (--relay_count == 0)
    replace_stop_handler(rosia_on_stop, SIG_DFL);
}

void stop_relay::add(int pidfd) {
  std::lock_guard guard{relay_mutex};
  auto* x = stop_entries.load();
  while (x != nullptr && x->pidfd.load() >= 0)
    x = x->next;
  if (x == nullptr) {
    x = new stop_entry;
    x->next = stop_entries.load();
    stop_entries.store(x);
  }
  x->pidfd.store(pidfd);
}

void stop_relay::remove(int pidfd) noexcept {
  std::lock_guard guard{relay_mutex};
  for (auto* x = stop_entries.load(); x != nullptr; x = x->next)
    if (x->pidfd.load() == pidfd)
      x->pidfd.store(-1);
}

} // namespace caf::rosia::detail
