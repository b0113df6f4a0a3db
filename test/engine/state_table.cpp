// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "state_table.hpp"

#include <algorithm>
#include <bit>

namespace engine_test {

namespace {

__extension__ using wide = unsigned __int128;

constexpr std::uint32_t is_free = state_table::end_of_numbers;

std::size_t part_of(const fingerprint& x) {
  return x.first >> 56;
}

using key = std::array<std::uint32_t, 4>;

fingerprint state_in(const key& x) {
  return std::bit_cast<fingerprint>(x);
}

} // namespace

std::pair<std::uint32_t&, bool> state_table::try_emplace(
  const fingerprint& x, std::uint32_t number) {
  auto& in = parts_[part_of(x)];
  if (in.size >= in.capacity / 4 * 3)
    in.make_room();
  auto& found = in.find(x);
  auto is_new = found.number == is_free;
  if (is_new) {
    found = {std::bit_cast<key>(x), number};
    ++in.size;
  }
  return {found.number, is_new};
}

void state_table::prefetch(const fingerprint& x) const noexcept {
  auto& in = parts_[part_of(x)];
  if (in.capacity > 0)
    __builtin_prefetch(&in.slots[in.place_of(x)]);
}

state_table::slot& state_table::part::find(
  const fingerprint& x) const noexcept {
  auto i = place_of(x);
  while (slots[i].number != is_free && state_in(slots[i].key) != x)
    if (++i == capacity)
      i = 0;
  return slots[i];
}

std::size_t state_table::part::place_of(const fingerprint& x) const noexcept {
  return static_cast<std::size_t>(static_cast<wide>(x.second) * capacity >> 64);
}

/// Grows by half, because memory matters more than time.
void state_table::part::make_room() {
  part larger;
  larger.capacity = std::max<std::size_t>(capacity + capacity / 2, 8);
  larger.size = size;
  larger.slots = std::make_unique_for_overwrite<slot[]>(larger.capacity);
  for (std::size_t i = 0; i < larger.capacity; ++i)
    larger.slots[i].number = is_free;
  for (std::size_t i = 0; i < capacity; ++i)
    if (slots[i].number != is_free)
      larger.find(state_in(slots[i].key)) = slots[i];
  *this = std::move(larger);
}

} // namespace engine_test
