// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of multiports and banks, written anew. The
// tests are named after them, and expect the same values at the same tags.

#include "application/ported_nodes.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace multiports_test {

using namespace ported;

namespace {

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

TEST_CASE("Broadcast: one output reaches all destinations of a bank at once",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<once>("a", 42);
  auto b = f.app.create_bank<recorder<int>>("b", 4);
  rosia::broadcast(a[&once::out]) >>= b[&recorder<int>::in];
  CHECK(f.run(b) == std::vector<record<int>>(4, {{0s, 42}}));
}

TEST_CASE("BankToBankMultiport: the channels of a bank go to those of a bank",
          "[multiports]") {
  for (auto wait : {0ms, 200ms}) { // BankToBankMultiportAfter
    fixture f;
    auto a = f.app.create_bank<counting_fan>("a", 4, 4u);
    auto b = f.app.create_bank<table>("b", 4, 4u);
    if (wait == 0ms)
      a[&counting_fan::out] >>= b[&table::in];
    else
      a[&counting_fan::out] >>= rosia::after(wait) >>= b[&table::in];
    REQUIRE(f.app.run() == 0);
    for (auto& x : b) {
      REQUIRE(x->rows.size() == (wait == 0ms ? 6 : 5));
      CHECK(x->rows[0] == sent<std::vector<int>>{wait, {0, 1, 2, 3}});
      CHECK(
        x->rows[4] == sent<std::vector<int>>{800ms + wait, {16, 17, 18, 19}});
    }
  }
}

TEST_CASE("FullyConnectedAddressableAfter: the delay is that of each "
          "connection",
          "[multiports]") {
  fixture f;
  auto x = f.app.create_bank<talker>("x", 4, rosia::bank_index, 4u, false);
  x[&talker::out] >>= rosia::after(200ms)
    >>= rosia::interleaved(x[&talker::in]);
  auto y = f.app.create_bank<talker>("y", 4, rosia::bank_index, 4u, false);
  rosia::interleaved(y[&talker::out]) >>= rosia::after(400ms)
    >>= y[&talker::in];
  REQUIRE(f.app.run() == 0);
  for (auto* bank : {&x, &y})
    for (std::size_t i = 0; i < 4; ++i) {
      auto from = (i + 3) % 4;
      CHECK((*bank)[i]->heard
            == std::set<std::pair<std::size_t, std::size_t>>{{from, from}});
    }
}

TEST_CASE("MultiportOut: each channel passes through a node", "[multiports]") {
  fixture f;
  auto a = f.app.create<ramp_fan>("a", 4);
  auto t = f.app.create_bank<relay<int>>("t", 4);
  auto b = f.app.create<table>("b", 4);
  a[&ramp_fan::out] >>= rosia::ports(
    t[0][&relay<int>::in], t[1][&relay<int>::in], t[2][&relay<int>::in],
    t[3][&relay<int>::in]);
  t[&relay<int>::out] >>= b[&table::in];
  rows expected;
  for (auto i = 0; i <= 5; ++i)
    expected.emplace_back(200ms * i, std::vector<int>(4, i));
  CHECK(f.run(b) == expected);
}

TEST_CASE("MultiportToMultiport: each channel sends to one channel",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<fan>("a", 4);
  auto b = f.app.create<table>("b", 4);
  a[&fan::out] >>= b[&table::in];
  CHECK(f.run(b) == rows{{0s, {0, 1, 2, 3}}});
}

TEST_CASE("MultiportToMultiport2After: two channels are one, a second later",
          "[multiports]") {
  fixture f;
  auto delay = 1s; // MultiportToMultiportAfterParameterized
  auto a1 = f.app.create<fan>("a1", 3);
  auto a2 = f.app.create<fan>("a2", 2);
  auto b = f.app.create<table>("b", 5);
  rosia::ports(a1[&fan::out], a2[&fan::out]) >>= rosia::after(delay)
    >>= b[&table::in];
  CHECK(f.run(b) == rows{{1s, {0, 1, 2, 0, 1}}});
}

TEST_CASE("MultiportToMultiportPhysical: the receiver stamps the values",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<fan>("a", 4);
  auto b = f.app.create<table>("b", 4);
  a[&fan::out] >>= rosia::physical >>= b[&table::in];
  REQUIRE(f.app.run() == 0);
  std::multiset<int> got;
  for (auto& row : b->rows)
    got.insert(*std::max_element(row.value.begin(), row.value.end()));
  CHECK(got == std::multiset<int>{0, 1, 2, 3});
}

namespace {

struct array_source : rosia::node {
  rosia::tick t{this, "t", 200ms};
  rosia::output_ports<std::array<int, 3>> out{this, "out", 2};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         for (auto& x : out) {
                           x(std::array{next, next + 1, next + 2});
                           next += 3;
                         }
                       }};

  int next = 0;
};

struct array_sum : rosia::node {
  rosia::input_ports<std::array<int, 3>> in{this, "in", 2};

  rosia::reaction on_in{this, "on_in", in, [this] {
                          auto sum = 0;
                          for (auto [i, x] : in.present())
                            for (auto y : *x)
                              sum += y;
                          sums.push_back(sum);
                        }};

  std::vector<int> sums;
};

struct add_two : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + 2); }};
};

struct of_any_width : rosia::node {
  explicit of_any_width(std::size_t a = 8, std::size_t b = 2)
    : in{this, "in", a * b}, out{this, "out", a / b} {
    // nop
  }

  rosia::input_ports<int> in;
  rosia::output_ports<int> out;
};

} // namespace

TEST_CASE("MultiportToMultiportArray: channels of arrays", "[multiports]") {
  fixture f;
  auto a = f.app.create<array_source>("a");
  auto b = f.app.create<array_sum>("b");
  a[&array_source::out] >>= b[&array_sum::in];
  REQUIRE(f.app.run() == 0);
  CHECK(b->sums == std::vector{15, 51, 87, 123, 159, 195});
}

TEST_CASE("PipelineAfter: both connections of a pipeline in one statement",
          "[multiports]") {
  fixture f;
  auto a = f.app.create<once>("a", 40);
  auto b = f.app.create<add_two>("b");
  auto c = f.app.create<recorder<int>>("c");
  rosia::ports(a[&once::out], b[&add_two::out]) >>= rosia::after(500ms)
    >>= rosia::ports(b[&add_two::in], c[&recorder<int>::in]);
  REQUIRE(f.app.run() == 0);
  CHECK(c->got == record<int>{{1s, 42}});
}

TEST_CASE("WidthGivenByCode: the constructor computes widths", "[multiports]") {
  fixture f;
  auto x = f.app.create<of_any_width>("x", 10, 3);
  CHECK(x->in.size() == 30);
  CHECK(x->out.size() == 3);
  auto bank = f.app.create_bank<of_any_width>("bank", 6 * 7);
  CHECK(bank.size() == 42);
  for (auto& y : bank)
    CHECK(y->out.size() == 4);
}

TEST_CASE("BankIndexInitializer: a table has the nodes' parameters",
          "[multiports]") {
  const std::array<std::size_t, 4> values{4, 3, 2, 1};
  fixture f;
  auto a = f.app.create_bank<once>(
    "a", 4, rosia::each([&](std::size_t i) { return values[i]; }));
  auto b = f.app.create<table>("b", 4);
  a[&once::out] >>= b[&table::in];
  CHECK(f.run(b) == rows{{0s, {4, 3, 2, 1}}});
}

TEST_CASE("InterleavedHierarchy: a bank of three sends to a bank of two",
          "[multiports]") {
  fixture f;
  auto a = f.app.create_bank<fan>(
    "a", 3, 2u,
    rosia::each([](std::size_t i) { return static_cast<int>(2 * i); }));
  auto b = f.app.create_bank<table>("b", 2, 3u);
  a[&fan::out] >>= rosia::interleaved(b[&table::in]);
  REQUIRE(f.app.run() == 0);
  CHECK(b[0]->rows == rows{{0s, {0, 2, 4}}});
  CHECK(b[1]->rows == rows{{0s, {1, 3, 5}}});
}

namespace {

/// Asks once, and stores the answers. The channel leads nowhere.
struct asking : rosia::node {
  explicit asking(std::size_t index) : question(42 + static_cast<int>(index)) {
    // nop
  }

  rosia::output_port<int> ask{this, "ask"};
  rosia::output_ports<int> unconnected{this, "unconnected", 2};
  rosia::input_port<int> answer{this, "answer"};

  void start() {
    ask(question);
  }

  rosia::reaction on_answer{
    this, "on_answer", {answer}, [this] { answers.push_back(*answer); }};

  int question;
  std::vector<int> answers;
};

struct adder : rosia::node {
  rosia::input_ports<int> in{this, "in", 2};
  rosia::output_port<int> out{this, "out"};
  rosia::output_ports<int> unconnected{this, "unconnected", 2};

  rosia::reaction on_in{this, "on_in", in, [this] {
                          auto sum = 0;
                          for (auto [i, x] : in.present())
                            sum += *x;
                          out(sum);
                        }};
};

} // namespace

TEST_CASE("MultiBank_UnconnectedOutput: outputs may lead nowhere",
          "[multiports]") {
  fixture f;
  auto x = f.app.create_bank<asking>("x", 2, rosia::bank_index);
  auto echo = f.app.create_bank<relay<int>>("echo", 2);
  x[&asking::ask] >>= echo[&relay<int>::in];
  echo[&relay<int>::out] >>= rosia::after(rosia::microsteps(1))
    >>= x[&asking::answer];
  REQUIRE(f.app.run() == 0);
  CHECK(x[0]->answers == std::vector{42});
  CHECK(x[1]->answers == std::vector{43});
}

TEST_CASE("MultiPort_MultiBankTest_UnconnectedOutput: a sum goes to all",
          "[multiports]") {
  fixture f;
  auto x = f.app.create_bank<asking>("x", 2, std::size_t{0});
  auto sum = f.app.create<adder>("sum");
  x[&asking::ask] >>= sum[&adder::in];
  rosia::broadcast(sum[&adder::out]) >>= rosia::after(rosia::microsteps(1))
    >>= x[&asking::answer];
  REQUIRE(f.app.run() == 0);
  for (auto& y : x)
    CHECK(y->answers == std::vector{84});
}

namespace {

/// Sends two neighbouring numbers by their channels, each millisecond.
struct dense : rosia::node {
  rosia::tick t{this, "t", 1ms};
  rosia::output_ports<std::size_t> out{this, "out", 10};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         auto following = (next + 1) % out.size();
                         out[next](next);
                         out[following](following);
                         next = following;
                       }};

  std::size_t next = 0;
};

/// Sends by one of two outputs in turn.
struct in_turn : rosia::node {
  rosia::tick t{this, "t", 200ms};
  rosia::output_port<int> a{this, "a"};
  rosia::output_port<int> b{this, "b"};

  rosia::reaction on_t{this, "on_t", {t}, [this] {
                         ++count;
                         if (count % 2 == 1)
                           a(count);
                         else
                           b(count);
                       }};

  int count = 0;
};

struct two_inputs : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::input_port<int> b{this, "b"};
  rosia::reaction on_a{
    this, "on_a", {a}, [this] { absent += !a.is_present(); }};
  rosia::reaction on_b{this, "on_b", {b}, [this] {
                         absent += !b.is_present();
                         ++runs;
                       }};

  int absent = 0;
  int runs = 0;
};

} // namespace

TEST_CASE("SparseFallback: channels are in order if many have a value",
          "[multiports]") {
  test_system sys;
  rosia::application app{sys, fast_until(20ms)};
  auto a = app.create<dense>("a");
  auto b = app.create<present>("b", 10);
  a[&dense::out] >>= b[&present::in];
  REQUIRE(app.run() == 0);
  record<std::size_t> expected;
  for (auto i = 0; i <= 20; ++i) {
    auto [low, high] = std::minmax({i % 10, (i + 1) % 10});
    expected.emplace_back(1ms * i, static_cast<std::size_t>(low));
    expected.emplace_back(1ms * i, static_cast<std::size_t>(high));
  }
  CHECK(b->got == expected);
}

TEST_CASE("TriggerDownstreamOnlyIfPresent: only present inputs trigger",
          "[multiports]") {
  fixture f;
  auto s = f.app.create_bank<in_turn>("s", 2);
  auto d = f.app.create_bank<two_inputs>("d", 2);
  s[&in_turn::a] >>= d[&two_inputs::a];
  s[&in_turn::b] >>= d[&two_inputs::b];
  REQUIRE(f.app.run() == 0);
  for (auto& x : d) {
    CHECK(x->absent == 0);
    CHECK(x->runs == 3);
  }
}

} // namespace multiports_test
