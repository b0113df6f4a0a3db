// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace rosia_trace {

/// Finds the position of a name in a fixed list. Names of equal length are
/// adjacent, so that a look-up compares very few of them.
/// @pre No name is empty or longer than 15 characters.
template <std::size_t Size>
class name_index {
public:
  constexpr explicit name_index(
    const std::array<std::string_view, Size>& names) {
    std::size_t used = 0;
    for (std::size_t length = 0; length < lengths; ++length) {
      first_[length] = used;
      for (std::size_t i = 0; i < Size; ++i)
        if (names[i].size() == length)
          entries_[used++] = {names[i], i};
    }
    first_[lengths] = used;
  }

  constexpr std::optional<std::size_t> find(std::string_view name) const {
    if (name.size() >= lengths)
      return std::nullopt;
    for (auto i = first_[name.size()]; i < first_[name.size() + 1]; ++i)
      if (entries_[i].name == name)
        return entries_[i].position;
    return std::nullopt;
  }

private:
  static constexpr std::size_t lengths = 16;

  struct entry {
    std::string_view name;
    std::size_t position = 0;
  };

  std::array<entry, Size> entries_{};
  std::array<std::size_t, lengths + 1> first_{};
};

template <std::size_t Size>
name_index(const std::array<std::string_view, Size>&) -> name_index<Size>;

} // namespace rosia_trace
