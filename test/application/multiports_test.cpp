// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of multiports and banks, written anew. The
// tests are named after them, and expect the same values at the same tags.

#include "support.hpp"

#include <array>
#include <set>

namespace multiports_test {

namespace {

/// Sends k x step at each multiple k of 200 ms.
struct ramp : rosia::node {
  explicit ramp(std::size_t x = 1) : step(static_cast<int>(x)) {
    // nop
  }

  rosia::tick t{this, "t", 200ms};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         out(value);
                         value += step;
                       }};

  int step;
  int value = 0;
};

/// Sends its index once, at the start.
struct once : rosia::node {
  explicit once(std::size_t x) : index(static_cast<int>(x)) {
    // nop
  }

  rosia::output_port<int> out{this, "out"};

  void start() {
    out(index);
  }

  int index;
};

/// Sends the index of each port by this port, at the start.
struct fan : rosia::node {
  explicit fan(std::size_t width) : out{this, "out", width} {
    // nop
  }

  rosia::output_ports<int> out;

  void start() {
    auto i = 0;
    for (auto& x : out)
      x(i++);
  }
};

/// Sends k by each port at each multiple k of 200 ms.
struct ramp_fan : rosia::node {
  explicit ramp_fan(std::size_t width) : out{this, "out", width} {
    // nop
  }

  rosia::tick t{this, "t", 200ms};
  rosia::output_ports<int> out;

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         for (auto& x : out)
                           x(value);
                         ++value;
                       }};

  int value = 0;
};

/// Stores a row for each tag: the values of the ports that have one, and -1
/// for the others.
struct table : rosia::node {
  explicit table(std::size_t width) : in{this, "in", width} {
    // nop
  }

  rosia::input_ports<int> in;

  rosia::reaction on_in{this, "on_in", in, [this] {
                          std::vector<int> row;
                          for (auto& x : in)
                            row.push_back(x.is_present() ? *x : -1);
                          rows.emplace_back(now(), row);
                        }};

  record<std::vector<int>> rows;
};

/// An application that ends at one second.
struct fixture {
  test_system sys;
  rosia::application app{sys, fast_until(1s)};

  /// Returns what the recorders of a bank got.
  std::vector<record<int>> run(const rosia::bank_ref<recorder<int>>& bank) {
    REQUIRE(app.run() == 0);
    std::vector<record<int>> result;
    for (auto& x : bank)
      result.push_back(x->got);
    return result;
  }

  record<std::vector<int>> run(const rosia::node_ref<table>& x) {
    REQUIRE(app.run() == 0);
    return x->rows;
  }
};

using rows = record<std::vector<int>>;

record<int> six_values(int step) {
  record<int> result;
  for (auto i = 0; i <= 5; ++i)
    result.emplace_back(200ms * i, i * step);
  return result;
}

} // namespace

TEST_CASE("BankToBank: each source of a bank sends to one destination",
          "[multiports]") {
  fixture f;
  auto a = f.app.create_bank<ramp>("a", 4, rosia::bank_index);
  auto b = f.app.create_bank<recorder<int>>("b", 4);
  a[&ramp::out] >>= b[&recorder<int>::in];
  auto got = f.run(b);
  for (auto i = 0; i < 4; ++i)
    CHECK(got[static_cast<std::size_t>(i)] == six_values(i));
}

TEST_CASE("BankToMultiport: each source of a bank sends to one channel",
          "[multiports]") {
  fixture f;
  auto a = f.app.create_bank<once>("a", 4, rosia::bank_index);
  auto b = f.app.create<table>("b", 4);
  a[&once::out] >>= b[&table::in];
  CHECK(f.run(b) == rows{{0s, {0, 1, 2, 3}}});
}

TEST_CASE("MultiportToBank: each channel sends to one destination",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<fan>("a", 3);
  auto b = f.app.create_bank<recorder<int>>("b", 3);
  a[&fan::out] >>= b[&recorder<int>::in];
  CHECK(f.run(b) == std::vector<record<int>>{{{0s, 0}}, {{0s, 1}}, {{0s, 2}}});
}

TEST_CASE("MultiportToBankAfter: the delay is that of each connection",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<fan>("a", 3);
  auto b = f.app.create_bank<recorder<int>>("b", 3);
  a[&fan::out] >>= rosia::after(1s) >>= b[&recorder<int>::in];
  CHECK(f.run(b) == std::vector<record<int>>{{{1s, 0}}, {{1s, 1}}, {{1s, 2}}});
}

TEST_CASE("BroadcastAfter: one output reaches all destinations of a bank",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<once>("a", 42);
  auto b = f.app.create_bank<recorder<int>>("b", 4);
  rosia::broadcast(a[&once::out]) >>= rosia::after(1s)
    >>= b[&recorder<int>::in];
  CHECK(f.run(b) == std::vector<record<int>>(4, {{1s, 42}}));
}

TEST_CASE("BroadcastMultipleAfter: several outputs are repeated in turn",
          "[multiports]") {
  fixture f;
  auto a = f.app.create_bank<once>(
    "a", 3, rosia::each([](std::size_t i) { return i + 1; }));
  auto b = f.app.create_bank<recorder<int>>("b", 9);
  rosia::broadcast(
    rosia::ports(a[0][&once::out], a[1][&once::out], a[2][&once::out]))
    >>= rosia::after(1s) >>= b[&recorder<int>::in];
  auto got = f.run(b);
  for (std::size_t i = 0; i < 9; ++i)
    CHECK(got[i] == record<int>{{1s, static_cast<int>(i % 3) + 1}});
}

namespace {

/// Sends its index by all ports, or only by one.
struct talker : rosia::node {
  talker(std::size_t x, std::size_t n, bool to_all)
    : out{this, "out", n}, in{this, "in", n}, index(x), all(to_all) {
    // nop
  }

  rosia::output_ports<std::size_t> out;
  rosia::input_ports<std::size_t> in;

  void start() {
    for (std::size_t i = 0; i < out.size(); ++i)
      if (all || i == (index + 1) % out.size())
        out[i](index);
  }

  rosia::reaction on_in{this, "on_in", in, [this] {
                          for (auto [i, port] : in.present())
                            heard.emplace(i, *port);
                        }};

  std::size_t index;
  bool all;
  std::set<std::pair<std::size_t, std::size_t>> heard;
};

} // namespace

TEST_CASE("FullyConnected: each node of a bank sends to all nodes",
          "[multiports]") {
  fixture f;
  auto x = f.app.create_bank<talker>("x", 4, rosia::bank_index, 4u, true);
  x[&talker::out] >>= rosia::after(rosia::microsteps(1))
    >>= rosia::interleaved(x[&talker::in]);
  REQUIRE(f.app.run() == 0);
  for (auto& node : x)
    CHECK(node->heard
          == std::set<std::pair<std::size_t, std::size_t>>{
            {0, 0}, {1, 1}, {2, 2}, {3, 3}});
}

TEST_CASE("FullyConnectedAddressable: a node sends to one node of its bank",
          "[multiports]") {
  for (auto outputs_interleaved : {false, true}) {
    fixture f;
    auto x = f.app.create_bank<talker>("x", 4, rosia::bank_index, 4u, false);
    auto kind = rosia::after(rosia::microsteps(1));
    if (outputs_interleaved)
      rosia::interleaved(x[&talker::out]) >>= kind >>= x[&talker::in];
    else
      x[&talker::out] >>= kind >>= rosia::interleaved(x[&talker::in]);
    REQUIRE(f.app.run() == 0);
    for (std::size_t i = 0; i < 4; ++i) {
      auto from = (i + 3) % 4;
      CHECK(x[i]->heard
            == std::set<std::pair<std::size_t, std::size_t>>{{from, from}});
    }
  }
}

TEST_CASE(
  "MultiportIn: an output reaches a bank, whose results reach a channel",
  "[multiports]") {
  fixture f;
  auto a = f.app.create<ramp>("a");
  auto t = f.app.create_bank<relay<int>>("t", 4);
  auto b = f.app.create<table>("b", 4);
  rosia::broadcast(a[&ramp::out]) >>= t[&relay<int>::in];
  t[&relay<int>::out] >>= b[&table::in];
  rows expected;
  for (auto i = 0; i <= 5; ++i)
    expected.emplace_back(200ms * i, std::vector<int>(4, i));
  CHECK(f.run(b) == expected);
}

TEST_CASE("MultiportToMultiport2: two channels are one on the other side",
          "[multiports]") {
  fixture f;
  auto a1 = f.app.create<ramp_fan>("a1", 3);
  auto a2 = f.app.create<ramp_fan>("a2", 2);
  auto b1 = f.app.create<table>("b1", 1);
  auto b2 = f.app.create<table>("b2", 4);
  rosia::ports(a1[&ramp_fan::out], a2[&ramp_fan::out])
    >>= rosia::ports(b1[&table::in], b2[&table::in]);
  REQUIRE(f.app.run() == 0);
  REQUIRE(b1->rows.size() == 6);
  REQUIRE(b2->rows.size() == 6);
  CHECK(b1->rows[5] == sent<std::vector<int>>{1s, {5}});
  CHECK(b2->rows[5] == sent<std::vector<int>>{1s, {5, 5, 5, 5}});
}

TEST_CASE("MultiportToPort: the channels go to several nodes", "[multiports]") {
  fixture f;
  auto a = f.app.create<fan>("a", 2);
  auto b1 = f.app.create<recorder<int>>("b1");
  auto b2 = f.app.create<recorder<int>>("b2");
  a[&fan::out] >>= rosia::ports(b1[&recorder<int>::in], b2[&recorder<int>::in]);
  REQUIRE(f.app.run() == 0);
  CHECK(b1->got == record<int>{{0s, 0}});
  CHECK(b2->got == record<int>{{0s, 1}});
}

namespace {

/// Sends its number by one channel every 100 ms: the next but one each time.
struct sparse : rosia::node {
  explicit sparse(std::size_t width) : out{this, "out", width} {
    // nop
  }

  rosia::tick t{this, "t", 100ms};
  rosia::output_ports<std::size_t> out;

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         out[next](next);
                         next = (next + 2) % out.size();
                       }};

  std::size_t next = 0;
};

struct present : rosia::node {
  explicit present(std::size_t width) : in{this, "in", width} {
    // nop
  }

  rosia::input_ports<std::size_t> in;

  rosia::reaction on_in{this, "on_in", in, [this] {
                          for (auto [i, port] : in.present())
                            got.emplace_back(now(), i == *port ? i : 1'000'000);
                        }};

  record<std::size_t> got;
};

} // namespace

TEST_CASE("SparseMultiport: only the channels with a value are present",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<sparse>("a", 1001);
  auto b = f.app.create<present>("b", 1001);
  a[&sparse::out] >>= b[&present::in];
  REQUIRE(f.app.run() == 0);
  record<std::size_t> expected;
  for (auto i = 0; i <= 10; ++i)
    expected.emplace_back(100ms * i, static_cast<std::size_t>(2 * i));
  CHECK(b->got == expected);
}

} // namespace multiports_test
