// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/send.hpp>

#include <utility>

namespace caf::rosia::detail {

/// Sends a message without a sender: the receiver cannot reply.
template <class Handle, class... Ts>
void send_anonymously(const Handle& to, Ts&&... xs) {
  caf::anon_send(to, std::forward<Ts>(xs)...);
}

/// Sends a message on behalf of another actor. Any thread may call this.
template <class From, class Handle, class... Ts>
void send_from(const From& from, const Handle& to, Ts&&... xs) {
  caf::send_as(from, to, std::forward<Ts>(xs)...);
}

} // namespace caf::rosia::detail
