// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// An ordinary CAF program without nodes, which ends in order at SIGTERM or
// Ctrl-C:
//
//   source (a thread) --(numbers)--> doubler --(numbers)--> counter
//
// The source ends first, then each actor after it has handled its messages. So
// the counter receives every number, no matter when the shutdown begins.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <stop_token>

#include <caf/all.hpp>

#include "caf/rosia/shutdown.hpp"

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

namespace {

constexpr int most_numbers = 2000;

struct figures {
  std::atomic<int> sent{0};
  std::atomic<int> counted{0};
};

caf::behavior counter(caf::event_based_actor*, figures* all) {
  return {[=](int) {
    if (++all->counted % 100 == 0)
      std::printf("counted %d\n", all->counted.load());
  }};
}

caf::behavior doubler(caf::event_based_actor* self, caf::actor to) {
  return {[=](int number) { self->send(to, 2 * number); }};
}

// Sends a number each millisecond, until a stop is requested or all numbers are
// sent.
void send_numbers(const caf::actor& to, figures& all, std::stop_token token) {
  std::mutex mutex;
  std::condition_variable_any changed;
  std::unique_lock held{mutex};
  while (all.sent < most_numbers) {
    caf::anon_send(to, ++all.sent);
    if (changed.wait_for(held, token, 1ms, [&token] {
          return token.stop_requested();
        }))
      return;
  }
}

} // namespace

int main() {
  // Line buffering, even when stdout is a pipe.
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  caf::actor_system_config config;
  caf::actor_system sys{config};
  figures all;
  auto status = 0;
  {
    rosia::shutdown shutdown{sys};
    auto last = sys.spawn(counter, &all);
    auto first = sys.spawn(doubler, last);
    rosia::part_options before;
    before.parent = "counter";
    shutdown.adopt(last, "counter");
    shutdown.adopt(first, "doubler", before);
    shutdown.spawn_thread("source", [&all, first](std::stop_token token) {
      send_numbers(first, all, token);
    });
    std::printf("ready\n");
    status = shutdown.wait_for_shutdown();
  }
  std::printf("sent %d, counted %d\n", all.sent.load(), all.counted.load());
  if (status == 0 && all.sent == all.counted)
    std::printf("nothing was lost\n");
  return status;
}
