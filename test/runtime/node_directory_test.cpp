// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_directory.hpp"

#include "caf/rosia/physical_action.hpp"
#include "caf/rosia/port.hpp"
#include "caf/rosia/reaction.hpp"
#include "nodes/node_access.hpp"

#include "catch.hpp"

#include <string>
#include <vector>

namespace node_directory_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

using ids = std::vector<engine::node_id>;

struct filter : node {
  filter() {
    node_access::name(*this, "filter");
  }

  input_port<int> in{this, "in"};
  physical_action<int> outside{this, "outside"};
  output_port<std::string> out{this, "out"};
  reaction on_in{this, "on_in", {in}, [] {}};
};

/// Returns the description of a node in another process.
graph_description::node remote_sink() {
  using enum graph_description::trigger_kind;
  using enum graph_description::reaction_kind;
  return {.name = "sink",
          .inputs = {{"in", "text", false, true}},
          .reactions = {{"on_in", {{input, 0}}, eager}}};
}

/// This process is "left", and runs nodes 0 and 2.
struct two_processes {
  filter first;
  filter second;
  node_directory nodes{
    {&first, nullptr, &second},
    {{}, remote_sink(), {}},
    {1, 0, 1},
    {"coordinator", "left"},
    1};
};

} // namespace

TEST_CASE("in one process all nodes are here", "[node_directory]") {
  filter first;
  filter second;
  node_directory nodes{{&first, &second}};
  CHECK_FALSE(nodes.distributed());
  CHECK(nodes.local() == ids{0, 1});
  CHECK(nodes.nodes_of(nodes.self()) == ids{0, 1});
  CHECK(nodes.home(1) == nodes.self());
  CHECK(nodes.place_of(1) == "");
}

TEST_CASE("each process knows its own nodes and those of other processes",
          "[node_directory]") {
  two_processes x;
  CHECK(x.nodes.distributed());
  CHECK(x.nodes.local() == ids{0, 2});
  CHECK(x.nodes.nodes_of(0) == ids{1});
  CHECK(x.nodes.nodes_of(1) == ids{0, 2});
  CHECK(x.nodes.find(1) == nullptr);
  CHECK(x.nodes.find(2) == &x.second);
}

TEST_CASE("a remote node is named with its process", "[node_directory]") {
  two_processes x;
  CHECK(x.nodes.place_of(0) == "");
  CHECK(x.nodes.place_of(1) == " (in process 'coordinator')");
  // A message from another process may contain such a number.
  CHECK(x.nodes.place_of(3) == "");
}

TEST_CASE("ports are known by name and type, in any process",
          "[node_directory]") {
  two_processes x;
  CHECK(x.nodes.path(0, true, 0) == "filter.out");
  CHECK(x.nodes.path(0, false, 1) == "filter.outside");
  CHECK(x.nodes.path(1, false, 0) == "sink.in");
  CHECK(x.nodes.type_of(1, false, 0) == "text");
  CHECK(x.nodes.type_of(0, false, 0) == "int");
}

TEST_CASE("a description has the data of a node that other processes need",
          "[node_directory]") {
  two_processes x;
  auto here = x.nodes.describe(0);
  CHECK(here.inputs.size() == 2);
  CHECK_FALSE(here.inputs[0].physical);
  CHECK(here.inputs[1].physical);
  CHECK(here.process == "left");
  CHECK(x.nodes.describe(1).process == "coordinator");
  CHECK(is_external(here));
  CHECK_FALSE(is_external(x.nodes.describe(1)));
}

TEST_CASE("a connection is completed by the properties of its target",
          "[node_directory]") {
  two_processes x;
  engine::connection_spec spec;
  describe_target(x.nodes.describe(0), spec);
  CHECK(spec.triggers);
  CHECK(spec.is_read);
  CHECK_FALSE(spec.eager);
  spec.input = 1; // triggers nothing
  describe_target(x.nodes.describe(0), spec);
  CHECK_FALSE(spec.triggers);
  CHECK(spec.is_read);
  spec.input = 0;
  describe_target(x.nodes.describe(1), spec);
  CHECK(spec.eager);
}

} // namespace node_directory_test
