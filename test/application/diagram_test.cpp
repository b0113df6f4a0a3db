// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The graph before it runs, and the option that draws it.

#include "caf/rosia/diagram.hpp"
#include "support.hpp"

#include "files_in.hpp"
#include "temporary_folder.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace diagram_test {

using rosia::graph_description;
using test::temporary_folder;

namespace {

/// A node with members of all kinds. Records whether its code runs.
struct busy : rosia::node {
  rosia::input_port<int> first{this, "first"};
  rosia::physical_action<int> second{this, "second"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<void> unused{this, "unused"};
  rosia::action<int> retry{this, "retry"};
  rosia::reaction both{this, "both", {second, retry, first}, [] { ++runs; }};
  rosia::reaction alone{this, "alone", {first}, [] { ++runs; }};
  rosia::startup begin{this, "begin", [] { ++runs; }};

  void start() {
    ++runs;
  }

  static inline std::atomic<int> runs = 0;
};

struct pass_on : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [] {}};
};

rosia::options drawing_into(const std::string& file) {
  auto result = fast();
  result.diagram = file;
  return result;
}

rosia::options over_processes(const std::string& names) {
  auto result = fast();
  result.processes = names;
  return result;
}

std::vector<std::string> processes_of(const graph_description& x) {
  std::vector<std::string> result;
  for (auto& node : x.nodes)
    result.push_back(node.process);
  return result;
}

std::string content_of(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
}

using names = std::vector<std::string>;
using triggers = std::vector<graph_description::trigger>;
using enum graph_description::trigger_kind;

} // namespace

TEST_CASE("the diagram has nodes with ports, and reactions in order",
          "[diagram]") {
  test_system sys;
  rosia::application app{sys, fast()};
  app.create<busy>("x");
  auto drawn = app.diagram();
  REQUIRE(drawn.nodes.size() == 1);
  auto& node = drawn.nodes[0];
  CHECK(node.name == "x");
  CHECK(node.process.empty());
  CHECK(node.group == std::nullopt);
  REQUIRE(node.inputs.size() == 2);
  CHECK(node.inputs[0].name == "first");
  CHECK(node.inputs[0].type == "int");
  CHECK(!node.inputs[0].physical);
  CHECK(node.inputs[1].physical);
  REQUIRE(node.outputs.size() == 1);
  CHECK(node.outputs[0].name == "out");
  REQUIRE(node.reactions.size() == 3);
  CHECK(node.reactions[0].name == "both");
  CHECK(node.reactions[0].triggers
        == triggers{{input, 1}, {action, 1}, {input, 0}});
  CHECK(node.reactions[1].triggers == triggers{{input, 0}});
  CHECK(node.reactions[2].name == "begin");
  CHECK(node.reactions[2].kind == graph_description::reaction_kind::startup);
  REQUIRE(node.actions.size() == 2);
  CHECK(node.actions[1].name == "retry");
  CHECK(node.actions[1].type == "int");
  app.request_shutdown();
}

TEST_CASE("the diagram has delays, physical connections and loops",
          "[diagram]") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto a = app.create<pass_on>("a");
  auto b = app.create<pass_on>("b");
  auto c = app.create<busy>("c");
  app.connect(a, &pass_on::out, b, &pass_on::in);
  app.connect("b.out", "a.in", rosia::after(5ms));
  app.connect(b, &pass_on::out, c, &busy::first, rosia::after(1s));
  app.connect(b, &pass_on::out, c, &busy::second, rosia::physical);
  auto drawn = app.diagram();
  REQUIRE(drawn.connections.size() == 4);
  auto& to = drawn.connections[0];
  auto& back = drawn.connections[1];
  auto& late = drawn.connections[2];
  auto& physical = drawn.connections[3];
  CHECK(to.source == 0);
  CHECK(to.target == 1);
  CHECK(to.distance.is_zero());
  CHECK(to.in_loop);
  CHECK(back.distance == rosia::after(5ms));
  CHECK(back.in_loop);
  CHECK(late.distance == rosia::after(1s));
  CHECK(!late.in_loop);
  CHECK(late.input == 0);
  CHECK(physical.physical);
  CHECK(physical.input == 1);
  CHECK(!physical.in_loop);
  app.request_shutdown();
}

TEST_CASE("the diagram has the groups that are chosen before the run",
          "[diagram]") {
  test_system sys;
  temporary_folder folder;
  auto groups_with = [&](const std::string& option) {
    auto opts = fast();
    opts.groups = option;
    rosia::application app{sys, opts};
    auto a = app.create<pass_on>("a");
    auto b = app.create<pass_on>("b");
    app.create<pass_on>("c");
    app.connect(a, &pass_on::out, b, &pass_on::in);
    auto drawn = app.diagram();
    app.request_shutdown();
    std::string result;
    for (auto& node : drawn.nodes)
      result += node.group ? std::to_string(*node.group) : "-";
    return result;
  };
  CHECK(groups_with("auto") == "---");
  CHECK(groups_with("off") == "---");
  CHECK(groups_with("all") == "00-");
  CHECK(groups_with(folder.write("groups", "b,c\n")) == "-00");
}

TEST_CASE("requesting the diagram changes nothing", "[diagram]") {
  test_system sys;
  rosia::application app{sys, fast_until(0s)};
  app.create<busy>("x");
  auto before = busy::runs.load();
  app.diagram();
  app.diagram();
  CHECK(busy::runs == before);
  CHECK(app.run() == 0);
  CHECK(busy::runs > before);
  CHECK_THROWS_AS(app.diagram(), std::logic_error);
}

TEST_CASE("a mistake in the graph is reported before it is drawn",
          "[diagram]") {
  test_system sys;
  temporary_folder folder;
  rosia::application app{sys, drawing_into(folder.file("x.dot"))};
  app.create<pass_on>("a");
  app.connect("a.out", "b.in");
  CHECK_THROWS_AS(app.diagram(), rosia::graph_error);
  CHECK_THROWS_AS(app.run(), rosia::graph_error);
  CHECK(folder.files() == 0);
}

TEST_CASE("the option writes the diagram, and no code of a node runs",
          "[diagram]") {
  test_system sys;
  temporary_folder folder;
  auto file = folder.file("x.dot");
  auto opts = drawing_into(file);
  // These options are for runs.
  opts.trace = folder.file("trace");
  opts.report = folder.file("nowhere/report");
  rosia::application app{sys, opts};
  auto x = app.create<busy>("x");
  auto expected = rosia::to_dot(app.diagram());
  auto before = busy::runs.load();
  x->second.schedule(1);
  CHECK(app.run() == 0);
  CHECK(busy::runs == before);
  CHECK(content_of(file) == expected);
  CHECK(folder.files() == 1);
  CHECK(app.status().stage == rosia::application_stage::over);
  CHECK_THROWS_AS(app.run(), std::logic_error);
}

TEST_CASE("a diagram that cannot be written is an error of run()",
          "[diagram]") {
  test_system sys;
  temporary_folder folder;
  rosia::application app{sys, drawing_into(folder.file("nowhere/x.mmd"))};
  app.create<busy>("x");
  CHECK_THROWS_AS(app.run(), std::system_error);
}

TEST_CASE("the name of a diagram must have a known extension", "[diagram]") {
  test_system sys;
  CHECK_THROWS_WITH(
    (rosia::application{sys, drawing_into("x.png")}),
    ContainsSubstring("rosia.diagram: \"x.png\" is not the name of a file that "
                      "ends with .svg, .dot, .gv, .mmd or .mermaid"));
}

// -- several processes --------------------------------------------------------

TEST_CASE("the diagram places nodes as the run would", "[diagram]") {
  test_system sys;
  auto opts = over_processes("left,right");
  opts.placement = "b=right";
  rosia::application app{sys, opts};
  auto a = app.create<pass_on>("a");
  auto b = app.create<pass_on>("b");
  auto c = app.create<busy>("c");
  app.create<pass_on>("d");
  app.connect(a, &pass_on::out, b, &pass_on::in, rosia::after(1ms));
  app.connect("a.out", "c.first");
  app.place(c, "coordinator");
  auto drawn = app.diagram();
  CHECK(processes_of(drawn) == names{"right", "right", "coordinator", "left"});
  REQUIRE(drawn.connections.size() == 2);
  CHECK(drawn.connections[0].distance == rosia::after(1ms));
  CHECK(drawn.connections[1].target == 2);
  CHECK(drawn.nodes[2].reactions.size() == 3);
  CHECK_THROWS_WITH(app.run(), ContainsSubstring("after diagram()"));
}

TEST_CASE("the option starts no other process", "[diagram]") {
  test_system sys;
  temporary_folder folder;
  auto opts = drawing_into(folder.file("x.mmd"));
  opts.processes = "2";
  rosia::application app{sys, opts};
  app.create<pass_on>("a");
  auto before = busy::runs.load();
  app.create<busy>("b");
  CHECK(app.run() == 0);
  CHECK(busy::runs == before);
  CHECK_THAT(
    content_of(folder.file("x.mmd")),
    ContainsSubstring("process p1") && ContainsSubstring("process p2"));
}

TEST_CASE("a coordinator of several hosts draws without them", "[diagram]") {
  test_system sys;
  temporary_folder folder;
  auto opts = drawing_into(folder.file("x.dot"));
  opts.network.listen = "127.0.0.1:1";
  opts.network.expect = "left";
  opts.network.process = "hub";
  rosia::application app{sys, opts};
  app.place(app.create<pass_on>("a"), "hub");
  app.create<pass_on>("b");
  CHECK(processes_of(app.diagram()) == names{"hub", "left"});
  CHECK(app.run() == 0);
}

TEST_CASE("a process that joins an application cannot draw", "[diagram]") {
  test_system sys;
  auto opts = drawing_into("x.dot");
  opts.network.join = "127.0.0.1:1";
  opts.network.process = "left";
  CHECK_THROWS_WITH((rosia::application{sys, opts}),
                    ContainsSubstring("rosia.diagram: a process that joins"));
  opts.diagram.clear();
  rosia::application app{sys, opts};
  CHECK_THROWS_WITH(app.diagram(), ContainsSubstring("joins a coordinator"));
}

} // namespace diagram_test
