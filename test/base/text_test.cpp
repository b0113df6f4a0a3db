// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/text.hpp"

#include "base/json.hpp"

#include "catch.hpp"

#include <stdexcept>
#include <string>

namespace text_test {

using namespace caf::rosia::detail;
using namespace std::string_literals;

TEST_CASE("plain text is UTF-8 without control characters", "[text]") {
  for (auto& x : {""s, "a b"s, "gr\xc3\xb6\xc3\x9f"s, "\xf0\x9f\xa4\x96"s,
                  "\xc2\xa0"s, "\"\\'"s}) {
    CAPTURE(x);
    CHECK(is_plain_text(x));
  }
  for (auto& x :
       {"\n"s, "\t"s, "\0"s, "a\x1b[31m"s, "\x7f"s, "\xc2\x85"s, "\xe4"s,
        "a\xe2\x82"s, "\xed\xa0\x80"s, "\xc0\x80"s, "\xf4\x90\x80\x80"s}) {
    CAPTURE(escaped(x));
    CHECK_FALSE(is_plain_text(x));
    CHECK_THROWS_AS(require_name("phase", x), std::invalid_argument);
  }
}

TEST_CASE("escaped text is printable ASCII", "[text]") {
  CHECK(escaped("a\n\xe4 ~") == "a\\x0a\\xe4 ~");
  CHECK(problem_of_name("phase", "a\n")
        == "invalid phase name 'a\\x0a': a name must be UTF-8, without control "
           "characters");
}

TEST_CASE("text for terminals has no control characters", "[text]") {
  CHECK(printable_text("gr\xc3\xb6\xc3\x9f\n\tb") == "gr\xc3\xb6\xc3\x9f\n\tb");
  CHECK(printable_text("a\x1b[31m\r\x7f\xc2\x85\0b"s)
        == "a\\x1b[31m\\x0d\\x7f\\xc2\\x85\\x00b");
  // An invalid byte does not hide the character after it.
  CHECK(printable_text("Ger\xe4t \xe2\x82\x1b \xe2\x82")
        == "Ger\\xe4t \\xe2\\x82\\x1b \\xe2\\x82");
}

TEST_CASE("invalid UTF-8 becomes U+FFFD", "[text]") {
  CHECK(utf8_text("Ger\xe4t") == "Ger\xef\xbf\xbdt");
  CHECK(utf8_text("") == "");
  CHECK(utf8_text("gr\xc3\xb6\xc3\x9f") == "gr\xc3\xb6\xc3\x9f");
}

} // namespace text_test
