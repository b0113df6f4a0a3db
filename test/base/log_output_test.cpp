// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A log that is written to a pipe.

#include "base/log_output.hpp"

#include "base/logging.hpp"
#include "catch.hpp"
#include "slow_pipe.hpp"

#include <spdlog/logger.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>

#include <unistd.h>

namespace log_output_test {

using caf::rosia::detail::log_context;
using caf::rosia::detail::log_output;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a line of a log is written when the call returns", "[logging]") {
  test::slow_pipe pipe;
  log_context context{
    "info", {std::make_shared<log_output>(pipe.writer(), false)}};
  context.make("plant")->info("one");
  // Later output follows the line.
  REQUIRE(::write(pipe.writer(), "two\n", 4) == 4);
  CHECK_THAT(pipe.read_to("two\n"), ContainsSubstring("plant: one\ntwo\n"));
}

TEST_CASE("a log that is not read blocks no thread", "[logging]") {
  test::slow_pipe pipe;
  auto filled = pipe.fill();
  log_context context{
    "info", {std::make_shared<log_output>(pipe.writer(), false)}};
  auto log = context.make("plant");
  log->info("the first line");
  // More than the log may buffer.
  std::string large(10'000, 'x');
  for (auto i = 0; i < 100; ++i)
    log->info("{}", large);
  CHECK(pipe.read_to("the first line\n").size() > filled);
  // Reads again: the next line with enough space reports the loss.
  std::atomic<bool> said = false;
  std::thread reader{[&] {
    pipe.read_to(" lines of the log are missing here: nothing read");
    said = true;
  }};
  while (!said)
    log->info("a further line");
  reader.join();
}

TEST_CASE("a log without a destination does not end the process", "[logging]") {
  test::slow_pipe pipe;
  pipe.close_reader();
  log_context context{
    "info", {std::make_shared<log_output>(pipe.writer(), false)}};
  auto log = context.make("plant");
  for (auto i = 0; i < 3; ++i)
    log->info("a line");
}

TEST_CASE("a log has colours on demand", "[logging]") {
  test::slow_pipe pipe;
  log_context context{
    "info", {std::make_shared<log_output>(pipe.writer(), true)}};
  context.make("plant")->error("stop");
  CHECK_THAT(pipe.read_to("stop\n"),
             ContainsSubstring("\033[31m\033[1merror   \033[m plant: stop\n"));
}

} // namespace log_output_test
