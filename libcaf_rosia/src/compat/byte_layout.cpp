// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/byte_layout.hpp"

namespace caf::rosia::detail {

bool take_size(std::string_view& from, std::size_t& size) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 35 && !from.empty(); shift += 7) {
    auto next = take_number<std::uint8_t>(from);
    result |= static_cast<std::uint64_t>(next & 0x7f) << shift;
    if ((next & 0x80) == 0) {
      size = static_cast<std::size_t>(result);
      return result <= most_elements;
    }
  }
  return false;
}

bool take_sequence_size(std::string_view& from, std::size_t& size) {
  return take_size(from, size) && may_have_bytes(size, from.size());
}

std::vector<std::uint8_t> packed(const std::vector<bool>& xs) {
  std::vector<std::uint8_t> result((xs.size() + 7) / 8);
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (xs[i])
      result[i / 8] = static_cast<std::uint8_t>(result[i / 8] | 1u << i % 8);
  return result;
}

void sequence_check::enter(std::size_t size, std::size_t position) {
  if (size > most_empty_elements)
    long_ones_.push_back({depth_, size, position});
  ++depth_;
}

bool sequence_check::leave(std::size_t position) {
  --depth_;
  if (long_ones_.empty() || long_ones_.back().depth != depth_)
    return true;
  auto last = long_ones_.back();
  long_ones_.pop_back();
  return may_have_bytes(last.size, position - last.begin);
}

} // namespace caf::rosia::detail
