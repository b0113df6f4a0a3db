// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/line_writer.hpp"

#include "catch.hpp"
#include "slow_pipe.hpp"

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

namespace line_writer_test {

using caf::rosia::detail::line_writer;

namespace {

/// More than fits in a pipe, and than a writer has room for.
constexpr int count = 1000;

std::string line(int number) {
  return std::to_string(number) + std::string(1000, 'x') + '\n';
}

std::string write_all(line_writer& to) {
  std::string result;
  for (auto i = 0; i < count; ++i) {
    result += line(i);
    to.write(line(i));
  }
  return result;
}

/// A limit that only keeps a test from hanging.
auto soon() {
  return line_writer::clock::now() + std::chrono::minutes{1};
}

} // namespace

TEST_CASE("line writer: who writes is not held up if nobody reads") {
  test::slow_pipe pipe;
  std::atomic<int> told{0};
  line_writer sut{pipe.writer(), [&told] { ++told; }};
  CHECK(sut.has_room());
  auto all = write_all(sut);
  CHECK_FALSE(sut.has_room());
  SECTION("what is read later is complete, and it is told when there is room") {
    CHECK(pipe.read(all.size()) == all);
    CHECK(sut.finish(soon()) == 0);
    CHECK(sut.has_room());
    CHECK(told > 0);
  }
  SECTION("what is never read is counted, and dropped at the end") {
    auto lost = sut.finish(line_writer::clock::now());
    CHECK(lost > 0);
    CHECK(lost <= count);
  }
}

TEST_CASE("line writer: nobody who may read is left") {
  test::slow_pipe pipe;
  pipe.close_reader();
  line_writer sut{pipe.writer(), [] {}};
  write_all(sut);
  CHECK(sut.finish(soon()) == 0);
  CHECK(sut.has_room());
}

} // namespace line_writer_test
