// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/participant.hpp"

#include <cstddef>
#include <deque>
#include <memory_resource>

namespace caf::rosia::detail {

/// The memory of all participants. Exists for speed alone, see the benchmarks
/// "draining" and "adopting": participants are allocated in batches, and
/// prefetched before their exits are requested. Tests:
/// test/shutdown/rooms_test.cpp.
class participant_store {
public:
  /// Number of participants that `prefetch` fetches.
  static constexpr std::size_t batch = 64;

  participant_store();

  participant& add(participant_list& owner, shutdown_phase& phase,
                   caf::scheduled_actor* self);

  participant& operator[](std::size_t index) {
    return participants_[index];
  }

  const participant& operator[](std::size_t index) const {
    return participants_[index];
  }

  std::size_t size() const noexcept {
    return participants_.size();
  }

  auto begin() const {
    return participants_.begin();
  }

  auto end() const {
    return participants_.end();
  }

  auto begin() {
    return participants_.begin();
  }

  auto end() {
    return participants_.end();
  }

  /// Prefetches the actors of a phase, from the participant `first` on. Cache
  /// misses would extend the time for which the lock is held.
  void prefetch(const shutdown_phase& phase, std::size_t first);

private:
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::deque<participant> participants_; // addresses do not change
};

} // namespace caf::rosia::detail
