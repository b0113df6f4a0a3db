// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/compat.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "catch.hpp"
#include "compat/bytes.hpp"

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bytes_test {

// What is saved, and the digests in traces, must not depend on the version of
// CAF: these are the bytes of CAF 0.17.6.

namespace {

using caf::rosia::logical_time;
using caf::rosia::detail::byte_reader;
using caf::rosia::detail::byte_writer;
using caf::rosia::detail::is_serializable;
using caf::rosia::detail::load_content;
using caf::rosia::detail::save_content;

enum class color : std::uint16_t { red = 1, blue = 0x0203 };

struct reading {
  int number = 0;
  color paint = color::red;
  std::string text;
  std::vector<std::uint8_t> raw;

  bool operator==(const reading&) const = default;
};

template <class Inspector>
auto inspect(Inspector& f, reading& x) {
  return caf::rosia::inspect_members(f, x, x.number, x.paint, x.text, x.raw);
}

struct nothing {
  bool operator==(const nothing&) const = default;
};

template <class Inspector>
auto inspect(Inspector& f, nothing& x) {
  return caf::rosia::inspect_members(f, x);
}

struct unknown {
  virtual ~unknown() = default;
};

template <class T>
std::vector<char> to_bytes(const T& x) {
  std::vector<char> result;
  byte_writer sink{result};
  CHECK(!save_content(sink, x));
  return result;
}

template <class T>
std::string hexadecimal(const T& x) {
  std::string result;
  for (auto c : to_bytes(x)) {
    auto byte = static_cast<unsigned char>(c);
    (result += "0123456789abcdef"[byte >> 4]) += "0123456789abcdef"[byte & 15];
  }
  return result;
}

template <class T>
bool comes_back(const T& x) {
  auto bytes = to_bytes(x);
  byte_reader source{bytes};
  T result{};
  return !load_content(source, result) && result == x
         && source.remaining() == 0;
}

} // namespace

TEST_CASE("a value has the same bytes with every CAF") {
  CHECK(hexadecimal(std::int32_t{-2}) == "fffffffe");
  CHECK(hexadecimal(std::uint64_t{258}) == "0000000000000102");
  CHECK(hexadecimal('A') == "41");
  CHECK(hexadecimal(true) == "01");
  CHECK(hexadecimal(1.5) == "3ff8000000000000");
  CHECK(hexadecimal(-0.25f) == "be800000");
  CHECK(hexadecimal(std::string{"abc"}) == "03616263");
  CHECK(hexadecimal(std::string(200, 'x')).substr(0, 6) == "c80178");
  CHECK(hexadecimal(std::u16string{u"\u00e9"}) == "0100e9");
  CHECK(hexadecimal(std::u32string{U"\u00e9"}) == "01000000e9");
  CHECK(hexadecimal(color::blue) == "0203");
  CHECK(hexadecimal(std::chrono::milliseconds{3}) == "0000000000000003");
}

TEST_CASE("what is made of values has their bytes, one after the other") {
  CHECK(hexadecimal(std::vector<std::int16_t>{1, 2}) == "0200010002");
  CHECK(hexadecimal(std::vector<std::uint8_t>{1, 255}) == "0201ff");
  CHECK(hexadecimal(std::vector<char>{'a', 'b'}) == "026162");
  CHECK(hexadecimal(std::vector<bool>{}) == "00");
  CHECK(hexadecimal(std::vector<bool>(9, true)) == "0902ff01");
  CHECK(hexadecimal(std::array<std::int8_t, 2>{3, 4}) == "0304");
  CHECK(hexadecimal(std::pair{std::uint8_t{1}, std::string{"a"}}) == "010161");
  CHECK(hexadecimal(std::map<std::uint8_t, bool>{{1, true}, {2, false}})
        == "0201010200");
  CHECK(hexadecimal(reading{1, color::blue, "a", {7}})
        == "00000001"
           "0203"
           "0161"
           "0107");
  CHECK(hexadecimal(nothing{}).empty());
  CHECK(hexadecimal(logical_time{5, 6}) == "000000000000000500000006");
}

TEST_CASE("a value comes back from its bytes") {
  CHECK(comes_back(std::int64_t{-77}));
  CHECK(comes_back(0.1));
  CHECK(comes_back(0.1f));
  CHECK(comes_back(std::string(300, 'x')));
  CHECK(comes_back(std::u16string{u"\u00e9t\u00e9"}));
  CHECK(comes_back(std::u32string{U"\u00e9t\u00e9"}));
  CHECK(comes_back(color::blue));
  CHECK(comes_back(std::chrono::nanoseconds{-4}));
  CHECK(comes_back(std::vector<std::string>{"", "a"}));
  CHECK(comes_back(std::map<std::string, int>{{"a", 1}, {"b", 2}}));
  CHECK(comes_back(std::pair{1, 2.5}));
  CHECK(comes_back(std::vector<reading>{{1, color::red, "a", {7, 8}}, {}}));
  CHECK(comes_back(nothing{}));
  CHECK(comes_back(logical_time{5, 6}));
}

TEST_CASE("bytes that end too early are an error") {
  auto bytes = to_bytes(reading{1, color::blue, "abc", {7, 8}});
  while (!bytes.empty()) {
    bytes.pop_back();
    byte_reader source{bytes};
    reading result;
    CHECK(load_content(source, result));
  }
}

TEST_CASE("what cannot be written is known when it is compiled") {
  STATIC_REQUIRE(is_serializable<reading>);
  STATIC_REQUIRE(is_serializable<nothing>);
  STATIC_REQUIRE(is_serializable<color>);
  STATIC_REQUIRE(is_serializable<std::vector<reading>>);
  STATIC_REQUIRE_FALSE(is_serializable<unknown>);
  STATIC_REQUIRE_FALSE(is_serializable<std::vector<unknown>>);
  STATIC_REQUIRE_FALSE(is_serializable<int*>);
  STATIC_REQUIRE_FALSE(is_serializable<std::unique_ptr<int>>);
}

} // namespace bytes_test
