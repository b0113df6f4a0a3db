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

/// More than the capacity of a pipe and of a writer.
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

/// A limit against hangs.
auto soon() {
  return line_writer::clock::now() + std::chrono::minutes{1};
}

} // namespace

TEST_CASE("line writer: writing does not block if the text is not read") {
  test::slow_pipe pipe;
  std::atomic<int> told{0};
  line_writer sut{pipe.writer(), [&told] { ++told; }};
  CHECK(sut.has_room());
  auto all = write_all(sut);
  CHECK_FALSE(sut.has_room());
  SECTION("text that is read later is complete, and free space is reported") {
    CHECK(pipe.read(all.size()) == all);
    CHECK(sut.finish(soon()) == 0);
    CHECK(sut.has_room());
    CHECK(told > 0);
  }
  SECTION("text that is never read is counted, and dropped at the end") {
    auto lost = sut.finish(line_writer::clock::now());
    CHECK(lost > 0);
    CHECK(lost <= count);
  }
}

TEST_CASE("line writer: all readers closed") {
  test::slow_pipe pipe;
  pipe.close_reader();
  line_writer sut{pipe.writer(), [] {}};
  write_all(sut);
  CHECK(sut.finish(soon()) == 0);
  CHECK(sut.has_room());
}

} // namespace line_writer_test
