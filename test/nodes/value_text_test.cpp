// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The text of values in a recording, which is the same with every CAF.

#include "nodes/value_text.hpp"

#include "support.hpp"

#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace value_text_test {

namespace {

struct pose {
  double x = 0;
  double y = 0;
};

template <class Inspector>
auto inspect(Inspector& f, pose& x) {
  return caf::rosia::inspect_members(f, x, x.x, x.y);
}

struct picture {
  std::uint8_t number = 0;
  std::vector<std::uint8_t> pixels;
  std::vector<char> name;
  std::vector<std::vector<std::uint8_t>> rows;
};

template <class Inspector>
auto inspect(Inspector& f, picture& x) {
  return caf::rosia::inspect_members(f, x, x.number, x.pixels, x.name, x.rows);
}

struct step {
  std::uint8_t kind = 0;
  std::vector<std::uint8_t> data;
  std::uint8_t last = 0;
};

template <class Inspector>
auto inspect(Inspector& f, step& x) {
  return caf::rosia::inspect_members(f, x, x.kind, x.data, x.last);
}

struct switches {
  std::vector<bool> flags;
  std::map<std::string, std::vector<bool>> named;
  std::pair<int, std::vector<bool>> numbered;
  std::array<std::vector<bool>, 2> both;
  std::vector<std::vector<bool>> rows;
  int last = 0;

  bool operator==(const switches&) const = default;
};

template <class Inspector>
auto inspect(Inspector& f, switches& x) {
  return caf::rosia::inspect_members(
    f, x, x.flags, x.named, x.numbered, x.both, x.rows, x.last);
}

template <class T>
std::string text_of(T x) {
  caf::rosia::detail::value_text writer;
  auto text = writer.write(caf::rosia::engine::make_value<T>(std::move(x)));
  return text ? std::string{*text} : "none";
}

using bytes = std::vector<std::uint8_t>;

} // namespace

TEST_CASE("a value's text is JSON", "[value_text]") {
  CHECK(text_of(5) == "5");
  CHECK(text_of(std::string{"a\"b"}) == R"("a\"b")");
  CHECK(text_of(pose{1.5, -2}) == "[1.5, -2.0]");
  CHECK(text_of(std::vector<pose>{{1, 2}, {3, 4}}) == "[1.0, 2.0, 3.0, 4.0]");
  CHECK(text_of(std::vector<int>{}) == "[]");
  CHECK(text_of(std::map<int, std::string>{{1, "a"}, {2, "b"}})
        == R"([1, "a", 2, "b"])");
}

TEST_CASE("a real number is unchanged after a round trip through its text",
          "[value_text]") {
  using limits = std::numeric_limits<double>;
  for (auto x : {0.1, 1.0 / 3, limits::max(), limits::min() / 3,
                 limits::denorm_min(), -1e300, 123456789.0}) {
    CAPTURE(x);
    CHECK(std::strtod(text_of(x).c_str(), nullptr) == x);
    auto precise = static_cast<long double>(x) / 7;
    CHECK(std::strtold(text_of(precise).c_str(), nullptr) == precise);
  }
  for (auto x : {0.1f, std::numeric_limits<float>::denorm_min()})
    CHECK(std::strtof(text_of(x).c_str(), nullptr) == x);
  CHECK(text_of(-0.0) == "-0.0");
  CHECK(text_of(0.1L) == "0.1");
}

TEST_CASE("JSON has no infinity, so a value's text has a string for it",
          "[value_text]") {
  CHECK(text_of(std::numeric_limits<double>::infinity()) == R"("inf")");
  CHECK(text_of(-std::numeric_limits<float>::infinity()) == R"("-inf")");
  CHECK(text_of(std::numeric_limits<long double>::infinity()) == R"("inf")");
  CHECK(text_of(std::numeric_limits<double>::quiet_NaN()) == R"("nan")");
  CHECK(text_of(std::numeric_limits<long double>::quiet_NaN()) == R"("nan")");
}

TEST_CASE("raw bytes are hexadecimal digits in a value's text",
          "[value_text]") {
  CHECK(text_of(bytes{0, 31, 255}) == R"(["001fff"])");
  CHECK(text_of(bytes{}) == "[]");
  CHECK(text_of(picture{7, {1, 2}, {'a', 'b'}, {{3}, {}, {4, 5}}})
        == R"([7, ["0102"], ["6162"], [["03"], [], ["0405"]]])");
  // Numbers of one byte in structures are not raw bytes.
  CHECK(text_of(std::vector<step>{{1, {2}, 3}, {4, {}, 5}})
        == R"([1, ["02"], 3, 4, [], 5])");
  CHECK(text_of(std::map<std::uint8_t, std::uint8_t>{{1, 2}}) == "[1, 2]");
}

TEST_CASE("a list of flags is an array of numbers, wherever it is",
          "[value_text]") {
  using flags = std::vector<bool>;
  CHECK(text_of(flags{true, false, true}) == "[1, 0, 1]");
  CHECK(text_of(flags{true}) == "[1]");
  CHECK(text_of(flags{}) == "[]");
  CHECK(text_of(std::pair{flags{true}, 5}) == "[[1], 5]");
  CHECK(text_of(std::vector<flags>{{}, {true}}) == "[[], [1]]");
  switches x{{true, false}, {{"a", {}}, {"b", {true}}},
             {3, {false}},  {flags{true}, flags{}},
             {{true}, {}},  7};
  auto text = R"([1, 0], ["a", [], "b", [1]], 3, [0], [1], [], [[1], []], 7)";
  CHECK(text_of(x) == '[' + std::string{text} + ']');
  CHECK(text_of(std::vector<switches>{x, x})
        == '[' + std::string{text} + ", " + text + ']');
}

} // namespace value_text_test
