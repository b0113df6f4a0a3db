// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/participant.hpp"

#include "shutdown/participant_list.hpp"

#include <utility>

namespace caf::rosia::detail {

// The hot fields are in the first half.
static_assert(sizeof(participant) <= 2 * alignof(participant));

participant::participant(participant_list& its_owner, shutdown_phase& its_phase,
                         caf::scheduled_actor* self)
  : observed_actor(self), phase(&its_phase), owner(&its_owner) {
  // nop
}

bool participant::may_end(const progress& so_far,
                          caf::strong_actor_ptr& linked) {
  using enum part_report::state;
  __builtin_prefetch(&since, 1);
  return (so_far.unanswered == 0 && !so_far.urgent_left
          && state.step(draining, ending))
         || owner->may_exit(*this, so_far, linked);
}

bool participant::wants_letters() const {
  return owner->wants_letters();
}

void participant::reads_exit(
  std::size_t unread_messages, std::vector<letter> letters) {
  owner->expect_letters(*this, {unread_messages, std::move(letters)});
}

void participant::handled_exit() {
  owner->forget_letters(*this);
}

void participant::failed(const std::string& error) {
  owner->note_failed_exit(*this, error);
}

void participant::ended(const caf::error& error) {
  if (!state.step(part_report::state::ending, part_report::state::ended)
      && !state.step(part_report::state::draining, part_report::state::ended))
    return owner->note_end(*this, error);
  since = clock::now();
  actor = nullptr;
  if (--phase->living == 0)
    owner->note_phase_empty();
}

void participant::let_go() noexcept {
  owner->let_go_of(1);
}

} // namespace caf::rosia::detail
