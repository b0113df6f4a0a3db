// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/lag_lines.hpp"

#include "catch.hpp"

namespace lag_lines_test {

using caf::rosia::detail::lag_lines;

namespace {

constexpr std::int64_t ms = 1'000'000;
constexpr std::uint32_t slow = 3;
constexpr std::uint32_t next = 4;
constexpr std::uint32_t last = 5;

using node_set = lag_lines::node_set;

} // namespace

TEST_CASE("nodes that lag at the same time get one line a second, of the first",
          "[lag_lines]") {
  lag_lines lines;
  CHECK(lines.note(slow, 0) == node_set{});
  auto count = 0;
  for (std::int64_t now = 0; now < 10'000; now += 10) {
    count += lines.note(next, now * ms + 1) ? 1 : 0;
    count += lines.note(last, now * ms + 2) ? 1 : 0;
    auto others = lines.note(slow, now * ms + 3);
    if (!others)
      continue;
    CHECK(*others == node_set{next, last});
    ++count;
  }
  CHECK(count == 9);
}

TEST_CASE("another node gets the line when the last one no longer lags",
          "[lag_lines]") {
  lag_lines lines;
  CHECK(lines.note(slow, 0));
  CHECK_FALSE(lines.note(next, 1 * ms));
  CHECK(lines.note(next, 1'000 * ms) == node_set{});
  // A short lag of that node silences the other nodes for a second more.
  CHECK_FALSE(lines.note(next, 1'500 * ms));
  CHECK_FALSE(lines.note(last, 2'500 * ms));
  CHECK(lines.note(last, 3'000 * ms) == node_set{});
}

} // namespace lag_lines_test
