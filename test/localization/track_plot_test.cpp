// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/track_plot.hpp"

#include "catch.hpp"
#include "localization/axis.hpp"
#include "localization/svg.hpp"

#include <cmath>
#include <string>

namespace track_plot_test {

using namespace localization;
using Catch::Matchers::ContainsSubstring;
using namespace std::chrono_literals;

namespace {

track_picture small_picture() {
  track_picture result;
  result.title = "A & B";
  result.subtitle = "1 < 2";
  for (auto i = 0; i < 50; ++i) {
    const auto x = static_cast<double>(i);
    result.points.push_back(
      {std::chrono::seconds{i}, {x, std::sin(x), 0}, 0.1, {x, x / 5, 0}});
    result.truth.push_back({std::chrono::seconds{i}, {x, 0, 0}});
  }
  result.landmarks = {{7, -5, 10}, {12, 60, -10}};
  result.errors = compare(result.points, result.truth);
  return result;
}

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t result = 0;
  for (auto at = text.find(word); at != std::string::npos;
       at = text.find(word, at + 1))
    ++result;
  return result;
}

} // namespace

// -- axes ---------------------------------------------------------------------

TEST_CASE("a nice length is 1, 2 or 5 times a power of ten") {
  CHECK(nice_length(1) == Approx(1));
  CHECK(nice_length(1.99) == Approx(1));
  CHECK(nice_length(4.9) == Approx(2));
  CHECK(nice_length(73) == Approx(50));
  CHECK(nice_length(0.0031) == Approx(0.002));
  CHECK(nice_length(1000) == Approx(1000));
  CHECK(nice_length(0.001) == Approx(0.001));
}

TEST_CASE(
  "the marks of an axis are round, inside, and about as many as requested") {
  for (const auto high : {0.013, 0.9, 7.0, 72.0, 1933.0, 1e6})
    for (const auto low : {0.0, -0.3 * high, 0.4 * high}) {
      const axis from{low, high, 0, 100};
      const auto marks = nice_ticks(from, 10);
      INFO(low << " to " << high << " by " << marks.step);
      CHECK(marks.values.size() >= 5);
      CHECK(marks.values.size() <= 13);
      for (const auto value : marks.values) {
        CHECK(value >= low - 1e-6 * high);
        CHECK(value <= high * (1 + 1e-6));
      }
    }
}

TEST_CASE("marks have as many decimals as necessary") {
  CHECK(ticks{20, {}}.label(40) == "40");
  CHECK(ticks{0.5, {}}.label(1) == "1.0");
  CHECK(ticks{0.02, {}}.label(-0.04) == "-0.04");
  CHECK(ticks{0.1, {}}.label(0.30000000000000004) == "0.3");
}

TEST_CASE("an axis may run in either direction") {
  const axis down{0, 10, 200, 100};
  CHECK(down(0) == 200);
  CHECK(down(2.5) == 175);
}

// -- lines --------------------------------------------------------------------

TEST_CASE("a straight line keeps only its ends") {
  std::vector<pixel> line;
  for (auto i = 0; i <= 1000; ++i)
    line.push_back({i * 0.3, i * 0.1});
  const auto thin = simplified(line, 0.1);
  REQUIRE(thin.size() == 2);
  CHECK(thin.back().x == Approx(300));
}

TEST_CASE("a simplified line stays within the tolerance") {
  std::vector<pixel> circle;
  for (auto i = 0; i <= 3600; ++i)
    circle.push_back({100 * std::cos(i * 0.002), 100 * std::sin(i * 0.002)});
  const auto thin = simplified(circle, 0.2);
  CHECK(thin.size() < 100);
  // The middle of a chord is its farthest point from the circle.
  for (std::size_t i = 1; i < thin.size(); ++i)
    CHECK(std::hypot(
            (thin[i].x + thin[i - 1].x) / 2, (thin[i].y + thin[i - 1].y) / 2)
          > 100 - 0.2001);
}

TEST_CASE("corners are kept, and so is a line that returns along itself") {
  CHECK(simplified({{0, 0}, {10, 0}, {10, 10}}, 0.1).size() == 3);
  CHECK(simplified({{0, 0}, {10, 0}, {0, 0}}, 0.1).size() == 3);
  CHECK(simplified({{1, 1}}, 0.1).size() == 1);
  CHECK(simplified({}, 0.1).empty());
}

// -- pictures -----------------------------------------------------------------

TEST_CASE("a text cannot break the document") {
  svg out{10, 10, "<&>"};
  out.text({1, 2}, "a<b>&\"c\"", {});
  const auto document = out.document();
  CHECK_THAT(document, ContainsSubstring("<title>&lt;&amp;&gt;</title>"));
  CHECK_THAT(document, ContainsSubstring("a&lt;b&gt;&amp;&quot;c&quot;"));
}

TEST_CASE("a picture shows all its elements") {
  const auto document = to_svg(small_picture());
  for (const auto* text :
       {">A &amp; B<", ">1 &lt; 2<", ">estimate<", ">dead reckoning<",
        ">ground truth<", ">landmark<", ">x [m]<", ">y [m]<", ">time [s]<",
        ">error [m]<", ">start<", ">end<", ">7<", ">12<"})
    CHECK_THAT(document, ContainsSubstring(text));
  // The map's three lines and the errors' two.
  CHECK(count(document, "<polyline") == 5);
  // Two landmarks, and one in the legend.
  CHECK(count(document, "<polygon") == 3);
  CHECK(document.find("nan") == std::string::npos);
  CHECK(document.find("inf") == std::string::npos);
}

TEST_CASE("without ground truth there is neither its line nor errors") {
  auto picture = small_picture();
  picture.truth.clear();
  picture.errors.clear();
  const auto document = to_svg(picture);
  CHECK(document.find("ground truth") == std::string::npos);
  CHECK(document.find("error [m]") == std::string::npos);
}

TEST_CASE("equal drives give equal bytes") {
  CHECK(to_svg(small_picture()) == to_svg(small_picture()));
}

TEST_CASE("a robot that stands still can be drawn") {
  track_picture picture;
  picture.points = {{1s, {}, 0, {}}};
  picture.truth = {{1s, {}}};
  picture.errors = compare(picture.points, picture.truth);
  const auto document = to_svg(picture);
  CHECK(document.find("nan") == std::string::npos);
  CHECK(document.find("inf") == std::string::npos);
}

TEST_CASE("a large error of dead reckoning does not make the rest tiny") {
  auto picture = small_picture();
  const auto start_of_estimate = [](const std::string& document) {
    const auto at = document.find("<circle");
    return document.substr(at, document.find("/>", at) - at);
  };
  picture.points.back().dead_reckoning = {1000, 0, 0};
  const auto far = start_of_estimate(to_svg(picture));
  picture.points.back().dead_reckoning = {1'000'000, 0, 0};
  CHECK(start_of_estimate(to_svg(picture)) == far);
}

} // namespace track_plot_test
