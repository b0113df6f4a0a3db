// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The authorization of viewers of the live page.

#include "watch/request_guard.hpp"

#include "catch.hpp"

#include <string>

namespace request_guard_test {

using namespace caf::rosia::detail;
using verdict = request_guard::verdict;
using credentials = request_guard::credentials;

TEST_CASE("without TLS the page is for addresses and localhost only",
          "[watch]") {
  request_guard guard{"", false};
  for (auto* host : {"127.0.0.1:8080", "localhost:8080", "localhost",
                     "[::1]:8080", "10.1.2.3:1"})
    CHECK(guard.check({host}, false) == verdict::allowed);
  for (auto* host :
       {"", "evil.example", "evil.example:8080", "localhost.evil",
        "127.0.0.1.evil.example", "[::1", "[::1]x", "a:b:c", "localhost:80x",
        "[]", ":8080"})
    CHECK(guard.check({host}, false) == verdict::foreign);
}

TEST_CASE("a page of another origin is refused", "[watch]") {
  request_guard guard{"", false};
  auto check = [&](std::string_view origin, std::string_view site = {},
                   bool changes = false) {
    credentials x{"localhost:8080", origin, site};
    return guard.check(x, changes);
  };
  CHECK(check("http://localhost:8080") == verdict::allowed);
  CHECK(check("http://localhost:8081") == verdict::foreign);
  CHECK(check("https://localhost:8080") == verdict::foreign);
  CHECK(check("http://evil.example") == verdict::foreign);
  CHECK(check("null") == verdict::foreign);
  CHECK(check("", "cross-site") == verdict::allowed);
  CHECK(check("", "cross-site", true) == verdict::foreign);
  CHECK(check("", "same-site", true) == verdict::foreign);
  CHECK(check("", "same-origin", true) == verdict::allowed);
}

TEST_CASE("with a token no viewer is accepted without it", "[watch]") {
  request_guard guard{"secret+1", true};
  auto check = [&](credentials x) {
    x.host = "alpha.example:8080";
    return guard.check(x, false);
  };
  auto cookie = guard.cookie();
  auto value = cookie.substr(0, cookie.find(';'));
  CHECK_THAT(cookie, Catch::Matchers::ContainsSubstring("HttpOnly"));
  CHECK_THAT(cookie, Catch::Matchers::ContainsSubstring("; Secure"));
  CHECK(cookie.find("secret") == std::string::npos);
  CHECK(check({}) == verdict::unknown);
  CHECK(check({.authorization = "Bearer secret+1"}) == verdict::allowed);
  CHECK(check({.authorization = "Bearer secret+"}) == verdict::unknown);
  CHECK(check({.authorization = "Bearer "}) == verdict::unknown);
  CHECK(check({.authorization = "Basic secret+1"}) == verdict::unknown);
  CHECK(check({.token = "secret+1"}) == verdict::allowed);
  CHECK(check({.token = "secret+2"}) == verdict::unknown);
  CHECK(check({.cookie = value}) == verdict::allowed);
  auto among = "a=b; " + value + " ; c=d";
  CHECK(check({.cookie = among}) == verdict::allowed);
  CHECK(check({.cookie = "rosia_page="}) == verdict::unknown);
  CHECK(check({.cookie = "rosia_page"}) == verdict::unknown);
  CHECK(check({.cookie = ";;=;"}) == verdict::unknown);
  auto other = "x" + value;
  CHECK(check({.cookie = other}) == verdict::unknown);
  CHECK(request_guard{"secret+1", true}.cookie() != cookie);
}

TEST_CASE("a parameter of an address is found, and its escapes are decoded",
          "[watch]") {
  CHECK(query_parameter("/?token=a%2Bb", "token") == "a+b");
  CHECK(query_parameter("/?x=1&token=abc&y", "token") == "abc");
  CHECK(query_parameter("/?xtoken=1", "token").empty());
  CHECK(query_parameter("/", "token").empty());
  CHECK(query_parameter("/?", "token").empty());
  CHECK(query_parameter("/?token", "token").empty());
  CHECK(query_parameter("/?token=%2", "token") == "%2");
  CHECK(query_parameter("/?token=%zz%", "token") == "%zz%");
}

} // namespace request_guard_test
