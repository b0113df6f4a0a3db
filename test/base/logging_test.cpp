// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/logging.hpp"

#include "catch.hpp"

#include <spdlog/logger.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace logging_test {

using caf::rosia::detail::log_context;
using caf::rosia::detail::parse_log_level;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::Matches;
using spdlog::sinks::ostream_sink_mt;
using spdlog::sinks::ostream_sink_st;

namespace {

// A sink without a lock that counts messages.
class counting_sink
  : public spdlog::sinks::base_sink<spdlog::details::null_mutex> {
public:
  int lines = 0;
  int flushes = 0;

protected:
  void sink_it_(const spdlog::details::log_msg&) override {
    ++lines;
  }

  void flush_() override {
    ++flushes;
  }
};

/// Returns the text with each digit replaced by 0.
std::string with_zeros(std::string text) {
  for (auto& x : text)
    if (x >= '0' && x <= '9')
      x = '0';
  return text;
}

} // namespace

TEST_CASE("a line has time, level, the node's name and the text", "[logging]") {
  std::ostringstream out;
  log_context context{"info", {std::make_shared<ostream_sink_mt>(out)}};
  auto log = context.make("plant");
  CHECK(log->name() == "plant");
  log->info("got {} at {}", 7, "1.5s");
  log->critical("stop");
  std::string expected{
    R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} info     plant: got 7 at 1.5s\n)"
    R"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} critical plant: stop\n)"};
  CHECK_THAT(out.str(), Matches(expected));
}

TEST_CASE("a line has no control characters of names and values", "[logging]") {
  std::ostringstream out;
  log_context context{"info", {std::make_shared<ostream_sink_mt>(out)}};
  context.make("plant")->info(
    "there is no '{}'\n  gr\xc3\xb6\xc3\x9f", "a\x1b[2J\xe4");
  CHECK_THAT(out.str(),
             ContainsSubstring(
               "plant: there is no 'a\\x1b[2J\\xe4'\n  gr\xc3\xb6\xc3\x9f\n"));
}

TEST_CASE("messages below the level are not logged", "[logging]") {
  std::ostringstream out;
  log_context context{"warning", {std::make_shared<ostream_sink_mt>(out)}};
  auto log = context.make("plant");
  log->info("quiet");
  log->warn("loud");
  CHECK_THAT(out.str(), !ContainsSubstring("quiet"));
  CHECK_THAT(out.str(), ContainsSubstring("loud"));
}

TEST_CASE("with level off, nothing is logged", "[logging]") {
  std::ostringstream out;
  log_context context{"off", {std::make_shared<ostream_sink_mt>(out)}};
  context.make("plant")->critical("loud");
  CHECK(out.str().empty());
}

TEST_CASE("level names are exactly those of spdlog", "[logging]") {
  CHECK(parse_log_level("trace") == spdlog::level::trace);
  CHECK(parse_log_level("debug") == spdlog::level::debug);
  CHECK(parse_log_level("info") == spdlog::level::info);
  CHECK(parse_log_level("warning") == spdlog::level::warn);
  CHECK(parse_log_level("warn") == spdlog::level::warn);
  CHECK(parse_log_level("error") == spdlog::level::err);
  CHECK(parse_log_level("err") == spdlog::level::err);
  CHECK(parse_log_level("critical") == spdlog::level::critical);
  CHECK(parse_log_level("off") == spdlog::level::off);
  CHECK(parse_log_level("") == std::nullopt);
  CHECK(parse_log_level("Info") == std::nullopt);
  CHECK(parse_log_level("loud") == std::nullopt);
  CHECK_THROWS_WITH(
    log_context{"loud"},
    ContainsSubstring("\"loud\"") && ContainsSubstring("trace, debug, info"));
}

TEST_CASE("loggers are not in spdlog's global registry", "[logging]") {
  log_context first{"off"};
  log_context second{"off"};
  auto a = first.make("same_name");
  auto b = second.make("same_name");
  auto c = second.make("same_name");
  CHECK(a != b);
  CHECK(b != c);
  CHECK(spdlog::get("same_name") == nullptr);
}

TEST_CASE("all loggers share one set of sinks", "[logging]") {
  log_context context{"info"};
  auto a = context.make("a");
  auto b = context.make("b");
  REQUIRE(a->sinks().size() == 1);
  CHECK(a->sinks() == b->sinks());
}

TEST_CASE(
  "a sink that is added later reaches existing loggers, with the pattern",
  "[logging]") {
  std::ostringstream first;
  std::ostringstream second;
  log_context context{"info", {std::make_shared<ostream_sink_st>(first)}};
  auto log = context.make("plant");
  log->info("one");
  context.add_sink(std::make_shared<ostream_sink_st>(second));
  log->info("two");
  CHECK_THAT(first.str(), ContainsSubstring("one") && ContainsSubstring("two"));
  CHECK_THAT(second.str(), !ContainsSubstring("one"));
  CHECK_THAT(second.str(), ContainsSubstring(" info     plant: two\n"));
}

TEST_CASE("errors are flushed at once, the rest on demand", "[logging]") {
  auto sink = std::make_shared<counting_sink>();
  log_context context{"info", {sink}};
  auto log = context.make("plant");
  log->warn("w");
  CHECK(sink->flushes == 0);
  log->error("e");
  CHECK(sink->flushes == 1);
  log->flush();
  CHECK(sink->flushes == 2);
  context.flush();
  CHECK(sink->flushes == 3);
}

TEST_CASE("a logger outlives its context", "[logging]") {
  std::ostringstream out;
  std::shared_ptr<spdlog::logger> log;
  {
    log_context context{"info", {std::make_shared<ostream_sink_mt>(out)}};
    log = context.make("plant");
  }
  log->info("still here");
  CHECK_THAT(out.str(), ContainsSubstring("still here"));
}

TEST_CASE("threads may log, make loggers and add sinks concurrently",
          "[logging]") {
  constexpr int num_threads = 4;
  constexpr int num_lines = 500;
  // Neither sink has a lock.
  std::ostringstream out;
  auto counter = std::make_shared<counting_sink>();
  log_context context{
    "info", {counter, std::make_shared<ostream_sink_st>(out)}};
  std::vector<std::thread> threads;
  for (int t = 0; t < num_threads; ++t)
    threads.emplace_back([&context, t] {
      auto log = context.make("node" + std::to_string(t));
      for (int i = 0; i < num_lines; ++i)
        log->info("line {}", i);
      context.add_sink(std::make_shared<counting_sink>());
      context.flush();
    });
  for (auto& thread : threads)
    thread.join();
  CHECK(counter->lines == num_threads * num_lines);
  auto text = out.str();
  CHECK(std::count(text.begin(), text.end(), '\n') == num_threads * num_lines);
  std::string start = "0000-00-00 00:00:00.000000 info     node0: line ";
  std::istringstream in{text};
  for (std::string x; std::getline(in, x);) {
    auto shape = with_zeros(x);
    REQUIRE(shape.size() > start.size());
    auto number = shape.substr(start.size());
    REQUIRE(shape.substr(0, start.size()) == start);
    REQUIRE(number == std::string(number.size(), '0'));
  }
}

TEST_CASE("a hundred thousand loggers are cheap", "[logging]") {
  log_context context{"off"};
  std::vector<std::shared_ptr<spdlog::logger>> loggers;
  for (int i = 0; i < 100'000; ++i)
    loggers.push_back(context.make("n" + std::to_string(i)));
  // In addition to itself, a logger allocates its list of one sink.
  CHECK(sizeof(spdlog::logger) <= 512);
  CHECK(loggers.back()->sinks().capacity() == 1);
  CHECK(loggers.back()->sinks()[0].use_count() >= 100'000);
}

} // namespace logging_test
