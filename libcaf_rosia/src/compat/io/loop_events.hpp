// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/event_handler.hpp>
#include <caf/io/network/operation.hpp>

#ifdef CAF_POLL_MULTIPLEXER
#  include <poll.h>
#else
#  include <sys/epoll.h>
#endif

namespace caf::rosia::detail {

/// Returns whether the loop has told the system to wait for this event.
inline bool waits_for(const caf::io::network::event_handler& x,
                      caf::io::network::operation event) {
#ifdef CAF_POLL_MULTIPLEXER
  constexpr auto input = POLLIN;
  constexpr auto output = POLLOUT;
#else
  constexpr auto input = EPOLLIN;
  constexpr auto output = EPOLLOUT;
#endif
  auto mask = event == caf::io::network::operation::read ? input : output;
  return (x.eventbf() & static_cast<int>(mask)) != 0;
}

} // namespace caf::rosia::detail
