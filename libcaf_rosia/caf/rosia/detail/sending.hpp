// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/config.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/actor_cast.hpp>
#  include <caf/anon_mail.hpp>
#  include <caf/mailbox_element.hpp>
#  include <caf/message_id.hpp>
#else
#  include <caf/send.hpp>
#endif

#include <utility>

namespace caf::rosia::detail {

#if CAF_MAJOR_VERSION >= 1

template <class Handle, class... Ts>
void send_anonymously(const Handle& to, Ts&&... xs) {
  caf::anon_mail(std::forward<Ts>(xs)...).send(to);
}

template <class From, class Handle, class... Ts>
void send_from(const From& from, const Handle& to, Ts&&... xs) {
  if (to)
    to->enqueue(
      caf::make_mailbox_element(
        caf::actor_cast<caf::strong_actor_ptr>(from), caf::make_message_id(),
        std::forward<Ts>(xs)...),
      nullptr);
}

#else

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

#endif

} // namespace caf::rosia::detail
