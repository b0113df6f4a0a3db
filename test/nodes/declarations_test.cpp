// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The ports that reactions declare to access, rule 10.1.1.

#include "support.hpp"

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace declarations_test {

namespace {

using rosia::after;
using rosia::graph_error;
using rosia::task;
using rosia::test::harness;

/// A node whose reaction `on_a` runs code of a test.
struct subject : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::input_port<int> b{this, "b"};
  rosia::input_port<int> c{this, "c"};
  rosia::physical_action<int> press{this, "press"};
  rosia::output_port<int> x{this, "x"};
  rosia::output_port<int> y{this, "y"};
  rosia::output_port<int> z{this, "z"};

  rosia::reaction on_a{
    this,
    "on_a",
    {a},
    rosia::writes_later(y),
    [this]() -> task {
      first();
      co_await after(1ms);
      second();
    },
    rosia::reads(b),
    rosia::writes(x)};

  /// Declares nothing.
  rosia::reaction on_c{this, "on_c", {c, press}, [this] { any(); }};

  void shutdown() {
    last();
  }

  std::function<void()> first = [] {};
  std::function<void()> second = [] {};
  std::function<void()> any = [] {};
  std::function<void()> last = [] {};
};

/// Sets all inputs at 1 ms.
void set_all(harness<subject>& h) {
  h.set(&subject::a, 1ms, 7);
  h.set(&subject::b, 1ms, 8);
  h.set(&subject::c, 1ms, 9);
}

/// Returns the error of code in `on_a`, before or after it has yielded.
std::string error_of_code(const std::function<void(subject&)>& code,
                          bool later = false) {
  harness<subject> h;
  (later ? h->second : h->first) = [&] { code(*h); };
  set_all(h);
  h.run();
  CHECK(h.status() == (h.error() ? 1 : 0));
  return h.error() ? h.error()->text : std::string{};
}

std::string undeclared(const std::string& use, const std::string& remedy) {
  return "reaction 'on_a' " + use
         + ", which it does not declare; add rosia::" + remedy;
}

} // namespace

// -- what is declared ---------------------------------------------------------

TEST_CASE("10.1.1 a reaction accesses its triggers and the ports that it "
          "declares",
          "[declarations]") {
  harness<subject> h;
  std::vector<int> got;
  h->first = [&] {
    CHECK(h->a.is_present());
    CHECK(h->b.is_present());
    CHECK(h->b.has_value());
    CHECK(h->a.all().size() == 1);
    got = {*h->a, *h->b.value(), h->b.all().front()};
    h->x(1);
    h->x.promise(after(10ms));
  };
  h->second = [&] {
    CHECK_FALSE(h->a.is_present());
    CHECK(h->a.has_value());
    CHECK(h->a.all().empty());
    got.push_back(*h->a);
    h->y(2);
    h->y.promise(after(10ms));
  };
  set_all(h);
  h.run();
  CHECK(got == std::vector{7, 8, 8, 7});
  CHECK(h.outputs(&subject::x) == record<int>{{1ms, 1}});
  CHECK(h.outputs(&subject::y) == record<int>{{2ms, 2}});
  CHECK_FALSE(h.error());
}

TEST_CASE("10.1.1 reactions without declarations access all ports",
          "[declarations]") {
  harness<subject> h;
  auto sum = 0;
  h->any = [&] {
    sum += *h->a + *h->b + *h->c;
    h->x(1);
    h->y(2);
    h->z(3);
  };
  set_all(h);
  h.run();
  CHECK(sum == 24);
  CHECK(h.values(&subject::z) == std::vector{3});
  CHECK_FALSE(h.error());
}

TEST_CASE("10.1.1 access to an undeclared input is an error of the node",
          "[declarations]") {
  auto expected = undeclared("reads input 'c'", "reads(c)");
  for (auto later : {false, true}) {
    CHECK(error_of_code([](subject& s) { s.x(*s.c); }, later) == expected);
    CHECK(
      error_of_code([](subject& s) { s.x(s.c.value()); }, later) == expected);
    CHECK(error_of_code([](subject& s) { s.x(s.c); }, later) == expected);
    CHECK(error_of_code([](subject& s) { s.c.all(); }, later) == expected);
    CHECK(
      error_of_code([](subject& s) { s.c.is_present(); }, later) == expected);
    CHECK(
      error_of_code([](subject& s) { s.c.has_value(); }, later) == expected);
  }
  CHECK(error_of_code([](subject& s) { s.press.is_present(); })
        == undeclared("reads physical action 'press'", "reads(press)"));
}

TEST_CASE("10.1.1 a write to an undeclared output is an error of the node",
          "[declarations]") {
  auto expected = undeclared("writes output 'z'", "writes(z)");
  for (auto later : {false, true}) {
    CHECK(error_of_code([](subject& s) { s.z(1); }, later) == expected);
    CHECK(error_of_code([](subject& s) { s.z.promise(after(1ms)); }, later)
          == expected);
  }
}

TEST_CASE("10.1.1 writes_later allows a write only after the reaction "
          "yielded",
          "[declarations]") {
  CHECK(error_of_code([](subject& s) { s.y(1); })
        == "reaction 'on_a' writes output 'y' before it yielded, but "
           "declares rosia::writes_later; declare rosia::writes(y)");
  CHECK(error_of_code([](subject& s) { s.y(1); }, true).empty());
  CHECK(error_of_code([](subject& s) { s.x(1); }, true).empty());
}

TEST_CASE("10.1.1 values stay in the ports of a node that declares them",
          "[declarations]") {
  harness<subject> h;
  std::vector<int> got;
  h->first = [&] { got.push_back(*h->b); };
  h->last = [&] { got.push_back(*h->c); };
  h.set(&subject::b, 1ms, 1);
  h.set(&subject::c, 1ms, 5);
  h.set(&subject::a, 2ms, 0);
  h.set(&subject::b, 3ms, 2);
  h.set(&subject::b, 3ms, 3);
  h.set(&subject::a, 4ms, 0);
  h.run_until(3ms);
  CHECK(*h->b == 3);
  CHECK(h->b.has_value());
  CHECK_FALSE(h->b.is_present());
  h.run();
  CHECK(got == std::vector{1, 3, 5});
}

TEST_CASE("10.1.1 the node's other errors are as without declarations",
          "[declarations]") {
  harness<subject> h;
  CHECK(error_of<std::logic_error>([&] { h->x(1); })
        == "output 'x' was written outside of the node's reactions; schedule a "
           "physical action instead");
  CHECK_THAT(error_of<std::logic_error>([&] { *h->a; }),
             ContainsSubstring("'a' was read before its first value"));
  CHECK_THAT(error_of_code([](subject& s) {
               s.x(1);
               s.x(2);
             }),
             ContainsSubstring("output 'x' was written twice"));
  subject alone;
  CHECK(error_of<std::logic_error>([&] { alone.x(1); })
        == "output 'x' was written outside of the node's reactions; schedule a "
           "physical action instead");
  CHECK(error_of<std::logic_error>([&] { alone.x.promise(after(1ms)); })
        == "a promise for output 'x' was made outside of the node's reactions");
}

// -- ranges -------------------------------------------------------------------

namespace {

struct channels : rosia::node {
  rosia::input_ports<int> in{this, "in", 3};
  rosia::input_ports<int> other{this, "other", 2};
  rosia::output_ports<int> out{this, "out", 2};
  rosia::reaction on_in{
    this, "on_in", in, rosia::reads(other[1]), rosia::writes(out), [this] {
      for (auto [index, port] : in.present())
        out[index % 2](*port);
      code();
    }};
  std::function<void()> code = [] {};
};

std::string error_with_channels(const std::function<void(channels&)>& code) {
  harness<channels> h;
  h->code = [&] { code(*h); };
  h.set(&channels::in, 1, 1ms, 5);
  h.set(&channels::in, 2, 1ms, 6);
  h.set(&channels::in, 0, 2ms, 4);
  h.run();
  if (h.error())
    return h.error()->text;
  CHECK(h->out.size() == 2);
  return "";
}

} // namespace

TEST_CASE("10.1.1 a channel in a declaration means all of its ports",
          "[declarations]") {
  CHECK(error_with_channels([](channels&) {}).empty());
  CHECK(
    error_with_channels([](channels& c) { c.other[1].is_present(); }).empty());
  CHECK_THAT(
    error_with_channels([](channels& c) { c.other[0].is_present(); }),
    ContainsSubstring("reads input 'other[0]', which it does not declare"));
  CHECK(error_with_channels([](channels& c) { c.other.present(); })
        == "reaction 'on_in' reads input 'other', which it does not declare; "
           "add rosia::reads(other)");
}

// -- startups -----------------------------------------------------------------

namespace {

struct starter : rosia::node {
  rosia::output_port<int> x{this, "x"};
  rosia::output_port<int> y{this, "y"};
  rosia::startup begin{
    this, "begin", rosia::writes(x), rosia::writes_later(y), [this]() -> task {
      x(1);
      if (early)
        y(1);
      co_await after(1ms);
      y(2);
    }};
  void start() {
    if (at_start)
      y(0);
  }
  bool early = false;
  bool at_start = false;
};

} // namespace

TEST_CASE("10.1.1 startups accept declarations, and start() may write all "
          "ports",
          "[declarations]") {
  harness<starter> good;
  good->at_start = true;
  good.run();
  CHECK(good.outputs(&starter::x) == record<int>{{0s, 1}});
  CHECK(good.outputs(&starter::y) == record<int>{{0s, 0}, {1ms, 2}});
  harness<starter> bad;
  bad->early = true;
  bad.run();
  REQUIRE(bad.error());
  CHECK_THAT(bad.error()->text,
             ContainsSubstring("writes output 'y' before it yielded"));
}

// -- mistakes -----------------------------------------------------------------

namespace {

struct reads_later_port : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::reaction on_a{this, "on_a", {a}, rosia::reads(b), [] {}};
  rosia::input_port<int> b{this, "b"};
};

struct writes_later_port : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::reaction on_a{this, "on_a", {a}, rosia::writes(x), [] {}};
  rosia::output_ports<int> x{this, "x", 2};
};

struct never_yields : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::output_port<int> x{this, "x"};
  rosia::reaction on_a{this, "on_a", {a}, rosia::writes_later(x), [] {}};
};

struct writes_elsewhere : rosia::node {
  explicit writes_elsewhere(subject& other)
    : on_a{this, "on_a", {a}, rosia::writes(other.x), [] {}} {
    // nop
  }
  rosia::input_port<int> a{this, "a"};
  rosia::reaction on_a;
};

struct reads_null : rosia::node {
  rosia::input_port<int> a{this, "a"};
  rosia::input_port<int>* none = nullptr;
  rosia::reaction on_a{this, "on_a", {a}, rosia::reads(none), [] {}};
};

} // namespace

TEST_CASE("10.1.1 a declaration of ports that the node does not have is "
          "refused",
          "[declarations]") {
  CHECK(error_of<graph_error>([] { harness<reads_later_port> h; })
        == "reaction 'on_a' reads the input 'b', which comes after it; declare "
           "port 'b' before reaction 'on_a': members are made in the order of "
           "their declaration");
  CHECK_THAT(error_of<graph_error>([] { harness<writes_later_port> h; }),
             ContainsSubstring("writes the output 'x', which comes after it"));
  CHECK(error_of<graph_error>([] {
          subject other;
          harness<writes_elsewhere> h{other};
        })
        == "reaction 'on_a' declares that it writes a port that is not an "
           "output of its node; a reaction accesses ports of its own node "
           "only");
  CHECK(error_of<graph_error>([] { harness<reads_null> h; })
        == "reaction 'on_a' declares an empty pointer in place of a port");
  CHECK(error_of<graph_error>([] { harness<never_yields> h; })
        == "reaction 'on_a' declares rosia::writes_later, but never yields; "
           "declare rosia::writes, or return a rosia::task");
}

// -- applications -------------------------------------------------------------

namespace {

struct source : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::startup begin{this, "begin", rosia::writes(out), [this]() -> task {
                         for (auto i = 0; i < 3; ++i) {
                           out(i);
                           co_await after(1ms);
                         }
                       }};
};

struct undeclared_reader : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<int> more{this, "more"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, rosia::writes(out), [this] {
                          out(*in);
                          if (*in == 2)
                            more.has_value();
                        }};
  rosia::reaction on_more{
    this, "on_more", {more}, rosia::reads(), [this] { got.push_back(*more); }};
  std::vector<int> got;
};

} // namespace

TEST_CASE("10.1.1 undeclared access in an application is an error with node, "
          "reaction and tag",
          "[declarations]") {
  for (auto groups : {"auto", "off"}) {
    test_system sys;
    auto opts = fast();
    opts.groups = groups;
    rosia::application app{sys, opts};
    auto a = app.create<source>("a");
    auto b = app.create<undeclared_reader>("b");
    app.connect(a, &source::out, b, &undeclared_reader::in);
    app.connect(a, &source::out, b, &undeclared_reader::more);
    error_capture capture;
    CHECK(app.run() == 1);
    CHECK_THAT(
      capture.text(),
      ContainsSubstring("b")
        && ContainsSubstring("reaction 'on_in' reads input 'more', "
                             "which it does not declare"));
  }
}

TEST_CASE("10.1.1 the description of the graph has the declarations",
          "[declarations]") {
  test_system sys;
  rosia::application app{sys, fast()};
  app.create<subject>("s");
  app.create<starter>("t");
  auto drawn = app.diagram();
  REQUIRE(drawn.nodes.size() == 2);
  using indices = std::vector<std::uint32_t>;
  auto& on_a = drawn.nodes[0].reactions[0];
  CHECK(on_a.declares);
  CHECK(on_a.yields);
  CHECK(on_a.reads == indices{1});
  CHECK(on_a.writes == indices{0});
  CHECK(on_a.writes_later == indices{1});
  auto& on_c = drawn.nodes[0].reactions[1];
  CHECK_FALSE(on_c.declares);
  CHECK_FALSE(on_c.yields);
  CHECK(on_c.writes.empty());
  auto& begin = drawn.nodes[1].reactions[0];
  CHECK(begin.writes_later == indices{1});
  app.request_shutdown();
}

} // namespace declarations_test
