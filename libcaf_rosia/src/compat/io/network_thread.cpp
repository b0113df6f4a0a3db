// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/network_thread.hpp"

#include "base/closed_descriptor.hpp"
#include "base/held_signal.hpp"

#include <caf/actor_system.hpp>
#include <caf/io/middleman.hpp>
#include <caf/io/network/multiplexer.hpp>

#include <chrono>
#include <csignal>
#include <future>
#include <utility>

namespace caf::rosia::detail {

void require_network_thread(caf::actor_system& sys) {
  if (!sys.has_middleman())
    return;
  held_signal pipe{SIGPIPE};
  std::promise<void> called;
  auto result = called.get_future();
  // CAF drops a function that it cannot write to its pipe.
  sys.middleman().backend().post([called = std::move(called)]() mutable {
    called.set_value();
  });
  if (result.wait_for(std::chrono::seconds{0}) == std::future_status::ready)
    try {
      result.get();
    } catch (const std::future_error&) {
      end_without_descriptor();
    }
}

} // namespace caf::rosia::detail
