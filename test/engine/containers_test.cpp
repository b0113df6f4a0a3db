// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/type_name.hpp"
#include "caf/rosia/detail/value.hpp"
#include "engine/fifo.hpp"
#include "engine/index_set.hpp"
#include "engine/least.hpp"
#include "engine/scratch.hpp"

#include "random.hpp"
#include "record.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>

namespace containers_test {

using namespace caf::rosia;
using namespace caf::rosia::engine;
using engine_test::random_source;

TEST_CASE("a fifo returns its elements in order") {
  random_source rng{7};
  fifo<int> xs;
  std::deque<int> expected;
  for (auto i = 0; i < 20'000; ++i) {
    // Grows and shrinks in waves, so that the ring wraps at every size.
    if (expected.empty() || rng.chance(i / 500 % 2 == 0 ? 60 : 40)) {
      xs.push(i);
      expected.push_back(i);
    } else {
      REQUIRE(xs.pop() == expected.front());
      expected.pop_front();
    }
    REQUIRE(xs.size() == expected.size());
    REQUIRE(xs.empty() == expected.empty());
    if (expected.empty())
      continue;
    REQUIRE(xs.front() == expected.front());
    REQUIRE(xs.back() == expected.back());
    auto index = rng.below(expected.size());
    REQUIRE(xs[index] == expected[index]);
  }
}

TEST_CASE("a fifo keeps no popped elements") {
  auto value = std::make_shared<int>(1);
  fifo<std::shared_ptr<int>> xs;
  xs.push(value);
  CHECK(value.use_count() == 2);
  xs.pop();
  CHECK(value.use_count() == 1);
}

TEST_CASE("a fifo allocates with its first element, and frees memory") {
  fifo<int> xs;
  CHECK(xs.full());
  for (auto i = 0; i < 5; ++i)
    xs.push(i);
  CHECK_FALSE(xs.full());
  for (auto i = 0; i < 5; ++i)
    xs.pop();
  xs.release_above(8);
  CHECK_FALSE(xs.full());
  xs.release_above(7);
  CHECK(xs.full());
  xs.push(1);
  xs.clear();
  CHECK(xs.empty());
  CHECK(xs.full());
  xs.push(2);
  CHECK(xs.front() == 2);
}

TEST_CASE("the least of tags is correct after any change") {
  random_source rng{11};
  for (std::size_t size = 1; size < 20; ++size) {
    least xs{size};
    CHECK(xs.get() == forever);
    std::vector<logical_time> expected(size, forever);
    for (auto i = 0; i < 200; ++i) {
      auto index = rng.below(size);
      logical_time tag{rng.below(10), rng.below(3)};
      xs.set(index, tag);
      expected[index] = tag;
      REQUIRE(xs[index] == tag);
      REQUIRE(xs.get() == *std::min_element(expected.begin(), expected.end()));
    }
  }
}

TEST_CASE("without tags the least is forever") {
  CHECK(least{}.get() == forever);
  CHECK(least{0, logical_time{}}.get() == forever);
}

TEST_CASE("a lease returns an empty scratch") {
  scratch* mine = nullptr;
  {
    scratch::lease lease{mine};
    REQUIRE(mine != nullptr);
    mine->wake.push_back(1);
    mine->unreported.push_back(1);
    mine->triggered.push_back(1);
    mine->present.push_back(nullptr);
    mine->requested_bounds.push_back(never);
    mine->mail.emplace_back();
  }
  CHECK(mine == nullptr);
  scratch::lease lease{mine};
  CHECK(mine->wake.empty());
  CHECK(mine->unreported.empty());
  CHECK(mine->triggered.empty());
  CHECK(mine->present.empty());
  CHECK(mine->requested_bounds.empty());
  CHECK(mine->mail.empty());
}

TEST_CASE("a nested lease returns a different scratch") {
  scratch* outer = nullptr;
  scratch* inner = nullptr;
  scratch::lease first{outer};
  outer->wake.push_back(1);
  {
    scratch::lease second{inner};
    CHECK(inner != outer);
    CHECK(inner->wake.empty());
  }
  CHECK(inner == nullptr);
  CHECK(outer->wake.size() == 1);
}

TEST_CASE("an index set returns its numbers in order") {
  random_source rng{11};
  index_set xs;
  xs.resize(200);
  CHECK(xs.take_first() == index_set::none);
  std::set<std::uint32_t> expected;
  for (auto i = 0; i < 20'000; ++i) {
    if (expected.empty() || rng.chance(i / 500 % 2 == 0 ? 60 : 40)) {
      auto x = static_cast<std::uint32_t>(rng.below(200));
      xs.insert(x);
      expected.insert(x);
    } else {
      REQUIRE(xs.take_first() == *expected.begin());
      expected.erase(expected.begin());
    }
  }
  xs.resize(0);
  CHECK(xs.take_first() == index_set::none);
  // One number at a time, one of them twice.
  xs.resize(200);
  for (std::uint32_t x : {3u, 130u, 130u, 0u, 199u}) {
    xs.insert(x);
    CHECK(xs.take_first() == x);
    CHECK(xs.take_first() == index_set::none);
  }
  xs.insert(130);
  xs.insert(130);
  xs.insert(5);
  CHECK(xs.take_first() == 5);
  CHECK(xs.take_first() == 130);
  CHECK(xs.take_first() == index_set::none);
}

TEST_CASE("equal payloads have equal digests") {
  auto one = make_value<int>(1);
  REQUIRE(one.digest());
  CHECK(one.digest() == make_value<int>(1).digest());
  CHECK(one.digest() == make_shared_value<int>(1).digest());
  CHECK(one.digest() != make_value<int>(2).digest());
  CHECK_FALSE(make_value<std::unique_ptr<int>>().digest());
}

TEST_CASE("large payloads are shared, and destroyed with their last holder") {
  auto content = std::make_shared<int>(1);
  auto x = make_value<std::shared_ptr<int>>(content);
  auto* where = &x.get<std::shared_ptr<int>>();
  auto y = x;
  CHECK(&y.get<std::shared_ptr<int>>() == where);
  CHECK(x.type() == typeid(std::shared_ptr<int>));
  CHECK(content.use_count() == 2);
  auto z = std::move(x);
  CHECK_FALSE(x);
  CHECK(&z.get<std::shared_ptr<int>>() == where);
  y = value{};
  CHECK(content.use_count() == 2);
  z = value{};
  CHECK(content.use_count() == 1);
}

TEST_CASE("small payloads are stored in the value") {
  struct pair_of_numbers {
    double first;
    std::int64_t second;
  };
  auto x = make_value<pair_of_numbers>(pair_of_numbers{1.5, 7});
  auto is_within = [](auto& part, auto& whole) {
    auto* begin = reinterpret_cast<const std::byte*>(&whole);
    auto* at = reinterpret_cast<const std::byte*>(&part);
    return std::less_equal<>{}(begin, at)
           && std::less<>{}(at, begin + sizeof(whole));
  };
  CHECK(is_within(x.get<pair_of_numbers>(), x));
  auto y = x;
  x = value{};
  CHECK(y.get<pair_of_numbers>().first == 1.5);
  CHECK(y.get<pair_of_numbers>().second == 7);
  CHECK(y.type() == typeid(pair_of_numbers));
  auto kept = make_shared_value<int>(3);
  auto* where = &kept.get<int, false>();
  auto other = std::move(kept);
  CHECK(&other.get<int, false>() == where);
}

TEST_CASE("types have readable names") {
  CHECK(caf::rosia::detail::type_name(typeid(int)) == "int");
  CHECK(caf::rosia::detail::type_name(typeid(std::string)) == "std::string");
  CHECK(caf::rosia::detail::type_name(typeid(std::vector<std::string>))
          .find("std::string")
        != std::string::npos);
}

} // namespace containers_test
