// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Sections 2 and 3 of the semantics: the arrival of messages, and a node at a
// tag.

#include "lab.hpp"

#include "catch.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace tag_rules_test {

using namespace engine_test;
using Catch::Matchers::ContainsSubstring;
using tags = std::vector<logical_time>;
using numbers = std::vector<std::uint64_t>;
using texts = std::vector<std::string>;

namespace {

/// Returns a node that writes the number of the write at some tags.
script writes_at(tags when) {
  script x;
  x.inputs = 0;
  x.start = [when](code& me) {
    for (std::size_t i = 0; i < when.size(); ++i) {
      if (when[i] == logical_time{}) {
        me.write(0, i);
        continue;
      }
      auto d = delay::from_parts(when[i].ns, when[i].microstep);
      me.wait(d, [i](code& self) { self.write(0, i); });
    }
  };
  return x;
}

/// Returns a node that only receives.
script sink(std::uint32_t inputs = 1) {
  script x;
  x.inputs = inputs;
  x.outputs = 0;
  return x;
}

/// A run of a node between a source and a sink.
struct in_the_middle : lab {
  in_the_middle(const script& first, const script& role) {
    source = add(first);
    middle = add(role);
    target = add(sink());
    connect(source, middle);
    connect(middle, target);
    assemble();
    start_all();
    run();
    CHECK(failures.empty());
  }

  /// Returns the values that it sent.
  numbers passed_on() const {
    numbers result;
    for (auto& x : sends)
      if (x.connection == 1)
        result.push_back(x.value);
    return result;
  }

  node_id source, middle, target;
};

/// Returns the only error that happened.
engine::failure only_failure(const lab& net) {
  REQUIRE(net.failures.size() == 1);
  return net.failures[0].second;
}

} // namespace

// -- section 2 ----------------------------------------------------------------

TEST_CASE("a message arrives at its tag plus the connection's delay") {
  lab net;
  auto source = net.add(writes_at({{0, 0}, {5, 0}, {5, 2}}));
  auto plain = net.add(sink());
  auto later = net.add(sink());
  auto next = net.add(sink());
  net.connect(source, plain);
  net.connect(source, later, ns(3));
  net.connect(source, next, steps(2));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(plain) == tags{{0, 0}, {5, 0}, {5, 2}});
  CHECK(net.tags(later) == tags{{3, 0}, {8, 0}, {8, 1}});
  CHECK(net.tags(next) == tags{{0, 2}, {5, 2}, {5, 4}});
}

TEST_CASE("2.7 two sends whose arrivals would coincide: the second arrives one "
          "microstep later") {
  lab net;
  auto source
    = net.add(writes_at({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}}));
  auto target = net.add(sink());
  net.connect(source, target, ns(5));
  net.assemble();
  net.start_all();
  net.run();
  // Nothing is merged, dropped or reordered.
  CHECK(
    net.arrivals(0) == tags{{5, 0}, {5, 1}, {5, 2}, {5, 3}, {6, 0}, {6, 1}});
  CHECK(net.tags(target) == net.arrivals(0));
}

TEST_CASE(
  "2.3 several values at one tag on one input are all kept, in the order "
  "in which the connections were declared") {
  lab net;
  std::vector<node_id> sources;
  for (std::uint64_t i = 0; i < 4; ++i) {
    script x;
    x.inputs = 0;
    x.start = [i](code& me) { me.write(0, 10 * i); };
    sources.push_back(net.add(x));
  }
  numbers seen;
  auto role = sink();
  role.react = [&seen](code& me, std::uint32_t) { seen = me.values(); };
  auto target = net.add(role);
  for (auto i : {2u, 0u, 3u, 1u})
    net.connect(sources[i], target);
  net.assemble();
  // They arrive in a different order.
  for (auto i : sources) {
    net.start(i);
    net.run();
  }
  net.start(target);
  net.run();
  CHECK(seen == numbers{20, 0, 30, 10});
}

// -- a node at a tag ----------------------------------------------------------

TEST_CASE("3.1 a node executes a tag once, with all its events") {
  lab net;
  auto x = net.add(writes_at({{5, 0}}));
  auto y = net.add(writes_at({{5, 0}}));
  auto role = sink(2);
  role.start = [](code& me) { me.wait(ns(5), [](code&) {}); };
  auto target = net.add(role);
  net.connect(x, target);
  net.connect({y, 0, target, 1, {}, false});
  net.assemble();
  net.hold(y, target);
  net.start_all();
  net.run();
  CHECK(net.tags(target).empty());
  net.release(y, target);
  net.run();
  CHECK(net.tags(target) == tags{{5, 0}});
}

TEST_CASE(
  "3.5 at a tag, yielded code resumes, then inputs are set, then reactions "
  "run in declaration order, then outputs are sent") {
  lab net;
  auto source = net.add(writes_at({{5, 0}}));
  auto early = net.add(writes_at({{2, 0}}));
  script role;
  role.inputs = 4;
  role.triggers = {{1}, {0, 1}, {2}, {0}, {3}, {3}};
  role.start = [](code& me) {
    // Scheduled later than the reactions declared after it.
    me.wait(ns(3), [](code& self) {
      self.wait(ns(2), [](code& it) { it.log.emplace_back("third"); });
    });
  };
  std::size_t sent = 0;
  role.react = [&net, &sent](code& me, std::uint32_t reaction) {
    if (reaction == 4)
      me.wait(ns(3), [](code& self) {
        self.log.emplace_back(self.present() ? "late" : "first");
        self.write();
      });
    if (reaction == 5)
      me.wait(ns(3), [](code& self) { self.log.emplace_back("second"); });
    if (reaction >= 4)
      return;
    me.log.push_back("r" + std::to_string(reaction));
    sent = net.in_transit(2, 3);
  };
  auto middle = net.add(role);
  auto target = net.add(sink());
  net.connect(source, middle);
  net.connect({source, 0, middle, 1, {}, false});
  net.connect({early, 0, middle, 3, {}, false});
  net.connect(middle, target);
  net.assemble();
  net.hold(middle, target);
  net.start_all();
  net.run();
  // r2 has no trigger present; r1 has two, and runs once.
  CHECK(net.code_of(middle).log
        == texts{"first", "second", "third", "r0", "r1", "r3"});
  CHECK(sent == 0);
  CHECK(net.in_transit(middle, target));
}

TEST_CASE("3.4 ports without a value keep their last one") {
  lab net;
  auto x = net.add(writes_at({{1, 0}, {3, 0}}));
  auto y = net.add(writes_at({{2, 0}, {3, 0}}));
  std::vector<std::string> seen;
  auto role = sink(2);
  role.react = [&seen](code& me, std::uint32_t) {
    std::string text;
    for (std::uint32_t i = 0; i < 2; ++i) {
      text += me.present(i) ? "+" : "-";
      for (auto value : me.values(i))
        text += std::to_string(value);
    }
    seen.push_back(text);
  };
  auto target = net.add(role);
  net.connect(x, target);
  net.connect({y, 0, target, 1, {}, false});
  net.assemble();
  net.start_all();
  net.run();
  CHECK(seen == texts{"+0-", "-0+0", "+1+1"});
  CHECK_FALSE(net.input_of(target, 0).present); // between two tags
}

TEST_CASE(
  "3.7 start() runs at once, without waiting for STAT; inputs at (0, 0) "
  "follow it") {
  lab net;
  auto source = net.add(writes_at({{0, 0}}));
  script role;
  role.start = [](code& me) {
    me.log.emplace_back("start");
    me.write();
  };
  role.react = [](code& me, std::uint32_t) { me.log.emplace_back("input"); };
  auto middle = net.add(role);
  auto target = net.add(sink());
  net.connect(source, middle);
  net.connect(middle, target);
  net.assemble();
  net.start(middle);
  net.run();
  CHECK(net.code_of(middle).log == texts{"start"});
  CHECK(net.arrivals(1) == tags{{0, 0}}); // sent when start() returned
  net.start(source);
  net.start(target);
  net.run();
  CHECK(net.code_of(middle).log == texts{"start", "input"});
  CHECK(net.tags(target) == tags{{0, 0}});
}

TEST_CASE("messages to a node that starts late are available at its start") {
  lab net;
  auto source = net.add(writes_at({{0, 0}, {1, 0}}));
  auto target = net.add(sink());
  net.connect(source, target);
  net.assemble();
  net.start(source);
  net.run();
  CHECK(net.tags(target).empty());
  net.start(target);
  net.run();
  CHECK(net.tags(target) == tags{{0, 0}, {1, 0}});
}

TEST_CASE("3.9 every triggering starts a new instance") {
  script role;
  role.react = [](code& me, std::uint32_t) {
    auto value = me.values()[0];
    me.wait(ns(10), [value](code& self) { self.write(0, value); });
  };
  in_the_middle net{writes_at({{0, 0}, {1, 0}, {2, 0}}), role};
  CHECK(net.tags(net.target) == tags{{10, 0}, {11, 0}, {12, 0}});
  CHECK(net.passed_on() == numbers{0, 1, 2});
}

TEST_CASE("3.9 instances of one reaction whose tags would coincide resume a "
          "microstep apart, in the order in which they were scheduled") {
  script role;
  role.react = [](code& me, std::uint32_t) {
    auto value = me.values()[0];
    auto write = [value](code& self) { self.write(0, value); };
    switch (value) {
      case 0: // at (100, 0), and from there
        me.wait(ns(100), [value](code& self) {
          self.write(0, value);
          // The next microstep is the second instance's, the following one the
          // third's.
          self.wait(steps(1), [](code& it) { it.write(0, 10); });
        });
        break;
      case 1:
        me.wait(ns(100), write);
        break;
      case 2: // scheduled later, with a shorter delay
        me.wait(ns(10), write);
        break;
      default: // (100, 3) is taken by the instance that resumed at (100, 0)
        me.wait(steps(2), write);
    }
  };
  in_the_middle net{writes_at({{0, 0}, {0, 1}, {90, 0}, {100, 1}}), role};
  CHECK(net.tags(net.target)
        == tags{{100, 0}, {100, 1}, {100, 2}, {100, 3}, {100, 4}});
  CHECK(net.passed_on() == numbers{0, 1, 2, 10, 3});
}

TEST_CASE(
  "any number of instances that would resume at one tag get separate tags") {
  constexpr std::uint32_t count = 5000;
  script ticks;
  ticks.inputs = 0;
  ticks.start = [](code& me) {
    for (std::uint32_t i = 0; i < count; ++i)
      me.wait(ns(100), [](code& self) { self.write(); });
  };
  script role;
  role.react = [](code& me, std::uint32_t) {
    me.wait(ns(100), [](code& self) { self.write(); });
  };
  in_the_middle net{ticks, role};
  tags expected;
  for (std::uint32_t i = 0; i < count; ++i)
    expected.push_back({200, i});
  CHECK(net.tags(net.target) == expected);
}

TEST_CASE("instances that would resume at forever never do") {
  lab net;
  auto source = net.add(writes_at({{1, 0}, {2, 0}}));
  auto role = sink();
  role.react = [](code& me, std::uint32_t) {
    me.wait(ns(std::numeric_limits<std::int64_t>::max()), [](code& self) {
      self.log.emplace_back("resumed");
    });
  };
  auto x = net.add(role);
  net.connect(source, x);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.left(x));
  CHECK(net.code_of(x).log.empty());
  CHECK(net.code_of(x).discarded == 2);
}

TEST_CASE("3.8 a reaction resumes at tag + d") {
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.wait(steps(1), [](code& a) {
      a.wait(ns(7), [](code& b) { b.wait(steps(3), [](code&) {}); });
    });
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x) == tags{{0, 1}, {7, 0}, {7, 3}});
}

// -- errors -------------------------------------------------------------------

TEST_CASE(
  "3.6 a second write to one output at one tag is an error of the node") {
  lab net;
  script role;
  role.inputs = 0;
  role.outputs = 2;
  role.start = [](code& me) {
    me.wait(ns(5), [](code& self) {
      self.write(1);
      self.write(0);
      self.write(1);
    });
  };
  auto source = net.add(role);
  auto target = net.add(sink());
  net.connect({source, 1, target, 0, {}, false});
  net.assemble();
  net.start_all();
  net.run();
  auto error = only_failure(net);
  CHECK(error.tag == logical_time{5, 0});
  CHECK(error.reaction == "start");
  CHECK(error.text
        == "output 'o1' was written twice at tag 5ns; yield with co_await "
           "after(microsteps(1)) between the writes, or send both in one "
           "value");
  // Nothing of that tag is sent.
  CHECK(net.tags(target).empty());
}

TEST_CASE("two reactions that write one output at one tag are an error that "
          "names both") {
  auto message_of = [](const std::function<void(code&, std::uint32_t)>& react,
                       const tags& when) {
    lab net;
    auto source = net.add(writes_at(when));
    script role;
    role.triggers = {{0}, {0}};
    role.react = react;
    auto middle = net.add(role);
    net.connect(source, middle);
    net.assemble();
    net.start_all();
    net.run();
    return only_failure(net).text;
  };
  SECTION("both resumed") {
    CHECK(
      message_of(
        [](code& me, std::uint32_t) {
          me.wait(ns(3), [](code& self) { self.write(); });
        },
        {{1, 0}})
      == "output 'o0' was written twice at tag 4ns, by 'r0' and then by "
         "'r1'; let one of the two yield with co_await "
         "after(microsteps(1)) before it writes, or give each an output "
         "of its own");
  }
  SECTION("one resumed, and a later instance of it") {
    CHECK_THAT(
      message_of(
        [](code& me, std::uint32_t reaction) {
          if (reaction == 0)
            return;
          me.write();
          me.wait(ns(3), [](code& self) { self.write(); });
        },
        {{1, 0}, {4, 0}}),
      ContainsSubstring(
        "at tag 4ns, by 'r1' and then by another instance of 'r1'; "));
  }
}

TEST_CASE("outputs of start() at (0, 0) count at that tag") {
  lab net;
  auto source = net.add(writes_at({{0, 0}}));
  script role;
  role.start = [](code& me) { me.write(); };
  role.react = [](code& me, std::uint32_t) { me.write(); };
  auto middle = net.add(role);
  net.connect(source, middle);
  net.assemble();
  net.start_all();
  net.run();
  CHECK_THAT(only_failure(net).text, ContainsSubstring("written twice at tag"));
}

TEST_CASE("3.13 all reactions at a tag returned before any event at a "
          "later tag starts") {
  auto in_group = GENERATE(false, true);
  auto budget = GENERATE(std::size_t{1}, std::size_t{100});
  CAPTURE(in_group, budget);
  lab net;
  using event = std::pair<logical_time, std::string>;
  std::vector<event> log;
  // Reactions 0 and 1 run at one tag, and cause an event of every kind for the
  // next microstep.
  script role;
  role.inputs = 3;
  role.outputs = 2;
  role.triggers = {{0}, {0}, {1}, {2}};
  role.actions = 1;
  role.acts = {{}, {}, {0}};
  role.external = true;
  role.react = [&](code& me, std::uint32_t reaction) {
    auto name = std::to_string(reaction);
    log.push_back({me.now(), "begin " + name});
    if (reaction < 2) {
      me.write(reaction);
      me.schedule(steps(1));
      me.wait(steps(1), [&](code& self) {
        log.push_back({self.now(), "resume"});
      });
      net.call(1, 2);
    }
    log.push_back({me.now(), "end " + name});
  };
  auto source = net.add(writes_at({{5, 0}}));
  auto target = net.add(role);
  auto last = net.add(sink());
  net.connect(source, target);
  net.connect({target, 0, target, 1, steps(1), false});
  net.connect({target, 1, last, 0, {}, false});
  net.assemble();
  if (in_group) {
    net.fuse(source, target);
    net.fuse(target, last);
  }
  net.start_all();
  auto run = [&] {
    for (auto again = true; again;) {
      again = false;
      for (auto id : {target, last, source})
        if (net.scheduled(id)) {
          net.activate(id, budget);
          again = true;
        }
    }
  };
  run();
  while (net.next_wake() <= 10) {
    net.set_clock(net.next_wake());
    run();
  }
  auto count = [&](const char* text) {
    return std::count_if(log.begin(), log.end(), [=](auto& x) {
      return x.second == text;
    });
  };
  REQUIRE(log.size() >= 4);
  CHECK(log[0] == event{{5, 0}, "begin 0"});
  CHECK(log[1] == event{{5, 0}, "end 0"});
  CHECK(log[2] == event{{5, 0}, "begin 1"});
  CHECK(log[3] == event{{5, 0}, "end 1"});
  // Everything else happens later.
  CHECK(count("resume") == 2);
  CHECK(count("begin 2") == 1);
  CHECK(count("begin 3") == 2);
  for (std::size_t i = 4; i < log.size(); ++i) {
    CHECK(log[i].first > logical_time{5, 0});
    CHECK(log[i].first >= log[i - 1].first);
    if (log[i].second.starts_with("begin")) {
      REQUIRE(i + 1 < log.size());
      CHECK(log[i + 1] == event{log[i].first, "end" + log[i].second.substr(5)});
    }
  }
}

TEST_CASE("6.1 an exception is an error that names reaction, tag and text") {
  lab net;
  auto source = net.add(writes_at({{5, 1}}));
  auto role = sink();
  role.triggers = {{}, {0}};
  SECTION("a standard one") {
    role.react = [](code&, std::uint32_t) { throw std::runtime_error("ouch"); };
    auto target = net.add(role);
    net.connect(source, target);
    net.assemble();
    net.start_all();
    net.run();
    auto error = only_failure(net);
    CHECK(error.reaction == "r1");
    CHECK(error.tag == logical_time{5, 1});
    CHECK(error.text == "ouch");
    CHECK(net.failures[0].first == target);
  }
  SECTION("a different one") {
    role.react = [](code&, std::uint32_t) { throw 7; };
    auto target = net.add(role);
    net.connect(source, target);
    net.assemble();
    net.start_all();
    net.run();
    CHECK_THAT(only_failure(net).text, ContainsSubstring("not derived"));
  }
}

TEST_CASE("a failed node executes nothing more, but still answers") {
  lab net;
  auto source = net.add(writes_at({{1, 0}, {2, 0}}));
  auto role = sink();
  role.react = [](code&, std::uint32_t) { throw std::runtime_error("ouch"); };
  auto target = net.add(role);
  net.connect(source, target);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(target) == tags{{1, 0}});
  net.ask_shutdown(target, {9, 0});
  net.run();
  CHECK(net.answers.size() == 1);
  net.abort(target);
  CHECK(net.code_of(target).shutdowns == 1);
}

namespace {

/// A source that wrote its first value of two, and a sink that did not read it
/// yet.
struct half_sent {
  lab net;
  engine::node_id source = net.add(writes_at({{5, 0}, {9, 0}}));
  engine::node_id target = net.add(sink());

  half_sent() {
    net.connect(source, target);
    net.assemble();
    net.start_all();
    net.activate(source, 1);
  }
};

} // namespace

TEST_CASE("7.2 a message for a past tag is an error, never executed") {
  half_sent x;
  auto& [net, source, target] = x;
  net.activate(target);
  REQUIRE(net.tags(target) == tags{{5, 0}});
  net.forge(target, {.tag = {5, 0}, .content = make_value(0)});
  net.run();
  CHECK(net.tags(target) == tags{{5, 0}});
  CHECK_THAT(only_failure(net).text,
             ContainsSubstring("5ns") && ContainsSubstring("had ended"));
}

TEST_CASE("a promise can state that its connection sends nothing more") {
  half_sent x;
  auto& [net, source, target] = x;
  net.forge(target, {.kind = engine::envelope_kind::promise, .last = true});
  net.activate(target);
  CHECK(net.tags(target) == tags{{5, 0}});
  CHECK(net.left(target));
  CHECK_FALSE(net.left(source));
}

TEST_CASE("yielding for no time, or for a negative time, is an error") {
  auto message_of = [](const delay& d) {
    lab net;
    script role;
    role.inputs = 0;
    role.start = [d](code& me) { me.wait(d, [](code&) {}); };
    net.add(role);
    net.assemble();
    net.start_all();
    return only_failure(net).text;
  };
  CHECK_THAT(message_of(delay{}), ContainsSubstring("without a delay"));
  CHECK_THAT(message_of(ns(-3)), ContainsSubstring("negative delay, -3ns"));
}

TEST_CASE("1.4 a promise or a request with a negative delay is an error") {
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) { me.promise(ns(-3)); };
  net.add(role);
  role.start = [](code& me) { me.request(ns(-4)); };
  net.add(role);
  net.assemble();
  net.start_all();
  REQUIRE(net.failures.size() == 2);
  CHECK_THAT(net.failures[0].second.text, ContainsSubstring("'o0'"));
  CHECK_THAT(net.failures[0].second.text, ContainsSubstring("-3ns"));
  CHECK_THAT(net.failures[1].second.text, ContainsSubstring("-4ns"));
  CHECK(net.requests.empty());
}

TEST_CASE("outside of its reactions, a node's code may not call the engine") {
  lab net;
  auto x = net.add(script{});
  net.assemble();
  CHECK_THROWS_AS(net.code_of(x).write(), std::logic_error);
  net.start_all();
  net.run();
  CHECK_THROWS_AS(net.code_of(x).write(), std::logic_error);
  CHECK_THROWS_AS(net.code_of(x).promise(ns(1)), std::logic_error);
  CHECK_THROWS_AS(net.code_of(x).request(), std::logic_error);
  CHECK_THROWS_AS(net.at(x).wait(ns(1), nullptr), std::logic_error);
  CHECK(net.failures.empty());
}

TEST_CASE("1.3 an overflowing microstep is an error of the node") {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.wait(steps(all), [](code& self) { self.wait(steps(1), [](code&) {}); });
  };
  auto x = net.add(role);
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(x) == tags{{0, all}});
  CHECK_THAT(only_failure(net).text, ContainsSubstring("microstep overflows"));
}

TEST_CASE("1.3 messages can arrive at the last microstep of an instant") {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.write();
    me.wait(ns(1), [](code& self) { self.write(); });
  };
  auto a = net.add(role);
  auto b = net.add({});
  net.connect(a, b, steps(all));
  net.assemble();
  net.start_all();
  net.run();
  CHECK(net.tags(b) == tags{{0, all}, {1, all}});
  CHECK(net.failures.empty());
}

TEST_CASE("1.3 a message that would arrive after the last microstep of an "
          "instant is an error of its sender") {
  constexpr auto all = std::numeric_limits<std::uint32_t>::max();
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.write();
    me.wait(steps(1), [](code& self) { self.write(); });
  };
  auto a = net.add(role);
  auto b = net.add({});
  net.connect(a, b, steps(all));
  net.assemble();
  net.start_all();
  net.run();
  CHECK_THAT(only_failure(net).text, ContainsSubstring("microstep overflows"));
  CHECK(net.failures.front().first == a);
}

TEST_CASE("a coroutine that never continues is discarded") {
  lab net;
  script role;
  role.inputs = 0;
  role.start = [](code& me) {
    me.wait(ns(5), [](code&) {});
    me.wait(ns(50), [](code&) {});
  };
  auto x = net.add(role);
  net.assemble();
  net.take_final(x, {5, 0}, {5, 0});
  net.start_all();
  net.run();
  CHECK(net.left(x));
  CHECK(net.code_of(x).discarded == 1);
}

TEST_CASE(
  "calling a node from within another node's code has no side effects") {
  // A reaction may run another application, for example a test harness.
  lab other;
  auto first = other.add(writes_at({{0, 0}, {1, 0}}));
  auto second = other.add(sink());
  other.connect(first, second);
  other.assemble();
  lab net;
  auto source = net.add(writes_at({{1, 0}, {2, 0}}));
  auto role = sink(2);
  role.triggers = {{0}, {1}, {0, 1}};
  role.react = [&other](code& me, std::uint32_t reaction) {
    me.log.push_back("r" + std::to_string(reaction));
    other.start_all();
    other.run();
  };
  auto target = net.add(role);
  net.connect(source, target);
  net.connect({source, 0, target, 1, {}, false});
  net.assemble();
  net.start_all();
  net.run();
  CHECK(other.tags(second) == tags{{0, 0}, {1, 0}});
  CHECK(net.code_of(target).log == texts{"r0", "r1", "r2", "r0", "r1", "r2"});
}

TEST_CASE("an unfinished tag of a node does not affect the next node") {
  // Both run on one thread and share its buffers.
  lab net;
  auto source = net.add(writes_at({{1, 0}}));
  auto role = sink(3);
  role.react = [](code&, std::uint32_t) { throw std::runtime_error("ouch"); };
  auto failing = net.add(role);
  auto other_source = net.add(writes_at({{1, 0}}));
  auto good = net.add(sink());
  for (auto i : {2u, 1u, 0u})
    net.connect({source, 0, failing, i, {}, false});
  net.connect(other_source, good);
  net.assemble({.max_in_flight = 1});
  net.start_all();
  net.run();
  CHECK(net.failures.size() == 1);
  CHECK(net.tags(good) == tags{{1, 0}});
}

} // namespace tag_rules_test
