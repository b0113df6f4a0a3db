// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Physical connections that keep the latest values: section 3 of the semantics.

#include "lab.hpp"

#include "engine/latest_values.hpp"

#include "catch.hpp"

#include <cstdint>
#include <vector>

namespace keep_latest_rules_test {

using namespace engine_test;

namespace {

using numbers = std::vector<std::uint64_t>;

/// A source that writes the values of its physical action, and a receiver over
/// a connection that keeps the latest `capacity` values.
struct latest_lab : lab {
  explicit latest_lab(std::uint32_t capacity, bool starts_receiver = true) {
    script from;
    from.external = true;
    from.react = [](code& me, std::uint32_t) { me.write(0, me.values()[0]); };
    source = add(from);
    script to;
    to.outputs = 0;
    to.react = [this](code& me, std::uint32_t) {
      for (auto x : me.values())
        got.push_back(x);
      if (in_reaction)
        std::exchange(in_reaction, nullptr)();
    };
    receiver = add(to);
    connect(wire{source, 0, receiver, 0, {}, true, capacity});
    assemble();
    start(source);
    if (starts_receiver)
      start(receiver);
    run();
  }

  /// Lets the source write these values in order.
  void write(const numbers& xs) {
    for (auto x : xs) {
      call(source, 0, x);
      while (scheduled(source))
        activate(source);
    }
  }

  node_id source = 0;
  node_id receiver = 0;
  numbers got;
  std::function<void()> in_reaction;
};

} // namespace

TEST_CASE("3.17 of the waiting values, a connection keeps the latest") {
  latest_lab net{2};
  net.write({1, 2, 3, 4, 5});
  net.run();
  CHECK(net.got == numbers{4, 5});
  CHECK(net.drops.size() == 3);
}

TEST_CASE("a receiver that keeps up gets all values") {
  latest_lab net{1};
  for (std::uint64_t i = 1; i <= 5; ++i) {
    net.write({i});
    net.run();
  }
  CHECK(net.got == numbers{1, 2, 3, 4, 5});
  CHECK(net.drops.empty());
}

TEST_CASE("a value that has a tag is not dropped, and the latest follows it") {
  latest_lab net{1};
  net.in_reaction = [&] { net.write({2, 3, 4}); };
  net.write({1});
  net.run();
  CHECK(net.got == numbers{1, 4});
  CHECK(net.drops.size() == 2);
}

TEST_CASE("values that arrive before the node started wait without a tag") {
  latest_lab net{1, false};
  net.write({1, 2});
  net.activate(net.receiver);
  CHECK(net.got.empty());
  net.write({3});
  net.start_all();
  net.run();
  CHECK(net.got == numbers{3});
  CHECK(net.drops.size() == 2);
}

TEST_CASE("a sender is never held up, and drops nothing itself") {
  latest_lab net{3};
  numbers xs;
  for (std::uint64_t i = 0; i < 5'000; ++i)
    xs.push_back(i);
  net.write(xs);
  net.run();
  CHECK(net.got == numbers{4'997, 4'998, 4'999});
  CHECK(net.drops.size() == 4'997);
}

TEST_CASE("values that wait at the end get tags, like all accepted values") {
  latest_lab net{3};
  net.set_clock(100);
  net.write({1, 2, 3, 4});
  for (auto id : {net.source, net.receiver}) {
    net.ask_shutdown(id, logical_time{200, 0});
    net.take_final(id, logical_time{200, 0}, logical_time{200, 0});
  }
  net.run_until(201);
  CHECK(net.got == numbers{2, 3, 4});
  CHECK(net.drops.size() == 1);
  CHECK(net.left(net.receiver));
}

TEST_CASE("values whose tag would be past the final tag are dropped") {
  latest_lab net{3};
  net.set_clock(100);
  net.ask_shutdown(net.receiver, logical_time{50, 0});
  net.take_final(net.receiver, logical_time{50, 0}, logical_time{50, 0});
  net.write({1, 2});
  net.run();
  CHECK(net.got.empty());
  CHECK(net.drops.size() == 2);
  CHECK(net.left(net.receiver));
}

TEST_CASE("3.17 values that wait at the end are dropped and counted, even if "
          "their sender left") {
  latest_lab net{3};
  const logical_time final{150, 0};
  net.set_clock(100);
  net.ask_shutdown(net.receiver, final);
  net.write({1, 2, 3, 4});
  net.set_clock(200);
  net.run();
  net.ask_shutdown(net.source, final);
  net.take_final(net.source, final, final);
  net.run();
  REQUIRE(net.left(net.source));
  net.take_final(net.receiver, final, final);
  net.run();
  CHECK(net.got.empty());
  CHECK(net.drops.size() == 4);
  CHECK(net.left(net.receiver));
}

// -- the values ---------------------------------------------------------------

TEST_CASE("a receiver is notified of values once, until it took all") {
  engine::latest_values values{2};
  auto add = [&](std::uint64_t x) { return values.add(make_value(x)); };
  CHECK(add(1));
  CHECK_FALSE(add(2));
  CHECK_FALSE(add(3));
  auto x = values.take();
  CHECK(x.dropped == 1);
  CHECK(number_in(*x.content) == 2);
  CHECK_FALSE(add(4));
  CHECK(number_in(*values.take().content) == 3);
  CHECK(number_in(*values.take().content) == 4);
  // The receiver must find the queue empty before it is notified again.
  CHECK_FALSE(add(5));
  CHECK(number_in(*values.take().content) == 5);
  CHECK_FALSE(values.take().content);
  CHECK(add(6));
}

} // namespace keep_latest_rules_test
