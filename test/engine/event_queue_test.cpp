// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/event_queue.hpp"

#include "network.hpp"
#include "random.hpp"
#include "record.hpp"

#include "catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace event_queue_test {

using namespace engine_test;
using caf::rosia::microsteps;
using engine::envelope;
using engine::envelope_kind;
using engine::event_queue;
using engine::in_connection;
using engine::resumption_queue;
using engine::scheduled_queue;
using engine::stamped_queue;

namespace {

engine::value number(std::uint64_t x) {
  return make_value(x);
}

logical_time at(std::int64_t ns, std::uint32_t microstep = 0) {
  return {ns, microstep};
}

/// Distinct tokens.
int tokens[8];

std::vector<std::uint32_t> reactions(
  const resumption_queue& xs, logical_time tag) {
  std::vector<resumption_queue::turn> turns;
  xs.list(tag, turns);
  std::vector<std::uint32_t> result;
  for (auto& [place, reaction] : turns)
    result.push_back(reaction);
  return result;
}

} // namespace

// -- messages -----------------------------------------------------------------

TEST_CASE("messages leave an event queue by tag, then by connection") {
  random_source rng{3};
  std::vector<in_connection> in(7);
  std::vector<engine::input> ports(in.size());
  event_queue events;
  std::set<std::tuple<logical_time, std::uint32_t, std::uint64_t>> expected;
  std::vector<logical_time> last(in.size());
  auto taken_at_once = 0;
  auto taken_behind = 0;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    if (expected.empty() || rng.chance(i < 1'000 ? 55 : 45)) {
      auto connection = static_cast<std::uint32_t>(rng.below(in.size()));
      // In order on each connection.
      auto& tag = last[connection];
      tag.ns += 1 + static_cast<std::int64_t>(rng.below(4));
      if (rng.chance(50))
        events.push(in, connection, tag, number(i));
      else
        events.push_inside(in, connection, ports[connection], tag, number(i));
      expected.emplace(tag, connection, i);
    } else if (events.has_only_direct(std::get<0>(*expected.begin()))) {
      auto [tag, connection, value] = *expected.begin();
      REQUIRE(events.next_tag() == tag);
      REQUIRE(&events.take_direct() == &ports[connection]);
      REQUIRE(number_in(ports[connection].values.at(0)) == value);
      ++taken_at_once;
      expected.erase(expected.begin());
    } else if (events.has_only_behind_lane(std::get<0>(*expected.begin()))) {
      auto [tag, connection, value] = *expected.begin();
      REQUIRE(events.connection_behind_lane() == connection);
      REQUIRE(number_in(events.pop_behind_lane(in)) == value);
      ++taken_behind;
      expected.erase(expected.begin());
      REQUIRE((expected.empty() || std::get<0>(*expected.begin()) != tag));
    } else {
      events.keep_none_apart();
      auto [tag, connection, value] = *expected.begin();
      REQUIRE(events.next_tag() == tag);
      REQUIRE(events.has_message(tag));
      REQUIRE_FALSE(events.has_message(at(tag.ns, 1)));
      REQUIRE(events.next_connection() == connection);
      REQUIRE(number_in(events.pop(in)) == value);
      expected.erase(expected.begin());
    }
    std::size_t queued = 0;
    for (std::uint32_t k = 0; k < in.size(); ++k) {
      queued += events.size(in[k], k);
      if (events.size(in[k], k) > 0)
        REQUIRE(events.tag_of(in[k], k, events.size(in[k], k) - 1) == last[k]);
    }
    REQUIRE(queued == expected.size());
  }
  CHECK(taken_at_once > 10);
  CHECK(taken_behind > 10);
}

TEST_CASE("an empty event queue has no next tag") {
  std::vector<in_connection> in(1);
  event_queue events;
  CHECK(events.next_tag() == forever);
  CHECK_FALSE(events.has_message(at(0)));
  events.push(in, 0, at(5), number(1));
  CHECK(events.next_tag() == at(5));
  events.clear_messages(in);
  CHECK(events.next_tag() == forever);
  CHECK(events.size(in[0], 0) == 0);
  engine::input port;
  events.push_inside(in, 0, port, at(6), number(2));
  CHECK(events.next_tag() == at(6));
  CHECK(events.size(in[0], 0) == 1);
  events.clear_messages(in);
  CHECK(events.empty());
  CHECK(events.size(in[0], 0) == 0);
}

TEST_CASE("the next tag of an event queue is the least of all its events") {
  std::vector<in_connection> in(1);
  event_queue events;
  events.push(in, 0, at(30), number(1));
  CHECK(events.next_tag() == at(30));
  events.yield(at(20), 0, &tokens[0]);
  CHECK(events.next_tag() == at(20));
  events.make_stamped().push({at(10), envelope_kind::action, 0, number(2)});
  CHECK(events.next_tag() == at(10));
  engine::input action;
  events.make_scheduled().push(at(8), action, 0, number(3));
  CHECK(events.next_tag() == at(8));
  CHECK(events.scheduled_at(at(10)) == nullptr);
  CHECK(events.scheduled_at(at(8)) == events.scheduled());
  events.clear_scheduled();
  CHECK(events.scheduled() == nullptr);
  CHECK(events.next_tag() == at(10));
  CHECK_FALSE(events.has_message(at(10)));
  // Resumptions are not messages.
  events.clear_messages(in);
  CHECK(events.next_tag() == at(10));
  CHECK(events.stamped()->size() == 1);
  CHECK(events.resumptions().size() == 1);
}

TEST_CASE("an event queue recognizes a single due event") {
  std::vector<in_connection> in(2);
  engine::input port;
  event_queue events;
  CHECK_FALSE(events.has_only_direct(at(10)));
  CHECK_FALSE(events.has_only_resumption(at(10)));
  events.push_inside(in, 0, port, at(10), number(1));
  CHECK(events.has_only_direct(at(10)));
  // Later events do not matter.
  events.make_scheduled();
  events.yield(at(30), 0, &tokens[0]);
  CHECK(events.has_only_direct(at(10)));
  CHECK_FALSE(events.has_only_resumption(at(10)));
  events.push_inside(in, 1, port, at(20), number(2));
  CHECK(events.has_only_direct(at(10)));
  CHECK_FALSE(events.has_only_behind_lane(at(10)));
  events.push(in, 1, at(30), number(3));
  events.pop(in);
  CHECK(events.pop(in).get<std::uint64_t>() == 2);
  CHECK_FALSE(events.empty());
  CHECK_FALSE(events.has_only_direct(at(30)));
  CHECK_FALSE(events.has_only_resumption(at(30)));
  events.pop(in);
  CHECK(events.has_only_resumption(at(30)));
  events.push_inside(in, 0, port, at(30), number(4));
  CHECK_FALSE(events.has_only_direct(at(30)));
  CHECK_FALSE(events.has_only_resumption(at(30)));
}

TEST_CASE(
  "messages of one tag leave together, and know whether they are from inside") {
  std::vector<in_connection> in(4);
  engine::input ports[3];
  event_queue events;
  using taken = std::tuple<std::uint32_t, engine::input*, std::uint64_t>;
  auto take = [&] {
    std::vector<taken> result;
    events.keep_none_apart();
    events.take_lane([&](std::uint32_t connection, engine::value&& content,
                         engine::input* port) {
      result.emplace_back(connection, port, number_in(content));
    });
    return result;
  };
  auto push_all = [&](std::int64_t ns) {
    events.push_inside(in, 2, ports[2], at(ns), number(1));
    CHECK(events.is_in_lane(2));
    CHECK_FALSE(events.is_in_lane(0));
    events.push_inside(in, 0, ports[0], at(ns), number(2));
    events.push(in, 3, at(ns), number(3));
    events.push_inside(in, 1, ports[1], at(ns), number(4));
    CHECK(events.lane_size(at(ns)) == 4);
    for (std::uint32_t k = 0; k < in.size(); ++k) {
      CHECK(events.is_in_lane(k));
      CHECK(events.tag_of(in[k], k, 0) == at(ns));
    }
  };
  push_all(10);
  CHECK(take()
        == std::vector<taken>{
          {0, &ports[0], 2},
          {1, &ports[1], 4},
          {2, &ports[2], 1},
          {3, nullptr, 3}});
  CHECK(events.empty());
  // After its sender left the group, a message is from outside.
  push_all(20);
  events.forget_senders();
  for (auto& [connection, port, content] : take())
    CHECK(port == nullptr);
  events.push_inside(in, 2, ports[2], at(30), number(5));
  events.forget_senders();
  CHECK_FALSE(events.has_only_direct(at(30)));
  CHECK(take() == std::vector<taken>{{2, nullptr, 5}});
}

TEST_CASE("scheduled events, messages and yielded code may be due together") {
  std::vector<in_connection> in(1);
  event_queue events;
  engine::input action, port;
  events.make_scheduled().push(at(10), action, 0, number(1));
  events.push_inside(in, 0, port, at(10), number(2));
  CHECK_FALSE(events.has_only_direct(at(10)));
  events.keep_none_apart();
  events.pop(in);
  events.yield(at(10), 0, &tokens[0]);
  CHECK_FALSE(events.has_only_resumption(at(10)));
  events.clear_scheduled();
  CHECK(events.has_only_resumption(at(10)));
  events.yield(at(10), 1, &tokens[1]);
  CHECK_FALSE(events.has_only_resumption(at(10)));
}

// -- scheduled events ---------------------------------------------------------

TEST_CASE(
  "random scheduled events leave by tag, then in the order of scheduling") {
  random_source rng{7};
  scheduled_queue xs;
  engine::input actions[3];
  std::multimap<logical_time, std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 5'000; ++i) {
    if (expected.empty() || rng.chance(55)) {
      auto tag = at(rng.below(20), rng.below(3));
      auto action = static_cast<std::uint32_t>(rng.below(3));
      xs.push(tag, actions[action], action, number(i));
      expected.emplace(tag, i);
    } else {
      REQUIRE(xs.next_tag() == expected.begin()->first);
      auto x = xs.pop();
      REQUIRE(number_in(x.content) == expected.begin()->second);
      REQUIRE(x.action == &actions[x.index]);
      expected.erase(expected.begin());
    }
    REQUIRE(xs.size() == expected.size());
  }
  // The remaining events, as saved in a checkpoint.
  std::vector<std::uint64_t> listed;
  for (auto& x : xs.list())
    listed.push_back(number_in(x.content));
  std::vector<std::uint64_t> wanted;
  for (auto& [tag, value] : expected)
    wanted.push_back(value);
  CHECK(listed == wanted);
  xs.clear();
  CHECK(xs.empty());
  CHECK(xs.next_tag() == forever);
}

// -- yielded reactions --------------------------------------------------------

TEST_CASE("3.3 reactions resume in the order in which they yielded") {
  resumption_queue xs;
  CHECK(xs.next_tag() == forever);
  xs.push(at(5), 3, &tokens[0]);
  xs.push(at(9), 2, &tokens[1]);
  xs.push(at(5), 1, &tokens[2]);
  CHECK(xs.next_tag() == at(5));
  CHECK(reactions(xs, at(5)) == std::vector<std::uint32_t>{3, 1});
  CHECK(xs.pop(at(5), 1) == &tokens[2]);
  CHECK(reactions(xs, at(5)) == std::vector<std::uint32_t>{3});
  CHECK(xs.pop(at(5), 3) == &tokens[0]);
  CHECK(xs.next_tag() == at(9));
  CHECK(xs.size() == 1);
}

TEST_CASE("each instance of a reaction resumes at a separate microstep") {
  resumption_queue xs;
  for (auto i = 0; i < 4; ++i)
    xs.push(at(5), 1, &tokens[i]);
  xs.push(at(5), 2, &tokens[4]); // another reaction
  CHECK(xs.pop(at(5, 0), 1) == &tokens[0]);
  CHECK(xs.pop(at(5, 1), 1) == &tokens[1]);
  CHECK(xs.pop(at(5, 2), 1) == &tokens[2]);
  CHECK(xs.pop(at(5, 3), 1) == &tokens[3]);
  CHECK(xs.pop(at(5, 0), 2) == &tokens[4]);
  CHECK(xs.empty());
}

TEST_CASE("an instance takes the first free microstep, from any start") {
  random_source rng{5};
  for (auto run = 0; run < 50; ++run) {
    resumption_queue xs;
    std::set<logical_time> taken;
    for (auto i = 0; i < 40; ++i) {
      auto wanted = at(0, static_cast<std::uint32_t>(rng.below(12)));
      auto expected = wanted;
      while (taken.contains(expected))
        ++expected.microstep;
      taken.insert(expected);
      xs.push(wanted, 0, &tokens[0]);
    }
    REQUIRE(xs.size() == taken.size());
    for (auto tag : taken) {
      REQUIRE(xs.next_tag() == tag);
      REQUIRE(reactions(xs, tag).size() == 1);
      xs.pop(tag, 0);
    }
  }
}

TEST_CASE("instances may wait forever, and are dropped at the end") {
  resumption_queue xs;
  xs.push(forever, 1, &tokens[0]);
  xs.push(forever, 1, &tokens[1]);
  xs.push(at(1), 1, &tokens[2]);
  CHECK(xs.next_tag() == at(1));
  CHECK(xs.size() == 3);
  std::set<void*> dropped;
  xs.clear([&](void* token) { dropped.insert(token); });
  CHECK(dropped == std::set<void*>{&tokens[0], &tokens[1], &tokens[2]});
  CHECK(xs.empty());
}

// -- stamped values -----------------------------------------------------------

TEST_CASE("stamped values have distinct, ascending tags") {
  stamped_queue xs;
  CHECK(xs.next_tag() == forever);
  CHECK(xs.next_stamp(at(7), at(0)) == at(7));
  CHECK(xs.next_stamp(at(7), at(7, 4)) == at(7, 5));
  xs.push({at(7), envelope_kind::action, 1, number(1)});
  CHECK(xs.next_stamp(at(7), at(3)) == at(7, 1));
  CHECK(xs.next_stamp(at(3), at(3)) == at(7, 1));
  CHECK(xs.next_stamp(at(3), at(7)) == at(7, 1));
  CHECK(xs.next_stamp(at(3), at(7, 1)) == at(7, 2));
  CHECK(xs.next_stamp(at(8), at(7)) == at(8));
  xs.push({at(7, 1), envelope_kind::physical, 2, number(2)});
  CHECK(xs.next_tag() == at(7));
  CHECK(xs.front().index == 1);
  CHECK(number_in(xs.pop().content) == 1);
  CHECK(xs.next_tag() == at(7, 1));
  CHECK(xs.pop().kind == envelope_kind::physical);
  // It remembers its last stamp.
  CHECK(xs.empty());
  CHECK(xs.next_stamp(at(7), at(7)) == at(7, 2));
}

TEST_CASE("3.15 there is no stamp after the last microstep of an instant") {
  constexpr auto last = std::numeric_limits<std::uint32_t>::max();
  stamped_queue xs;
  CHECK(xs.next_stamp(at(7), at(7, last)) == std::nullopt);
  CHECK(xs.next_stamp(at(3), at(7, last)) == std::nullopt);
  CHECK(xs.next_stamp(at(8), at(7, last)) == at(8));
  xs.push({at(7, last), envelope_kind::action, 1, number(1)});
  CHECK(xs.next_stamp(at(7), at(7)) == std::nullopt);
  CHECK(xs.next_stamp(at(8), at(7)) == at(8));
}

} // namespace event_queue_test
