// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Messages of other processes with changed bytes. They can be read or not, and
// readable ones can be validated. ROSIA_FUZZ_VARIANTS is the number of variants
// of each message, ROSIA_FUZZ_SEED the seed.

#include "distributed/validation.hpp"

#include "caf/rosia/detail/compat.hpp"
#include "compat/io/loop_buffer.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "forger.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>
#include <caf/message.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace forged_messages_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

struct protocol_config : caf::actor_system_config {
  protocol_config() {
    ::test::set_caf_option(*this, "scheduler.max-threads", 1);
    add_process_messages(*this);
  }
};

/// Returns the serialised form of a message.
std::vector<char> to_wire(caf::actor_system& system, const caf::message& x) {
  loop_buffer bytes;
  caf::binary_serializer sink{system, bytes};
  REQUIRE_FALSE(save_content(sink, x));
  auto text = text_of(bytes);
  return {text.begin(), text.end()};
}

/// Reads a message. @returns whether the bytes are valid.
bool from_wire(caf::actor_system& system, const std::vector<char>& bytes,
               caf::message& to) {
  caf::binary_deserializer source{system, bytes};
  return !load_content(source, to);
}

/// @param judge called with readable messages.
template <class T, class Fun>
void check(const T& sample, Fun&& judge) {
  protocol_config config;
  caf::actor_system system{config};
  auto seed = ::test::fuzz_variable("ROSIA_FUZZ_SEED", 1);
  auto variants = ::test::fuzz_variable("ROSIA_FUZZ_VARIANTS", 300);
  INFO("ROSIA_FUZZ_SEED=" << seed);
  auto bytes = to_wire(system, caf::make_message(sample));
  ::test::forger random{seed};
  std::size_t read = 0;
  for (std::uint64_t i = 0; i < variants; ++i) {
    auto forged = i == 0 ? bytes : random.forge(bytes);
    caf::message x;
    if (!from_wire(system, forged, x) || !x.template match_elements<T>())
      continue;
    ++read;
    auto problem = judge(x.template get_as<T>(0));
    if (i == 0)
      CHECK(problem == "");
  }
  CHECK(read > 0);
}

struct group {
  node_directory nodes{
    {nullptr, nullptr},
    std::vector<graph_description::node>(2),
    {0, 1},
    {"coordinator", "left"},
    0};
  correspondence up{1, 0, 2, &nodes};
  correspondence down{0, 1, 2, &nodes};
};

template <class T>
void check_on(const T& sample, bool to_coordinator) {
  group g;
  check(sample, [&](const T& x) {
    return problem_of(x, to_coordinator ? g.up : g.down);
  });
}

graph_description::node some_node() {
  using enum graph_description::trigger_kind;
  return {
    .name = "node",
    .inputs = std::vector<graph_description::port>(2),
    .outputs = std::vector<graph_description::port>(1),
    .reactions = {{"on_in", {{input, 0}, {action, 0}}}},
    .actions = {{"again"}}};
}

application_report some_report() {
  application_report result;
  result.nodes.resize(2);
  result.nodes[0].name = "node";
  result.nodes[0].queues = {{"in", 7}};
  result.processes = {{"coordinator"}, {"left"}};
  return result;
}

} // namespace

TEST_CASE("forged messages of joining processes are validated",
          "[validation]") {
  join_request request;
  request.process = 1;
  request.graph = {"a", "b", "c"};
  request.nodes = {{1, some_node()}};
  request.ports = {{2, 0}, {3, 0}};
  check(request, [](auto& x) { return problem_of(x, 2); });
  check(greeting_reply{"", {"coordinator", "left"}, "a=left", 1, 2},
        [](auto& x) { return problem_of(x); });
  join_reply reply;
  reply.addresses = {{"a", 1}, {"b", 2}};
  reply.nodes = {some_node()};
  reply.ports = {{0, 0}};
  reply.max_in_flight = 7;
  check_on(reply, false);
  check_on(ready_request{1}, true);
  check(start_reply{"", false, 5}, [](auto& x) { return problem_of(x, 5); });
  check_on(hello{7, 0, "token"}, false);
}

TEST_CASE("forged messages of joined processes are validated", "[validation]") {
  logical_time tag{1'000, 2};
  check_on(end_request{1, tag, 0}, true);
  check_on(end_answer{1, tag}, true);
  check_on(done_message{1, tag}, true);
  check_on(exit_message{1, engine::ending::done, tag}, true);
  check_on(node_abort_request{1, 1, "why"}, true);
  check_on(request_from_outside{never, 15, 1}, true);
  check_on(abort_application{128, "reason", "text"}, true);
  check_on(connection_lost{1, 0}, true);
  check_on(transport_error{1, 0, "what"}, true);
  check_on(progress_reply{1, 8}, true);
  check_on(over_message{0}, false);
  group g;
  check(end_proposal{tag}, [&](const end_proposal& x) {
    return problem_of(1, x, g.down);
  });
  check(final_tag_message{tag, tag}, [&](const final_tag_message& x) {
    return problem_of(1, x, g.down);
  });
}

TEST_CASE("forged reports are validated, and can be shown if valid",
          "[validation]") {
  group g;
  check(some_report(), [&](const application_report& x) {
    auto problem = problem_of(x, g.down);
    if (problem.empty())
      CHECK_FALSE((to_string(x) + to_json(x)).empty());
    return problem;
  });
  check(process_report_reply{{"left"}, {{1, some_report().nodes[0]}}},
        [&](const process_report_reply& x) {
          auto problem = problem_of(x, g.up);
          if (problem.empty())
            for (auto& [id, node] : x.nodes)
              CHECK_FALSE(to_string(node).empty());
          return problem;
        });
}

} // namespace forged_messages_test
