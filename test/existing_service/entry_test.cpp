// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "existing_service/entry.hpp"

#include "catch.hpp"
#include "existing_service/service_errc.hpp"

namespace entry_test {

using namespace existing_service;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("entry: a request is a key and a value") {
  const auto parsed = parse_request("key=value");
  REQUIRE(parsed);
  CHECK(parsed->key == "key");
  CHECK(parsed->value == "value");
  CHECK(parsed->checksum == checksum_of("key", "value"));
}

TEST_CASE("entry: the value may be empty, or contain anything") {
  CHECK(parse_request("key=")->value.empty());
  CHECK(parse_request("key=a=b\n")->value == "a=b\n");
}

TEST_CASE("entry: a request without a key is refused") {
  for (auto* text : {"", "key", "=value", "="}) {
    CAPTURE(text);
    const auto parsed = parse_request(text);
    REQUIRE_FALSE(parsed);
    CHECK(is(parsed.error(), service_errc::malformed));
    CHECK_THAT(text_of(parsed.error()),
               ContainsSubstring("'" + std::string{text} + "'"));
  }
}

TEST_CASE("entry: the checksum is CRC-32") {
  CHECK(checksum_of("a", "b") == 0x7f0030cf);
  CHECK(checksum_of("a", "b") != checksum_of("b", "a"));
}

} // namespace entry_test
