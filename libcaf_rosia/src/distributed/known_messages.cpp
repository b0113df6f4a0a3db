// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/middleman.hpp"
#include "compat/message_types.hpp"
#include "distributed/process_messages.hpp"
#include "runtime/messages.hpp"

namespace caf::rosia::detail {

namespace {

/// Registers all messages before main(), so that programs need not do it.
[[maybe_unused]] const bool messages_known
  = init_middleman_messages() && init_messages();

} // namespace

} // namespace caf::rosia::detail
