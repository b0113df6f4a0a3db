// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/value_log.hpp"

#include "catch.hpp"

#include <atomic>
#include <string>
#include <thread>

namespace value_log_test {

using caf::rosia::logical_time;
using caf::rosia::detail::log_memory;
using caf::rosia::detail::value_log;
using caf::rosia::engine::make_value;

namespace {

constexpr auto small = true;
constexpr auto large = false;

bool add(value_log& to, std::int64_t x) {
  return to.add({x, 0}, make_value<std::int64_t>(x));
}

/// Takes the content, and checks that it continues at `next`. @returns the next
/// value.
std::int64_t take_from(value_log& log, std::int64_t next) {
  value_log::batch all{log};
  for (auto left = all.size(); left > 0; --left) {
    auto x = all.next();
    if (x.tag != logical_time{next, 0} || x.content.get<std::int64_t>() != next)
      return -1;
    ++next;
  }
  return next;
}

} // namespace

TEST_CASE("a log of values returns the values in order") {
  log_memory memory;
  {
    value_log log{small, memory};
    CHECK(take_from(log, 0) == 0);
    // However it grows.
    std::int64_t added = 0;
    for (auto count : {1, 15, 1, 40, 5000, 3, 0, 20'000}) {
      for (auto i = 0; i < count; ++i)
        REQUIRE(add(log, added++));
      REQUIRE(take_from(log, added - count) == added);
    }
    CHECK(memory.used > 0);
  }
  CHECK(memory.used == 0);
}

TEST_CASE("a batch of a log has the values added before, and drops the rest") {
  log_memory memory;
  value_log log{small, memory};
  for (auto i = 0; i < 10; ++i)
    add(log, i);
  {
    value_log::batch first{log};
    add(log, 10);
    CHECK(first.size() == 10);
    auto same = std::move(first);
    CHECK(first.size() == 0);
    CHECK(same.next().tag == logical_time{0, 0});
  }
  CHECK(take_from(log, 10) == 11);
}

TEST_CASE(
  "a log accepts no more than its memory, and continues after space is freed") {
  log_memory memory{.limit = 100'000};
  value_log log{small, memory};
  std::int64_t added = 0;
  while (add(log, added))
    ++added;
  CHECK(added > 1000);
  CHECK(added < 10'000);
  CHECK_FALSE(add(log, added));
  CHECK(take_from(log, 0) == added);
  CHECK(add(log, added));
  CHECK(take_from(log, added) == added + 1);
}

TEST_CASE("the size of values counts if they are outside of the entries") {
  log_memory memory{.limit = 10'000'000};
  auto image = make_value<std::string>(std::size_t{1'000'000}, 'x');
  {
    value_log log{large, memory};
    log.payload_size(1'000'000);
    auto added = 0;
    while (log.add({added, 0}, image))
      ++added;
    CHECK(added > 5);
    CHECK(added < 12);
    // The memory of taken values is free again, except for the last one.
    {
      value_log::batch all{log};
      CHECK(all.size() == static_cast<std::uint64_t>(added));
    }
    CHECK(memory.used < 1'100'000);
    CHECK(log.add({added, 0}, image));
  }
  CHECK(memory.used == 0);
}

TEST_CASE("a log is read by one thread while a second thread adds values") {
  log_memory memory;
  value_log log{small, memory};
  constexpr auto count = 300'000;
  std::thread adds{[&] {
    for (auto i = 0; i < count; ++i)
      add(log, i);
  }};
  std::int64_t next = 0;
  while (next >= 0 && next < count)
    next = take_from(log, next);
  adds.join();
  CHECK(next == count);
}

} // namespace value_log_test
