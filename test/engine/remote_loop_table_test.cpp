// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 4 of the semantics: a loop whose members are in several processes.

#include "engine/remote_loop_table.hpp"

#include "lab.hpp"

#include "catch.hpp"

#include <algorithm>
#include <memory>
#include <vector>

namespace remote_loop_table_test {

using namespace engine_test;
using caf::rosia::engine::loop_part;
using caf::rosia::engine::loop_time_table;
using caf::rosia::engine::remote_loop_table;
using tags = std::vector<logical_time>;

namespace {

/// The share of one process in a loop of two members in different processes.
/// Connection 7 leads from the first to the second and takes 5 ns. Connection 9
/// leads back and takes a microstep.
struct share {
  explicit share(engine::process_id self)
    : entries({100, 101}, {{0, 1, ns(5)}, {1, 0, steps(1)}}, {false, false}),
      view(entries, self, {0, 1}, {{7, 0, 1}, {9, 1, 0}}) {
    // nop
  }

  /// Sends the other process the entries that it lacks.
  bool tell(share& other, engine::process_id to) {
    return other.view.merge(view.news_for(to), other.woken);
  }

  loop_time_table entries;
  remote_loop_table view;
  std::vector<node_id> woken;
};

/// Returns a node that forwards its values, and records the number of control
/// messages before each.
script counting_relay(lab& net, int rounds,
                      std::vector<std::uint64_t>& counts) {
  script x;
  auto left = std::make_shared<int>(rounds);
  x.react = [&net, &counts, left](code& me, std::uint32_t) {
    counts.push_back(net.lone_views + net.lone_counts);
    if (--*left >= 0)
      me.write();
  };
  return x;
}

/// Returns a node with events at these times, in nanoseconds.
script busy(std::vector<std::int64_t> when) {
  script x;
  x.start = [when](code& me) {
    for (auto at : when)
      me.wait(ns(at), [](code&) {});
  };
  return x;
}

/// Returns options with every node in a separate process.
network_options spread(std::size_t nodes) {
  network_options result;
  for (engine::process_id i = 0; i < nodes; ++i)
    result.processes.push_back(i);
  return result;
}

/// Starts nodes that form a ring, each in a separate process and 1 ns from the
/// next one, with the final tag 50 ns.
void start_ring(lab& net, const std::vector<node_id>& ring) {
  for (std::size_t i = 0; i < ring.size(); ++i)
    net.connect(ring[i], ring[(i + 1) % ring.size()], ns(1));
  net.assemble(spread(ring.size()));
  for (auto i : ring)
    net.take_final(i, {50, 0}, {50, 0});
  net.start_all();
}

} // namespace

TEST_CASE(
  "4.16 a view is used only if, for every connection in the loop, as many "
  "messages were received as sent in it") {
  share a{0}, b{1};
  // Before the first message, the other member may act at (0, 0).
  CHECK(a.entries.bound(0) == logical_time{0, 1});
  a.entries.update(0, {20, 0}, a.woken);
  b.entries.update(1, forever, b.woken);
  REQUIRE(b.tell(a, 0));
  CHECK(a.entries.bound(0) == logical_time{25, 1}); // its own path around
  // The first member executes 20 and sends.
  a.entries.in_transit(1, {25, 0});
  a.view.sent(7);
  a.entries.update(0, forever, a.woken);
  CHECK(a.entries.bound(0) == logical_time{25, 1}); // the message in transit
  REQUIRE(a.tell(b, 1));
  b.entries.update(1, {30, 0}, b.woken);
  REQUIRE(b.tell(a, 0));
  CHECK(a.entries.bound(0) == logical_time{25, 1}); // not received there
  CHECK(b.entries.bound(1) == logical_time{5, 0});  // its earlier value
  b.entries.in_transit(1, {25, 0});
  b.view.received(7);
  b.view.refresh(b.woken);
  CHECK(b.entries.bound(1) == logical_time{25, 0});
  b.entries.absorb(1);
  CHECK(b.entries.bound(1) == logical_time{30, 0}); // 25, and around
  b.entries.update(1, {40, 0}, b.woken);            // 25 is executed
  REQUIRE(b.tell(a, 0));
  CHECK(a.entries.bound(0) == logical_time{40, 1});
}

TEST_CASE("a view unblocks waiting members") {
  share a{0}, b{1};
  a.entries.update(0, {20, 0}, a.woken);
  b.entries.update(1, {50, 0}, b.woken);
  REQUIRE(a.entries.wait(0, {20, 0}, a.woken));
  CHECK(a.woken.empty());
  a.view.refresh(a.woken);
  CHECK(a.view.owes(1)); // the other process is not informed of the wait
  REQUIRE(a.tell(b, 1));
  b.view.refresh(b.woken);
  CHECK(b.view.owes(0));
  REQUIRE(b.tell(a, 0));
  CHECK(a.woken == std::vector<node_id>{100});
  CHECK_FALSE(b.view.owes(0));
}

TEST_CASE("4.17 a view is sent alone only if it may help the receiver") {
  share a{0}, b{1};
  a.entries.update(0, {20, 0}, a.woken);
  REQUIRE(a.entries.wait(0, {20, 0}, a.woken));
  REQUIRE(a.tell(b, 1));
  b.entries.update(1, {10, 0}, b.woken); // blocks the other member itself
  b.view.refresh(b.woken);
  CHECK_FALSE(b.view.owes(0));
  b.entries.update(1, {19, 5}, b.woken);
  b.view.refresh(b.woken);
  CHECK_FALSE(b.view.owes(0));
  b.entries.update(1, {20, 0}, b.woken);
  b.view.refresh(b.woken);
  CHECK(b.view.owes(0));
}

TEST_CASE("an inconsistent view is ignored") {
  share a{0}, b{1};
  b.entries.update(1, forever, b.woken);
  auto good = b.view.news_for(0);
  REQUIRE(good.size() == 1);
  auto refused = [&](auto change) {
    auto bad = good;
    change(bad.front());
    return !a.view.merge(bad, a.woken);
  };
  CHECK(refused([](loop_part& x) { x.process = 2; }));
  CHECK(refused([](loop_part& x) { x.lows.push_back(forever); }));
  CHECK(refused([](loop_part& x) { x.lows.clear(); }));
  CHECK(refused([](loop_part& x) { x.sent.clear(); }));
  CHECK(refused([](loop_part& x) { x.received.push_back(1); }));
  CHECK(refused([](loop_part& x) { x.waits.push_back({0, never}); }));
  CHECK(refused([](loop_part& x) { x.waits.push_back({2, never}); }));
  CHECK(a.entries.bound(0) == logical_time{0, 1}); // as before
  CHECK(a.view.merge(good, a.woken));
}

TEST_CASE("4.15 the entries that a process knows travel with its messages") {
  // A ring of three members, each in its own process.
  struct third {
    explicit third(engine::process_id self)
      : entries({100, 101, 102}, {{0, 1, ns(5)}, {1, 2, ns(5)}, {2, 0, ns(5)}},
                {false, false, false}),
        view(entries, self, {0, 1, 2}, {{7, 0, 1}, {8, 1, 2}, {9, 2, 0}}) {
      // nop
    }

    /// Executes at `tag`, and sends a message.
    /// @returns the processes of the entries that travel with it.
    std::vector<engine::process_id> send(
      logical_time tag, third& to, engine::process_id self,
      std::uint32_t connection) {
      auto other = (self + 1) % 3;
      entries.in_transit(other, tag + ns(5));
      view.sent(connection);
      entries.update(self, forever, woken);
      auto news = view.news_for(other);
      to.entries.in_transit(other, tag + ns(5));
      to.view.received(connection);
      CHECK(to.view.merge(news, to.woken));
      to.entries.absorb(other);
      to.entries.update(other, tag + ns(5), to.woken);
      std::vector<engine::process_id> result;
      for (auto& x : news)
        result.push_back(x.process);
      CHECK(view.news_for(other).empty()); // once is enough
      return result;
    }

    loop_time_table entries;
    remote_loop_table view;
    std::vector<node_id> woken;
  };
  using processes = std::vector<engine::process_id>;
  third a{0}, b{1}, c{2};
  CHECK(a.send({0, 0}, b, 0, 7) == processes{0});
  CHECK(b.send({5, 0}, c, 1, 8) == processes{0, 1});
  // With these entries, its bound is the way around the loop.
  CHECK(c.entries.bound(2) == logical_time{25, 0});
  CHECK(c.send({10, 0}, a, 2, 9) == processes{1, 2});
  CHECK(a.entries.bound(0) == logical_time{30, 0});
}

TEST_CASE("4.15 in one process, a loop needs no message besides its values") {
  lab net;
  std::vector<std::uint64_t> counts;
  auto first = counting_relay(net, 50, counts);
  first.start = [](code& me) { me.write(); };
  auto a = net.add(first);
  auto b = net.add(counting_relay(net, 50, counts));
  net.connect(a, b, ns(10));
  net.connect(b, a, ns(10));
  net.assemble();
  net.start_all();
  for (auto again = true; again;) {
    again = false;
    for (auto id : {a, b}) {
      // Beside values, a node sends only that it sends no more.
      if (net.left(id) || !net.scheduled(id))
        continue;
      auto batches = net.batches;
      auto values = net.sends.size();
      again = true;
      net.activate(id);
      CHECK(net.batches - batches <= net.sends.size() - values + net.left(id));
    }
  }
  CHECK(counts.size() == 101);
  CHECK(net.left(a));
  CHECK(net.left(b));
}

TEST_CASE("4.15 in a ring of nodes in different processes with one message in "
          "flight, no control message is sent besides it") {
  auto realtime = GENERATE(false, true);
  auto max_in_flight = GENERATE(4u, 1024u);
  CAPTURE(realtime, max_in_flight);
  lab net;
  std::vector<std::uint64_t> counts;
  std::vector<node_id> ring;
  for (auto i = 0; i < 4; ++i) {
    auto x = counting_relay(net, 50, counts);
    x.realtime = realtime;
    if (i == 0)
      x.start = [](code& me) { me.write(); };
    ring.push_back(net.add(x));
  }
  for (std::size_t i = 0; i < 4; ++i)
    net.connect(ring[i], ring[(i + 1) % 4], ns(10));
  auto options = spread(4);
  options.max_in_flight = max_in_flight;
  net.assemble(options);
  net.start_all();
  net.run_until(1'000'000);
  REQUIRE(counts.size() == 201);
  // Until all nodes are started, control messages are necessary.
  CHECK(counts[4] == counts.back());
  CHECK(net.promises.empty());
  CHECK(net.asks.empty());
  for (auto i : ring)
    CHECK(net.left(i));
}

TEST_CASE(
  "4.18 a member that stops counts messages until every entry is beyond "
  "the final tag") {
  lab net;
  std::vector<node_id> ring;
  script first;
  // Its message arrives beyond the final tag.
  first.start = [&](code& me) {
    me.wait(ns(50), [&](code& self) {
      net.hold(ring[0], ring[1]);
      self.write();
    });
  };
  ring.push_back(net.add(first));
  ring.push_back(net.add(busy({20})));
  ring.push_back(net.add(busy({30, 51})));
  start_ring(net, ring);
  net.run();
  CHECK(net.tags(ring[0]) == tags{{50, 0}});
  // It does not know the entry of the first member beyond the final tag.
  CHECK_FALSE(net.left(ring[1]));
  net.release(ring[0], ring[1]);
  net.run();
  CHECK(net.tags(ring[1]) == tags{{20, 0}});
  CHECK(net.tags(ring[2]) == tags{{30, 0}});
  for (auto i : ring)
    CHECK(net.left(i));
}

TEST_CASE(
  "4.18 the last view of a member travels with its notice that it sends "
  "no more") {
  struct observed : lab {
    using lab::under_way;
  } net;
  auto a = net.add(busy({40}));
  auto b = net.add(busy({30}));
  start_ring(net, {a, b});
  auto activate = [&](node_id id) {
    while (net.scheduled(id))
      net.activate(id);
  };
  while (net.scheduled(a) || net.scheduled(b) || net.in_transit(b, a)) {
    activate(b);
    net.deliver_all(b, a);
    activate(a);
    if (net.left(a))
      break;
    net.deliver_all(a, b);
  }
  REQUIRE(net.left(a));
  CHECK_FALSE(net.left(b));
  // Nothing that follows the notice is needed.
  for (auto last = false; !last;) {
    auto frames = net.under_way(a, b);
    REQUIRE_FALSE(frames.empty());
    auto& batch = frames.front().batch;
    last = std::any_of(batch.begin(), batch.end(), [](auto& x) {
      return x.kind == engine::envelope_kind::no_more;
    });
    net.deliver(a, b);
  }
  activate(b);
  CHECK(net.left(b));
}

TEST_CASE("4.18 a member that stops forwards the entries that other members "
          "need to stop") {
  lab net;
  std::vector<node_id> ring;
  script first;
  // The second member must forward its later entries.
  first.start = [&](code& me) {
    me.wait(ns(40), [&](code&) { net.hold(ring[1], ring[2]); });
  };
  ring.push_back(net.add(first));
  ring.push_back(net.add(busy({})));
  ring.push_back(net.add(busy({30})));
  start_ring(net, ring);
  net.run();
  CHECK(net.left(ring[1]));
  CHECK_FALSE(net.left(ring[2]));
  net.release(ring[1], ring[2]);
  net.run();
  CHECK(net.tags(ring[0]) == tags{{40, 0}});
  CHECK(net.tags(ring[2]) == tags{{30, 0}});
  for (auto i : ring)
    CHECK(net.left(i));
}

TEST_CASE(
  "an aborted member in another process does not let other members continue") {
  lab net;
  script role;
  role.start = [](code& me) { me.wait(ns(10), [](code& x) { x.write(); }); };
  auto a = net.add(role);
  auto b = net.add(busy({5, 6, 20}));
  net.connect(a, b, ns(5));
  net.connect(b, a, ns(5));
  net.assemble(spread(2));
  net.start_all();
  net.hold(b, a);
  net.run();
  net.abort(a); // at 10 it would have written a message that arrives at 15
  net.release(b, a);
  net.run();
  REQUIRE_FALSE(net.tags(b).empty());
  CHECK(net.tags(b).back() < logical_time{15, 0});
}

} // namespace remote_loop_table_test
