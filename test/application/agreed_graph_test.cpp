// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/agreed_graph.hpp"

#include "declared_graph.hpp"
#include "distributed/joining.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

namespace agreed_graph_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

using homes = std::vector<engine::process_id>;
using lines = std::vector<std::string>;

const lines processes{"coordinator", "left", "right"};

/// A source and a connected sink.
struct pair_of_nodes : ::test::declared_graph {
  pair_of_nodes() : declared_graph(true) {
    create<::test::source>("source");
    create<::test::sink>("sink");
    connect_names("source.out", "sink.in");
  }
};

/// A plant and a controller, in a loop without delay.
struct plant : node {
  input_port<int> force{this, "force"};
  output_port<int> speed{this, "speed"};
  startup begin{this, "begin", [this] { speed(1); }};
  reaction on_force{this, "on_force", {force}, writes(), [] {}};
};

struct controller : node {
  input_port<int> speed{this, "speed"};
  output_port<int> force{this, "force"};
  reaction on_speed{this, "on_speed", {speed}, [this] { force(*speed); }};
};

/// Returns the agreement of processes with equal declarations.
join_reply agreement_of(const std::string& placement) {
  joining all{processes};
  for (engine::process_id i = 0; i < processes.size(); ++i) {
    pair_of_nodes declared;
    auto request = agreed_graph{declared, processes, i, placement}.request();
    request.process = i;
    all.accept(std::move(request));
  }
  return all.agree();
}

} // namespace

TEST_CASE("the option places nodes, and connected nodes follow",
          "[agreed_graph]") {
  pair_of_nodes declared;
  agreed_graph graph{declared, processes, 0, "source=right"};
  CHECK(graph.homes() == homes{2, 2});
}

TEST_CASE("a companion is in the process of its node", "[agreed_graph]") {
  pair_of_nodes declared;
  auto third = declared.create<::test::sink>("third");
  declared.place_with(third, 0);
  agreed_graph graph{declared, processes, 0, "source=right,third=left"};
  CHECK(graph.homes() == homes{2, 2, 2});
}

TEST_CASE("a node cannot be in a process that does not exist",
          "[agreed_graph]") {
  pair_of_nodes declared;
  declared.place(0, "up");
  auto make = [&] { agreed_graph{declared, processes, 0, ""}; };
  CHECK_THROWS_WITH(
    make(), "node 'source' is placed in process 'up', which does not exist; "
            "there is 'coordinator', 'left' and 'right'");
}

TEST_CASE("a rule cannot name a process that does not exist, even if the "
          "program placed the node",
          "[agreed_graph]") {
  pair_of_nodes declared;
  declared.place(0, "left");
  auto make = [&] { agreed_graph{declared, processes, 0, "source=up"}; };
  CHECK_THROWS_WITH(
    make(),
    "rosia.placement: 'source' is placed in process 'up', which does not "
    "exist; there is 'coordinator', 'left' and 'right'");
}

TEST_CASE("only the process that runs a node creates it", "[agreed_graph]") {
  pair_of_nodes declared;
  agreed_graph graph{declared, processes, 1, "source=left,sink=right"};
  auto request = graph.request();
  CHECK(declared.find(0) != nullptr);
  CHECK(declared.find(1) == nullptr);
  REQUIRE(request.nodes.size() == 1);
  CHECK(request.nodes[0].second.name == "source");
  CHECK(request.ports == std::vector<end_port>{{0, 0}});
}

TEST_CASE("processes compare their graphs line by line", "[agreed_graph]") {
  pair_of_nodes declared;
  engine::connection_spec stamped;
  stamped.physical = true;
  declared.connect_names("source.out", "sink.in", stamped);
  engine::connection_spec later;
  later.distance = delay{std::chrono::milliseconds{3}};
  declared.connect_names("source.out", "sink.in", later);
  agreed_graph graph{declared, processes, 0, "source=left,sink=right"};
  CHECK(
    graph.request().graph
    == lines{
      "node 'source' (test::source) in process 'left'",
      "node 'sink' (test::sink) in process 'right'",
      "connection 'source.out' to 'sink.in'",
      "connection 'source.out' to 'sink.in', physical",
      "connection 'source.out' to 'sink.in', delay "
        + to_string(later.distance)});
}

TEST_CASE("a process meets the processes with which it has connections",
          "[agreed_graph]") {
  using ids = std::vector<engine::process_id>;
  pair_of_nodes declared;
  engine::connection_spec connection;
  connection.target = 1;
  auto neighbours_of = [&](engine::process_id self, std::string placement) {
    return agreed_graph{declared, processes, self, std::move(placement)}
      .neighbours({connection});
  };
  CHECK(neighbours_of(0, "source=left,sink=right").empty());
  CHECK(neighbours_of(1, "source=left,sink=right") == ids{2});
  CHECK(neighbours_of(2, "source=left,sink=right") == ids{1});
  CHECK(neighbours_of(1, "*=left").empty());
}

TEST_CASE("all processes compute the same graph", "[agreed_graph]") {
  std::string placement = "source=left,sink=right";
  auto agreed = agreement_of(placement);
  REQUIRE(agreed.problem == "");
  for (engine::process_id i = 0; i < processes.size(); ++i) {
    pair_of_nodes declared;
    agreed_graph graph{declared, processes, i, placement};
    graph.request();
    auto nodes = graph.make_directory(agreed);
    CHECK(nodes.self() == i);
    CHECK(nodes.path(0, true, 0) == "source.out");
    auto topology = graph.make_graph(nodes, agreed);
    REQUIRE(topology.connections().size() == 1);
    CHECK(topology.connections().front().triggers);
  }
}

TEST_CASE("10.1.9 a loop of nodes without delay is refused over several "
          "processes",
          "[agreed_graph]") {
  auto make = [](const std::string& placement) {
    ::test::declared_graph declared{true};
    declared.create<plant>("plant");
    declared.create<controller>("control");
    declared.connect_names("plant.speed", "control.speed");
    declared.connect_names("control.force", "plant.force");
    agreed_graph graph{declared, processes, 0, placement};
    auto agreed = graph.agree_alone();
    graph.make_graph(graph.make_directory(agreed), agreed);
  };
  CHECK_NOTHROW(make("*=left"));
  CHECK_THROWS_WITH(
    make("plant=left,control=right"),
    "connections lead to other processes, but are part of a loop that contains "
    "the loop of nodes without delay 'plant', 'control': 'plant.speed' to "
    "'control.speed', 'control.force' to 'plant.force'; run all nodes of the "
    "loop in one process, or give one of the connections without delay a delay "
    "(rosia::after(...))");
}

TEST_CASE("ports that other processes lack are refused", "[agreed_graph]") {
  std::string placement = "source=left,sink=right";
  auto agreed = agreement_of(placement);
  agreed.ports = {{0, 7}, {1, 0}};
  pair_of_nodes declared;
  agreed_graph graph{declared, processes, 0, placement};
  auto nodes = graph.make_directory(agreed);
  CHECK_THROWS_WITH(graph.make_graph(nodes, agreed),
                    "a connection of node 'source' has an unknown port");
}

TEST_CASE("the option places only nodes that exist", "[agreed_graph]") {
  pair_of_nodes declared;
  CHECK(check_placement(declared, "source=left,s*=right").empty());
  CHECK(check_placement(declared, "x*=right").size() == 1);
  CHECK_THROWS_WITH(
    check_placement(declared, "sorce=left"),
    "rosia.placement: there is no node 'sorce', which is to run in process "
    "'left'; did you mean 'source'?");
}

} // namespace agreed_graph_test
