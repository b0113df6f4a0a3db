// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The validation of messages from another process, field by field.

#include "distributed/validation.hpp"

#include "catch.hpp"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace validation_test {

using namespace caf::rosia;
using namespace caf::rosia::detail;

namespace {

using enum graph_description::trigger_kind;

constexpr auto most = std::numeric_limits<std::uint32_t>::max();
constexpr auto latest = std::numeric_limits<std::int64_t>::max();
constexpr auto earliest = std::numeric_limits<std::int64_t>::min();
constexpr logical_time second{1'000'000'000, 0};

/// Three processes: node 0 is in process 0, nodes 1 and 3 in 1, and 2 in 2.
struct group {
  node_directory nodes{
    {nullptr, nullptr, nullptr, nullptr},
    std::vector<graph_description::node>(4),
    {0, 1, 2, 1},
    {"coordinator", "left", "right"},
    0};

  correspondence way(engine::process_id from, engine::process_id to) const {
    return {from, to, 3, &nodes};
  }

  correspondence up = way(1, 0);   // to the coordinator
  correspondence down = way(0, 1); // from the coordinator
  correspondence across = way(2, 1);
};

bool names(const std::string& problem, const std::string& field) {
  INFO(problem);
  CHECK(problem.starts_with(field));
  return problem.starts_with(field);
}

template <class T>
void check_only_to_coordinator(const T& x) {
  group g;
  CHECK(problem_of(x, g.up) == "");
  CHECK(problem_of(x, g.down) != "");
  CHECK(problem_of(x, g.across) != "");
}

template <class T>
void check_only_from_coordinator(const T& x) {
  group g;
  CHECK(problem_of(x, g.down) == "");
  CHECK(problem_of(x, g.up) != "");
  CHECK(problem_of(x, g.across) != "");
}

/// @param make returns a message about a node.
template <class Fun>
void check_node(const std::string& field, Fun&& make) {
  group g;
  for (std::uint32_t node : {1u, 3u})
    CHECK(problem_of(make(node), g.up) == "");
  for (std::uint32_t node : {0u, 2u, 4u, 1000u, 1u << 24, 1u << 31, most})
    CHECK(names(problem_of(make(node), g.up), field));
  auto early = g.up;
  early.nodes = nullptr;
  CHECK(names(problem_of(make(1u), early), field));
}

template <class Fun>
void check_status(const std::string& field, Fun&& make) {
  group g;
  for (auto status : {0, 1, 129, 255})
    CHECK(problem_of(make(status), g.up) == "");
  for (auto status : {-1, 256, std::numeric_limits<int>::max(),
                      std::numeric_limits<int>::min()})
    CHECK(names(problem_of(make(status), g.up), field));
}

/// @param check returns the problem of a message with a tag.
template <class Fun>
void check_tag(const std::string& field, Fun&& check) {
  for (auto tag : {never, logical_time{}, second, logical_time{0, most},
                   logical_time{latest - 1, 0}})
    CHECK(check(tag) == "");
  for (auto tag : {logical_time{-1, 0}, logical_time{earliest, 1},
                   logical_time{latest, 0}, logical_time{-5, most}})
    CHECK(names(check(tag), field));
}

graph_description::node node_with(
  std::vector<graph_description::trigger> triggers) {
  return {.name = "node",
          .inputs = std::vector<graph_description::port>(2),
          .reactions = {{"on_in", std::move(triggers)}},
          .actions = {{"again"}}};
}

join_request good_request() {
  join_request result;
  result.process = 1;
  result.address = {"10.0.0.7", 7000};
  result.graph = {"node 'a'", "node 'b'", "connection"};
  result.nodes = {{1, node_with({{input, 0}, {input, 1}, {action, 0}})}};
  result.ports = {{2, 0}, {3, 0}};
  return result;
}

join_reply good_reply() {
  join_reply result;
  result.addresses = {{"a", 1}, {"b", 2}, {"c", 3}};
  result.nodes = {node_with({{input, 0}})};
  result.ports = {{0, 0}};
  result.max_in_flight = 1;
  result.grace_period = 1;
  return result;
}

} // namespace

TEST_CASE("validation: a request to join", "[validation]") {
  CHECK(problem_of(good_request(), 3) == "");
  auto with = [](auto&& change) {
    auto x = good_request();
    change(x);
    return problem_of(x, 3);
  };
  for (std::uint32_t i : {3u, 1000u, most})
    CHECK(names(with([&](auto& x) { x.process = i; }), "join_request.process"));
  CHECK(names(
    with([](auto& x) { x.address.host = "a\nb"; }), "join_request.address"));
  CHECK(names(with([](auto& x) { x.address.host.resize(100'000, 'x'); }),
              "join_request.address"));
  for (std::uint32_t i : {3u, 1u << 31, most}) {
    CHECK(names(
      with([&](auto& x) { x.nodes[0].first = i; }), "join_request.nodes"));
  }
  CHECK(names(with([](auto& x) { x.nodes.push_back(x.nodes[0]); }),
              "join_request.nodes"));
  CHECK(names(with([](auto& x) { x.graph.clear(); }), "join_request.nodes"));
  for (auto trigger :
       {graph_description::trigger{input, 2},
        {action, 1},
        {graph_description::trigger_kind{3}, 0}})
    CHECK(names(
      with([&](auto& x) { x.nodes[0].second = node_with({trigger}); }),
      "join_request.nodes"));
  CHECK(names(
    with([](auto& x) {
      x.nodes[0].second.reactions[0].kind = graph_description::reaction_kind{3};
    }),
    "join_request.nodes"));
  CHECK(names(with([](auto& x) { x.nodes[0].second.reactions[0].mode = 0; }),
              "join_request.nodes"));
  CHECK(names(with([](auto& x) { x.nodes[0].second.actions[0].mode = 7; }),
              "join_request.nodes"));
  CHECK(names(with([](auto& x) { x.nodes[0].second.name = "Ger\xe4t"; }),
              "join_request.nodes"));
  CHECK(names(
    with([](auto& x) { x.nodes[0].second.reactions[0].name = "a\nb"; }),
    "join_request.nodes"));
}

TEST_CASE("validation: the reply to a greeting", "[validation]") {
  greeting_reply x{"", {"coordinator", "left"}, "sink=left", 5, 6};
  CHECK(problem_of(x) == "");
  auto y = x;
  y.processes.emplace_back("left");
  CHECK(names(problem_of(y), "greeting_reply.processes"));
  y.processes = {"coordinator", ""};
  CHECK(names(problem_of(y), "greeting_reply.processes"));
  y.processes.clear();
  CHECK(problem_of(y) == "");
  for (auto i = 0; i < 258; ++i)
    y.processes.push_back(std::to_string(i));
  CHECK(names(problem_of(y), "greeting_reply.processes"));
  for (auto time : {latest, earliest}) {
    y = x;
    y.steady = time;
    CHECK(names(problem_of(y), "greeting_reply.steady"));
    y = x;
    y.date = time;
    CHECK(names(problem_of(y), "greeting_reply.date"));
  }
}

TEST_CASE("validation: the reply to a request to join", "[validation]") {
  group g;
  CHECK(problem_of(good_reply(), g.down) == "");
  CHECK(problem_of(good_reply(), g.across) != "");
  auto with = [&](auto&& change) {
    auto x = good_reply();
    change(x);
    return problem_of(x, g.down);
  };
  CHECK(names(
    with([](auto& x) { x.addresses.pop_back(); }), "join_reply.addresses"));
  CHECK(
    names(with([](auto& x) { x.addresses.clear(); }), "join_reply.addresses"));
  CHECK(names(with([](auto& x) { x.addresses[1].host.resize(100'000, 'x'); }),
              "join_reply.addresses"));
  CHECK(names(with([](auto& x) {
                x.nodes[0] = node_with({{input, 7}});
              }),
              "join_reply.nodes"));
  CHECK(names(
    with([](auto& x) { x.max_in_flight = 0; }), "join_reply.max_in_flight"));
  CHECK(with([](auto& x) { x.max_in_flight = ~0ull; }) == "");
  for (auto time : {std::int64_t{-5}, earliest, latest})
    CHECK(names(with([&](auto& x) { x.grace_period = time; }),
                "join_reply.grace_period"));
  check_tag("join_reply.stop_after", [&](auto tag) {
    return with([&](auto& x) { x.stop_after = tag; });
  });
  for (std::int64_t number : {std::int64_t{0}, earliest})
    CHECK(names(with([&](auto& x) { x.start.number = number; }),
                "join_reply.start.number"));
  // No other field of a refusal is used.
  CHECK(with([](auto& x) {
          x = {};
          x.problem = "no";
        })
        == "");
}

TEST_CASE("validation: the messages before the start", "[validation]") {
  group g;
  check_only_to_coordinator(ready_request{1});
  for (std::uint32_t i : {0u, 2u, 3u, most})
    CHECK(names(problem_of(ready_request{i}, g.up), "ready_request.process"));
  CHECK(problem_of(hello{1, 2, ""}, g.across) == "");
  for (std::uint32_t i : {1u, 3u, most})
    CHECK(names(problem_of(hello{1, i, ""}, g.across), "hello.process"));
  constexpr std::int64_t now = 1'000'000'000'000'000;
  auto at = [&](std::int64_t x) {
    return problem_of(start_reply{"", false, x}, now);
  };
  CHECK(at(now) == "");
  CHECK(at(now + 20'000'000) == "");
  CHECK(at(now - 5'000'000'000) == "");
  for (auto x :
       {now + 11'000'000'000, now * 10, latest, std::int64_t{0}, earliest})
    CHECK(names(at(x), "start_reply.at"));
  CHECK(problem_of(start_reply{"no", false, latest}, now) == "");
}

TEST_CASE("validation: the messages of nodes to the coordinator",
          "[validation]") {
  group g;
  check_only_to_coordinator(end_request{1, second, 0});
  check_node("end_request.node", [](auto node) {
    return end_request{node, second, 0};
  });
  check_status("end_request.status", [](auto status) {
    return end_request{1, second, status};
  });
  check_tag("end_request.proposal", [&](auto tag) {
    return problem_of(end_request{1, tag, 0}, g.up);
  });
  CHECK(problem_of(end_request{1, forever, 0}, g.up) == "");

  check_only_to_coordinator(end_answer{1, second});
  check_node("end_answer.node", [](auto node) {
    return end_answer{node, second};
  });
  check_tag("end_answer.tag", [&](auto tag) {
    return problem_of(end_answer{1, tag}, g.up);
  });
  CHECK(problem_of(end_answer{1, forever}, g.up) != "");

  check_only_to_coordinator(done_message{1, second});
  check_node("done_message.node", [](auto node) {
    return done_message{node, second};
  });
  check_tag("done_message.last", [&](auto tag) {
    return problem_of(done_message{1, tag}, g.up);
  });
  CHECK(problem_of(done_message{1, forever}, g.up) != "");

  check_only_to_coordinator(exit_message{1, engine::ending::done, second});
  check_node("exit_message.node", [](auto node) {
    return exit_message{node, engine::ending::done, second};
  });
  check_tag("exit_message.last", [&](auto tag) {
    return problem_of(exit_message{1, engine::ending::done, tag}, g.up);
  });
  for (auto ending : {3, 77, 255})
    CHECK(names(
      problem_of(
        exit_message{1, static_cast<engine::ending>(ending), second}, g.up),
      "exit_message.ending"));

  check_only_to_coordinator(node_abort_request{1, 1, "why"});
  check_node("node_abort_request.node", [](auto node) {
    return node_abort_request{node, 1, "why"};
  });
  check_status("node_abort_request.status", [](auto status) {
    return node_abort_request{1, status, "why"};
  });
}

TEST_CASE("validation: the messages of processes to the coordinator",
          "[validation]") {
  group g;
  check_only_to_coordinator(request_from_outside{never, 15, 1});
  for (auto signal : {-1, 65, 1000, std::numeric_limits<int>::max()})
    CHECK(names(problem_of(request_from_outside{never, signal, 1}, g.up),
                "request_from_outside.signal"));
  check_tag("request_from_outside.proposal", [&](auto tag) {
    return problem_of(request_from_outside{tag, 15, 1}, g.up);
  });
  check_only_to_coordinator(abort_application{128, "reason", "text"});
  check_status("abort_application.status", [](auto status) {
    return abort_application{status, "reason", "text"};
  });
  check_only_to_coordinator(connection_lost{1, 2});
  check_only_to_coordinator(transport_error{1, 2, "what"});
  check_only_to_coordinator(progress_reply{1, 5});
  for (std::uint32_t i : {0u, 2u, 3u, most}) {
    CHECK(names(problem_of(request_from_outside{never, 15, i}, g.up),
                "request_from_outside.process"));
    CHECK(names(
      problem_of(connection_lost{i, 2}, g.up), "connection_lost.process"));
    CHECK(names(
      problem_of(transport_error{i, 2, ""}, g.up), "transport_error.process"));
    CHECK(
      names(problem_of(progress_reply{i, 5}, g.up), "progress_reply.process"));
  }
  for (std::uint32_t i : {3u, most}) {
    CHECK(
      names(problem_of(connection_lost{1, i}, g.up), "connection_lost.other"));
    CHECK(names(
      problem_of(transport_error{1, i, ""}, g.up), "transport_error.other"));
  }
  check_only_to_coordinator(application_report_request{});
}

TEST_CASE("validation: the messages of the coordinator", "[validation]") {
  group g;
  check_only_from_coordinator(abort_process{});
  check_only_from_coordinator(end_notice{"signal 15"});
  CHECK(names(problem_of(end_notice{"two\nlines"}, g.down), "end_notice.text"));
  check_only_from_coordinator(progress_request{});
  check_only_from_coordinator(process_report_request{});
  check_only_from_coordinator(over_message{0});
  for (auto status : {-1, 256, 42'000})
    CHECK(
      names(problem_of(over_message{status}, g.down), "over_message.status"));
  end_proposal ask{second};
  final_tag_message end{second, second};
  for (std::uint32_t node : {1u, 3u}) {
    CHECK(problem_of(node, ask, g.down) == "");
    CHECK(problem_of(node, end, g.down) == "");
    CHECK(problem_of(node, ask, g.across) != "");
    CHECK(problem_of(node, end, g.across) != "");
  }
  for (std::uint32_t node : {0u, 2u, 4u, most}) {
    CHECK(names(problem_of(node, ask, g.down), "end_proposal.node"));
    CHECK(names(problem_of(node, end, g.down), "final_tag_message.node"));
  }
  check_tag("end_proposal.proposal", [&](auto tag) {
    return problem_of(1, end_proposal{tag}, g.down);
  });
  check_tag("final_tag_message.final", [&](auto tag) {
    return problem_of(1, final_tag_message{tag, second}, g.down);
  });
  CHECK(problem_of(1, final_tag_message{forever, second}, g.down) != "");
  check_tag("final_tag_message.requested", [&](auto tag) {
    return problem_of(1, final_tag_message{second, tag}, g.down);
  });
}

TEST_CASE("validation: reports", "[validation]") {
  group g;
  process_report_reply told;
  told.nodes = {{1, {}}, {3, {}}};
  CHECK(problem_of(told, g.up) == "");
  for (std::uint32_t node : {0u, 2u, 4u, most}) {
    auto x = told;
    x.nodes[0].first = node;
    CHECK(names(problem_of(x, g.up), "process_report_reply.nodes"));
  }
  auto with_node = [&](auto&& change) {
    auto x = told;
    change(x.nodes[1].second);
    return problem_of(x, g.up);
  };
  CHECK(names(with_node([](auto& x) { x.stage = static_cast<node_stage>(10); }),
              "process_report_reply.nodes.stage"));
  CHECK(names(
    with_node([](auto& x) { x.held_back_by = static_cast<blocker>(200); }),
    "process_report_reply.nodes.held_back_by"));

  node_counts counts;
  counts.lags.resize(node_counters::lag_bounds.size() + 1);
  counts.written.resize(g.nodes.describe(1).outputs.size());
  told.counts = {{1, counts}};
  told.log.resize(log_ring::capacity);
  CHECK(problem_of(told, g.up) == "");
  auto changed = [&](auto&& change) {
    auto x = told;
    change(x);
    return problem_of(x, g.up);
  };
  CHECK(names(changed([](auto& x) { x.counts[0].first = 2; }),
              "process_report_reply.counts"));
  CHECK(names(changed([](auto& x) { x.counts[0].second.lags.pop_back(); }),
              "process_report_reply.counts.lags"));
  CHECK(names(changed([](auto& x) { x.counts[0].second.written.resize(99); }),
              "process_report_reply.counts.written"));
  CHECK(names(changed([](auto& x) { x.log.emplace_back(); }),
              "process_report_reply.log"));
  CHECK(names(
    changed([](auto& x) { x.log[0].text.resize(log_ring::longest_line + 1); }),
    "process_report_reply.log"));

  application_report all;
  all.nodes.resize(4);
  all.processes.resize(3);
  CHECK(problem_of(all, g.down) == "");
  CHECK(problem_of(application_report{}, g.down) == "");
  CHECK(problem_of(all, g.across) != "");
  auto with = [&](auto&& change) {
    auto x = all;
    change(x);
    return problem_of(x, g.down);
  };
  CHECK(names(with([](auto& x) { x.nodes.resize(3); }), "report.nodes"));
  CHECK(
    names(with([](auto& x) { x.processes.resize(9); }), "report.processes"));
  CHECK(names(
    with([](auto& x) { x.stage = static_cast<application_stage>(6); }),
    "report.stage"));
  CHECK(names(
    with([](auto& x) { x.nodes[2].stage = static_cast<node_stage>(77); }),
    "report.nodes.stage"));
}

} // namespace validation_test
