// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// For any content of a file, the tool reports a result, and neither crashes nor
// hangs.

#include "catch.hpp"
#include "rosia_trace/checker.hpp"
#include "rosia_trace/comparison.hpp"
#include "rosia_trace/trace_file.hpp"
#include "trace/random_trace.hpp"

#include <random>

namespace robustness_test {

using namespace trace_test;
using rosia_trace::rule;

namespace {

/// Reads a trace in both ways.
void read(const std::string& text) {
  auto found = rosia_trace::check(text);
  if (found) {
    REQUIRE(!found->text.empty());
    REQUIRE(!to_string(*found, "trace").empty());
  }
  try {
    rosia_trace::recording left{text, "left"};
    rosia_trace::recording right{text, "right"};
    REQUIRE(compare(left, right, std::nullopt).same());
  } catch (const rosia_trace::unreadable_file& e) {
    REQUIRE(std::string_view{e.what()}.starts_with("left:"));
  }
}

} // namespace

TEST_CASE("a trace that ends anywhere is reported as truncated", "[trace]") {
  for (const auto& run : {natural_end(), requested_end(), aborted_end()}) {
    auto text = run.text();
    // Without its last line end it is complete.
    for (std::size_t size = 1; size + 1 < text.size(); ++size) {
      INFO("cut after " << size << " bytes");
      auto found = rosia_trace::check(text.substr(0, size));
      REQUIRE(found);
      REQUIRE(to_string(found->broken) == to_string(rule::termination));
    }
  }
}

TEST_CASE("random bytes in a trace do no harm", "[trace]") {
  std::mt19937_64 rng{1};
  auto text = requested_end().text();
  for (auto i = 0; i < 1000; ++i) {
    auto spoilt = text;
    for (auto n = 1 + rng() % 4; n > 0; --n)
      spoilt[rng() % spoilt.size()] = static_cast<char>(rng() % 256);
    read(spoilt);
  }
}

TEST_CASE("mixed-up JSON does no harm", "[trace]") {
  std::mt19937_64 rng{2};
  const std::vector<std::string> pieces{
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"event\"",
    "\"tag\"",
    "\"execute\"",
    "\"node\"",
    "\"a\"",
    "\"inputs\"",
    "null",
    "true",
    "5",
    "-1",
    "1e5",
    "\"name\"",
    "\"reactions\"",
    "\"triggers\"",
    "[0,0]",
    "\"\\u0000\"",
    "\\",
    "\"",
    "\n",
    "99999999999999999999",
    "\"never\"",
    "{\"event\":",
    "\"forever\"",
  };
  for (auto i = 0; i < 10000; ++i) {
    std::string text;
    if (i % 2 == 0)
      text = application() + '\n';
    for (auto n = rng() % 30; n > 0; --n)
      text += pieces[rng() % pieces.size()];
    read(text);
  }
}

TEST_CASE("lines in random order do no harm", "[trace]") {
  std::mt19937_64 rng{3};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto run = random_trace(seed);
    std::shuffle(run.lines.begin() + 1, run.lines.end(), rng);
    read(run.text());
  }
}

TEST_CASE("the lines of two traces in one file do no harm", "[trace]") {
  std::mt19937_64 rng{4};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    auto run = random_trace(seed);
    auto other = random_trace(seed + 1);
    for (auto& line : other.lines)
      run.lines.insert(
        run.lines.begin()
          + static_cast<std::ptrdiff_t>(1 + rng() % run.lines.size()),
        line);
    read(run.text());
  }
}

TEST_CASE("huge numbers do no harm", "[trace]") {
  auto t = natural_end();
  auto line = t.find({"execute"});
  for (auto tag :
       {"[9223372036854775807,4294967295]", "[-9223372036854775808,0]",
        "[9223372036854775807,0]", "[18446744073709551615,0]", "[1e308,0]",
        "[1e309,0]", "[99999999999999999999999999999999,0]"})
    read(t.with(line, "[0,0]", tag).text());
  // The greatest possible tag can be executed without an overflow.
  constexpr logical_time last{
    9'223'372'036'854'775'807, rosia_trace::max_microstep};
  trace end_of_time{
    application(),
    node_line{"a"}.output("out").str(),
    node_line{"b"}.input("in").str(),
    connection("a.out", "b.in", {0, 1}),
    start("a"),
    start("b"),
    execute("a", last, forever),
    resume("a", last),
    request("a", last, forever),
    shutdown("a", last, "done"),
    exit("a"),
    shutdown("b", origin, "done"),
    exit("b"),
    end(),
  };
  require_good(end_of_time);
  require_good(
    end_of_time.inserted(9, send("a", last, "out", "b.in", forever, 1)));
}

TEST_CASE("deep nesting does no harm", "[trace]") {
  for (const auto* open : {"[", "{\"event\":", "{\"a\":[", "{\"tag\":["}) {
    std::string text;
    for (auto i = 0; i < 200'000; ++i)
      text += open;
    read(text);
    read(text + '\n');
  }
}

TEST_CASE("a very long line does no harm", "[trace]") {
  read(natural_end().with(2, "source", std::string(1 << 20, 'x')).text());
  read(std::string(1 << 20, ' '));
  read(std::string(1 << 20, '\n'));
  read(std::string(1 << 20, '\0'));
}

TEST_CASE("names may contain anything, and messages show them safely",
          "[trace]") {
  auto t = natural_end();
  for (auto& line : t.lines)
    for (std::size_t i = 0; (i = line.find("source", i)) != std::string::npos;)
      line.replace(i, 6, R"(s\u001b[2J\"\n\u00e9)");
  require_good(t);
  auto line = t.find({"shutdown"});
  auto found
    = rosia_trace::check(t.inserted(line + 1, t.lines[line - 1]).text());
  REQUIRE(found);
  CHECK(found->text
        == "node \"s\\x1b[2J\\\"\\x0a\xc3\xa9\" shuts down a second time");
}

} // namespace robustness_test
