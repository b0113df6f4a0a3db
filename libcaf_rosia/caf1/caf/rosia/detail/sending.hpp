// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/actor_cast.hpp>
#include <caf/anon_mail.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>

#include <utility>

namespace caf::rosia::detail {

/// Sends a message without a sender: the receiver cannot reply.
template <class Handle, class... Ts>
void send_anonymously(const Handle& to, Ts&&... xs) {
  caf::anon_mail(std::forward<Ts>(xs)...).send(to);
}

/// Sends a message on behalf of another actor. Any thread may call this.
template <class From, class Handle, class... Ts>
void send_from(const From& from, const Handle& to, Ts&&... xs) {
  if (to)
    to->enqueue(
      caf::make_mailbox_element(
        caf::actor_cast<caf::strong_actor_ptr>(from), caf::make_message_id(),
        std::forward<Ts>(xs)...),
      nullptr);
}

} // namespace caf::rosia::detail
