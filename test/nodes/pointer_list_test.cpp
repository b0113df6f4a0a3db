// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "nodes/pointer_list.hpp"

#include "catch.hpp"

#include <array>
#include <cstddef>

namespace pointer_list_test {

TEST_CASE("a list of pointers keeps any number of them in order") {
  std::array<int, 9> targets{};
  caf::rosia::detail::pointer_list<int> list;
  CHECK(list.begin() == list.end());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    CHECK(list.size() == i);
    list.push_back(&targets[i]);
    std::size_t number = 0;
    for (auto* x : list) {
      CHECK(x == &targets[number]);
      CHECK(list[number] == x);
      ++number;
    }
    CHECK(number == i + 1);
  }
}

} // namespace pointer_list_test
