// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/sending.hpp"
#include "caf/rosia/node.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"

#include <caf/actor.hpp>

#include <utility>

namespace caf::rosia::detail {

/// Forwards the values that it receives to an actor that does not use Rosia.
template <class T>
struct actor_sink : node {
  explicit actor_sink(caf::actor receiver) : target(std::move(receiver)) {
    // nop
  }

  input_port<T> in{this, "in"};

  reaction on_in{this, "on_in", {in}, [this] {
                   for (auto& x : in.all())
                     send_anonymously(target, now(), x);
                 }};

  caf::actor target;
};

} // namespace caf::rosia::detail
