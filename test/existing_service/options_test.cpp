// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "existing_service/options.hpp"

#include "catch.hpp"

namespace options_test {

using namespace existing_service;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

std::string error(const std::vector<std::string>& arguments) {
  try {
    parse_options(arguments);
  } catch (const usage_error& problem) {
    return problem.what();
  }
  return "";
}

} // namespace

TEST_CASE("options: without arguments it runs until a request to end") {
  const auto given = parse_options({});
  CHECK(given.database == "existing_service.db");
  CHECK_FALSE(given.requests);
  CHECK_FALSE(given.duration);
  CHECK_FALSE(given.resume);
  CHECK(given.deadline == 30s);
  CHECK(given.announce == 0);
  CHECK(given.verify.empty());
  CHECK_FALSE(given.help);
}

TEST_CASE("options: all are accepted") {
  const auto given = parse_options(
    {"--database=d", "--workers",  "2",
     "--slow",       "10ms",       "--deadline",
     "2s",           "--clients",  "3",
     "--in-flight",  "7",          "--requests",
     "50",           "--duration", "1min",
     "--resume",     "--announce", "9",
     "--report",     "r",          "--timeline",
     "t.svg",        "--keys",     "k",
     "--verify",     "v"});
  CHECK(given.database == "d");
  CHECK(given.workers == 2);
  CHECK(given.slowness == 10ms);
  CHECK(given.deadline == 2s);
  CHECK(given.clients == 3);
  CHECK(given.in_flight == 7);
  CHECK(given.requests == 50);
  CHECK(given.duration == 60s);
  CHECK(given.resume);
  CHECK(given.announce == 9);
  CHECK(given.report_file == "r");
  CHECK(given.timeline_file == "t.svg");
  CHECK(given.keys_file == "k");
  CHECK(given.verify == "v");
}

TEST_CASE("options: invalid ones are refused with their names") {
  for (auto* text :
       {"0", "-1", "1001", "", "two", "1.5", "99999999999999999999"})
    CHECK_THAT(
      error({std::string{"--workers="} + text}),
      ContainsSubstring("workers") && ContainsSubstring(std::string{text}));
  for (auto* text : {"5", "-5s", "5 parsecs", "25h", "1500min"})
    CHECK_THAT(error({"--deadline", text}),
               ContainsSubstring("--deadline needs a time")
                 && ContainsSubstring(std::string{"'"} + text + "'"));
  CHECK_THAT(error({"--foo"}), ContainsSubstring("foo"));
  CHECK_THAT(error({"--work=3"}), ContainsSubstring("work"));
  CHECK_THAT(error({"bar"}), ContainsSubstring("not understood"));
  CHECK_THAT(error({"--clients"}), ContainsSubstring("clients"));
  CHECK_THAT(error({"--database", ""}), ContainsSubstring("--database"));
}

TEST_CASE("options: the usage names all of them") {
  CHECK(parse_options({"-h", "--workers=0"}).help);
  for (auto* name :
       {"--database", "--slow", "--deadline", "--clients", "--verify", "129"})
    CHECK_THAT(usage(), ContainsSubstring(name));
}

} // namespace options_test
