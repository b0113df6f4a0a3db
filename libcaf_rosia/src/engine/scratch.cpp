// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/scratch.hpp"

namespace caf::rosia::engine {

namespace {

/// The maximal numbers of envelopes in the spare buffers of a thread: in each
/// of them, and in all together.
constexpr std::size_t max_capacity = 1024;
constexpr std::size_t max_spare_capacity = 32 * max_capacity;

} // namespace

scratch::lease::lease(scratch*& slot) : slot_(&slot) {
  auto& shared = of_this_thread();
  if (shared.lent_) {
    own_ = std::make_unique<scratch>();
    slot = own_.get();
  } else {
    shared.lent_ = true;
    slot = &shared;
  }
}

scratch::lease::~lease() {
  auto& lent = **slot_;
  // A call may end early and leave content, because the node failed or left.
  lent.clear();
  lent.lent_ = false;
  *slot_ = nullptr;
}

scratch& scratch::of_this_thread() {
  thread_local scratch instance;
  return instance;
}

void scratch::clear() noexcept {
  mail.clear();
  present.clear();
  triggered.clear();
  resumed.clear();
  unreported.clear();
  wake.clear();
  requested_bounds.clear();
}

std::vector<envelope> scratch::take_buffer() {
  if (spare_.empty())
    return {};
  auto result = std::move(spare_.back());
  spare_.pop_back();
  spare_capacity_ -= result.capacity();
  return result;
}

void scratch::give_buffer(std::vector<envelope>&& buffer) {
  buffer.clear();
  auto capacity = buffer.capacity();
  if (capacity > 0 && capacity <= max_capacity && spare_.size() < max_buffers
      && spare_capacity_ + capacity <= max_spare_capacity) {
    spare_capacity_ += capacity;
    spare_.push_back(std::move(buffer));
  } else {
    std::vector<envelope>{}.swap(buffer);
  }
}

} // namespace caf::rosia::engine
