// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/value_frame.hpp"

#include "distributed/packing.hpp"

#include <cstdint>

namespace caf::rosia::detail {

namespace {

/// Maximum number of bytes that an empty frame keeps for each part.
constexpr std::size_t most_kept = 64 * 1024;

void clear(std::string& x) {
  if (x.capacity() > most_kept)
    std::string{}.swap(x);
  x.clear();
}

} // namespace

void value_frame::clear() {
  detail::clear(heads);
  detail::clear(contents);
  texts.clear();
}

// -- sending ------------------------------------------------------------------

frame_pieces::frame_pieces(const value_frame& frame) {
  packer sizes{sizes_};
  sizes.put(frame.heads.size());
  sizes.put(frame.contents.size());
  sizes.put(frame.texts.size());
  for (auto& x : frame.texts)
    sizes.put(x.get<std::string>().size());
  pieces_.reserve(3 + frame.texts.size());
  pieces_ = {sizes_, frame.heads, frame.contents};
  for (auto& x : frame.texts)
    pieces_.emplace_back(x.get<std::string>());
}

// -- receiving ----------------------------------------------------------------

arrived_frame arrived_frame::of(std::string_view bytes) {
  arrived_frame result;
  unpacker from{bytes};
  auto heads = from.get<std::uint32_t>();
  auto contents = from.get<std::uint32_t>();
  auto count = from.get<std::uint32_t>();
  std::vector<std::uint32_t> sizes;
  auto total = std::uint64_t{heads} + contents;
  // A frame with many short texts would need more memory than it has bytes.
  for (std::uint32_t i = 0; i < count && total <= bytes.size(); ++i) {
    auto size = from.get<std::uint32_t>();
    if (size < value_frame::long_text)
      return {};
    sizes.push_back(size);
    total += size;
  }
  if (!from.ok() || total != from.left())
    return {};
  auto next = [rest = bytes.substr(bytes.size() - from.left())](
                std::size_t size) mutable {
    auto x = rest.substr(0, size);
    rest.remove_prefix(size);
    return x;
  };
  result.heads = next(heads);
  result.contents = next(contents);
  for (auto size : sizes)
    result.texts.push_back(next(size));
  return result;
}

} // namespace caf::rosia::detail
