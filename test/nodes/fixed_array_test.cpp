// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/fixed_array.hpp"

#include "catch.hpp"

#include <stdexcept>
#include <vector>

namespace fixed_array_test {

using caf::rosia::detail::fixed_array;

/// Cannot be moved. Lists the numbers of destroyed elements.
struct element {
  element(int x, std::vector<int>& list) : number(x), destroyed(list) {
    if (x < 0)
      throw std::invalid_argument("a negative number");
  }

  element(const element&) = delete;

  ~element() {
    destroyed.push_back(number);
  }

  int number;
  std::vector<int>& destroyed;
};

TEST_CASE("elements of a fixed array are adjacent, and keep their order") {
  std::vector<int> destroyed;
  {
    fixed_array<element> xs{3};
    for (auto i = 0; i < 3; ++i)
      CHECK(&xs.emplace_back(i, destroyed) == xs.begin() + i);
    CHECK(xs.end() - xs.begin() == 3);
    CHECK(xs[1].number == 1);
  }
  CHECK(destroyed == std::vector{2, 1, 0});
}

TEST_CASE("a fixed array destroys the elements that it has") {
  std::vector<int> destroyed;
  {
    fixed_array<element> xs{3};
    xs.emplace_back(1, destroyed);
    CHECK_THROWS_AS(xs.emplace_back(-1, destroyed), std::invalid_argument);
    CHECK(xs.end() - xs.begin() == 1);
  }
  CHECK(destroyed == std::vector{1});
  fixed_array<element> none{0};
  CHECK(none.begin() == none.end());
}

} // namespace fixed_array_test
