// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 6: the steps of a node that count as progress toward the final tag.

#include "engine/progress_count.hpp"

#include "catch.hpp"

#include <cstdint>

namespace progress_count_test {

using caf::rosia::logical_time;
using caf::rosia::engine::activity;
using caf::rosia::engine::progress_count;

namespace {

constexpr logical_time final{700, 3};

// Returns whether a node made progress since the last call.
class looks {
public:
  bool progress(std::uint64_t count, logical_time tag, std::uint32_t code = 0) {
    activity now;
    now.count = count;
    now.tag = tag;
    now.code = code;
    auto before = count_.value();
    count_.look(5, now, final);
    return count_.value() > before;
  }

private:
  progress_count count_;
};

} // namespace

TEST_CASE("6.4 a later time is progress, however little later", "[progress]") {
  looks x;
  CHECK(x.progress(1, {100, 0}));
  CHECK(x.progress(2, {101, 0}));
  CHECK(x.progress(9, {650, 7}));
  CHECK(x.progress(10, {700, 0}));
}

TEST_CASE("a node whose code does not continue makes no progress",
          "[progress]") {
  looks x;
  CHECK(x.progress(1, {100, 0}));
  CHECK_FALSE(x.progress(1, {100, 0}));
}

TEST_CASE("more code at one tag is progress", "[progress]") {
  looks x;
  CHECK(x.progress(1, {100, 2}));
  CHECK(x.progress(2, {100, 2}, 1));
  CHECK(x.progress(3, {100, 2}, 1));
}

TEST_CASE(
  "microsteps before the time of the final tag do not count as progress",
  "[progress]") {
  looks x;
  CHECK(x.progress(1, {100, 0}));
  for (std::uint32_t i = 1; i < 1000; ++i)
    CHECK_FALSE(x.progress(1 + i, {100, i}));
  CHECK(x.progress(1001, {101, 0}));
}

TEST_CASE("microsteps before the time of the final tag do not count at the "
          "first look either",
          "[progress]") {
  looks x;
  CHECK_FALSE(x.progress(1000, {0, 1000}));
}

TEST_CASE("microsteps at the time of the final tag are progress",
          "[progress]") {
  looks x;
  CHECK(x.progress(1, {700, 0}));
  CHECK(x.progress(2, {700, 1}));
  CHECK(x.progress(3, {700, 2}));
}

TEST_CASE("shutdown() is progress", "[progress]") {
  looks x;
  CHECK(x.progress(1, {100, 0}));
  CHECK(x.progress(5, {100, 4}, activity::shutdown_code));
}

TEST_CASE("the progress of each node counts separately", "[progress]") {
  progress_count x;
  activity a;
  a.count = 1;
  a.tag = {100, 0};
  x.look(0, a, final);
  x.look(9, a, final);
  CHECK(x.value() == 2);
  x.look(0, a, final);
  CHECK(x.value() == 2);
  a.count = 2;
  a.tag = {200, 0};
  x.look(9, a, final);
  CHECK(x.value() == 3);
}

} // namespace progress_count_test
