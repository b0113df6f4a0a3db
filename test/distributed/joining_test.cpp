// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/joining.hpp"

#include "catch.hpp"

#include <string>
#include <utility>
#include <vector>

namespace joining_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

using names = std::vector<std::string>;

/// Returns the request of a process that runs one node.
join_request request_of(std::uint32_t process) {
  join_request result;
  result.process = process;
  result.address.port = static_cast<std::uint16_t>(8000 + process);
  result.graph = {"node 'a' (A) in process 'coordinator'",
                  "node 'b' (B) in process 'left'", "connection 'a' to 'b'"};
  graph_description::node node;
  node.name = process == 0 ? "a" : "b";
  result.nodes.emplace_back(process, std::move(node));
  return result;
}

} // namespace

TEST_CASE("all processes must join before they agree", "[joining]") {
  joining x{{"coordinator", "left"}};
  CHECK_FALSE(x.complete());
  CHECK(x.accept(request_of(1)) == "");
  CHECK(x.missing() == names{"coordinator"});
  CHECK_FALSE(x.complete());
  CHECK(x.accept(request_of(0)) == "");
  CHECK(x.complete());
  CHECK(x.missing().empty());
}

TEST_CASE("a name joins once", "[joining]") {
  joining x{{"coordinator", "left"}};
  x.accept(request_of(1));
  CHECK(x.accept(request_of(1))
        == "another process 'left' joined already; each name may join once");
}

TEST_CASE("the descriptions of all processes' nodes are merged", "[joining]") {
  joining x{{"coordinator", "left"}};
  auto first = request_of(0);
  first.ports = {{0, 3}, {3, 7}, {3, 6}};
  auto second = request_of(1);
  second.ports = {{1, 2}};
  x.accept(second);
  x.accept(first);
  auto reply = x.agree();
  CHECK(reply.problem == "");
  REQUIRE(reply.nodes.size() == 2);
  CHECK(reply.nodes[0].name == "a");
  CHECK(reply.nodes[1].name == "b");
  CHECK(reply.ports == std::vector<end_port>{{0, 3}, {1, 2}, {3, 7}, {3, 6}});
  REQUIRE(reply.addresses.size() == 2);
  CHECK(reply.addresses[1].port == 8001);
}

TEST_CASE("processes with different graphs do not agree", "[joining]") {
  joining x{{"coordinator", "left"}};
  x.accept(request_of(0));
  auto other = request_of(1);
  other.graph.pop_back();
  x.accept(other);
  CHECK(x.agree().problem
        == "the processes do not declare the same graph: process 'left' has "
           "nothing where process 'coordinator' has connection 'a' to 'b'; all "
           "must run the same program with the same options");
}

TEST_CASE("processes with a different placement receive the option",
          "[joining]") {
  joining x{{"coordinator", "left"}};
  x.accept(request_of(0));
  auto other = request_of(1);
  other.placement = "b=coordinator";
  other.graph[1] = "node 'b' (B) in process 'coordinator'";
  x.accept(other);
  auto problem = x.agree().problem;
  CHECK(problem.starts_with("the processes place the nodes differently: "));
  CHECK(problem.find("rosia.placement is 'b=coordinator' in process 'left'")
        != std::string::npos);
}

TEST_CASE("no process describes a node of another process", "[joining]") {
  joining x{{"coordinator", "left"}};
  x.accept(request_of(0));
  auto other = request_of(1);
  other.nodes.front().first = 0;
  x.accept(other);
  CHECK(x.agree().problem.starts_with("process 'left' claims node 0"));
}

} // namespace joining_test
