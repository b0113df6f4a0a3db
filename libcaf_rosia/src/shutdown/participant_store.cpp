// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/participant_store.hpp"

#include <caf/scheduled_actor.hpp>

#include <algorithm>

namespace caf::rosia::detail {

namespace {

/// A deque allocates blocks of two participants. Memory for many blocks is
/// allocated at once.
constexpr std::size_t participants_a_block = 2;
constexpr std::size_t participants_at_once = 128;

} // namespace

participant_store::participant_store()
  : memory_({participants_at_once / participants_a_block,
             participants_a_block * sizeof(participant)}),
    participants_(&memory_) {
  // nop
}

participant& participant_store::add(
  participant_list& owner, shutdown_phase& phase, caf::scheduled_actor* self) {
  return participants_.emplace_back(owner, phase, self);
}

void participant_store::prefetch(
  const shutdown_phase& phase, std::size_t first) {
  auto last = std::min(first + batch, participants_.size());
  for (auto i = first; i < last; ++i) {
    auto& x = participants_[i];
    __builtin_prefetch(&x.since, 1);
    auto* self = x.self();
    if (x.phase != &phase || x.state != part_report::state::running
        || self == nullptr)
      continue;
    __builtin_prefetch(x.actor.get(), 1);
    __builtin_prefetch(self);
    __builtin_prefetch(&self->mailbox(), 1);
  }
}

} // namespace caf::rosia::detail
