// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/compat.hpp"
#include "caf/rosia/inspect.hpp"
#include "caf/rosia/logical_time.hpp"
#include "catch.hpp"
#include "compat/bytes.hpp"

#include <array>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <locale>
#include <map>
#include <memory>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace bytes_test {

// Saved data, and the digests in traces, must not depend on the version of CAF.
// These are the bytes of CAF 0.17.6.

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

struct node_of_list {
  int number = 0;
  std::unique_ptr<int> next;
};

template <class Inspector>
auto inspect(Inspector& f, node_of_list& x) {
  return caf::rosia::inspect_members(f, x, x.number, *x.next);
}

struct base_part {
  base_part() = default;

  double a = 0;
  int b = 0;
};

template <class Inspector>
auto inspect(Inspector& f, base_part& x) {
  return caf::rosia::inspect_members(f, x, x.a, x.b);
}

/// Its member may be in the padding of its base.
struct derived : base_part {
  int c = 0;
  std::vector<bool> flags{true, true};

  friend bool operator==(const derived& x, const derived& y) {
    return x.a == y.a && x.b == y.b && x.c == y.c && x.flags == y.flags;
  }
};

template <class Inspector>
auto inspect(Inspector& f, derived& x) {
  return caf::rosia::inspect_members(
    f, x, static_cast<base_part&>(x), x.c, x.flags);
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

/// Returns special numbers, and some ordinary ones.
template <class T>
std::vector<T> special_numbers() {
  using limits = std::numeric_limits<T>;
  std::vector<T> result{
    limits::infinity(),
    limits::max(),
    limits::min(),
    limits::min() / 3,
    limits::denorm_min(),
    limits::quiet_NaN(),
    limits::signaling_NaN(),
    T{0},
    T{1} / 3,
    1 + limits::epsilon(),
    T(123456789)};
  for (auto i = result.size(); i > 0; --i)
    result.push_back(-result[i - 1]);
  return result;
}

template <class T>
bool same_number(T x, T y) {
  return std::signbit(x) == std::signbit(y)
         && (std::isnan(x) ? std::isnan(y) : x == y);
}

template <class T>
void check_special_numbers() {
  auto all = special_numbers<T>();
  auto bytes = to_bytes(all);
  byte_reader source{bytes};
  std::vector<T> back;
  REQUIRE(!load_content(source, back));
  CHECK(source.remaining() == 0);
  REQUIRE(back.size() == all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    CAPTURE(i, all[i], back[i]);
    CHECK(same_number(all[i], back[i]));
    CHECK(to_bytes(all[i]) == to_bytes(back[i]));
  }
}

/// Formats numbers as "1.234,5".
struct other_numbers : std::numpunct<char> {
  char do_decimal_point() const override {
    return ',';
  }

  char do_thousands_sep() const override {
    return '.';
  }

  std::string do_grouping() const override {
    return "\3";
  }
};

} // namespace

TEST_CASE("a value has the same bytes in all CAF versions") {
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

TEST_CASE("a compound value has the bytes of its parts in order") {
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

TEST_CASE("a value is restored from its bytes") {
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

TEST_CASE("the bits of a real number are its bytes") {
  CHECK(
    hexadecimal(std::numeric_limits<double>::infinity()) == "7ff0000000000000");
  CHECK(hexadecimal(-std::numeric_limits<float>::infinity()) == "ff800000");
  CHECK(hexadecimal(-0.0) == "8000000000000000");
  CHECK(hexadecimal(-0.0f) == "80000000");
  CHECK(hexadecimal(5e-324) == "0000000000000001");
  auto marked = std::bit_cast<double>(std::uint64_t{0x7ff8'0000'dead'beef});
  CHECK(hexadecimal(marked) == "7ff80000deadbeef");
}

TEST_CASE("special numbers are restored from their bytes") {
  check_special_numbers<float>();
  check_special_numbers<double>();
  check_special_numbers<long double>();
}

TEST_CASE("the bytes of numbers do not depend on the program's locale") {
  auto before
    = std::locale::global(std::locale{std::locale{}, new other_numbers});
  auto bytes = to_bytes(123456.75L);
  check_special_numbers<long double>();
  std::locale::global(before);
  CHECK(bytes == to_bytes(123456.75L));
}

TEST_CASE("a long double of a different kind of processor is refused") {
  auto bytes = to_bytes(1.5L);
  for (auto size : {0, 8, 9, 11, 15}) {
    CAPTURE(size);
    std::vector<char> other(static_cast<std::size_t>(size) + 1);
    other[0] = static_cast<char>(size);
    byte_reader source{other};
    long double result = 0;
    CHECK(load_content(source, result));
  }
}

TEST_CASE("a sequence that is too long is refused, not truncated") {
  std::vector<char> bytes;
  byte_writer sink{bytes};
  auto size = std::size_t{1} << 32;
  auto result = sink.begin_sequence(size);
  // CAF 0.17 returns an error.
  CHECK(static_cast<bool>(result) != std::is_same_v<decltype(result), bool>);
  CHECK(bytes.empty());
}

TEST_CASE("a size of more than 32 bits is refused, not truncated") {
  // Truncated, it is the size 1.
  std::vector<char> bytes{'\x81', '\x80', '\x80', '\x80', '\x10', 'a'};
  byte_reader source{bytes};
  std::string text;
  CHECK(load_content(source, text));
  CHECK(text.empty());
}

TEST_CASE("a size beyond the end of the bytes takes no memory") {
  std::vector<char> bytes{'\xff', '\xff', '\xff', '\xff', '\x0f', 'a', 'b'};
  byte_reader source{bytes};
  std::vector<std::uint8_t> raw;
  CHECK(load_content(source, raw));
  CHECK(raw.capacity() < 1000);
  byte_reader again{bytes};
  std::vector<bool> flags;
  CHECK(load_content(again, flags));
  CHECK(flags.capacity() < 1000);
  byte_reader third{bytes};
  std::vector<nothing> empty;
  CHECK(load_content(third, empty));
  CHECK(comes_back(std::vector<nothing>(1000)));
}

TEST_CASE("reading an empty list of flags clears the target") {
  auto bytes = to_bytes(std::vector<bool>{});
  byte_reader source{bytes};
  std::vector<bool> flags{true, false};
  CHECK(!load_content(source, flags));
  CHECK(flags.empty());
}

TEST_CASE("lists of flags are restored from their bytes, wherever they are") {
  using flags = std::vector<bool>;
  CHECK(
    hexadecimal(std::pair{flags(9, true), std::uint8_t{7}}) == "0902ff0107");
  CHECK(comes_back(flags{true, false}));
  CHECK(comes_back(std::map<std::string, flags>{{"a", {}}, {"b", {true}}}));
  CHECK(comes_back(std::vector<flags>{{}, {true, false}, flags(20, true)}));
  CHECK(comes_back(std::array<flags, 2>{flags{}, flags{true}}));
  CHECK(comes_back(std::tuple{1, flags{true}, std::pair{flags{}, 2}}));
  CHECK(comes_back(std::set<flags>{{}, {true}}));
}

TEST_CASE("reading lists of flags within a value clears them") {
  using flags = std::vector<bool>;
  auto bytes = to_bytes(std::array<flags, 2>{});
  byte_reader source{bytes};
  std::array<flags, 2> result{flags{true}, flags{false}};
  CHECK(!load_content(source, result));
  CHECK(result == std::array<flags, 2>{});
}

TEST_CASE("a sequence of elements without bytes that cannot be read is not "
          "written") {
  auto longest = std::size_t{1} << 20;
  CHECK(comes_back(std::vector<nothing>(longest)));
  CHECK(comes_back(std::vector<std::vector<nothing>>{
    std::vector<nothing>(longest), {}, std::vector<nothing>(longest)}));
  CHECK(comes_back(std::vector<bool>(longest * 10)));
  CHECK(comes_back(std::string(longest * 2, 'a')));
  CHECK(comes_back(std::vector<std::uint8_t>(longest * 2)));
  std::vector<char> bytes;
  byte_writer sink{bytes};
  auto problem = save_content(
    sink, std::pair{std::vector<nothing>(longest + 1), std::string(99, 'a')});
  CHECK_THAT(to_string(problem), Catch::Matchers::ContainsSubstring(
                                   "more than 1048576 elements without bytes"));
}

TEST_CASE("inspect_members refuses a reference outside of the object") {
  std::vector<char> bytes;
  byte_writer sink{bytes};
  node_of_list x{1, std::make_unique<int>(2)};
  CHECK_THROWS_WITH(
    save_content(sink, x),
    Catch::Matchers::ContainsSubstring("member 2 is not in the object"));
  byte_reader source{bytes};
  CHECK_THROWS_AS(load_content(source, x), std::logic_error);
}

TEST_CASE("inspect_members accepts the base of an object") {
  derived x;
  x.a = 1.5;
  x.c = 7;
  CHECK(comes_back(x));
  x.flags.clear();
  CHECK(comes_back(x));
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

TEST_CASE("an unwritable type is detected at compile time") {
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
