// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/code_counts.hpp"

#include <catch2/catch.hpp>

#include <cstdint>

using namespace caf::rosia::engine;

namespace {

/// A node whose pieces of code take as long as a test says.
class counted_node {
public:
  void run(std::int64_t ns) {
    counts_.begin([this] { return read(); });
    now_ += ns;
    counts_.end([this] { return read(); });
  }

  void idle(std::int64_t ns) {
    now_ += ns;
  }

  std::int64_t now() const {
    return now_;
  }

  std::int64_t busy() const {
    return static_cast<std::int64_t>(counts_.busy.value());
  }

  std::uint64_t pieces() const {
    return counts_.pieces.value();
  }

  int reads() const {
    return reads_;
  }

private:
  std::int64_t read() {
    ++reads_;
    return now_;
  }

  code_counts counts_{0};
  std::int64_t now_ = 0;
  int reads_ = 0;
};

} // namespace

TEST_CASE("counts of code: the time of slow pieces is exact", "[engine]") {
  counted_node node;
  for (std::int64_t ns : {3'000l, 1'000'000l, 5'000l, 3'000'000'000l}) {
    node.idle(1'000'000);
    node.run(ns);
  }
  CHECK(node.pieces() == 4);
  CHECK(node.busy() == 3'001'008'000);
}

TEST_CASE("counts of code: a measured piece counts for quick ones that are not",
          "[engine]") {
  // Patterns of these lengths must not decide which pieces are measured.
  for (auto pattern : {2, 3, 8, 16, 32}) {
    INFO(pattern);
    counted_node node;
    std::int64_t sum = 0;
    for (auto i = 0; i < 200'000; ++i) {
      auto ns = i % pattern == 0 ? 900 : 50;
      node.run(ns);
      node.idle(1'000);
      sum += ns;
    }
    CHECK(node.pieces() == 200'000);
    CHECK(node.busy() > sum * 9 / 10);
    CHECK(node.busy() < sum * 11 / 10);
    CHECK(node.reads() < 30'000);
  }
}

TEST_CASE("counts of code: sparse slow pieces are counted", "[engine]") {
  // The slow pieces take nearly all of the time, half, and little.
  for (std::int64_t slow : {50'000'000l, 50'000l, 5'000l}) {
    INFO(slow);
    counted_node node;
    std::int64_t sum = 0;
    for (auto i = 0; i < 1'000'000; ++i) {
      auto ns = i % 1'000 == 999 ? slow : 50;
      node.run(ns);
      sum += ns;
    }
    CHECK(node.busy() > sum * 8 / 10);
    CHECK(node.busy() < sum * 12 / 10);
  }
}
