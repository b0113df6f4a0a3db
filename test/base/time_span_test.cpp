// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/time_span.hpp"

#include "catch.hpp"

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <ratio>

namespace time_span_test {

using namespace std::chrono;
using caf::rosia::physical_time_span;
using caf::rosia::time_span;

namespace {

constexpr auto most = std::numeric_limits<std::int64_t>::max();

template <class Rep, class Period = std::ratio<1>>
constexpr nanoseconds span(Rep x) {
  return time_span{duration<Rep, Period>{x}};
}

} // namespace

TEST_CASE("a time span saturates for any argument", "[time_span]") {
  STATIC_REQUIRE(time_span{nanoseconds::max()} == nanoseconds::max());
  STATIC_REQUIRE(time_span{nanoseconds::min()} == nanoseconds::min());
  STATIC_REQUIRE(time_span{hours::max()} == nanoseconds::max());
  STATIC_REQUIRE(time_span{hours::min()} == nanoseconds::min());
  STATIC_REQUIRE(time_span{years{600}} == nanoseconds::max());
  STATIC_REQUIRE(time_span{years{-600}} == nanoseconds::min());
  STATIC_REQUIRE(time_span{years{290}} == years{290});
  STATIC_REQUIRE(
    span<std::uint64_t, std::nano>(~std::uint64_t{0}) == nanoseconds::max());
  STATIC_REQUIRE(span<std::int64_t, std::exa>(1) == nanoseconds::max());
  STATIC_REQUIRE(span<std::int64_t, std::atto>(1'500'000'000) == 1ns);
  STATIC_REQUIRE(
    span<std::int64_t, std::pico>(most) == nanoseconds{most / 1000});
  STATIC_REQUIRE(
    span<std::int64_t, std::ratio<1, 3>>(most) == nanoseconds::max());
  STATIC_REQUIRE(
    span<std::int64_t, std::ratio<1, 3>>(-10) == nanoseconds{-3'333'333'333});
}

TEST_CASE("a time span of real numbers also saturates", "[time_span]") {
  using limits = std::numeric_limits<double>;
  CHECK(span(1e10) == nanoseconds::max());
  CHECK(span(-1e10) == nanoseconds::min());
  CHECK(span(9223372036.8547758) == nanoseconds::max());
  CHECK(span(limits::infinity()) == nanoseconds::max());
  CHECK(span(-limits::infinity()) == nanoseconds::min());
  CHECK(span(limits::quiet_NaN()) < nanoseconds::zero());
  CHECK(span(1e20f) == nanoseconds::max());
  CHECK(span(1e20L) == nanoseconds::max());
  for (auto x : {0.1, 0.3, 1.1, -2.7e5, 1e9, 9.2e9})
    CHECK(span(x) == duration_cast<nanoseconds>(duration<double>{x}));
}

TEST_CASE("a span of physical time leaves room for sums", "[time_span]") {
  physical_time_span x = hours::max();
  CHECK(x == nanoseconds::max() / 4);
  CHECK(steady_clock::now() + x > steady_clock::now());
  CHECK(system_clock::now() + x > system_clock::now());
  CHECK((x + x + x).count() > 0);
  std::optional<physical_time_span> y;
  y = 1s;
  CHECK(*y == 1s);
  CHECK(y == 1s);
  CHECK(2 * *y + 500ms == 2500ms);
}

} // namespace time_span_test
