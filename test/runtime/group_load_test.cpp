// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/group_load.hpp"

#include "catch.hpp"

namespace group_load_test {

using caf::rosia::detail::group_load;

namespace {

constexpr std::int64_t light = 300; // nanoseconds per tag
constexpr std::int64_t heavy = 20'000;
constexpr std::size_t nodes = 10;

/// Adds calls with ten tags each.
void note(group_load& load, int calls, std::int64_t each) {
  for (auto i = 0; i < calls; ++i)
    if (load.wants_time())
      load.note(10, 10 * each, nodes);
}

} // namespace

TEST_CASE("nodes are light once they executed enough tags quickly") {
  group_load load;
  CHECK_FALSE(load.light());
  note(load, 6, light);
  CHECK_FALSE(load.light());
  note(load, 1, light);
  CHECK(load.light());
}

TEST_CASE("nodes may count as light after one tag") {
  group_load load;
  load.presume_light();
  load.note(0, 0, nodes);
  CHECK_FALSE(load.light());
  CHECK_FALSE(load.wants_neighbours());
  // The first tag takes slightly longer.
  load.note(1, 4000, nodes);
  CHECK(load.light());
  CHECK(load.wants_neighbours());
  note(load, 7, light);
  CHECK(load.light());
  load.reset();
  CHECK_FALSE(load.light());
  note(load, 1, light);
  CHECK(load.light());
}

TEST_CASE("one long tag at the beginning may be an accident") {
  group_load load;
  load.presume_light();
  load.note(1, heavy, nodes);
  CHECK_FALSE(load.light());
  note(load, 6, light);
  CHECK(load.light());
  // Nodes that were heavy before must be light for a while.
  load.reset(1);
  note(load, 6, light);
  CHECK_FALSE(load.light());
}

TEST_CASE("nodes that are called many times in vain are calm") {
  group_load load;
  auto call = [&](int calls) {
    for (auto i = 0; i < calls; ++i)
      load.note_call(false);
  };
  call(255);
  CHECK_FALSE(load.calm());
  load.note_call(true);
  call(255);
  CHECK_FALSE(load.calm());
  call(1);
  CHECK(load.calm());
  CHECK(load.wants_calm_neighbours());
  call(1);
  CHECK(load.calm());
  CHECK_FALSE(load.wants_calm_neighbours());
  call(255);
  CHECK(load.wants_calm_neighbours());
  // They left a group twice to execute long tags.
  load.reset();
  load.delay_calm(2);
  call(1023);
  CHECK_FALSE(load.calm());
  call(1);
  CHECK(load.calm());
}

TEST_CASE("the first tags since a reset are short or long") {
  group_load load;
  CHECK_FALSE(load.has_executed());
  CHECK(load.latest() == 0);
  load.note(1, light, nodes);
  CHECK(load.latest() == light);
  CHECK(load.has_executed());
  CHECK(load.is_short());
  load.reset();
  load.note(1, heavy, nodes);
  CHECK_FALSE(load.is_short());
}

TEST_CASE("a member is heavy by its mean, or by its shortest tag") {
  caf::rosia::engine::group::member_load member;
  constexpr std::int64_t heavy = 10'000;
  for (auto i = 0; i < 3; ++i)
    member.add(heavy);
  CHECK_FALSE(group_load::is_heavy(member, false));
  member.add(heavy);
  CHECK(group_load::is_heavy(member, false));
  member.add(light);
  CHECK_FALSE(group_load::is_heavy(member, false));
  for (auto i = 0; i < 11; ++i)
    member.add(heavy);
  CHECK(group_load::is_heavy(member, false));
  // In a loop it has to take longer.
  CHECK_FALSE(group_load::is_heavy(member, true));
  for (auto i = 0; i < 100; ++i)
    member.add(group_load::heavy_tag_in_loop + 1000);
  CHECK(group_load::is_heavy(member, true));
}

TEST_CASE("for light nodes, the clock is read from time to time") {
  group_load load;
  note(load, 7, light);
  auto read = 0;
  for (auto i = 0; i < 80; ++i)
    read += load.wants_time() ? 1 : 0;
  CHECK(read == 10);
}

TEST_CASE("of a node that is executed alone and heavy, the clock is read from "
          "time to time") {
  group_load load;
  auto reads = 0;
  for (auto i = 0; i < 800; ++i)
    if (load.wants_time()) {
      ++reads;
      load.note(2, 2 * heavy, 1);
    }
  CHECK(load.heavy());
  CHECK(load.mean() == heavy);
  CHECK_FALSE(load.measures_each());
  CHECK(reads < 200);
  // If it becomes light, that is noticed.
  for (auto i = 0; i < 800; ++i)
    if (load.wants_time())
      load.note(2, 2 * light, 1);
  CHECK(load.light());
  CHECK_FALSE(load.heavy());
}

TEST_CASE("if tags take long, each node is measured for a while") {
  group_load load;
  note(load, 7, light);
  CHECK_FALSE(load.measures_each());
  note(load, 100, heavy);
  CHECK_FALSE(load.light());
  CHECK(load.measures_each());
  for (auto i = 0; load.measures_each(); ++i) {
    REQUIRE(i < 1'000'000);
    note(load, 1, light);
  }
  CHECK(load.light());
}

TEST_CASE("a single long call of a large group has no effect") {
  group_load load;
  auto call = [&load](std::int64_t each) { load.note(256, 256 * each, nodes); };
  for (auto i = 0; i < 4; ++i)
    call(light);
  CHECK(load.light());
  // The thread was preempted.
  call(2000);
  for (auto i = 0; i < 7; ++i) {
    call(light);
    REQUIRE(load.light());
    REQUIRE_FALSE(load.measures_each());
  }
  for (auto i = 0; i < 8; ++i)
    call(2000);
  CHECK_FALSE(load.light());
  CHECK(load.measures_each());
}

TEST_CASE("nodes whose calls take long are light if their thread says so") {
  group_load load;
  note(load, 7, light);
  REQUIRE(load.light());
  auto precise = 0;
  for (auto i = 0; i < 1000; ++i)
    if (load.wants_time()) {
      // Other programs have the processor most of the time.
      precise += load.precise() ? 1 : 0;
      load.note(10, 10 * (load.precise() ? light : heavy), nodes);
      REQUIRE(load.light());
      REQUIRE_FALSE(load.measures_each());
    }
  CHECK(precise > 0);
}

TEST_CASE("each time that nodes are slow, they are measured for longer") {
  group_load load;
  auto measured = [&] {
    note(load, 1000, light);
    while (!load.measures_each())
      note(load, 1, heavy);
    auto result = 0;
    for (; load.measures_each(); ++result)
      note(load, 1, light);
    return result;
  };
  auto first = measured();
  CHECK(measured() > first + first / 2);
}

TEST_CASE("when a heavy node leaves, the rest are still measured") {
  group_load load;
  while (!load.measures_each())
    note(load, 1, heavy);
  auto left = load.limit(1 << 20);
  load.forget_heavy();
  CHECK(load.limit(1 << 20) == left);
  CHECK_FALSE(load.heavy());
  note(load, 7, light);
  CHECK(load.light());
  CHECK(load.measures_each());
}

TEST_CASE("calls that measure each node are short") {
  constexpr std::size_t budget = 8192;
  group_load load;
  CHECK(load.limit(budget) == budget);
  while (!load.measures_each())
    note(load, 1, heavy);
  CHECK(load.limit(budget) <= budget / 2);
  CHECK(load.limit(1) == 1);
}

TEST_CASE(
  "light nodes are measured from time to time, more of them for longer") {
  auto measured = [](std::size_t count) {
    group_load load;
    std::size_t tags = 0;
    while (!load.measures_each())
      load.note(100, 100 * light, count);
    for (; load.measures_each(); ++tags)
      load.note(1, light, count);
    CHECK(load.light());
    return tags;
  };
  CHECK(measured(2) < measured(50));
  CHECK(measured(50) >= 50 * 16);
  CHECK(measured(1000) < 10'000);
}

TEST_CASE("a node that was heavy must be light for longer") {
  auto until_light = [](unsigned times) {
    group_load load;
    load.reset(times);
    auto result = 0;
    for (; !load.light(); ++result)
      note(load, 1, light);
    return result;
  };
  auto first = until_light(0);
  CHECK(until_light(1) >= 3 * first);
  CHECK(until_light(2) >= 3 * until_light(1));
  group_load load;
  load.reset(1000);
  note(load, 100'000, light);
  CHECK_FALSE(load.light());
}

TEST_CASE("a node that found no neighbours repeats the search soon") {
  group_load load;
  auto looks = [&] {
    auto result = 0;
    for (auto i = 0; i < 1000; ++i) {
      note(load, 1, light);
      result += load.wants_neighbours() ? 1 : 0;
    }
    return result;
  };
  CHECK(looks() > 0);
  auto later = looks();
  load.look_again();
  CHECK(looks() > later);
}

TEST_CASE("light nodes look for neighbours at increasing intervals") {
  group_load load;
  CHECK_FALSE(load.wants_neighbours());
  auto tags_until_look = [&] {
    auto result = 0;
    for (; !load.wants_neighbours(); ++result)
      note(load, 1, light);
    return result;
  };
  tags_until_look();
  auto second = tags_until_look();
  auto third = tags_until_look();
  auto fourth = tags_until_look();
  CHECK(third > second);
  CHECK(fourth > third);
}

} // namespace group_load_test
