// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/flow_control.hpp"

#include "record.hpp"
#include "recording_host.hpp"

#include "catch.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace flow_control_test {

using namespace engine_test;
using engine::flow_control;
using engine::node_context;
using engine::receive_window;
using engine::scratch;
using engine::send_window;

namespace {

logical_time at(std::int64_t ns) {
  return {ns, 0};
}

/// A node with this number of connections in each direction.
struct fixture {
  explicit fixture(std::uint32_t limit, std::size_t connections = 1)
    : links(2 * connections) {
    context.host = &env;
    context.config.max_in_flight = limit;
    context.config.out.resize(connections);
    context.config.in.resize(connections);
    for (std::size_t i = 0; i < connections; ++i) {
      out(i).number = static_cast<std::uint32_t>(i);
      out(i).shared = &links[i];
      in(i).shared = &links[connections + i];
      in(i).source = static_cast<engine::node_id>(10 + i);
    }
  }

  engine::out_connection& out(std::size_t i = 0) {
    return context.config.out[i];
  }

  engine::in_connection& in(std::size_t i = 0) {
    return context.config.in[i];
  }

  /// Sends messages with these arrival times.
  void send(const std::vector<std::int64_t>& arrivals, std::size_t i = 0) {
    for (auto ns : arrivals)
      flow.sent(context.config, out(i), at(ns));
  }

  bool holds_back(logical_time tag) {
    return flow.holds_back(context.config, tag);
  }

  const engine::out_connection* blocking(logical_time tag) {
    return flow_control::blocking(context.config, tag);
  }

  bool needs_ack() {
    return flow_control::needs_ack(context.config, out());
  }

  bool request_ack(logical_time executed_below) {
    return flow.request_ack(context.config, out(), executed_below);
  }

  recording_host env;
  std::deque<engine::link> links;
  node_context context;
  flow_control flow;
  scratch::lease lease{context.scratch};
};

} // namespace

// -- windows ------------------------------------------------------------------

TEST_CASE("a send window drops messages that its receiver acked") {
  engine::link shared;
  send_window x;
  for (auto i = 1; i <= 5; ++i)
    x.push(at(i));
  CHECK(x.size() == 5);
  CHECK(x.sent() == 5);
  shared.executed = 2;
  x.update(shared, never);
  CHECK(x.size() == 3);
  CHECK(x.sent() == 5);
  CHECK(x.holds_before(at(6), 3));
  CHECK_FALSE(x.holds_before(at(5), 3)); // the message at 5 is not due before
  CHECK_FALSE(x.holds_before(at(6), 4));
}

TEST_CASE("a send window drops messages that must have been executed") {
  engine::link shared;
  send_window x;
  for (auto i = 1; i <= 5; ++i)
    x.push(at(i));
  x.update(shared, at(4));
  CHECK(x.size() == 2);
  // The receiver's count is behind.
  shared.executed = 1;
  x.update(shared, never);
  CHECK(x.size() == 2);
  shared.executed = 4;
  x.update(shared, never);
  CHECK(x.size() == 1);
}

TEST_CASE("nothing is in flight to a receiver that left") {
  engine::link shared;
  send_window x;
  x.push(at(1));
  shared.gone = true;
  x.update(shared, never);
  CHECK(x.size() == 0);
}

TEST_CASE("a receive window returns whether to wake its sender") {
  engine::link shared;
  receive_window x;
  CHECK(x.reported());
  CHECK(x.execute());
  CHECK_FALSE(x.execute()); // the first one is not reported either
  CHECK(x.executed() == 2);
  CHECK(shared.executed == 0);
  CHECK_FALSE(x.report(shared));
  CHECK(x.reported());
  CHECK(shared.executed == 2);
  x.execute();
  shared.sender_waits = true;
  CHECK(x.report(shared));
  CHECK_FALSE(shared.sender_waits);
  CHECK_FALSE(x.report(shared));
}

// -- at the sender ------------------------------------------------------------

TEST_CASE("4.19 a sender waits while a connection is saturated") {
  fixture x{3};
  x.send({1, 2});
  CHECK_FALSE(x.holds_back(at(9)));
  CHECK_FALSE(x.links[0].sender_waits);
  x.send({3});
  CHECK(x.holds_back(at(9)));
  CHECK(x.links[0].sender_waits); // the receiver will wake it
  CHECK(x.blocking(at(9)) == &x.out());
  // The third message is not due before 3.
  CHECK_FALSE(x.holds_back(at(3)));
  CHECK(x.blocking(at(3)) == nullptr);
  x.links[0].executed = 1;
  CHECK_FALSE(x.holds_back(at(9)));
}

TEST_CASE("one saturated connection of several is enough to wait") {
  fixture x{2, 3};
  x.send({1}, 0);
  x.send({1, 2}, 1);
  x.send({1, 2}, 2);
  x.links[1].executed = 1;
  CHECK(x.holds_back(at(5)));
  CHECK(x.blocking(at(5)) == &x.out(2));
  CHECK_FALSE(x.links[1].sender_waits);
  x.links[2].gone = true;
  CHECK_FALSE(x.holds_back(at(5)));
  CHECK(x.blocking(at(5)) == nullptr);
}

TEST_CASE("ack requests are sent from half of the limit on, at a distance") {
  fixture x{8};
  x.send({1, 2, 3});
  CHECK_FALSE(x.needs_ack());
  x.send({4});
  REQUIRE(x.needs_ack());
  CHECK(x.request_ack(never));
  x.send({5});
  CHECK_FALSE(x.needs_ack());
  x.send({6});
  CHECK(x.needs_ack());
}

TEST_CASE("no ack is requested for what is known to be executed") {
  fixture x{8};
  x.send({1, 2, 3, 4});
  REQUIRE(x.needs_ack());
  CHECK_FALSE(x.request_ack(at(2)));
  CHECK(x.out().window.size() == 3);
  x.send({5});
  REQUIRE(x.needs_ack());
  x.links[0].executed = 2;
  CHECK_FALSE(x.request_ack(never));
}

// -- at the receiver ----------------------------------------------------------

TEST_CASE("executed messages are reported once, and wake waiting senders") {
  fixture x{4, 2};
  flow_control::executed(*x.context.scratch, x.context.config.in[0], 0);
  flow_control::executed(*x.context.scratch, x.context.config.in[0], 0);
  flow_control::executed(*x.context.scratch, x.context.config.in[1], 1);
  CHECK(x.links[2].executed == 0);
  x.links[3].sender_waits = true;
  flow_control::report_executed(x.context);
  CHECK(x.links[2].executed == 2);
  CHECK(x.links[3].executed == 1);
  CHECK(x.env.woken == std::vector<engine::node_id>{11});
  CHECK(x.context.scratch->unreported.empty());
  x.links[3].sender_waits = true;
  flow_control::report_executed(x.context); // nothing new
  CHECK(x.env.woken.size() == 1);
}

} // namespace flow_control_test
