// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/outbox.hpp"

#include "network.hpp"
#include "record.hpp"
#include "recording_host.hpp"

#include "catch.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

namespace outbox_test {

using namespace engine_test;
using caf::rosia::microsteps;
using engine::channel_clock;
using engine::envelope;
using engine::envelope_kind;
using engine::flow_control;
using engine::loop_time_table;
using engine::node_context;
using engine::node_id;
using engine::outbox;
using engine::promise_basis;
using engine::scratch;
using engine::unsent_messages;

namespace {

logical_time at(std::int64_t ns, std::uint32_t microstep = 0) {
  return {ns, microstep};
}

promise_basis basis(std::int64_t ns) {
  return {at(ns), at(ns), false, true};
}

/// Returns a basis where elapsed time bounds the queue's promise.
promise_basis physical_basis(std::int64_t events, std::int64_t bound) {
  return {at(events), at(bound), true, false};
}

/// Node 0 with a connection to each target, from one output.
struct fixture {
  explicit fixture(const std::vector<node_id>& targets)
    : links(targets.size()) {
    auto& config = context.config;
    context.host = &env;
    config.outputs = ports;
    config.out.resize(targets.size());
    for (std::uint32_t i = 0; i < targets.size(); ++i) {
      out(i).number = out(i).target_index = i;
      out(i).shared = &links[i];
      if (peers.empty() || peers.back() != targets[i])
        peers.push_back(targets[i]);
      out(i).peer = static_cast<std::uint32_t>(peers.size() - 1);
    }
  }

  engine::out_connection& out(std::size_t i = 0) {
    return context.config.out[i];
  }

  void add(std::int64_t arrival, std::size_t i = 0) {
    auto tag = out(i).clock.stamp(at(arrival));
    flow.sent(context.config, out(i), tag);
    box.add(*context.scratch, out(i), tag,
            make_value(static_cast<std::uint64_t>(arrival)));
  }

  void send(const promise_basis& basis) {
    box.send(context, flow, basis);
  }

  bool send_intra_loop() {
    return box.send_intra_loop(context, flow);
  }

  const envelope& only_message() {
    REQUIRE(env.sent.size() == 1);
    REQUIRE(env.sent[0].batch.size() == 1);
    return env.sent[0].batch[0];
  }

  std::vector<node_id> peers;
  recording_host env;
  std::deque<engine::link> links;
  engine::output port;
  std::array<engine::output*, 1> ports{&port};
  node_context context;
  flow_control flow;
  outbox box;
  scratch::lease lease{context.scratch};
};

} // namespace

// -- the clock of a connection ------------------------------------------------

TEST_CASE("2.7 arrivals on a connection ascend") {
  channel_clock x;
  CHECK(x.stamp(at(5)) == at(5));
  CHECK(x.stamp(at(5)) == at(5, 1));
  CHECK(x.stamp(at(2)) == at(5, 2));
  CHECK(x.stamp(at(6)) == at(6));
  CHECK(x.stamp(forever) == forever); // never arrives, and has no effect
  CHECK(x.stamp(at(6)) == at(6, 1));
}

TEST_CASE("a promise is at least the tag after the last arrival") {
  channel_clock x;
  CHECK(x.promise_above(at(3)) == at(3));
  x.stamp(at(5));
  CHECK(x.promise_above(at(3)) == at(5, 1));
  CHECK(x.promise_above(at(7)) == at(7));
}

TEST_CASE(
  "4.11 a bound request is pending until a greater promise answers it") {
  channel_clock x;
  CHECK(x.requested_bound() == forever);
  x.announce(at(4), basis(4));
  x.request(at(3)); // the promise that answers it is in transit
  CHECK(x.requested_bound() == forever);
  x.request(at(4));
  CHECK(x.requested_bound() == at(4));
  x.announce(at(4), basis(4));
  CHECK(x.requested_bound() == at(4));
  x.announce(at(4, 1), basis(4));
  CHECK(x.requested_bound() == forever);
}

TEST_CASE(
  "elapsed time justifies a null message only if it answers a request") {
  channel_clock x;
  CHECK(x.is_worth_null_message(at(1), physical_basis(9, 1)));
  x.announce(at(1), physical_basis(9, 1));
  CHECK_FALSE(x.is_worth_null_message(at(2), physical_basis(9, 2)));
  CHECK(x.is_worth_null_message(at(2), physical_basis(10, 2)));
  CHECK(x.is_worth_null_message(at(2), basis(9)));
  x.request(at(2));
  CHECK_FALSE(x.is_worth_null_message(at(2), physical_basis(9, 2)));
  CHECK(x.is_worth_null_message(at(3), physical_basis(9, 3)));
}

TEST_CASE("the unsent messages of a connection know the first and the last") {
  unsent_messages x;
  CHECK(x.empty());
  x.add(3);
  x.add(5);
  CHECK(x.first() == 2);
  CHECK(x.last() == 4);
  x.clear();
  CHECK(x.empty());
  x.add(1);
  CHECK(x.first() == 0);
  CHECK(x.last() == 0);
}

// -- sending ------------------------------------------------------------------

TEST_CASE("one batch for each receiver, with the promise in the last message "
          "of a connection") {
  fixture x{{1, 1, 2}};
  x.box.init(x.context.config, x.peers);
  x.add(5, 0);
  x.add(6, 1);
  x.add(7, 0);
  x.send(basis(9));
  REQUIRE(x.env.sent.size() == 2);
  auto& [receiver, batch] = x.env.sent[0];
  CHECK(receiver == 1);
  REQUIRE(batch.size() == 3);
  CHECK(batch[0].tag == at(5));
  CHECK(batch[0].promise == never);
  CHECK(batch[1].promise == at(9));
  CHECK(batch[1].connection == 1);
  CHECK(batch[2].promise == at(9));
  // The third connection only has a promise.
  auto& last = x.env.sent[1].batch;
  REQUIRE(last.size() == 1);
  CHECK(last[0].kind == envelope_kind::promise);
  CHECK(last[0].promise == at(9));
  CHECK(x.env.woken == std::vector<node_id>{1, 2});
}

TEST_CASE("a promise is sent once, and only if it is greater") {
  fixture x{{1}};
  x.out().distance = delay::from_parts(10, 0);
  x.box.init(x.context.config, x.peers);
  x.send(basis(3));
  CHECK(x.only_message().promise == at(13));
  x.env.sent.clear();
  x.send(basis(3));
  x.send(basis(2));
  CHECK(x.env.sent.empty());
  x.port.promised = at(20); // set by the node's code
  x.send(basis(4));
  CHECK(x.only_message().promise == at(30));
}

TEST_CASE("user promises do not count where elapsed time limits the promise") {
  fixture x{{1}};
  x.port.promised = at(20);
  x.box.init(x.context.config, x.peers);
  x.send(physical_basis(9, 4));
  CHECK(x.only_message().promise == at(4));
}

TEST_CASE("4.8 a receiver that left gets only messages") {
  fixture x{{1}};
  x.box.init(x.context.config, x.peers);
  x.links[0].gone = true;
  x.send(basis(3));
  CHECK(x.env.sent.empty());
  x.add(5);
  x.send(basis(6));
  CHECK(x.only_message().promise == at(6));
}

TEST_CASE("a node with nothing new only checks pending bound requests") {
  fixture x{{1, 2, 3}};
  x.box.init(x.context.config, x.peers);
  x.send(physical_basis(9, 4));
  CHECK(x.env.sent.size() == 3);
  x.env.sent.clear();
  x.box.request(x.context.config, 1, at(3)); // already answered
  CHECK(x.box.requested().empty());
  x.box.request(x.context.config, 1, at(5));
  x.box.request(x.context.config, 1, at(6));
  REQUIRE(x.box.requested().size() == 1);
  CHECK(x.box.requested()[0] == 1);
  x.send(physical_basis(9, 6));
  CHECK(x.env.sent.empty());
  x.send(physical_basis(9, 7));
  CHECK(x.only_message().connection == 1);
  CHECK(x.env.sent[0].receiver == 2);
  CHECK(x.box.requested().empty());
  // The user promise counts from now on, so all receivers get it.
  x.env.sent.clear();
  x.send({at(9), at(9), false, true});
  CHECK(x.env.sent.size() == 3);
}

TEST_CASE("a value on a physical connection is sent even without other news") {
  fixture x{{1, 2}};
  x.box.init(x.context.config, x.peers);
  x.send(physical_basis(9, 4));
  x.env.sent.clear();
  x.box.add_physical(*x.context.scratch, x.out(1), make_value(1));
  x.send(physical_basis(9, 4));
  CHECK(x.only_message().kind == envelope_kind::physical);
}

TEST_CASE("the last message to another process carries an ack request") {
  fixture x{{1}};
  x.context.config.max_in_flight = 4;
  x.out().remote = true;
  x.box.init(x.context.config, x.peers);
  x.add(1);
  x.send(basis(1));
  CHECK_FALSE(x.only_message().ack_request);
  x.env.sent.clear();
  x.add(2);
  x.add(3);
  x.send(basis(3));
  REQUIRE(x.env.sent.size() == 1);
  auto& batch = x.env.sent[0].batch;
  CHECK_FALSE(batch[0].ack_request);
  CHECK(batch[1].ack_request);
}

TEST_CASE("an outbox is full after thousands of messages") {
  fixture x{{1}};
  x.box.init(x.context.config, x.peers);
  for (auto i = 1; i < 4096; ++i)
    x.add(i);
  CHECK_FALSE(x.box.full());
  x.add(4096);
  CHECK(x.box.full());
  x.send(basis(4096));
  CHECK_FALSE(x.box.full());
}

TEST_CASE("dropped messages are not sent") {
  fixture x{{1}};
  x.box.init(x.context.config, x.peers);
  x.box.add_physical(*x.context.scratch, x.out(), make_value(1));
  x.box.clear();
  x.box.close(x.context, true);
  CHECK(x.env.sent.empty());
}

TEST_CASE("members of a loop get their messages under the loop's lock, and the "
          "arrivals enter its time table") {
  fixture x{{0, 1, 2}};
  loop_time_table table{
    {0, 1},
    {{0, 0, delay::from_parts(1, 0)},
     {0, 1, delay::from_parts(1, 0)},
     {1, 0, delay::from_parts(1, 0)}},
    {false, false}};
  x.context.config.loop_time_table = &table;
  x.out(0).intra_loop = x.out(1).intra_loop = true;
  x.out(1).target_member = 1;
  x.box.init(x.context.config, x.peers);
  std::vector<node_id> woken;
  table.update(0, forever, woken);
  table.update(1, forever, woken);
  x.add(6, 1);
  x.add(7, 1);
  x.add(8, 2);
  CHECK_FALSE(x.send_intra_loop());
  REQUIRE(x.env.sent.size() == 1);
  CHECK(x.env.sent[0].receiver == 1);
  CHECK(x.env.sent[0].batch.size() == 2);
  CHECK(table.low(1) == at(6));
  CHECK(x.context.scratch->wake == std::vector<node_id>{1});
  CHECK(x.env.woken.empty()); // not while the lock is held
  x.add(9, 0);
  CHECK(x.send_intra_loop()); // to itself
  CHECK(table.low(0) == at(9));
}

TEST_CASE(
  "5.3 a node that leaves sends no_more; an aborted one sends nothing") {
  fixture x{{1, 2}};
  x.links[1].gone = true;
  x.box.init(x.context.config, x.peers);
  SECTION("it leaves") {
    x.add(5);
    x.box.close(x.context, false);
    REQUIRE(x.env.sent.size() == 1);
    auto& batch = x.env.sent[0].batch;
    REQUIRE(batch.size() == 2);
    CHECK(batch[0].kind == envelope_kind::data);
    CHECK(batch[1].kind == envelope_kind::no_more);
    CHECK(x.context.scratch->wake == std::vector<node_id>{1});
  }
  SECTION("it is aborted") {
    x.box.close(x.context, true);
    CHECK(x.env.sent.empty());
  }
}

TEST_CASE("a single message is sent at once") {
  fixture x{{1}};
  x.box.init(x.context.config, x.peers);
  outbox::send(
    x.env, 7,
    {.tag = at(5), .kind = envelope_kind::bound_request, .connection = 3});
  CHECK(x.only_message().kind == envelope_kind::bound_request);
  CHECK(x.env.sent[0].receiver == 7);
  CHECK(x.env.woken == std::vector<node_id>{7});
}

} // namespace outbox_test
