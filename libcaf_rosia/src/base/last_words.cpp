// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/last_words.hpp"

#include "base/signal_mask.hpp"

#include <atomic>
#include <chrono>
#include <csignal>

#include <unistd.h>

namespace caf::rosia::detail {

namespace {

/// The time limit for the last message of an aborted process.
constexpr std::chrono::seconds time_for_last_words{5};

} // namespace

void limit_last_words(int status) {
  static std::atomic<int> last_status;
  last_status = status;
  std::signal(SIGALRM, [](int) { ::_exit(last_status); });
  unblock_signal(SIGALRM);
  ::alarm(static_cast<unsigned>(time_for_last_words.count()));
}

last_words_limit::last_words_limit(int status) {
  sigaction(SIGALRM, nullptr, &previous_);
  limit_last_words(status);
}

last_words_limit::~last_words_limit() {
  ::alarm(0);
  sigaction(SIGALRM, &previous_, nullptr);
}

} // namespace caf::rosia::detail
