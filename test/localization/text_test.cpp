// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/text.hpp"

#include "catch.hpp"

#include <limits>

namespace text_test {

using namespace localization;
using namespace std::chrono_literals;

TEST_CASE("a number is printed with the requested number of decimals") {
  CHECK(fixed(3.14159, 2) == "3.14");
  CHECK(fixed(-2.5, 0) == "-2");
  CHECK(fixed(1e15, 1) == "1000000000000000.0");
}

TEST_CASE("no number is printed as minus zero") {
  CHECK(fixed(-0.0, 3) == "0.000");
  CHECK(fixed(-0.0004, 3) == "0.000");
  CHECK(fixed(-0.0006, 3) == "-0.001");
}

TEST_CASE("seconds are printed exactly") {
  CHECK(seconds_text(3857053202us) == "3857.053202");
  CHECK(seconds_text(1ns) == "0.000000001");
  CHECK(seconds_text(-1500ms) == "-1.500000");
  CHECK(seconds_text(0s) == "0.000000");
}

TEST_CASE("a number is read only if the whole text is one, and finite") {
  CHECK(parse_number("2.5e-3") == 2.5e-3);
  CHECK(parse_number("+1.5") == 1.5);
  CHECK(parse_number("-7") == -7.0);
  for (const auto* bad :
       {"", "x", "1x", "1 ", " 1", "1,5", "nan", "-NaN", "inf", "infinity",
        "1e999", "0x10", "+-1", "++1", "--1"}) {
    INFO(bad);
    CHECK(!parse_number(bad));
  }
}

TEST_CASE("an integer has no fraction and is in range") {
  CHECK(parse_integer("42") == 42);
  CHECK(parse_integer("-1") == -1);
  CHECK(!parse_integer("1.0"));
  CHECK(!parse_integer("3000000000"));
  CHECK(!parse_integer(""));
}

TEST_CASE("seconds are read exactly to the nanosecond") {
  CHECK(parse_seconds("3857.053202") == 3857053202us);
  // A double would be wrong by more than a hundred nanoseconds here.
  CHECK(parse_seconds("1700000000.000000001") == 1700000000s + 1ns);
  CHECK(parse_seconds("0.0000000014") == 1ns);
  CHECK(parse_seconds("0.0000000015") == 2ns);
  CHECK(parse_seconds("0.00000000049") == 0ns);
  CHECK(parse_seconds("0.0000000005") == 1ns);
  CHECK(parse_seconds("-1.5") == -1500ms);
  CHECK(parse_seconds("+2") == 2s);
  CHECK(parse_seconds(".5") == 500ms);
  CHECK(parse_seconds("5.") == 5s);
  // The first and the last accepted values.
  CHECK(parse_seconds("3155760000") == 3155760000s);
  CHECK(parse_seconds("-3155760000") == -3155760000s);
  CHECK(!parse_seconds("3155760000.000000001"));
}

TEST_CASE("seconds may have an exponent") {
  CHECK(parse_seconds("3.857053202e3") == 3857053202us);
  CHECK(parse_seconds("3.857053202000000000e+03") == 3857053202us);
  CHECK(parse_seconds("15E-10") == 2ns);
  CHECK(parse_seconds("12e1") == 120s);
  CHECK(parse_seconds("0e900") == 0s);
  CHECK(parse_seconds("1e-900") == 0s);
}

TEST_CASE("a time beyond a century is refused") {
  for (const auto* bad :
       {"", ".", "-", "e5", "1e", "1e1000000000", "1e20", "1e10", "4000000000",
        "nan", "inf", "1:30", "1.2.3", "12s", "2020-01-01", " 1"}) {
    INFO(bad);
    CHECK(!parse_seconds(bad));
  }
}

TEST_CASE("printed seconds are parsed back") {
  for (const auto time : {0ns, 1ns, -1ns, 999999999ns, 123456789012345678ns,
                          -123456789012345678ns})
    CHECK(parse_seconds(seconds_text(time)) == time);
}

TEST_CASE("blanks and a carriage return are removed from both ends") {
  CHECK(trimmed(" \ta b\r") == "a b");
  CHECK(trimmed(" \r") == "");
  CHECK(trimmed("") == "");
}

TEST_CASE("quoted input cannot control a terminal") {
  CHECK(in_quotes("abc") == "'abc'");
  CHECK(in_quotes("a\x1b[31m") == "'a\\x1b[31m'");
  CHECK(
    in_quotes(std::string(100, 'x')) == "'" + std::string(40, 'x') + "...'");
}

} // namespace text_test
