// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Composites: section 10.9 of the semantics.

#include "support.hpp"
#include "temporary_folder.hpp"

namespace composites_test {

using rosia::graph_error;

namespace {

struct add : rosia::node {
  explicit add(int x) : term{x} {
    // nop
  }

  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(*in + term); }};

  int term;
};

/// Two nodes in a row.
struct twice : rosia::composite {
  explicit twice(int term, rosia::connection_kind kind = {})
    : first{this, "first", term}, second{this, "second", term} {
    in >>= first[&add::in];
    first[&add::out] >>= kind >>= second[&add::in];
    second[&add::out] >>= out;
  }

  rosia::inlet<int> in{this, "in"};
  rosia::outlet<int> out{this, "out"};
  rosia::part<add> first;
  rosia::part<add> second;
};

/// A composite of composites, with several inlets and outlets.
struct rack : rosia::composite {
  explicit rack(std::size_t size)
    : in{this, "in", size}, out{this, "out", size},
      units{this, "unit", size,
            rosia::each([](std::size_t i) { return static_cast<int>(i); })} {
    in >>= rosia::after(1ms) >>= units[&twice::in];
    units[&twice::out] >>= out;
  }

  rosia::inlets<int> in;
  rosia::outlets<int> out;
  rosia::parts<twice> units;
};

struct fixture {
  explicit fixture(rosia::options opts = fast()) : app{sys, std::move(opts)} {
    // nop
  }

  std::vector<std::string> connections() {
    std::vector<std::string> result;
    auto graph = app.diagram();
    for (auto& x : graph.connections)
      result.push_back(
        graph.output_of(x) + " " + graph.input_of(x)
        + (x.physical             ? " physical"
           : x.distance.is_zero() ? ""
                                  : " " + to_string(x.distance)));
    return result;
  }

  test_system sys;
  rosia::application app;
};

using lines = std::vector<std::string>;

} // namespace

TEST_CASE("10.9.1 a composite is made of nodes, and of composites",
          "[composites]") {
  fixture f;
  auto racks = f.app.create_bank<rack>("rack", 2, 2u);
  CHECK(racks[1].name() == "rack[1]");
  CHECK(racks[1]->units[0].name() == "rack[1].unit[0]");
  CHECK(f.app.size() == 8);
  lines names;
  auto graph = f.app.diagram();
  for (auto& node : graph.nodes)
    names.push_back(node.name);
  CHECK(names[5] == "rack[1].unit[0].second");
  CHECK(racks[1]->units[1]->second.name() == "rack[1].unit[1].second");
  CHECK(racks[1]->units[1]->second->term == 1);
}

TEST_CASE("10.9.1 names in composites are unique, and have no dots",
          "[composites]") {
  fixture f;
  f.app.create<twice>("x", 1);
  f.app.create_bank<rack>("bank", 0, 1u);
  auto error_of_twice = [&](const std::string& name) {
    return error_of<graph_error>([&] { f.app.create<twice>(name, 1); });
  };
  CHECK(
    error_of_twice("x")
    == "there is a composite with the name 'x'; give one of the two another "
       "name");
  CHECK(error_of_twice("bank")
        == "there is a bank with the name 'bank'; give one of the two another "
           "name");
  CHECK_THAT(error_of_twice("x.y"), ContainsSubstring("have no dots"));
  struct two_parts : rosia::composite {
    explicit two_parts(std::string name) : b{this, name, 1} {
      // nop
    }
    rosia::part<add> a{this, "a", 1};
    rosia::part<add> b;
  };
  CHECK_THAT(error_of<graph_error>([&] { f.app.create<two_parts>("y", "a"); }),
             ContainsSubstring("two nodes with the name 'y.a'"));
  CHECK(
    error_of<graph_error>([&] { f.app.create<two_parts>("z", "b.c"); })
    == "part 'b.c' of composite 'z' has a bad name: names are not empty, and "
       "have no dots");
  struct two_inlets : rosia::composite {
    rosia::inlet<int> a{this, "a"};
    rosia::outlet<int> b{this, "a"};
  };
  CHECK(error_of<graph_error>([&] { f.app.create<two_inlets>("u"); })
        == "composite 'u' has 'a' twice; give one of the two another name");
  CHECK_THROWS_AS(two_inlets{}, std::logic_error);
  struct builder : rosia::composite {
    explicit builder(rosia::application& app) {
      app.create<add>("inner", 1);
    }
  };
  CHECK(
    error_of<graph_error>([&] { f.app.create<builder>("v", f.app); })
    == "node 'inner' is created by the constructor of a composite; make it a "
       "rosia::part of the composite");
}

TEST_CASE("10.9.1 an option that names a composite means its nodes",
          "[composites]") {
  test::temporary_folder folder;
  auto opts = fast();
  opts.groups = folder.write("groups", "rack.unit[0], rack.unit[1].first\n");
  fixture f{opts};
  f.app.create<rack>("rack", 2u);
  std::vector<bool> grouped;
  for (auto& node : f.app.diagram().nodes)
    grouped.push_back(node.group.has_value());
  CHECK(grouped == std::vector{true, true, true, false});
}

TEST_CASE("10.9.2 a connection through inlets and outlets is one of nodes",
          "[composites]") {
  fixture f;
  auto a = f.app.create<source<int>>("a", one_seven);
  auto r = f.app.create<rack>("r", 2u);
  auto b = f.app.create<recorder<int>>("b");
  auto c = f.app.create<recorder<int>>("c");
  rosia::broadcast(a[&source<int>::out]) >>= rosia::after(2ms) >>= r[&rack::in];
  r[&rack::out] >>= rosia::ports(b[&recorder<int>::in], c[&recorder<int>::in]);
  f.app.connect("r.out", "c.in", rosia::after(rosia::microsteps(1)));
  CHECK(error_of<graph_error>([&] { f.connections(); })
        == "'r.out' has 2 channels, 'c.in' has 1 channel: both sides of a "
           "connection have the same number; rosia::broadcast() repeats "
           "outputs");
}

TEST_CASE("10.9.2 the delays of the segments of a connection are composed",
          "[composites]") {
  fixture f;
  auto a = f.app.create<source<int>>("a", one_seven);
  auto r = f.app.create<rack>("r", 2u);
  auto b = f.app.create<recorder<int>>("b");
  auto c = f.app.create<recorder<int>>("c");
  rosia::broadcast(a[&source<int>::out]) >>= rosia::after(2ms) >>= r[&rack::in];
  r[&rack::out] >>= rosia::after(rosia::microsteps(1))
    >>= rosia::ports(b[&recorder<int>::in], c[&recorder<int>::in]);
  CHECK(
    f.connections()
    == lines{
      "a.out r.unit[0].first.in 3ms", "r.unit[0].first.out r.unit[0].second.in",
      "a.out r.unit[1].first.in 3ms", "r.unit[1].first.out r.unit[1].second.in",
      "r.unit[0].second.out b.in 1 microstep",
      "r.unit[1].second.out c.in 1 microstep"});
  REQUIRE(f.app.run() == 0);
  CHECK(b->got == record<int>{{at(3ms, 1), 7}});
  CHECK(c->got == record<int>{{at(3ms, 1), 9}});
}

TEST_CASE("10.9.2 a connection is physical if a segment is", "[composites]") {
  fixture f;
  auto a = f.app.create<source<int>>("a", one_seven);
  auto x = f.app.create<twice>("x", 1, rosia::keep_latest(3));
  auto y = f.app.create<twice>("y", 1);
  auto r = f.app.create<rack>("r", 1u);
  a[&source<int>::out] >>= rosia::physical >>= x[&twice::in];
  x[&twice::out] >>= y[&twice::in];
  y[&twice::out] >>= rosia::physical >>= r[&rack::in];
  CHECK(error_of<graph_error>([&] { f.connections(); })
        == "the connection from 'y.out' to 'r.in[0]' to 'r.unit[0].in' to "
           "'r.unit[0].first.in' is physical in one part, and has a delay in "
           "another part; the receiver's clock determines its tags, so leave "
           "out the delay");
  fixture g;
  auto from = g.app.create<source<int>>("a", one_seven);
  auto to = g.app.create<twice>("x", 1, rosia::keep_latest(3));
  from[&source<int>::out] >>= rosia::physical >>= to[&twice::in];
  CHECK(
    g.connections()
    == lines{"a.out x.first.in physical", "x.first.out x.second.in physical"});
}

TEST_CASE("10.9.2 messages name the path of a connection", "[composites]") {
  fixture f;
  auto a = f.app.create<source<int>>("a", one_seven);
  auto x = f.app.create<twice>("x", 1);
  a[&source<int>::out] >>= x[&twice::in];
  SECTION("two ports are connected twice") {
    f.app.connect("a.out", "x.in");
    CHECK(error_of<graph_error>([&] { f.connections(); })
          == "'a.out' and 'x.first.in' are connected twice, from 'a.out' to "
             "'x.in' to 'x.first.in' and from 'a.out' to 'x.in' to "
             "'x.first.in'; remove one of the connections");
  }
  SECTION("a loop has no delay") {
    x[&twice::out] >>= x[&twice::in];
    CHECK_THAT(
      error_of<graph_error>([&] { f.connections(); }),
      ContainsSubstring(
        "'x.first.on_in' writes 'x.first.out', which 'x.second.on_in' reads")
        && ContainsSubstring("'x.second.on_in' writes 'x.second.out' to "
                             "'x.out' to 'x.in', which 'x.first.on_in' reads"));
  }
  SECTION("a delay is negative") {
    x[&twice::out] >>= rosia::after(-1ms) >>= x[&twice::in];
    CHECK(
      error_of<graph_error>([&] { f.connections(); })
      == "the connection from 'x.out' to 'x.in' has a negative delay, -1ms; "
         "a message cannot arrive before it is sent");
  }
  SECTION("types differ") {
    f.app.create<source<double>>("b", std::vector<source<double>::item>{});
    f.app.connect("b.out", "x.in");
    CHECK(error_of<graph_error>([&] { f.connections(); })
          == "output 'b.out' of type double is connected to input 'x.in' of "
             "type int; both have to be the same, put a node between them that "
             "converts");
  }
}

namespace {

/// Declares segments in another order than the graph has them.
struct gate : rosia::composite {
  gate() {
    late >>= to[&recorder<int>::in];
    early >>= to[&recorder<int>::in];
  }

  rosia::inlet<int> early{this, "early"};
  rosia::inlet<int> late{this, "late"};
  rosia::part<recorder<int>> to{this, "to"};
};

} // namespace

TEST_CASE(
  "10.9.2 values of one tag are ordered by the segments that end at the "
  "input",
  "[composites]") {
  fixture f;
  std::vector<rosia::node_ref<script>> from;
  for (auto i = 0; i < 3; ++i)
    from.push_back(f.app.create<script>(
      "s" + std::to_string(i), [i](script& self) { self.out(i); }));
  auto g = f.app.create<gate>("g");
  from[0][&script::out] >>= g[&gate::early];
  from[1][&script::out] >>= g[&gate::late];
  from[2][&script::out] >>= g[&gate::late];
  REQUIRE(f.app.run() == 0);
  CHECK(g->to->got == record<int>{{0s, 1}, {0s, 2}, {0s, 0}});
}

TEST_CASE("10.9.2 a loop needs a node", "[composites]") {
  struct wire : rosia::composite {
    wire() {
      in >>= out;
    }
    rosia::inlet<int> in{this, "in"};
    rosia::outlet<int> out{this, "out"};
  };
  fixture f;
  auto a = f.app.create<wire>("a");
  auto b = f.app.create<recorder<int>>("b");
  a[&wire::out] >>= b[&recorder<int>::in];
  CHECK(f.connections().empty());
  a[&wire::out] >>= a[&wire::in];
  CHECK(
    error_of<graph_error>([&] { f.connections(); })
    == "a loop leads through 'a.out', and through inlets and outlets alone; "
       "put a node into the loop");
}

TEST_CASE("10.9.3 only inlets and outlets are connected from outside",
          "[composites]") {
  fixture f;
  auto a = f.app.create<source<int>>("a", one_seven);
  auto r = f.app.create<rack>("r", 2u);
  auto error_with = [](auto from, auto to) {
    return error_of<graph_error>([&] { from >>= to; });
  };
  CHECK(
    error_with(a[&source<int>::out], r->units[1]->first[&add::in])
    == "'unit[1].first.in' is inside of 'r'; connect an inlet or an outlet");
  CHECK(error_with(r->units[1][&twice::out], r->units[0][&twice::in])
        == "'unit[1].out' is inside of 'r'; connect an inlet or an outlet");
  auto error_of_names = [&](const std::string& to) {
    fixture g;
    g.app.create<source<int>>("a", one_seven);
    g.app.create<rack>("r", 2u);
    g.app.connect("a.out", to);
    return error_of<graph_error>([&] { g.app.run(); });
  };
  CHECK(error_of_names("r.unit[0].in")
        == "'unit[0].in' is inside of 'r'; connect an inlet or an outlet");
  CHECK(
    error_of_names("r.unit[0].first.in")
    == "'unit[0].first.in' is inside of 'r'; connect an inlet or an outlet");
  CHECK(error_of_names("r.on") == "composite 'r' has no inlet or outlet 'on'");
  struct thief : rosia::composite {
    explicit thief(const rosia::node_ref<source<int>>& x) {
      x[&source<int>::out] >>= to[&recorder<int>::in];
    }
    rosia::part<recorder<int>> to{this, "to"};
  };
  CHECK(
    error_of<graph_error>([&] { f.app.create<thief>("t", a); })
    == "'a.out' is outside of composite 't'; connect an inlet or an outlet");
}

TEST_CASE("10.9.3 an inlet that leads nowhere causes a warning",
          "[composites]") {
  struct idle : rosia::composite {
    rosia::inlet<int> in{this, "in"};
  };
  error_capture capture;
  fixture f{with_log(fast(), "warning")};
  f.app.create<idle>("x");
  CHECK(f.app.run() == 0);
  CHECK_THAT(capture.text(),
             ContainsSubstring("'x.in' leads nowhere: nothing inside of its "
                               "composite is connected to it"));
}

} // namespace composites_test
