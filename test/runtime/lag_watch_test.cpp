// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/growing_interval.hpp"
#include "runtime/lag_watch.hpp"

#include "catch.hpp"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace lag_watch_test {

using caf::rosia::detail::growing_interval;
using caf::rosia::detail::lag_watch;

namespace {

using doing = lag_watch::doing;
using nodes = std::vector<caf::rosia::engine::node_id>;
using sights = std::vector<lag_watch::sight>;

constexpr std::int64_t second = 1'000'000'000;
constexpr std::int64_t ms = 1'000'000;

lag_watch::sight runs(std::uint32_t node, std::uint64_t piece,
                      std::int64_t tag) {
  return {node, doing::code, piece, tag};
}

lag_watch::sight waits(std::uint32_t node, std::uint64_t piece = 0) {
  return {node, doing::wait_for_worker, piece, 0};
}

lag_watch::sight held_back(
  std::uint32_t node, std::uint64_t piece, std::int64_t tag) {
  return {node, doing::wait_for_others, piece, tag};
}

} // namespace

TEST_CASE("an interval grows by two", "[lag_watch]") {
  growing_interval x{10};
  CHECK(x.next() == 10);
  CHECK(x.due(9) == std::nullopt);
  CHECK(x.due(10) == 10);
  CHECK(x.due(19) == std::nullopt);
  // Missed intervals are not repeated.
  CHECK(x.due(85) == 80);
  CHECK(x.next() == 160);
}

TEST_CASE("an interval does not overflow", "[lag_watch]") {
  auto max = std::numeric_limits<std::int64_t>::max();
  growing_interval x{max / 2 + 1};
  CHECK(x.due(max) == max / 2 + 1);
  CHECK(x.next() == max / 2 + 1);
}

TEST_CASE("code that does not return is reported at growing intervals",
          "[lag_watch]") {
  lag_watch watch{100 * ms};
  CHECK(watch.pause() == second / 4);
  std::vector<std::int64_t> told;
  for (std::int64_t now = 0; now <= 9 * second; now += watch.pause()) {
    auto found = watch.look(now, sights{runs(3, 1, 0)});
    CHECK(found.waiting.empty());
    for (auto& x : found.named) {
      CHECK(x.node == 3);
      CHECK(x.doing == doing::code);
      CHECK(x.behind == now);
      told.push_back(now / second);
    }
  }
  CHECK(told == std::vector<std::int64_t>{1, 2, 4, 8});
}

TEST_CASE("the next piece of code is judged separately", "[lag_watch]") {
  lag_watch watch{second};
  auto count = [&](std::int64_t now, const sights& all) {
    return watch.look(now, all).named.size();
  };
  CHECK(count(0, {runs(0, 1, 0)}) == 0);
  CHECK(count(second, {runs(0, 1, 0)}) == 1);
  CHECK(count(3 * second / 2, {runs(0, 2, 0)}) == 0);
  CHECK(count(2 * second, {runs(0, 2, 0)}) == 0);
  CHECK(count(5 * second / 2, {runs(0, 2, 0)}) == 1);
  // Idle for a while, then running again.
  CHECK(count(3 * second, {}) == 0);
  CHECK(count(4 * second, {runs(0, 3, 0)}) == 0);
  CHECK(count(5 * second, {runs(0, 3, 0)}) == 1);
}

TEST_CASE("code that is not behind may take its time", "[lag_watch]") {
  lag_watch watch{2 * second};
  // The last one is within the permitted lag.
  sights all{runs(0, 1, 20 * second), runs(1, 1, 8 * second)};
  CHECK(watch.look(0, all).named.empty());
  CHECK(watch.look(9 * second, all).named.empty());
  CHECK(watch.look(10 * second, all).named.size() == 1);
}

TEST_CASE("a node that is late is not stuck", "[lag_watch]") {
  lag_watch watch{second};
  for (std::int64_t i = 0; i < 20; ++i)
    CHECK(watch
            .look(9 * second + i * watch.pause(),
                  {runs(0, static_cast<std::uint64_t>(i), i)})
            .named.empty());
}

TEST_CASE("nodes that wait for a worker because of other nodes are counted",
          "[lag_watch]") {
  lag_watch watch{second};
  sights all{waits(0), runs(1, 1, 0), waits(2)};
  CHECK(watch.look(0, all).named.empty());
  auto found = watch.look(second, all);
  REQUIRE(found.named.size() == 1);
  CHECK(found.named[0].node == 1);
  CHECK(found.waiting == nodes{0, 2});
  // Nor are they named when there is nothing new about those at fault.
  CHECK(watch.look(3 * second / 2, all).named.empty());
}

TEST_CASE("if all code returns, one of the waiting nodes is named",
          "[lag_watch]") {
  lag_watch watch{second};
  CHECK(watch.look(0, sights{waits(5)}).named.empty());
  sights all{waits(4), waits(5)};
  CHECK(watch.look(second / 2, all).named.empty());
  auto found = watch.look(3 * second / 2, all);
  REQUIRE(found.named.size() == 1);
  CHECK(found.named[0].node == 5);
  CHECK(found.named[0].doing == doing::wait_for_worker);
  CHECK(found.named[0].behind == 3 * second / 2);
  CHECK(found.waiting == nodes{4});
  CHECK(watch.look(7 * second / 4, all).named.empty());
  CHECK(watch.look(2 * second, all).named.size() == 1);
  // It got a worker.
  CHECK(watch.look(4 * second, sights{waits(5, 1)}).named.empty());
}

TEST_CASE(
  "a node that waits for other nodes is named if no node here is at fault",
  "[lag_watch]") {
  lag_watch watch{second};
  sights all{held_back(7, 3, 5 * second), held_back(8, 1, 5 * second)};
  CHECK(watch.look(5 * second, all).named.empty());
  auto found = watch.look(6 * second, all);
  REQUIRE(found.named.size() == 1);
  CHECK(found.named[0].node == 7);
  CHECK(found.named[0].doing == doing::wait_for_others);
  CHECK(found.named[0].behind == second);
  CHECK(found.waiting.empty());
  // At growing intervals, as well.
  CHECK(watch.look(13 * second / 2, all).named.empty());
  found = watch.look(7 * second, all);
  REQUIRE(found.named.size() == 1);
  CHECK(found.named[0].behind == 2 * second);
}

TEST_CASE(
  "a node that waits for other nodes is not named while code does not return",
  "[lag_watch]") {
  lag_watch watch{second};
  sights all{runs(0, 1, 0), held_back(1, 0, 0)};
  CHECK(watch.look(0, all).named.empty());
  for (std::int64_t i = 1; i < 20; ++i)
    for (auto& x : watch.look(i * second / 2, all).named)
      CHECK(x.node == 0);
}

TEST_CASE(
  "a node that waits for other nodes is not named while workers are missing",
  "[lag_watch]") {
  lag_watch watch{second};
  sights all{waits(0), held_back(1, 0, 0)};
  CHECK(watch.look(0, all).named.empty());
  for (std::int64_t i = 1; i < 20; ++i)
    for (auto& x : watch.look(i * second / 2, all).named)
      CHECK(x.node == 0);
}

TEST_CASE("a node that makes progress is not held back", "[lag_watch]") {
  lag_watch watch{second};
  for (std::int64_t i = 0; i < 20; ++i)
    CHECK(watch
            .look(9 * second + i * watch.pause(),
                  {held_back(0, static_cast<std::uint64_t>(i), i)})
            .named.empty());
}

TEST_CASE("a node may wait for a tag that is not late", "[lag_watch]") {
  lag_watch watch{second};
  sights all{held_back(0, 1, 20 * second)};
  CHECK(watch.look(0, all).named.empty());
  CHECK(watch.look(20 * second, all).named.empty());
  CHECK(watch.look(41 * second / 2, all).named.empty());
  CHECK(watch.look(21 * second, all).named.size() == 1);
}

TEST_CASE("a node that is woken without effect still waits for other nodes",
          "[lag_watch]") {
  lag_watch watch{second};
  auto begin = 10 * second;
  CHECK(watch.look(begin, {held_back(0, 4, 0)}).named.empty());
  CHECK(watch.look(begin + second / 4, {waits(0, 4)}).named.empty());
  lag_watch::sight unknown{0, doing::unknown, 4};
  CHECK(watch.look(begin + second / 2, {unknown}).named.empty());
  CHECK(watch.look(begin + second, {unknown}).named.empty());
  auto found = watch.look(begin + 5 * second / 4, {held_back(0, 4, 0)});
  REQUIRE(found.named.size() == 1);
  CHECK(found.named[0].behind == begin + 5 * second / 4);
  // But it did not always wait for a worker.
  CHECK(watch.look(begin + 9 * second, {waits(0, 4)}).named.empty());
}

// -- without lag_warn ---------------------------------------------------------

namespace {

/// Calls `look` `count` times in a row. @returns the findings as (look, node).
std::vector<std::pair<std::int64_t, std::uint32_t>> found_by_default(
  lag_watch& watch, std::int64_t count,
  const std::function<sights(std::int64_t look, std::int64_t now)>& sights_at) {
  std::vector<std::pair<std::int64_t, std::uint32_t>> result;
  for (std::int64_t i = 0; i < count; ++i) {
    auto now = 100 * second + i * watch.pause();
    for (auto& x : watch.look(now, sights_at(i, now)).named)
      result.emplace_back(i, x.node);
  }
  return result;
}

using found = std::vector<std::pair<std::int64_t, std::uint32_t>>;

} // namespace

TEST_CASE("without lag_warn, code that does not return for 5 s is named once",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  CHECK(watch.pause() == second / 2);
  auto all = [](std::int64_t, std::int64_t) {
    return sights{runs(3, 1, lag_watch::no_time)};
  };
  CHECK(found_by_default(watch, 100, all) == found{{10, 3}});
}

TEST_CASE("without lag_warn, code that does not return is named sooner if "
          "other nodes lag",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  auto all = [](std::int64_t, std::int64_t) {
    return sights{runs(3, 1, lag_watch::no_time), held_back(4, 1, 0)};
  };
  CHECK(found_by_default(watch, 100, all) == found{{5, 3}});
}

TEST_CASE("without lag_warn, a node whose code returns is not named if it does "
          "not follow physical time",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  auto all = [](std::int64_t look, std::int64_t) {
    return sights{runs(3, static_cast<std::uint64_t>(look), lag_watch::no_time),
                  {4, doing::wait_for_worker, 1, lag_watch::no_time}};
  };
  CHECK(found_by_default(watch, 100, all).empty());
}

TEST_CASE("without lag_warn, of the nodes more than a second behind, the busy "
          "one is named once",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  auto all = [](std::int64_t look, std::int64_t now) {
    auto piece = static_cast<std::uint64_t>(look);
    sights result{runs(3, piece, now - 2 * second)};
    // Its receiver is slightly later, runs occasionally, and otherwise waits.
    if (look % 4 == 0)
      result.push_back(runs(4, piece, now - 2 * second - ms));
    else
      result.push_back(held_back(4, piece, now - 2 * second));
    return result;
  };
  CHECK(found_by_default(watch, 100, all) == found{{2, 3}});
}

TEST_CASE("without lag_warn, a lag of less than a second is not reported",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  auto all = [](std::int64_t look, std::int64_t now) {
    return sights{
      runs(3, static_cast<std::uint64_t>(look), now - 999 * ms),
      held_back(4, static_cast<std::uint64_t>(look), now - 999 * ms)};
  };
  CHECK(found_by_default(watch, 100, all).empty());
}

TEST_CASE("without lag_warn, a node that waits is named if no node is busy",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  auto all = [](std::int64_t look, std::int64_t now) {
    return sights{
      held_back(3, static_cast<std::uint64_t>(look), now - 2 * second),
      held_back(4, static_cast<std::uint64_t>(look), now - 3 * second)};
  };
  CHECK(found_by_default(watch, 100, all) == found{{5, 4}});
}

TEST_CASE("without lag_warn, a node that gets no worker is named",
          "[lag_watch]") {
  lag_watch watch{std::nullopt};
  auto all = [](std::int64_t, std::int64_t) { return sights{waits(7)}; };
  CHECK(found_by_default(watch, 100, all) == found{{2, 7}});
}

} // namespace lag_watch_test
