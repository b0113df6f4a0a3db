// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Programs of Lingua Franca's tests of reactors in reactors, written anew as
// composites. The tests are named after them, and expect the same values at the
// same tags.

#include "application/ported_nodes.hpp"

#include <string>

namespace containers_test {

using namespace ported;

namespace {

struct gain : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(2 * *in); }};
};

struct gain_container : rosia::composite {
  gain_container() {
    in >>= inner[&gain::in];
    inner[&gain::out] >>= out;
    inner[&gain::out] >>= out2;
  }

  rosia::inlet<int> in{this, "in"};
  rosia::outlet<int> out{this, "out"};
  rosia::outlet<int> out2{this, "out2"};
  rosia::part<gain> inner{this, "gain"};
};

/// Delays at each segment.
struct imported : rosia::composite {
  imported() {
    x >>= rosia::after(10ms) >>= g1[&gain::in];
    g1[&gain::out] >>= rosia::after(30ms) >>= g2[&gain::in];
    g2[&gain::out] >>= rosia::after(15ms) >>= y;
  }

  rosia::inlet<int> x{this, "x"};
  rosia::outlet<int> y{this, "y"};
  rosia::part<gain> g1{this, "g1"};
  rosia::part<gain> g2{this, "g2"};
};

} // namespace

TEST_CASE("Hierarchy: one part sends by two outlets", "[containers]") {
  fixture f;
  auto from = f.app.create<once>("source", 1);
  auto x = f.app.create<gain_container>("container");
  auto to = f.app.create_bank<recorder<int>>("print", 3);
  from[&once::out] >>= x[&gain_container::in];
  x[&gain_container::out] >>= to[0][&recorder<int>::in];
  x[&gain_container::out] >>= to[1][&recorder<int>::in];
  x[&gain_container::out2] >>= to[2][&recorder<int>::in];
  CHECK(f.run(to) == std::vector<record<int>>(3, {{0s, 2}}));
}

TEST_CASE("ImportComposition: the delays of all segments add up",
          "[containers]") {
  fixture f;
  auto from = f.app.create<once>("source", 42);
  auto x = f.app.create<imported>("a");
  auto to = f.app.create<recorder<int>>("to");
  from[&once::out] >>= x[&imported::x];
  x[&imported::y] >>= to[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  CHECK(to->got == record<int>{{55ms, 168}});
}

namespace {

/// Sends 1 at each multiple of 200 ms.
struct ones : rosia::node {
  rosia::tick t{this, "t", 200ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_t{this, "on_t", {t}, [this] { out(1); }};
};

struct count : rosia::node {
  rosia::tick t{this, "t", 200ms};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_t{this, "on_t", {t}, [this] { out(++value); }};
  int value = 0;
};

struct add : rosia::node {
  rosia::input_ports<int> in{this, "in", 2};
  rosia::output_port<int> out{this, "out"};

  rosia::reaction on_in{this, "on_in", in, [this] {
                          auto sum = 0;
                          for (auto [i, x] : in.present())
                            sum += *x;
                          out(sum);
                        }};
};

struct add_count : rosia::composite {
  add_count() {
    rosia::ports(in, counter[&count::out]) >>= sum[&add::in];
    sum[&add::out] >>= out;
  }

  rosia::inlet<int> in{this, "in"};
  rosia::outlet<int> out{this, "out"};
  rosia::part<count> counter{this, "count"};
  rosia::part<add> sum{this, "add"};
};

} // namespace

TEST_CASE("Hierarchy2: an inlet and a part meet at a node", "[containers]") {
  fixture f;
  auto from = f.app.create<ones>("source");
  auto x = f.app.create<add_count>("addCount");
  auto to = f.app.create<recorder<int>>("print");
  from[&ones::out] >>= x[&add_count::in];
  x[&add_count::out] >>= to[&recorder<int>::in];
  REQUIRE(f.app.run() == 0);
  record<int> expected;
  for (auto i = 0; i <= 5; ++i)
    expected.emplace_back(200ms * i, i + 2);
  CHECK(to->got == expected);
}

namespace {

struct deep : rosia::node {
  deep(int x, std::string y) : p(x), s(std::move(y)) {
    // nop
  }

  int p;
  std::string s;
};

struct intermediate : rosia::composite {
  intermediate(int p, const std::string& s) : a{this, "a", p, s} {
    // nop
  }

  rosia::part<deep> a;
};

struct another : rosia::composite {
  another(int p, const std::string& s) : a{this, "a", p, s} {
    // nop
  }

  rosia::part<intermediate> a;
};

} // namespace

TEST_CASE("ParameterHierarchy: parameters reach the innermost node",
          "[containers]") {
  fixture f;
  auto x = f.app.create<another>("x", 42, "bar");
  CHECK(x->a->a->p == 42);
  CHECK(x->a->a->s == "bar");
  CHECK(x->a->a->name() == "x.a.a");
}

namespace {

struct bank_of_sources : rosia::composite {
  bank_of_sources() {
    s[&once::out] >>= out;
  }

  rosia::outlets<int> out{this, "out", 3};
  rosia::parts<once> s{this, "s", 3, rosia::bank_index};
};

struct bank_of_sinks : rosia::composite {
  bank_of_sinks() {
    in >>= c[&recorder<int>::in];
  }

  rosia::inlets<int> in{this, "in", 3};
  rosia::parts<recorder<int>> c{this, "c", 3};
};

struct inner_source : rosia::composite {
  inner_source() {
    src[&counting_fan::out] >>= out;
  }

  rosia::outlets<int> out{this, "out", 4};
  rosia::part<counting_fan> src{this, "src", 4u};
};

struct outer_source : rosia::composite {
  outer_source() {
    src[&inner_source::out] >>= out;
  }

  rosia::outlets<int> out{this, "out", 4};
  rosia::part<inner_source> src{this, "src"};
};

struct outer_table : rosia::composite {
  explicit outer_table(std::size_t width)
    : in{this, "in", width}, dst{this, "dst", width} {
    in >>= dst[&table::in];
  }

  rosia::inlets<int> in;
  rosia::part<table> dst;
};

rows numbers_of_fan() {
  rows result;
  for (auto i = 0; i <= 5; ++i)
    result.emplace_back(
      200ms * i, std::vector{4 * i, 4 * i + 1, 4 * i + 2, 4 * i + 3});
  return result;
}

} // namespace

TEST_CASE("MultiportFromBankHierarchy: the outlets of a bank inside",
          "[containers]") {
  for (auto wait : {0s, 1s}) { // MultiportFromBankHierarchyAfter
    fixture f;
    auto a = f.app.create<bank_of_sources>("a");
    auto b = f.app.create<table>("b", 3);
    if (wait == 0s)
      a[&bank_of_sources::out] >>= b[&table::in];
    else
      a[&bank_of_sources::out] >>= rosia::after(wait) >>= b[&table::in];
    CHECK(f.run(b) == rows{{wait, {0, 1, 2}}});
  }
}

TEST_CASE("MultiportToBankHierarchy: the inlets of a bank inside",
          "[containers]") {
  fixture f;
  auto a = f.app.create<fan>("a", 3);
  auto b = f.app.create<bank_of_sinks>("b");
  a[&fan::out] >>= b[&bank_of_sinks::in];
  CHECK(
    f.run(b->c) == std::vector<record<int>>{{{0s, 0}}, {{0s, 1}}, {{0s, 2}}});
}

TEST_CASE("MultiportFromHierarchy: outlets of outlets", "[containers]") {
  fixture f;
  auto a = f.app.create<outer_source>("a");
  auto b = f.app.create<table>("b", 4);
  a[&outer_source::out] >>= b[&table::in];
  CHECK(f.run(b) == numbers_of_fan());
}

TEST_CASE("MultiportToHierarchy: the width of the inlets is a parameter",
          "[containers]") {
  fixture f;
  auto a = f.app.create<counting_fan>("a", 4);
  auto b = f.app.create<outer_table>("b", 4);
  a[&counting_fan::out] >>= b[&outer_table::in];
  CHECK(f.run(b->dst) == numbers_of_fan());
}

namespace {

/// Connects inlets with outlets.
struct splitter : rosia::composite {
  splitter() {
    rosia::ports(in0, in1, in2) >>= out;
    in >>= rosia::ports(out0, out1, out2);
  }

  rosia::inlet<int> in0{this, "in0"};
  rosia::inlet<int> in1{this, "in1"};
  rosia::inlet<int> in2{this, "in2"};
  rosia::outlets<int> out{this, "out", 3};
  rosia::inlets<int> in{this, "in", 3};
  rosia::outlet<int> out0{this, "out0"};
  rosia::outlet<int> out1{this, "out1"};
  rosia::outlet<int> out2{this, "out2"};
};

} // namespace

TEST_CASE("IndexIntoMultiportInput: inlets lead to outlets", "[containers]") {
  fixture f;
  auto a = f.app.create_bank<once>("a", 3, rosia::bank_index);
  auto x = f.app.create<splitter>("splitter");
  auto b = f.app.create<table>("b", 3);
  a[&once::out]
    >>= rosia::ports(x[&splitter::in0], x[&splitter::in1], x[&splitter::in2]);
  x[&splitter::out] >>= b[&table::in];
  CHECK(f.run(b) == rows{{0s, {0, 1, 2}}});
}

TEST_CASE("IndexIntoMultiportOutput: a channel is divided", "[containers]") {
  fixture f;
  auto a = f.app.create<fan>("a", 3);
  auto x = f.app.create<splitter>("splitter");
  auto b = f.app.create_bank<recorder<int>>("b", 3);
  a[&fan::out] >>= x[&splitter::in];
  rosia::ports(x[&splitter::out0], x[&splitter::out1], x[&splitter::out2])
    >>= b[&recorder<int>::in];
  CHECK(f.run(b) == std::vector<record<int>>{{{0s, 0}}, {{0s, 1}}, {{0s, 2}}});
}

namespace {

/// Passes values on, and is one link of a chain.
struct chain_link : rosia::composite {
  chain_link() {
    rosia::ports(in, t[&relay<int>::out])
      >>= rosia::ports(t[&relay<int>::in], out);
  }

  rosia::inlet<int> in{this, "in"};
  rosia::outlet<int> out{this, "out"};
  rosia::part<relay<int>> t{this, "t"};
};

} // namespace

TEST_CASE("BankGangedConnections: a bank is a chain in one statement",
          "[containers]") {
  fixture f;
  auto b = f.app.create_bank<chain_link>("b", 2);
  auto s = f.app.create<ramp>("s");
  auto t = f.app.create<recorder<int>>("t");
  rosia::ports(s[&ramp::out], b[&chain_link::out])
    >>= rosia::ports(b[&chain_link::in], t[&recorder<int>::in]);
  REQUIRE(f.app.run() == 0);
  record<int> expected;
  for (auto i = 0; i <= 5; ++i)
    expected.emplace_back(200ms * i, i);
  CHECK(t->got == expected);
}

namespace {

/// Counts, and stores what another one counts.
struct counting : rosia::composite {
  counting() {
    c[&count::out] >>= out;
    in >>= d[&recorder<int>::in];
  }

  rosia::inlet<int> in{this, "in"};
  rosia::outlet<int> out{this, "out"};
  rosia::part<count> c{this, "c"};
  rosia::part<recorder<int>> d{this, "d"};
};

struct all_counting : rosia::composite {
  all_counting() {
    all[&counting::out] >>= all[&counting::in];
    all[&counting::out] >>= out;
  }

  rosia::outlets<int> out{this, "out", 4};
  rosia::parts<counting> all{this, "foo", 4};
};

} // namespace

TEST_CASE("BankMulticast: a bank sends inside of its composite and out of it",
          "[containers]") {
  fixture f;
  auto bar = f.app.create<all_counting>("bar");
  auto d = f.app.create_bank<recorder<int>>("d", 4);
  bar[&all_counting::out] >>= d[&recorder<int>::in];
  auto got = f.run(d);
  record<int> expected;
  for (auto i = 0; i <= 5; ++i)
    expected.emplace_back(200ms * i, i + 1);
  CHECK(got == std::vector<record<int>>(4, expected));
  for (auto& x : bar->all)
    CHECK(x->d->got == expected);
}

namespace {

struct nested_sources : rosia::composite {
  nested_sources(std::size_t index, bool interleaved)
    : b{this, "b", 2, 2u, rosia::each([index](std::size_t i) {
          return static_cast<int>(4 * index + 2 * i);
        })} {
    if (interleaved)
      rosia::interleaved(b[&fan::out]) >>= x;
    else
      b[&fan::out] >>= x;
  }

  rosia::outlets<int> x{this, "x", 4};
  rosia::parts<fan> b;
};

struct pair_of_sinks : rosia::composite {
  pair_of_sinks() {
    z >>= rosia::ports(f[&recorder<int>::in], g[&recorder<int>::in]);
  }

  rosia::inlets<int> z{this, "z", 2};
  rosia::part<recorder<int>> f{this, "f"};
  rosia::part<recorder<int>> g{this, "g"};
};

} // namespace

TEST_CASE("NestedBanks: a bank of composites with banks", "[containers]") {
  fixture f;
  auto a = f.app.create_bank<nested_sources>("a", 2, rosia::bank_index, false);
  auto c = f.app.create_bank<pair_of_sinks>("c", 3);
  auto d = f.app.create<table>("d", 2);
  auto e = f.app.create<table>("e", 8);
  rosia::broadcast(a[&nested_sources::x])
    >>= rosia::ports(c[&pair_of_sinks::z], d[&table::in], e[&table::in]);
  REQUIRE(f.app.run() == 0);
  for (auto i = 0; i < 3; ++i) {
    auto& x = *c[static_cast<std::size_t>(i)].operator->();
    CHECK(x.f->got == record<int>{{0s, 2 * i}});
    CHECK(x.g->got == record<int>{{0s, 2 * i + 1}});
  }
  CHECK(d->rows == rows{{0s, {6, 7}}});
  CHECK(e->rows == rows{{0s, {0, 1, 2, 3, 4, 5, 6, 7}}});
}

TEST_CASE("NestedInterleavedBanks: outlets of an interleaved bank",
          "[containers]") {
  fixture f;
  auto b = f.app.create_bank<nested_sources>("b", 2, rosia::bank_index, true);
  auto c = f.app.create<table>("c", 8);
  b[&nested_sources::x] >>= c[&table::in];
  CHECK(f.run(c) == rows{{0s, {0, 2, 1, 3, 4, 6, 5, 7}}});
}

} // namespace containers_test
