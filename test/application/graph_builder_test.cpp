// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/graph_builder.hpp"

#include "declared_graph.hpp"

#include "catch.hpp"

#include <string>

namespace graph_builder_test {

using namespace caf::rosia;
using ::test::declared_graph;

namespace {

/// Returns the error of a graph.
std::string problem_of(const declared_graph& x) {
  try {
    x.make_graph();
  } catch (const graph_error& e) {
    return e.what();
  }
  return {};
}

} // namespace

TEST_CASE("nodes have numbers in the order of declaration", "[graph_builder]") {
  declared_graph x{false};
  CHECK(x.create<::test::source>("first") == 0);
  CHECK(x.create<::test::sink>("second") == 1);
  CHECK(x.size() == 2);
  CHECK(x.name_of(1) == "second");
  CHECK(x.has_name("first"));
  CHECK_FALSE(x.has_name("third"));
  CHECK(x.instances().size() == 2);
  CHECK(x.find(0)->name() == "first");
}

TEST_CASE("a connection by names becomes a connection of ports",
          "[graph_builder]") {
  declared_graph x{false};
  x.create<::test::sink>("sink");
  x.create<::test::source>("source");
  engine::connection_spec spec;
  spec.distance = delay{std::chrono::nanoseconds{7}};
  x.connect_names("source.out", "sink.in", spec);
  auto graph = x.make_graph();
  REQUIRE(graph.connections().size() == 1);
  auto& connection = graph.connections().front();
  CHECK(connection.source == 1);
  CHECK(connection.target == 0);
  CHECK(connection.input == 0);
  CHECK(connection.distance == spec.distance);
  CHECK(connection.triggers);
  CHECK(connection.is_read);
  CHECK_FALSE(connection.eager);
}

TEST_CASE("names that do not exist are refused, with the existing ones",
          "[graph_builder]") {
  declared_graph x{false};
  x.create<::test::source>("source");
  x.create<::test::sink>("sink");
  SECTION("a node") {
    x.connect_names("source.out", "skin.in");
    CHECK(problem_of(x)
          == "there is no node 'skin' for the port 'skin.in'; did you mean "
             "'sink'?");
  }
  SECTION("a port") {
    x.connect_names("source.oot", "sink.in");
    CHECK(problem_of(x)
          == "there is no output 'source.oot'; did you mean 'out'? "
             "(connections lead from an output to an input)");
  }
  SECTION("no port") {
    x.connect_names("source", "sink.in");
    CHECK(problem_of(x) == "'source' is no port: write 'node.port'");
  }
  SECTION("reversed") {
    x.connect_names("sink.in", "source.out");
    CHECK(problem_of(x)
          == "'sink.in' is an input, not an output; application::connect takes "
             "an output first, then an input");
  }
  SECTION("a different type") {
    x.connect_names("source.out", "sink.text");
    CHECK(problem_of(x).starts_with(
      "output 'source.out' of type int is connected to input 'sink.text'"));
  }
}

TEST_CASE("over several processes a node is created when it is used",
          "[graph_builder]") {
  declared_graph x{true};
  auto id = x.create<::test::source>("source");
  CHECK(x.find(id) == nullptr);
  auto& instance = x.instance(id);
  CHECK(x.find(id) == &instance);
  CHECK(&x.instance(id) == &instance);
  CHECK(instance.name() == "source");
}

TEST_CASE("a node is placed by the program, by its companion, or by the option",
          "[graph_builder]") {
  declared_graph x{true};
  auto first = x.create<::test::source>("first");
  auto second = x.create<::test::source>("second");
  auto sink = x.create<::test::sink>("sink");
  CHECK(x.process_of(first, "") == "");
  CHECK(x.process_of(first, "fi*=left") == "left");
  x.place(first, "right");
  CHECK(x.process_of(first, "fi*=left") == "right");
  x.place_with(sink, second);
  CHECK(x.process_of(sink, "second=left,sink=right") == "left");
}

} // namespace graph_builder_test
