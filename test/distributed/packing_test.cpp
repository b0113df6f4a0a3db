// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/packing.hpp"

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace packing_test {

using caf::rosia::forever;
using caf::rosia::logical_time;
using caf::rosia::never;
using caf::rosia::detail::packer;
using caf::rosia::detail::unpacker;

namespace {

constexpr auto most = std::numeric_limits<std::uint64_t>::max();

std::string packed(std::uint64_t x) {
  std::string result;
  packer{result}.put(x);
  return result;
}

std::size_t size_of(logical_time x, logical_time base) {
  std::string result;
  packer{result}.put(x, base);
  return result.size();
}

} // namespace

TEST_CASE("numbers are read as they were written", "[packing]") {
  std::uint64_t values[] = {0, 1, 127, 128, 16'383, 16'384, most >> 1, most};
  std::string bytes;
  packer to{bytes};
  for (auto x : values)
    to.put(x);
  unpacker from{bytes};
  for (auto x : values)
    CHECK(from.get<std::uint64_t>() == x);
  CHECK(from.ok());
  CHECK(from.left() == 0);
}

TEST_CASE("a number takes as few bytes as it can", "[packing]") {
  CHECK(packed(0).size() == 1);
  CHECK(packed(127).size() == 1);
  CHECK(packed(128).size() == 2);
  CHECK(packed(most).size() == 10);
}

TEST_CASE("tags are read as they were written, from any base", "[packing]") {
  logical_time values[]
    = {never, {-1, 0}, {0, 0}, {0, 1}, {1'000'000'000, 7}, forever};
  for (auto base : values)
    for (auto x : values) {
      std::string bytes;
      packer{bytes}.put(x, base);
      unpacker from{bytes};
      CHECK(from.get(base) == x);
      CHECK(from.ok());
      CHECK(from.left() == 0);
    }
}

TEST_CASE("a tag near its base takes few bytes", "[packing]") {
  logical_time base{1'700'000'000'000'000'000, 0};
  CHECK(size_of(base, base) == 2);
  CHECK(size_of({base.ns + 50, 0}, base) == 2);
  CHECK(size_of({base.ns - 50, 1}, base) == 2);
}

TEST_CASE("truncated numbers are refused", "[packing]") {
  auto whole = packed(most);
  for (std::size_t n = 0; n < whole.size(); ++n) {
    auto part = whole.substr(0, n);
    unpacker from{part};
    CHECK(from.get<std::uint64_t>() == 0);
    CHECK_FALSE(from.ok());
  }
}

TEST_CASE("a number out of range is refused", "[packing]") {
  auto bytes = packed(256) + packed(1);
  unpacker from{bytes};
  CHECK(from.get<std::uint8_t>() == 0);
  CHECK_FALSE(from.ok());
  CHECK(from.left() == 0);
  // Eleven bytes, and ten with more than 64 bits.
  for (auto& x :
       {std::string(10, '\xff') + '\x01', std::string(9, '\xff') + '\x02'}) {
    unpacker other{x};
    CHECK(other.get<std::uint64_t>() == 0);
    CHECK_FALSE(other.ok());
  }
}

TEST_CASE("random bytes are read without harm", "[packing]") {
  auto seed = Catch::rngSeed();
  CAPTURE(seed);
  std::mt19937 rng{seed};
  for (auto i = 0; i < 10'000; ++i) {
    std::string bytes(rng() % 40, '\0');
    for (auto& x : bytes)
      x = static_cast<char>(rng());
    unpacker from{bytes};
    while (from.left() > 0) {
      auto before = from.left();
      from.get(logical_time{});
      REQUIRE(from.left() < before);
    }
  }
}

} // namespace packing_test
