// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "arena.hpp"
#include "random.hpp"
#include "state_table.hpp"

#include "catch.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace restoring_test {

using namespace engine_test;

namespace {

struct alignas(64) wide_number {
  std::uint64_t value = 0;
};

/// Data with allocations of all sizes.
struct content {
  std::map<std::uint64_t, std::string> texts;
  std::vector<std::uint64_t> numbers;
  std::vector<wide_number> wide;

  void change(random_source& rng) {
    texts[rng.below(20)] = std::string(rng.below(200), 'x');
    texts.erase(rng.below(20));
    numbers.resize(rng.below(3000), rng.below(1000));
    wide.push_back({rng.below(1000)});
  }

  std::uint64_t sum() const {
    auto result
      = std::accumulate(numbers.begin(), numbers.end(), std::uint64_t{0});
    for (auto& [key, text] : texts)
      result = result * 31 + key + text.size();
    for (auto& x : wide)
      result = result * 31 + x.value;
    return result;
  }
};

} // namespace

TEST_CASE("the content of an arena can be restored", "[restoring]") {
  random_source rng{1};
  arena memory;
  std::unique_ptr<content> x;
  {
    arena::scope inside{memory};
    x = std::make_unique<content>();
  }
  CHECK(arena::of(x.get()) == &memory);
  std::vector<std::pair<arena::snapshot, std::uint64_t>> saved;
  std::size_t misplaced = 0;
  for (int i = 0; i < 300; ++i) {
    {
      arena::scope inside{memory};
      x->change(rng);
    }
    for (auto& y : x->wide)
      misplaced += reinterpret_cast<std::uintptr_t>(&y) % 64 != 0;
    if (rng.below(3) == 0)
      memory.save(saved.emplace_back(arena::snapshot{}, x->sum()).first);
    if (!saved.empty() && rng.below(4) == 0) {
      auto& [state, sum] = saved[rng.below(saved.size())];
      memory.restore(state);
      REQUIRE(x->sum() == sum);
    }
  }
  CHECK(misplaced == 0);
  CHECK(memory.live() > 0);
  x.reset();
  CHECK(memory.live() == 0);
}

TEST_CASE("other allocations are not in the arena", "[restoring]") {
  auto before = std::make_unique<int>(1);
  arena memory;
  CHECK_THROWS_AS(arena{}, std::logic_error);
  auto beside = std::make_unique<int>(2);
  {
    arena::scope inside{memory};
    before.reset();
  }
  CHECK(arena::of(beside.get()) == nullptr);
  CHECK(memory.live() == 0);
}

TEST_CASE("a table of states behaves as a map", "[restoring]") {
  random_source rng{1};
  state_table table;
  std::map<fingerprint, std::uint32_t> expected;
  for (std::uint32_t i = 0; i < 50'000; ++i) {
    // With many equal places, and many equal halves of keys.
    fingerprint key{std::uint64_t{rng.below(300)} << 54, rng.below(100)};
    table.prefetch(key);
    auto [number, is_new] = table.try_emplace(key, i);
    auto [known, is_first] = expected.try_emplace(key, i);
    REQUIRE(is_new == is_first);
    REQUIRE(number == known->second);
    number = known->second = i / 2;
  }
}

} // namespace restoring_test
