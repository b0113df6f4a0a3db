// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/graph_error.hpp"
#include "engine/topology.hpp"

#include "plan.hpp"

#include "catch.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace topology_test {

using namespace caf::rosia;
using namespace caf::rosia::engine;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

namespace {

using specs = std::vector<connection_spec>;

/// Returns a port's name. Nodes are called a, b, c...; their ports in0, in1,
/// ... and out0, out1, ...
std::string name_port(node_id node, bool output, std::uint32_t index) {
  return std::string(1, static_cast<char>('a' + node))
         + (output ? ".out" : ".in") + std::to_string(index);
}

connection_spec plain(node_id from, node_id to, const delay& d = {}) {
  return {from, 0, to, 0, d, false, false};
}

connection_spec eager(node_id from, node_id to, const delay& d = {}) {
  return {from, 0, to, 0, d, false, true};
}

connection_spec physical(node_id from, node_id to) {
  return {from, 0, to, 0, {}, true, false};
}

topology make(std::size_t nodes, specs xs) {
  return {std::vector<bool>(nodes), std::move(xs), name_port};
}

/// Returns the message with which a graph is refused.
std::string refusal(std::size_t nodes, specs xs) {
  try {
    make(nodes, std::move(xs));
  } catch (const graph_error& e) {
    return e.what();
  }
  return "";
}

std::vector<delay> delays(const topology& x) {
  std::vector<delay> result;
  for (auto& c : x.connections())
    result.push_back(c.distance);
  return result;
}

initial_config wired(const topology::wiring& x, node_id node,
                     std::vector<output>& outputs) {
  std::vector<output*> ports;
  for (auto& port : outputs)
    ports.push_back(&port);
  initial_config result;
  result.outputs = ports;
  x.wire(node, result);
  result.outputs = {};
  return result;
}

constexpr delay step{microsteps(1)};

} // namespace

// -- mistakes -----------------------------------------------------------------

TEST_CASE(
  "2.4 the same two ports connected twice are refused, with their names") {
  auto message
    = refusal(3, {plain(0, 1), plain(1, 2), plain(0, 1, delay{1ms})});
  CHECK(message
        == "'a.out0' and 'b.in0' are connected twice; remove one of the "
           "connections");
  // Even if one of the two is physical.
  CHECK_FALSE(refusal(2, {plain(0, 1), physical(0, 1)}).empty());
}

TEST_CASE("other ports of the same nodes may be connected as well") {
  specs xs{{0, 0, 1, 0, {}, false, false},
           {0, 0, 1, 1, {}, false, false},
           {0, 1, 1, 0, {}, false, false}};
  CHECK(refusal(2, xs).empty());
}

TEST_CASE("2.4 a negative delay is refused, with the ports' names") {
  auto message = refusal(2, {plain(0, 1, delay{-5ms})});
  CHECK_THAT(message, ContainsSubstring("'a.out0'"));
  CHECK_THAT(message, ContainsSubstring("'b.in0'"));
  CHECK_THAT(message, ContainsSubstring("negative delay, -5ms"));
}

TEST_CASE("2.4 a loop of zero delay is refused, with the names on the loop") {
  SECTION("of several nodes") {
    auto message = refusal(
      5, {plain(0, 1), plain(1, 2), plain(2, 3), plain(3, 1), plain(3, 4)});
    CHECK_THAT(message, ContainsSubstring("a loop of zero delay"));
    CHECK_THAT(message, ContainsSubstring("'b.out0' to 'c.in0'"));
    CHECK_THAT(message, ContainsSubstring("'c.out0' to 'd.in0'"));
    CHECK_THAT(message, ContainsSubstring("'d.out0' to 'b.in0'"));
    CHECK_THAT(message, !ContainsSubstring("a.out0"));
    CHECK_THAT(message, !ContainsSubstring("e.in0"));
    CHECK_THAT(message, ContainsSubstring("rosia::eager"));
    CHECK_THAT(message, ContainsSubstring("rosia::after"));
  }
  SECTION("of one node") {
    CHECK_THAT(refusal(2, {plain(0, 1), plain(1, 1)}),
               ContainsSubstring("'b.out0' to 'b.in0'"));
  }
  SECTION("with delays elsewhere") {
    CHECK_FALSE(
      refusal(
        3, {plain(0, 1), plain(1, 0), plain(1, 2, step), plain(2, 0, step)})
        .empty());
  }
}

TEST_CASE("a delay or a physical connection anywhere opens a loop") {
  CHECK(refusal(2, {plain(0, 1), plain(1, 0, step)}).empty());
  CHECK(refusal(2, {plain(0, 1), plain(1, 0, delay{1ns})}).empty());
  CHECK(refusal(2, {plain(0, 1), physical(1, 0)}).empty());
  CHECK(refusal(1, {physical(0, 0)}).empty());
}

// -- eager --------------------------------------------------------------------

TEST_CASE(
  "2.5 eager adds a microstep to what closes a zero loop, all at once") {
  SECTION("to the connection that triggers it, not to the rest") {
    auto x = make(3, {plain(0, 1), eager(1, 2), plain(2, 0)});
    CHECK(delays(x) == std::vector<delay>{{}, step, {}});
  }
  SECTION("to each of several, although one would do") {
    auto x = make(2, {eager(0, 1), eager(1, 0)});
    CHECK(delays(x) == std::vector<delay>{step, step});
  }
  SECTION("to each that triggers it on the loop") {
    specs xs{plain(0, 1),
             {1, 0, 0, 0, {}, false, true},
             {1, 1, 0, 1, {}, false, true}};
    CHECK(delays(make(2, xs)) == std::vector<delay>{{}, step, step});
  }
}

TEST_CASE("eager adds nothing where there is no loop of zero delay") {
  SECTION("outside of a loop") {
    auto x = make(4, {eager(3, 1), plain(0, 1), eager(1, 0), eager(1, 2)});
    CHECK(delays(x) == std::vector<delay>{{}, {}, step, {}});
  }
  SECTION("in a loop with a delay") {
    auto x = make(2, {eager(0, 1), plain(1, 0, delay{1ns})});
    CHECK(delays(x) == std::vector<delay>{{}, delay{1ns}});
  }
  SECTION("to a connection that has a delay") {
    auto x = make(2, {plain(0, 1), eager(1, 0, delay{1ns})});
    CHECK(delays(x) == std::vector<delay>{{}, delay{1ns}});
  }
  SECTION("to a physical connection") {
    connection_spec back{1, 0, 0, 0, {}, true, true};
    CHECK(delays(make(2, {plain(0, 1), back})) == std::vector<delay>{{}, {}});
  }
}

TEST_CASE("eager helps only the loops that it is on") {
  CHECK_FALSE(
    refusal(4, {plain(0, 1), eager(1, 0), plain(2, 3), plain(3, 2)}).empty());
}

// -- inputs that trigger nothing ----------------------------------------------

TEST_CASE(
  "2.6 a connection to an input that no reaction reads closes no loop of zero "
  "delay: it takes a microstep there") {
  auto unread = [](node_id from, node_id to) {
    auto result = plain(from, to);
    result.triggers = result.is_read = false;
    return result;
  };
  SECTION("alone") {
    auto x = make(2, {unread(0, 1), unread(1, 0)});
    CHECK(delays(x) == std::vector<delay>{step, step});
  }
  SECTION("among other connections") {
    auto x = make(3, {plain(0, 1), unread(1, 2), plain(2, 0)});
    CHECK(delays(x) == std::vector<delay>{{}, step, {}});
  }
  SECTION("and none outside of such a loop") {
    auto x = make(3, {unread(0, 1), unread(0, 2), unread(1, 2)});
    CHECK(delays(x) == std::vector<delay>{{}, {}, {}});
  }
}

TEST_CASE("if no input on a loop of zero delay triggers a reaction, the "
          "message does not suggest eager") {
  auto read = plain(1, 0);
  read.triggers = false;
  auto message = refusal(
    3,
    {plain(2, 0),
     read,
     {0,
      0,
      1,
      0,
      {},
      false,
      false,
      /*triggers=*/false}});
  CHECK_THAT(message, ContainsSubstring("a loop of zero delay: "));
  CHECK_THAT(message, ContainsSubstring("'a.out0' to 'b.in0'"));
  CHECK_THAT(message, ContainsSubstring("rosia::after"));
  CHECK_THAT(message, !ContainsSubstring("eager"));
}

// -- loops --------------------------------------------------------------------

TEST_CASE("a loop is what logical connections connect in both directions") {
  auto x = make(
    7, {plain(0, 1), plain(1, 2, step), plain(2, 0), // a loop
        plain(2, 3),                                 // leads out of it
        plain(3, 4), physical(4, 3),                 // not a loop
        plain(5, 5, step)});                         // a loop of one node
  CHECK(x.in_same_loop(0, 1));
  CHECK(x.in_same_loop(0, 2));
  CHECK_FALSE(x.in_same_loop(2, 3));
  CHECK_FALSE(x.in_same_loop(3, 4));
  CHECK_FALSE(x.in_same_loop(3, 3));
  CHECK(x.in_same_loop(5, 5));
  CHECK_FALSE(x.in_same_loop(6, 6));
  CHECK_FALSE(x.in_same_loop(0, 5));
}

TEST_CASE("loops of random graphs are their strongly connected components") {
  engine_test::random_source rng{3};
  for (auto round = 0; round < 300; ++round) {
    auto size = 1 + rng.below(12);
    specs xs;
    std::vector<std::pair<node_id, node_id>> edges;
    for (node_id i = 0; i < size; ++i)
      for (node_id j = 0; j < size; ++j)
        if (rng.chance(12)) {
          auto is_physical = rng.chance(20);
          xs.push_back(is_physical ? physical(i, j) : plain(i, j, step));
          if (!is_physical)
            edges.emplace_back(i, j);
        }
    auto x = make(size, xs);
    auto reach = engine_test::reachability(size, edges);
    for (node_id i = 0; i < size; ++i)
      for (node_id j = 0; j < size; ++j)
        REQUIRE(x.in_same_loop(i, j) == (reach[i][j] && reach[j][i]));
  }
}

// -- wiring -------------------------------------------------------------------

TEST_CASE("a node's inputs are in the order of declaration") {
  auto graph = make(
    3, {{2, 0, 1, 1, {}, false, false},
        plain(0, 1),
        {0, 0, 1, 2, {}, false, false}});
  auto wiring = graph.make_wiring();
  std::vector<output> none;
  auto config = wired(wiring, 1, none);
  REQUIRE(config.in.size() == 3);
  CHECK(config.in[0].number == 0);
  CHECK(config.in[0].input == 1);
  CHECK(config.in[0].source == 2);
  CHECK(config.in[1].number == 1);
  CHECK(config.in[1].input == 0);
  CHECK(config.in[2].number == 2);
  CHECK(config.in[2].source == 0);
}

TEST_CASE("at one tag, nodes are in the order of their declaration, as far as "
          "connections permit") {
  auto x = make(5, {plain(4, 1), plain(4, 2), plain(4, 3), plain(1, 0),
                    plain(2, 0), plain(3, 0)});
  std::vector<node_id> order(5);
  for (node_id i = 0; i < order.size(); ++i)
    order[x.rank(i)] = i;
  CHECK(order == std::vector<node_id>{4, 1, 2, 3, 0});
}

TEST_CASE(
  "an output's connections are contiguous, and refer to their other ends") {
  auto graph = make(
    4, {{0, 1, 1, 0, {}, false, false},
        {0, 0, 2, 3, delay{2ns}, false, false},
        {0, 1, 2, 0, {}, false, false},
        {0, 0, 1, 1, {}, true, false}});
  auto wiring = graph.make_wiring();
  std::vector<output> outputs(3);
  auto config = wired(wiring, 0, outputs);
  CHECK(outputs[0].first == 0);
  CHECK(outputs[0].last == 2);
  CHECK(outputs[1].first == 2);
  CHECK(outputs[1].last == 4);
  CHECK(outputs[2].first == outputs[2].last);
  REQUIRE(config.out.size() == 4);
  CHECK(config.out[0].number == 1);
  CHECK(config.out[0].distance == delay{2ns});
  CHECK(config.out[0].target_index == 0);
  CHECK(config.out[0].target_input == 3);
  CHECK(config.out[1].number == 3);
  CHECK(config.out[1].physical);
  CHECK(config.out[1].target_index == 1);
  CHECK(config.out[1].target_input == 1);
  CHECK(config.peers == std::vector<node_id>{1, 2});
  for (auto& x : config.out)
    CHECK(config.peers[x.peer] == graph.connections()[x.number].target);
  // Both ends have the same data.
  std::vector<output> none;
  auto target = wired(wiring, 2, none);
  CHECK(target.in[config.out[0].target_index].shared == config.out[0].shared);
  CHECK(target.in[0].source_index == 0);
}

TEST_CASE("only connections between two members of a loop are inside") {
  auto graph = make(
    3, {plain(0, 1),
        plain(1, 0, step),
        {1, 0, 0, 1, {}, true, false},
        plain(1, 2)});
  auto wiring = graph.make_wiring();
  std::vector<output> first(1), second(1), third(1);
  auto a = wired(wiring, 0, first);
  auto b = wired(wiring, 1, second);
  auto c = wired(wiring, 2, third);
  CHECK(a.loop_time_table != nullptr);
  CHECK(a.loop_time_table == b.loop_time_table);
  CHECK(a.member != b.member);
  CHECK(c.loop_time_table == nullptr);
  CHECK(a.out[0].intra_loop);
  CHECK(a.out[0].target_member == b.member);
  CHECK(b.out[0].intra_loop);
  CHECK_FALSE(b.out[1].intra_loop); // physical
  CHECK_FALSE(b.out[2].intra_loop); // leads out of the loop
  CHECK(a.in[0].intra_loop);
  CHECK_FALSE(a.in[1].intra_loop);
}

TEST_CASE(
  "bounds are requested only from nodes whose promises are not sent unasked") {
  // a: physical actions, b downstream of it. c and d a loop, e downstream of
  // it. f, g plain. h behind a physical connection.
  std::vector<bool> external(8);
  external[0] = true;
  topology graph{
    external,
    {plain(0, 1), plain(2, 3), plain(3, 2, step), plain(3, 4), plain(5, 6),
     physical(6, 7), plain(1, 6), plain(7, 4)},
    name_port};
  auto wiring = graph.make_wiring();
  std::vector<output> outputs(1);
  auto asks = [&](node_id node, std::size_t index) {
    return wired(wiring, node, outputs).in[index].needs_requests;
  };
  CHECK(asks(1, 0));       // a is bounded by elapsed time
  CHECK(asks(4, 0));       // d may move on while it is idle
  CHECK_FALSE(asks(6, 0)); // f is plain
  CHECK(asks(6, 1));       // b has to request from a
  CHECK(asks(4, 1));       // h receives values of a physical connection
}

} // namespace topology_test
