// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The times at which a node's messages are handed over: "null messages", in
// section 4 of the semantics.

#include "engine/hand_over_timer.hpp"

#include "lab.hpp"
#include "recording_host.hpp"

#include "catch.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace hand_over_test {

using namespace engine_test;
using engine::hand_over_timer;

namespace {

constexpr std::int64_t slow = 3'000'000;
constexpr std::int64_t light = 100;
constexpr int backlog = 60;

/// Returns a node that writes `backlog` values at start, each at a separate
/// tag.
script burst() {
  script x;
  x.inputs = 0;
  auto next = std::make_shared<std::function<void(code&, int)>>();
  *next = [again = next.get()](code& me, int n) {
    me.write();
    if (n + 1 < backlog)
      me.wait(ns(10), [again, n](code& self) { (*again)(self, n + 1); });
  };
  x.start = [next](code& me) { (*next)(me, 0); };
  return x;
}

script sink(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.outputs = 0;
  return x;
}

/// A node whose reaction takes some time.
struct working {
  lab& net;
  std::function<std::int64_t(int)> duration; // of the n-th tag
  bool writes = true;
  int count = 0;

  script code_of() {
    script x;
    x.react = [this](code& me, std::uint32_t) {
      net.set_clock(net.clock() + duration(count++));
      if (writes)
        me.write();
    };
    return x;
  }
};

/// Repeatedly calls a node, and its receiver after each call.
/// @returns the number of tags executed by each call.
std::vector<std::size_t> calls(lab& net, node_id worker, node_id receiver) {
  std::vector<std::size_t> result;
  while (net.scheduled(worker)) {
    auto before = net.tags(worker).size();
    net.activate(worker);
    if (auto tags = net.tags(worker).size() - before; tags > 0)
      result.push_back(tags);
    if (net.scheduled(receiver))
      net.activate(receiver);
    // Up to one message may lack a promise.
    CHECK(net.tags(receiver).size() + 1 >= net.tags(worker).size());
  }
  return result;
}

/// Returns the calls of a node whose n-th tag takes `duration(n)`, with a
/// backlog.
std::vector<std::size_t> calls_of(std::function<std::int64_t(int)> duration) {
  lab net;
  working worker{net, std::move(duration)};
  auto from = net.add(burst());
  auto middle = net.add(worker.code_of());
  auto to = net.add(sink());
  net.connect(from, middle);
  net.connect(middle, to);
  net.assemble();
  net.start_all();
  while (net.scheduled(from))
    net.activate(from);
  return calls(net, middle, to);
}

} // namespace

TEST_CASE("messages of a slow tag are handed over before the next tag, with "
          "any backlog") {
  auto result = calls_of([](int) { return slow; });
  CHECK(result == std::vector<std::size_t>(backlog, 1));
}

TEST_CASE("light tags are handed over together") {
  auto result = calls_of([](int) { return light; });
  CHECK(result.size() <= 2);
}

TEST_CASE("tags are handed over when an interval has passed") {
  auto result = calls_of([](int) { return hand_over_timer::interval / 10; });
  CHECK(*std::max_element(result.begin(), result.end()) <= 11);
  CHECK(result.size() <= backlog / 5);
}

TEST_CASE("a node with some slow tags hands over after each tag") {
  auto result = calls_of([](int n) { return n % 10 == 0 ? slow : light; });
  CHECK(result == std::vector<std::size_t>(backlog, 1));
}

TEST_CASE("a node that becomes slow hands over after each tag, once it was "
          "slow for as many tags as it was light") {
  auto result = calls_of([](int n) { return n < 10 ? light : slow; });
  auto slow_calls = std::count(result.begin(), result.end(), 1u);
  CHECK(slow_calls >= backlog - 2 * 10 - 1);
}

TEST_CASE("promises of a slow node without values are handed over as well") {
  lab net;
  working worker{net, [](int) { return slow; }, false};
  auto from = net.add(burst());
  auto filter = net.add(worker.code_of());
  auto both = net.add(sink(2));
  net.connect(from, filter);
  net.connect(wire{filter, 0, both, 0, {}, false});
  net.connect(wire{from, 0, both, 1, {}, false});
  net.assemble();
  net.start_all();
  while (net.scheduled(from))
    net.activate(from);
  if (net.scheduled(both))
    net.activate(both);
  CHECK(net.tags(both).empty());
  CHECK(calls(net, filter, both) == std::vector<std::size_t>(backlog, 1));
}

TEST_CASE("a group with a slow member hands over after each of its tags") {
  lab net;
  working worker{net, [](int) { return slow; }};
  auto from = net.add(burst());
  auto middle = net.add(worker.code_of());
  script relay;
  relay.react = [](code& me, std::uint32_t) { me.write(); };
  auto last = net.add(relay);
  auto to = net.add(sink());
  net.connect(from, middle);
  net.connect(middle, last);
  net.connect(last, to);
  net.assemble();
  net.fuse(middle, last);
  net.start_all();
  while (net.scheduled(from))
    net.activate(from);
  auto calls = 0;
  while (net.scheduled(middle) || net.scheduled(last)) {
    net.activate(middle);
    ++calls;
    if (net.scheduled(to))
      net.activate(to);
    CHECK(net.tags(to).size() + 1 >= net.tags(middle).size());
  }
  CHECK(calls >= backlog);
}

// -- the timer ----------------------------------------------------------------

TEST_CASE("a timer without call never ends a call") {
  hand_over_timer timer;
  for (auto i = 0; i < 100; ++i) {
    timer.note_executed(1'000'000);
    CHECK(timer.room() > 1'000'000'000);
  }
}

TEST_CASE("the clock is read once for some microseconds of light tags") {
  recording_host env;
  hand_over_timer timer;
  auto reads = 0;
  auto executed = 0;
  for (auto i = 0; i < 100; ++i) {
    timer.begin_call(env.now, 1);
    for (auto tag = 0; tag < 256; ++tag) {
      if (timer.room() == 0) {
        ++reads;
        if (timer.is_due(env))
          break;
      }
      timer.note_executed(1);
      ++executed;
      env.now += light;
    }
    timer.end_call(env.now);
  }
  CHECK(executed == 100 * 256);
  CHECK(reads <= executed * light / hand_over_timer::between_reads + 1);
}

TEST_CASE("execution is measured in the time of its thread, without what was "
          "excluded") {
  using enum hand_over_timer::measure;
  struct : recording_host {
    engine::thread_time thread;

    engine::thread_time time_of_thread() override {
      return {now, thread.processor, thread.waits};
    }
  } env;
  hand_over_timer timer;
  auto measured = [&](auto member, std::int64_t waits) {
    timer.begin_measurement(member);
    auto result = timer.run(env, [&] {
      env.now += slow;
      env.thread.processor += light;
      env.thread.waits += waits;
      return true;
    });
    CHECK(result);
    return timer.end_measurement();
  };
  CHECK(measured(no, 0) == 0);
  CHECK(measured(elapsed, 0) == slow);
  // Other programs had the processor.
  CHECK(measured(of_thread, 0) == light);
  // The thread has waited.
  CHECK(measured(of_thread, 1) == slow);
  timer.begin_measurement(of_thread);
  timer.run(env, [&] {
    env.thread.processor += light;
    timer.exclude(light / 2);
    return false;
  });
  CHECK(timer.end_measurement() == light / 2);
}

TEST_CASE("a group whose members take long to scan executes as long in each "
          "call") {
  constexpr std::int64_t scan = 10 * slow;
  recording_host env;
  hand_over_timer timer;
  auto execute_call = [&](std::int64_t duration) {
    std::int64_t tags = 0;
    timer.begin_call(env.now, 2'000);
    env.now += scan;
    timer.run(env, [&] {
      while (timer.room() > 0 || !timer.is_due(env)) {
        timer.note_executed(1);
        env.now += duration;
        ++tags;
      }
      return false;
    });
    env.now += scan;
    timer.end_call(env.now);
    return tags * duration;
  };
  for (auto i = 0; i < 5; ++i)
    execute_call(light);
  for (auto duration : {light, 50 * light, slow})
    for (auto i = 0; i < 3; ++i) {
      auto executed = execute_call(duration);
      CHECK(executed >= 2 * scan);
      CHECK(executed <= 3 * scan);
    }
}

TEST_CASE("a group with many members hands over less often") {
  recording_host env;
  hand_over_timer timer;
  timer.begin_call(env.now, 900);
  env.now += hand_over_timer::interval + 899'000;
  timer.note_executed(1);
  CHECK_FALSE(timer.is_due(env));
  env.now += 2'000;
  timer.note_executed(timer.room());
  CHECK(timer.is_due(env));
  CHECK(timer.end_call(env.now));
}

TEST_CASE("a slow tag pays for the hand-overs of later light tags") {
  recording_host env;
  hand_over_timer timer;
  timer.begin_call(env.now, 1);
  timer.note_executed(1);
  env.now += slow;
  CHECK(timer.is_due(env));
  CHECK(timer.end_call(env.now));
  auto calls = 0;
  for (auto due = true; due; ++calls) {
    timer.begin_call(env.now, 1);
    timer.note_executed(1);
    env.now += light;
    due = timer.end_call(env.now);
  }
  auto price = hand_over_timer::interval + hand_over_timer::interval_of_member;
  auto paid = hand_over_timer::slow_tag_pays * slow / price;
  CHECK(calls >= paid - 1);
  CHECK(calls <= paid + 1);
}

} // namespace hand_over_test
