// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "localization/ekf.hpp"

#include "catch.hpp"
#include "localization/simulated_log.hpp"

#include <array>
#include <cmath>
#include <numbers>

namespace ekf_test {

using namespace localization;
using std::numbers::pi;

namespace {

using matrix = std::array<std::array<double, 3>, 3>;

matrix product(const matrix& x, const matrix& y) {
  matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k)
        result[i][j] += x[i][k] * y[k][j];
  return result;
}

matrix transposed(const matrix& x) {
  matrix result{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      result[i][j] = x[j][i];
  return result;
}

/// The textbook's formulas, with whole matrices and numerical derivatives:
/// slow, but without manual derivations.
struct textbook {
  pose at;
  ekf_settings settings;
  matrix p{};

  static pose shifted(pose x, std::size_t axis, double by) {
    (axis == 0 ? x.x : axis == 1 ? x.y : x.heading) += by;
    return x;
  }

  void predict(const odometry_row& row) {
    constexpr double h = 1e-5;
    matrix f{};
    for (std::size_t j = 0; j < 3; ++j) {
      const auto more = moved(shifted(at, j, h), row.distance, row.turn);
      const auto less = moved(shifted(at, j, -h), row.distance, row.turn);
      f[0][j] = (more.x - less.x) / (2 * h);
      f[1][j] = (more.y - less.y) / (2 * h);
      f[2][j] = (more.heading - less.heading) / (2 * h);
    }
    p = product(product(f, p), transposed(f));
    p[0][0] += settings.position_noise * settings.position_noise;
    p[1][1] += settings.position_noise * settings.position_noise;
    p[2][2] += settings.heading_noise * settings.heading_noise;
    at = moved(at, row.distance, row.turn);
  }

  void correct(const range_row& row, const landmark& mark) {
    constexpr double step = 1e-5;
    const auto range = [&mark](const pose& from) {
      return std::hypot(from.x - mark.x, from.y - mark.y);
    };
    std::array<double, 3> h{};
    for (std::size_t j = 0; j < 3; ++j)
      h[j] = (range(shifted(at, j, step)) - range(shifted(at, j, -step)))
             / (2 * step);
    std::array<double, 3> ph{};
    auto s = settings.range_sigma * settings.range_sigma;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        ph[i] += p[i][j] * h[j];
      s += h[i] * ph[i];
    }
    const auto innovation = row.range / settings.range_scale - range(at);
    matrix rest{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        rest[i][j] -= ph[i] / s * h[j];
      at = shifted(at, i, ph[i] / s * innovation);
    }
    p = product(rest, p);
  }
};

} // namespace

TEST_CASE("a robot that does not turn moves in the direction of its heading") {
  const auto at = moved({1, 2, pi / 2}, 3, 0);
  CHECK(at.x == Approx(1));
  CHECK(at.y == Approx(5));
  CHECK(at.heading == pi / 2);
}

TEST_CASE("a robot that turns evenly returns to its starting point") {
  pose at{5, 5, 1};
  for (auto i = 0; i < 360; ++i)
    at = moved(at, 0.1, 2 * pi / 360);
  CHECK(at.x == Approx(5));
  CHECK(at.y == Approx(5));
  // The heading is not reduced to one turn.
  CHECK(at.heading == Approx(1 + 2 * pi));
}

TEST_CASE("without ranges the filter is dead reckoning") {
  ekf filter{{1, 2, 3}, {}};
  auto guess = pose{1, 2, 3};
  for (const auto& row : simulate(3).odometry) {
    filter.predict(row);
    guess = moved(guess, row.distance, row.turn);
  }
  CHECK(filter.estimate() == guess);
}

TEST_CASE(
  "the start is certain, and every row makes the position less certain") {
  ekf filter{{}, {}};
  CHECK(filter.position_sigma() == 0);
  auto before = 0.0;
  for (auto i = 0; i < 100; ++i) {
    filter.predict({{}, 0.1, 0});
    CHECK(filter.position_sigma() > before);
    before = filter.position_sigma();
  }
}

TEST_CASE("the filter agrees with the textbook's formulas") {
  const auto log = simulate(1);
  ekf_settings settings;
  settings.range_scale = 1.05;
  settings.range_sigma = 0.7;
  settings.gate = 0;
  ekf filter{{1, -1, 0.2}, settings};
  textbook expected{{1, -1, 0.2}, settings};
  for (std::size_t i = 0; i < log.ranges.size(); ++i) {
    filter.predict(log.odometry[i]);
    expected.predict(log.odometry[i]);
    const auto& row = log.ranges[i];
    const auto& mark = log.landmarks[i % 4];
    REQUIRE(filter.correct(row, mark));
    expected.correct(row, mark);
    REQUIRE(filter.estimate().x == Approx(expected.at.x).margin(1e-5));
    REQUIRE(filter.estimate().y == Approx(expected.at.y).margin(1e-5));
    REQUIRE(
      filter.estimate().heading == Approx(expected.at.heading).margin(1e-6));
    REQUIRE(filter.position_sigma()
            == Approx(std::sqrt(expected.p[0][0] + expected.p[1][1])));
  }
}

TEST_CASE("a range pulls the estimate towards a matching position") {
  ekf_settings settings;
  settings.range_scale = 2;
  ekf filter{{}, settings};
  filter.predict({{}, 1, 0});
  const auto before = filter.position_sigma();
  // The beacon is 9 m ahead, but 8 m were measured: the robot is farther ahead.
  CHECK(filter.correct({{}, 0, 1, 16}, {1, 10, 0}));
  CHECK(filter.estimate().x > 1);
  CHECK(filter.estimate().y == 0);
  CHECK(filter.position_sigma() < before);
}

TEST_CASE("a range beyond the gate changes nothing") {
  ekf_settings settings;
  settings.range_sigma = 1;
  settings.position_noise = 0;
  settings.gate = 3;
  ekf filter{{}, settings};
  filter.predict({{}, 0, 0});
  CHECK(filter.correct({{}, 0, 1, 12.99}, {1, 10, 0}));
  CHECK(filter.correct({{}, 0, 1, 7.01}, {1, 10, 0}));
  const auto before = filter.estimate();
  CHECK(!filter.correct({{}, 0, 1, 13.01}, {1, 10, 0}));
  CHECK(!filter.correct({{}, 0, 1, 6.99}, {1, 10, 0}));
  CHECK(filter.estimate() == before);
}

TEST_CASE("a gate of 0 lets every range in") {
  ekf_settings settings;
  settings.gate = 0;
  ekf filter{{}, settings};
  CHECK(filter.correct({{}, 0, 1, 1000}, {1, 10, 0}));
}

TEST_CASE("a range to the exact place of the estimate is ignored") {
  ekf filter{{3, 4, 0}, {}};
  CHECK(!filter.correct({{}, 0, 1, 0.5}, {1, 3, 4}));
  CHECK(filter.estimate() == pose{3, 4, 0});
}

} // namespace ekf_test
