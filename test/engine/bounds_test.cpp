// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/bounds.hpp"

#include "record.hpp"
#include "recording_host.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace bounds_test {

using namespace engine_test;
using engine::barrier;
using engine::bounds;
using engine::loop_time_table;
using engine::node_clock;
using engine::node_context;
using engine::scratch;

namespace {

logical_time at(std::int64_t ns, std::uint32_t microstep = 0) {
  return {ns, microstep};
}

/// A node with this number of logical input connections.
struct fixture {
  explicit fixture(std::size_t connections) {
    context.host = &env;
    context.config.in.resize(connections);
  }

  void take_no_more(std::uint32_t connection) {
    all.upstreams().take_no_more(connection, context.config.in[connection]);
  }

  recording_host env;
  node_context context;
  node_clock clock;
  bounds all;
  scratch::lease lease{context.scratch};
};

} // namespace

TEST_CASE("4.3 LBTS is the least promise and never decreases") {
  fixture x{2};
  x.all.init(x.context.config);
  CHECK(x.all.lbts() == at(0));
  auto& upstreams = x.all.upstreams();
  upstreams.take_promise(0, at(5));
  CHECK_FALSE(x.all.raise());
  upstreams.take_promise(1, at(3));
  CHECK(x.all.raise());
  CHECK(x.all.stat() == at(3));
  upstreams.take_promise(1, at(2)); // an older promise
  CHECK_FALSE(x.all.raise());
  CHECK(x.all.lbts() == at(3));
  CHECK(upstreams.least_promised() == 1);
  x.take_no_more(1);
  CHECK(x.all.raise());
  CHECK(x.all.lbts() == at(5));
  CHECK_FALSE(upstreams.exhausted());
  x.take_no_more(0);
  x.take_no_more(0); // repeated, so it changes nothing
  CHECK(upstreams.exhausted());
  CHECK(x.all.raise());
  CHECK(x.all.lbts() == forever);
}

TEST_CASE("10.6.4 a sender that is done makes no promise after a split") {
  fixture x{2};
  auto& senders = x.context.config.in;
  x.all.init(x.context.config);
  auto& upstreams = x.all.upstreams();
  for (std::uint32_t i = 0; i < 2; ++i)
    upstreams.fuse(i);
  upstreams.take_done(0, senders[0]);
  for (std::uint32_t i = 0; i < 2; ++i)
    upstreams.split(i, senders[i], at(5));
  CHECK(upstreams.promise_of(0) == forever);
  CHECK(upstreams.promise_of(1) == at(5));
}

TEST_CASE("STAT ends behind the barrier, LBTS does not") {
  fixture x{0};
  x.all.init(x.context.config);
  CHECK(x.all.stat() == forever);
  x.all.barrier().answer(at(7), at(6));
  CHECK(x.all.stat() == at(7, 1));
  CHECK(x.all.lbts() == forever);
}

TEST_CASE("a barrier is the least of the answers and requests") {
  barrier x;
  CHECK(x.last() == forever);
  CHECK(x.decided());
  x.request(at(5));
  x.request(at(9)); // the first request still holds
  CHECK(x.last() == at(5));
  x.answer(at(8), at(5));
  CHECK(x.last() == at(5));
  CHECK(x.requested() == at(5));
  CHECK_FALSE(x.decided());
  SECTION("its own request is decided") {
    x.decide(at(8), at(5));
    CHECK(x.last() == at(8));
  }
  SECTION("another node's request is decided, its own is not") {
    x.decide(at(9), at(6));
    CHECK(x.last() == at(5));
  }
  CHECK(x.decided());
  CHECK(x.final() != forever);
}

TEST_CASE(
  "elapsed time bounds promises as long as physical values may arrive") {
  fixture x{1};
  x.context.config.in[0].physical = true;
  x.all.init(x.context.config);
  auto& upstreams = x.all.upstreams();
  CHECK(upstreams.takes_physical());
  CHECK(x.all.lbts() == forever);
  x.env.now = 40;
  x.clock.read(x.env);
  auto during
    = x.all.basis(x.context, x.clock, true, x.all.stat(), at(90), at(10));
  CHECK(during.physical);
  CHECK(during.events == at(90));
  CHECK(during.bound == at(40));
  CHECK_FALSE(during.by_code);
  // The node may be ahead of the clock.
  CHECK(
    x.all.basis(x.context, x.clock, true, x.all.stat(), at(90), at(50)).bound
    == at(50, 1));
  SECTION("its sender announces no_more") {
    x.take_no_more(0);
  }
  SECTION("the node accepts no more") {
    upstreams.close();
  }
  CHECK_FALSE(upstreams.takes_physical());
  auto after
    = x.all.basis(x.context, x.clock, true, x.all.stat(), at(90), at(10));
  CHECK_FALSE(after.physical);
  CHECK(after.bound == at(90));
  CHECK(after.by_code);
  CHECK_FALSE(
    x.all.basis(x.context, x.clock, false, x.all.stat(), at(90), at(10))
      .by_code);
}

TEST_CASE("10.5.1 promises are ahead of elapsed time by the lead of stamps") {
  fixture x{0};
  x.context.events.make_stamped().set_lead(delay::from_parts(25, 0));
  x.context.config.external = x.context.config.has_lead = true;
  x.all.init(x.context.config);
  x.env.now = 40;
  x.clock.read(x.env);
  auto bound_after = [&](logical_time logical) {
    return x.all.basis(x.context, x.clock, true, x.all.stat(), at(90), logical)
      .bound;
  };
  CHECK(bound_after(at(10)) == at(65));
  CHECK(bound_after(at(65)) == at(65, 1));
  CHECK(bounds::time_beyond(x.context, at(64)) == 40);
  CHECK(bounds::time_beyond(x.context, at(65)) == 41);
  CHECK(bounds::time_beyond(x.context, at(7)) == 0);
  CHECK(bounds::time_beyond(x.context, never) == 0);
}

TEST_CASE("a member of a loop is bounded by the other members, and by itself") {
  fixture x{2};
  loop_time_table table{
    {0, 1},
    {{0, 1, delay::from_parts(10, 0)}, {1, 0, delay::from_parts(10, 0)}},
    {false, false}};
  x.context.config.loop_time_table = &table;
  x.context.config.in[1].intra_loop = true;
  x.all.init(x.context.config);
  CHECK(x.all.lbts() == at(0));
  // Promises inside a loop have no effect.
  x.all.upstreams().take_promise(1, at(5));
  x.all.upstreams().take_promise(0, at(50));
  std::vector<engine::node_id> woken;
  table.update(1, at(12), woken);
  CHECK(x.all.refresh(x.context.config));
  // At (0, 0) it may still send a message that returns.
  CHECK(x.all.lbts() == at(20));
  x.all.update_loop(x.context, at(30));
  CHECK(x.all.lbts() == at(22));
  // The other node's entry, or promises from outside.
  table.update(1, at(60), woken);
  CHECK(x.all.refresh(x.context.config));
  CHECK(x.all.lbts() == at(50));
}

} // namespace bounds_test
