// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Section 8 of the semantics: when and what nodes save, and how they resume.

#include "lab.hpp"

#include "engine/checkpointing.hpp"

#include "catch.hpp"

#include <limits>

namespace checkpoint_rules_test {

using namespace engine_test;
using caf::rosia::engine::checkpointing;
using caf::rosia::engine::just_past;
using engine::ending;
using tags = std::vector<logical_time>;
using numbers = std::vector<std::uint64_t>;
using texts = std::vector<std::string>;

namespace {

/// Returns a node that records its values and forwards them.
script relay() {
  script result;
  result.react = [](code& me, std::uint32_t) {
    std::string text = to_string(me.now());
    for (auto value : me.values())
      text += ' ' + std::to_string(value);
    me.log.push_back(text);
    me.write(0, me.values().back());
  };
  return result;
}

/// Returns a node that schedules a tick every `period`, `count` times, and
/// writes its number.
script ticker(const delay& period, std::uint64_t count) {
  script result;
  result.inputs = 0;
  result.actions = 1;
  result.start = [=](code& me) { me.schedule(period, 1); };
  result.react = [=](code& me, std::uint32_t) {
    auto number = me.scheduled().front();
    me.log.push_back(to_string(me.now()));
    me.write(0, number);
    if (number < count)
      me.schedule(period, number + 1);
  };
  return result;
}

/// Returns the tags from which and below which each saved part of a node holds.
std::vector<std::pair<logical_time, logical_time>> saved_by(
  const network& net, node_id id) {
  std::vector<std::pair<logical_time, logical_time>> result;
  for (auto& x : net.parts_of(id))
    result.emplace_back(x.kept.logical, x.kept.until);
  return result;
}

using spans = std::vector<std::pair<logical_time, logical_time>>;

/// Returns the first part of each node that covers a tag.
std::vector<network::node_part> parts_at(const network& net, logical_time tag) {
  std::vector<network::node_part> result;
  for (node_id i = 0; i < net.size(); ++i)
    for (auto& x : net.parts_of(i))
      if (x.covers(tag)) {
        result.push_back(x);
        break;
      }
  REQUIRE(result.size() == net.size());
  return result;
}

/// A ticker every 3ns, and a relay that receives its values 4ns later.
struct pipeline : lab {
  explicit pipeline(const network_options& options = {}) {
    add(ticker(ns(3), 4));
    add(relay());
    connect(0, 1, ns(4));
    assemble(options);
  }
};

} // namespace

// -- checkpointing ------------------------------------------------------------

TEST_CASE("8.4 checkpoints are due at multiples of the period",
          "[checkpoint]") {
  checkpointing x{10, {}, 0};
  CHECK(x.due() == logical_time{10, 0});
  CHECK(x.last() == logical_time{10, 0});
  x.saved({10, 1});
  CHECK(x.due() == logical_time{20, 0});
  x.saved({40, 0});
  CHECK(x.due() == logical_time{40, 0});
  x.saved(forever);
  CHECK(x.due() == forever);
  CHECK(checkpointing(10, {20, 3}, 0).due() == logical_time{30, 0});
  CHECK(checkpointing(10, {20, 0}, 0).due() == logical_time{30, 0});
  CHECK(checkpointing(0, {}, 0).due() == forever);
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  CHECK(checkpointing(most - 5, {most - 5, 0}, 0).due() == forever);
}

TEST_CASE("8.4 a node that answered waits for the agreed tag", "[checkpoint]") {
  checkpointing x{10, {}, 0};
  CHECK(x.answer({3, 1}) == logical_time{3, 1});
  CHECK(x.waits());
  CHECK(x.last() == logical_time{3, 1});
  CHECK(x.due() == forever);
  x.agree({7, 0});
  CHECK_FALSE(x.waits());
  CHECK(x.due() == logical_time{7, 0});
  x.saved({8, 0});
  CHECK(x.due() == logical_time{10, 0});
  // An earlier agreement is still in effect.
  x.answer({8, 0});
  x.agree({9, 0});
  x.answer({8, 0});
  x.agree({12, 0});
  CHECK(x.due() == logical_time{9, 0});
  x.saved({11, 0});
  CHECK(x.due() == logical_time{12, 0});
  x.answer({11, 0});
  x.agree(forever); // none is taken
  CHECK(x.due() == logical_time{12, 0});
}

TEST_CASE(
  "8.4 no checkpoint is offered before the one from which the run resumed",
  "[checkpoint]") {
  checkpointing x{0, {50, 0}, 0};
  CHECK(x.answer({20, 0}) == logical_time{50, 0});
  CHECK(x.answer({60, 0}) == logical_time{60, 0});
}

TEST_CASE("just past the last microstep of an instant is the next instant",
          "[checkpoint]") {
  constexpr auto last = std::numeric_limits<std::uint32_t>::max();
  CHECK(just_past({5, 2}) == logical_time{5, 3});
  CHECK(just_past({5, last}) == logical_time{6, 0});
  CHECK(just_past(forever) == forever);
}

// -- 8.3 ----------------------------------------------------------------------

TEST_CASE("8.3 a message sent before and arriving after a checkpoint belongs "
          "to the sender's part",
          "[checkpoint]") {
  pipeline net;
  net.take_checkpoints(6);
  net.start_all();
  net.run();
  // Sent at 3ns and 6ns; the first arrives at 7ns.
  auto parts = parts_at(net, {6, 0});
  REQUIRE(parts[0].kept.channels.size() == 1);
  auto& channel = parts[0].kept.channels[0];
  CHECK(channel.last_arrival == logical_time{10, 0});
  REQUIRE(channel.in_transit.size() == 2);
  CHECK(channel.in_transit[0].tag == logical_time{7, 0});
  CHECK(channel.in_transit[1].tag == logical_time{10, 0});
  CHECK(number_in(channel.in_transit[1].content) == 2);
  CHECK(parts[1].kept.channels.empty());
  REQUIRE(parts[0].scheduled.size() == 1);
  CHECK(parts[0].scheduled[0].tag == logical_time{9, 0});
}

TEST_CASE("8.3 the part at the final tag has the messages that the receiver "
          "did not wait for, also without a tracer",
          "[checkpoint]") {
  for (auto traces : {true, false}) {
    pipeline net{{.traces = traces}};
    net.take_checkpoints(0);
    net.start_all();
    for (node_id i : {0u, 1u})
      net.take_final(i, {6, 0}, {6, 0});
    // The receiver leaves before the sender sends the later messages.
    net.activate(0, 1);
    while (!net.left(1))
      net.activate(1);
    net.run();
    auto parts = parts_at(net, {6, 0});
    REQUIRE(parts[0].kept.channels.size() == 1);
    CHECK(parts[0].kept.channels[0].in_transit.size() == 2);
  }
}

TEST_CASE("8.3 a yielded reaction prevents a part, and is named",
          "[checkpoint]") {
  lab net;
  script role;
  role.inputs = 0;
  role.start
    = [](code& me) { me.wait(ns(15), [](code& x) { x.schedule(ns(30)); }); };
  role.actions = 1;
  net.add(role);
  net.assemble();
  net.take_checkpoints(10);
  net.start_all();
  net.run();
  CHECK(parts_at(net, {10, 0})[0].kept.yielded == "start");
  CHECK(parts_at(net, {20, 0})[0].kept.yielded.empty());
  CHECK(net.left(0));
}

TEST_CASE("8.3 user promises, retained values and last arrivals are saved",
          "[checkpoint]") {
  auto build = [](lab& net) {
    script source;
    source.inputs = 0;
    source.actions = 1;
    source.start = [](code& me) {
      me.write(0, 7);
      me.promise(ns(40));
      me.schedule(ns(50));
    };
    source.react = [](code& me, std::uint32_t) { me.write(0, 8); };
    net.add(source);
    net.add(relay());
    net.connect(0, 1);
    net.assemble();
  };
  lab first;
  build(first);
  first.take_checkpoints(10);
  first.start_all();
  first.run();
  auto parts = parts_at(first, {30, 0});
  CHECK(parts[0].kept.promises == tags{{40, 0}});
  REQUIRE(parts[1].kept.inputs.size() == 1);
  REQUIRE(parts[1].kept.inputs[0].size() == 1);
  CHECK(number_in(parts[1].kept.inputs[0][0]) == 7);
  lab second;
  build(second);
  second.restore({30, 0}, parts);
  CHECK(number_in(second.input_of(1, 0).values.at(0)) == 7);
  CHECK_FALSE(second.input_of(1, 0).present);
  second.start_all();
  second.run();
  CHECK(second.code_of(1).log == texts{"50ns 8"});
}

// -- 8.4 ----------------------------------------------------------------------

TEST_CASE("8.4 a node saves before its first tag beyond the checkpoint",
          "[checkpoint]") {
  pipeline net;
  net.take_checkpoints(5);
  net.start_all();
  net.run();
  CHECK(saved_by(net, 0)
        == spans{{{3, 0}, {6, 0}}, {{9, 0}, {12, 0}}, {{12, 0}, forever}});
  CHECK(net.parts_of(0).back().kept.left);
}

TEST_CASE("8.4 a node saves once no message can arrive at the checkpoint",
          "[checkpoint]") {
  pipeline net;
  net.take_checkpoints(8);
  net.hold(0, 1);
  net.start_all();
  net.run();
  CHECK(net.left(0));
  CHECK(net.parts_of(1).empty());
  net.release(0, 1);
  net.run();
  CHECK(saved_by(net, 1) == spans{{{7, 0}, {10, 0}}, {{16, 0}, forever}});
}

TEST_CASE("8.4 back-pressure does not prevent a node from saving",
          "[checkpoint]") {
  lab net;
  net.add(ticker(ns(1), 50));
  net.add(relay());
  net.connect(0, 1, ns(2));
  net.assemble({.max_in_flight = 1});
  net.take_checkpoints(3);
  net.start_all();
  net.run();
  CHECK(net.left(0));
  CHECK(net.left(1));
  CHECK(net.code_of(1).log.size() == 50);
  for (std::int64_t tag = 3; tag <= 52; tag += 3)
    parts_at(net, {tag, 0});
}

TEST_CASE("8.4 the members of a loop save", "[checkpoint][loop]") {
  for (auto processes : {std::vector<engine::process_id>{}, {0, 1}}) {
    lab net;
    auto begin = relay();
    begin.start = [](code& me) { me.write(0, 5); };
    net.add(begin);
    net.add(relay());
    net.connect(0, 1, ns(3));
    net.connect(1, 0, ns(4));
    net.assemble({.processes = processes});
    net.take_checkpoints(5);
    net.start_all();
    for (node_id i : {0u, 1u})
      net.take_final(i, {50, 0}, {50, 0});
    net.run();
    CHECK(net.left(0));
    CHECK(net.left(1));
    for (std::int64_t tag = 5; tag <= 50; tag += 5) {
      auto parts = parts_at(net, {tag, 0});
      std::size_t in_transit = 0;
      for (auto& part : parts)
        for (auto& x : part.kept.channels)
          for (auto& message : x.in_transit)
            in_transit += message.tag > logical_time{tag, 0};
      CHECK(in_transit == 1);
    }
  }
}

TEST_CASE("8.4 a node that takes values from outside waits for the clock",
          "[checkpoint]") {
  lab net;
  script role;
  role.external = true;
  role.react
    = [](code& me, std::uint32_t) { me.log.push_back(to_string(me.now())); };
  net.add(role);
  net.assemble();
  net.take_checkpoints(10);
  net.start_all();
  net.run();
  CHECK(net.next_wake() == 11);
  CHECK(net.parts_of(0).empty());
  net.run_until(4);
  net.call(0, 0);
  net.run_until(11);
  CHECK(saved_by(net, 0) == spans{{{4, 0}, {11, 0}}});
  CHECK(net.next_wake() == 21);
}

TEST_CASE("8.4 a node that saved gives other nodes a turn, even if elapsed "
          "time is past the next checkpoint",
          "[checkpoint]") {
  for (auto grouped : {false, true}) {
    lab net;
    script role;
    role.external = true;
    net.add(role);
    net.add(role);
    net.assemble();
    net.take_checkpoints(1);
    if (grouped)
      net.fuse(0, 1);
    net.start_all();
    net.in_the_meantime = [&] { net.set_clock(net.clock() + 10); };
    net.activate(0);
    CHECK(net.parts_of(0).size() == 1);
    CHECK(net.parts_of(1).size() == (grouped ? 1 : 0));
    CHECK(net.scheduled(0));
  }
}

TEST_CASE(
  "8.4 on demand all nodes stop at their current tag, agree, and continue",
  "[checkpoint]") {
  lab net;
  net.add(ticker(ns(3), 4));
  net.add(ticker(ns(5), 4));
  net.assemble();
  net.take_checkpoints(0);
  net.start_all();
  net.activate(0, 3);
  net.activate(1, 1);
  net.ask_checkpoint(0);
  net.ask_checkpoint(1);
  CHECK(
    net.checkpoint_answers
    == std::vector<std::pair<node_id, logical_time>>{{0, {9, 0}}, {1, {5, 0}}});
  net.run();
  CHECK(net.tags(0).back() == logical_time{9, 0});
  CHECK(net.tags(1).back() == logical_time{5, 0});
  net.take_checkpoint(0, {9, 0});
  net.take_checkpoint(1, {9, 0});
  net.run();
  CHECK(saved_by(net, 0) == spans{{{9, 0}, {12, 0}}, {{12, 0}, forever}});
  CHECK(saved_by(net, 1) == spans{{{5, 0}, {10, 0}}, {{20, 0}, forever}});
}

TEST_CASE(
  "8.4 a node that waits for the agreed tag ends by request and by abort",
  "[checkpoint]") {
  auto aborts = GENERATE(false, true);
  pipeline net;
  net.take_checkpoints(0);
  net.start_all();
  net.activate(0, 1);
  net.ask_checkpoint(0);
  net.ask_checkpoint(1);
  net.run();
  for (node_id i : {0u, 1u})
    if (aborts)
      net.abort(i);
    else
      net.take_final(i, {6, 0}, {6, 0});
  net.run();
  if (!aborts) {
    CHECK_FALSE(net.left(0));
    for (node_id i : {0u, 1u})
      net.take_checkpoint(i, forever); // none is taken
    net.run();
  }
  CHECK(net.left(0));
  CHECK(net.left(1));
}

TEST_CASE("8.4 the final tag is a checkpoint", "[checkpoint]") {
  pipeline net;
  net.take_checkpoints(0);
  net.start_all();
  for (node_id i : {0u, 1u})
    net.take_final(i, {8, 0}, {8, 0});
  net.run();
  CHECK(saved_by(net, 0) == spans{{{6, 0}, {8, 1}}});
  CHECK(saved_by(net, 1) == spans{{{7, 0}, {8, 1}}});
  CHECK_FALSE(net.parts_of(0)[0].kept.left);
}

TEST_CASE("8.4 a node that is aborted saves nothing", "[checkpoint]") {
  pipeline net;
  net.take_checkpoints(100);
  net.start_all();
  net.activate(0, 2);
  net.abort(0);
  net.abort(1);
  CHECK(net.parts_of(0).empty());
  CHECK(net.parts_of(1).empty());
}

// -- 8.6 ----------------------------------------------------------------------

TEST_CASE("8.6 a run that resumes continues where it was", "[checkpoint]") {
  pipeline whole;
  whole.start_all();
  whole.run();
  for (std::int64_t tag = 1; tag < 17; ++tag) {
    CAPTURE(tag);
    pipeline first;
    first.take_checkpoints(tag);
    first.start_all();
    first.run();
    pipeline second{{.max_in_flight = 1}};
    second.restore({tag, 0}, parts_at(first, {tag, 0}));
    second.start_all();
    second.run();
    CHECK(second.left(0));
    CHECK(second.left(1));
    for (node_id i : {0u, 1u}) {
      texts joined;
      for (std::size_t j = 0; j < whole.tags(i).size(); ++j)
        if (whole.tags(i)[j] <= logical_time{tag, 0})
          joined.push_back(first.code_of(i).log[j]);
      for (auto& x : second.code_of(i).log)
        joined.push_back(x);
      CHECK(joined == whole.code_of(i).log);
    }
  }
}

TEST_CASE("8.6 the code of a node that had left does not run again, and is "
          "kept when it is saved again",
          "[checkpoint]") {
  pipeline first;
  first.take_checkpoints(14);
  first.start_all();
  first.run();
  auto parts = parts_at(first, {14, 0});
  REQUIRE(parts[0].kept.left);
  pipeline second;
  second.take_checkpoints(1, {14, 0});
  second.restore({14, 0}, parts);
  second.start_all();
  second.run();
  CHECK(second.left(0));
  CHECK(second.code_of(0).shutdowns == 0);
  CHECK(second.code_of(1).shutdowns == 1);
  CHECK(second.code_of(1).log == texts{"16ns 4"});
  CHECK(parts_at(second, {15, 0})[0].kept.left);
}

TEST_CASE("8.4 a node that ended by itself saves once its shutdown() "
          "returned",
          "[checkpoint]") {
  std::size_t saved_before = 0;
  lab net;
  auto source = ticker(ns(3), 2);
  source.shutdown = [&](code&) { saved_before = net.parts_of(0).size(); };
  net.add(source);
  net.assemble();
  net.take_checkpoints(0);
  net.start_all();
  net.run();
  CHECK(saved_before == 0);
  REQUIRE(net.parts_of(0).size() == 1);
  CHECK(net.parts_of(0)[0].kept.left);
}

TEST_CASE("8.6 a node that had left receives nothing over a physical "
          "connection, even if its sender is behind in logical time",
          "[checkpoint]") {
  auto build = [](lab& net) {
    auto source = net.add(ticker(ns(10), 2));
    auto sink = net.add(relay());
    net.connect_physical(source, sink);
    net.assemble();
  };
  lab first;
  build(first);
  first.take_checkpoints(5);
  first.start_all();
  first.run(); // the source reaches 20ns before elapsed time does
  auto parts = parts_at(first, {15, 0});
  REQUIRE_FALSE(parts[0].kept.left);
  REQUIRE(parts[1].kept.left);
  lab second;
  build(second);
  second.restore({15, 0}, parts);
  second.start_all();
  second.run();
  CHECK(second.code_of(0).log == texts{"20ns"});
  CHECK(second.code_of(1).log.empty());
  CHECK(second.left(1));
}

TEST_CASE("8.6 a value from outside is not stamped later because of one that "
          "was not part of the checkpoint",
          "[checkpoint]") {
  auto build = [](lab& net) {
    script role;
    role.inputs = 2;
    role.triggers = {{0}, {1}};
    role.external = true;
    role.react = [](code& me, std::uint32_t reaction) {
      if (reaction == 1)
        me.log.push_back(to_string(me.now()));
    };
    net.add(ticker(ns(5), 3));
    net.add(role);
    net.connect(0, 1);
    net.assemble();
  };
  lab first;
  build(first);
  first.take_checkpoints(10);
  first.hold(0, 1);
  first.start_all();
  first.run_until(100);
  first.call(1, 1); // stamped with 100ns while the node is at 0s
  first.run();
  first.release(0, 1);
  first.run();
  lab second;
  build(second);
  second.restore({10, 0}, parts_at(first, {10, 0}));
  second.start_all();
  second.run_until(20);
  second.call(1, 1);
  second.run_until(50);
  CHECK(second.code_of(1).log == texts{"20ns"});
}

TEST_CASE("8.6 a sender in another process is informed of messages in transit",
          "[checkpoint][loop]") {
  auto build = [](lab& net, std::vector<engine::process_id> processes) {
    auto begin = relay();
    begin.actions = 1;
    begin.acts = {{0}};
    begin.start = [](code& me) {
      me.write(0, 1);
      me.schedule(ns(20));
    };
    begin.react = [](code& me, std::uint32_t) {
      me.log.push_back(to_string(me.now()));
      me.write(0, 2);
    };
    net.add(begin);
    net.add(relay());
    net.connect(0, 1, ns(10));
    net.connect(1, 0, ns(100));
    net.assemble({.max_in_flight = 1, .processes = std::move(processes)});
  };
  lab first;
  build(first, {});
  first.take_checkpoints(5);
  first.start_all();
  for (node_id i : {0u, 1u})
    first.take_final(i, {60, 0}, {60, 0});
  first.run();
  lab second;
  build(second, {0, 1});
  second.restore({5, 0}, parts_at(first, {5, 0}));
  second.start_all();
  for (node_id i : {0u, 1u})
    second.take_final(i, {60, 0}, {60, 0});
  second.run();
  CHECK(second.left(0));
  CHECK(second.left(1));
  CHECK(second.code_of(1).log == texts{"10ns 1", "30ns 2"});
}

} // namespace checkpoint_rules_test
