// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/replies_to.hpp>

namespace caf::rosia::detail {

template <class Result, class... Ts>
struct signature_of {
  using type = typename caf::replies_to<Ts...>::template with<Result>;
};

template <class... Ts>
struct signature_of<void, Ts...> {
  using type = caf::reacts_to<Ts...>;
};

/// The type of a message of a typed actor: its content and its answer.
template <class Result, class... Ts>
using signature = typename signature_of<Result, Ts...>::type;

} // namespace caf::rosia::detail
