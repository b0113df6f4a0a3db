// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/csv_reader.hpp"

#include "catch.hpp"

#include <sstream>
#include <string>
#include <vector>

namespace csv_reader_test {

using namespace localization;
using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

namespace {

constexpr auto header = "time_s,number,count";

std::vector<double> numbers(const std::string& text) {
  std::istringstream in{text};
  csv_reader csv{in, "a.csv", header};
  std::vector<double> result;
  while (csv.next())
    result.push_back(csv.number(1));
  return result;
}

/// Reads every field and returns the error.
std::string error(const std::string& text) {
  std::istringstream in{text};
  try {
    csv_reader csv{in, "a.csv", header};
    while (csv.next()) {
      csv.seconds(0);
      csv.number(1);
      csv.integer(2);
    }
  } catch (const input_error& problem) {
    return problem.what();
  }
  return "";
}

const auto head = std::string{header} + "\n";

} // namespace

TEST_CASE("rows are read in the order of the file") {
  std::istringstream in{head + "1.5,2.5,3\n-1,-2,-3\n"};
  csv_reader csv{in, "a.csv", header};
  REQUIRE(csv.next());
  CHECK(csv.seconds(0) == 1500ms);
  CHECK(csv.number(1) == 2.5);
  CHECK(csv.integer(2) == 3);
  CHECK(csv.line() == 2);
  REQUIRE(csv.next());
  CHECK(csv.seconds(0) == -1s);
  CHECK(csv.number(1) == -2);
  CHECK(csv.integer(2) == -3);
  CHECK(!csv.next());
  CHECK(!csv.next());
}

TEST_CASE("the last row needs no line end") {
  CHECK(numbers(head + "0,1,0\n0,2,0") == std::vector<double>{1, 2});
}

TEST_CASE("Windows line ends, a byte order mark and blanks are accepted") {
  CHECK(numbers("\xef\xbb\xbftime_s, number ,count\r\n0, 1 ,0\r\n0,\t2,0\r\n")
        == std::vector<double>{1, 2});
  CHECK(numbers("time_s,number,count\r\n0,1,0\r\n0,2,0\r")
        == std::vector<double>{1, 2});
}

TEST_CASE("blank lines are skipped, but counted") {
  CHECK(
    numbers(head + "\n0,1,0\n  \n\r\n0,2,0\n\n") == std::vector<double>{1, 2});
  CHECK_THAT(error(head + "\n\n0,x,0\n"), ContainsSubstring("a.csv:4: "));
}

TEST_CASE("an empty file is refused") {
  CHECK_THAT(error(""), ContainsSubstring("a.csv: the file is empty"));
}

TEST_CASE("a wrong first line is refused with both lines") {
  const auto message = error("time,number,count\n0,1,0\n");
  CHECK_THAT(message, ContainsSubstring("a.csv:1: "));
  CHECK_THAT(message, ContainsSubstring("'time_s,number,count'"));
  CHECK_THAT(message, ContainsSubstring("'time,number,count'"));
  // A file without header must not lose its first row.
  CHECK_THAT(error("0,1,0\n0,2,0\n"), ContainsSubstring("a.csv:1: "));
}

TEST_CASE("a row with too few or too many fields is refused") {
  CHECK(error(head + "0,1,0\n0,1\n")
        == "a.csv:3: a row has 3 fields (time_s,number,count), but this one 2");
  CHECK_THAT(error(head + "0,1,0,\n"), ContainsSubstring("but this one 4"));
}

TEST_CASE(
  "a field that is not a number is refused with file, line and column") {
  CHECK(error(head + "0,1,0\n0,abc,0\n")
        == "a.csv:3: number: 'abc' is not a finite number");
  CHECK(error(head + "0,,0\n") == "a.csv:2: number: '' is not a finite number");
  for (const auto* bad : {"nan", "inf", "-inf", "1e999"})
    CHECK_THAT(error(head + "0," + bad + ",0\n"),
               ContainsSubstring("is not a finite number"));
  CHECK_THAT(error(head + "0,1e10,0\n"), ContainsSubstring("beyond a billion"));
  CHECK_THAT(error(head + "0,1,1.5\n"),
             ContainsSubstring("count: '1.5' is not an integer"));
  CHECK_THAT(error(head + "noon,1,0\n"),
             ContainsSubstring("time_s: 'noon' is not a time in seconds"));
}

TEST_CASE("a file without line ends is given up, not read into memory") {
  CHECK_THAT(error(head + std::string(100'000, '1')),
             ContainsSubstring("a.csv:2: the line is longer than"));
  // The longest accepted line.
  CHECK(numbers(head + "0,1,0" + std::string(4090, ' ') + "\n0,2,0\n")
        == std::vector<double>{1, 2});
  CHECK_THAT(error(head + "0,1,0" + std::string(4091, ' ') + "\n"),
             ContainsSubstring("longer"));
}

TEST_CASE("a stream that fails while it is read is refused") {
  struct broken : std::streambuf {
    int underflow() override {
      throw std::runtime_error{"unplugged"};
    }
  } source;
  std::istream in{&source};
  CHECK_THROWS_WITH(
    csv_reader(in, "a.csv", header), "a.csv: the file cannot be read");
}

} // namespace csv_reader_test
