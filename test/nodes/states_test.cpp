// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The states of a node, and the saved data of a node, actions included.

#include "caf/rosia/state.hpp"

#include "nodes/node_access.hpp"
#include "nodes/saved_data.hpp"

#include "support.hpp"

#include <caf/binary_serializer.hpp>

namespace states_test {

using rosia::graph_error;
using rosia::detail::copy_data;
using rosia::detail::node_access;
using rosia::detail::restore_event;
using rosia::detail::restore_state;
using rosia::detail::to_bytes;
using rosia::test::harness;

namespace {

struct pose {
  double x = 0;
  double y = 0;
  double heading = 0;
  friend bool operator==(const pose&, const pose&) = default;
};

template <class Inspector>
auto inspect(Inspector& f, pose& x) {
  return caf::rosia::inspect_members(f, x, x.x, x.y, x.heading);
}

struct fragile {
  int content = 0;
};

template <class Inspector>
auto inspect(Inspector& f, fragile& x) {
  if (x.content < 0)
    throw std::runtime_error("it is negative");
  return caf::rosia::inspect_members(f, x, x.content);
}

struct counter : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::action<std::string> later{this, "later"};
  rosia::state<int> count{this, "count", 0};
  rosia::state<std::vector<int>> all{this, "all"};
  rosia::state<pose> where{this, "where", {1, 2, 3}};

  rosia::reaction on_in{this, "on_in", {in}, [this] {
                          out(++count);
                          all->push_back(*in);
                          where->x += *in;
                          later.schedule(1s, "after " + std::to_string(*in));
                          later.schedule(2s, "long after");
                        }};

  rosia::reaction on_later{
    this, "on_later", {later}, [this] { log().info("{}", *later); }};
};

/// Returns the bytes of a saved state of the counter.
template <class T>
std::vector<char> bytes_of(const T& x) {
  return to_bytes("x", rosia::engine::make_value<T>(x));
}

template <class Fun>
std::string error_with(Fun fun) {
  return error_of<std::runtime_error>(fun);
}

} // namespace

// -- reading and writing ------------------------------------------------------

TEST_CASE("a state is read and written like a value of its type", "[state]") {
  struct all_kinds : rosia::node {
    rosia::state<int> i{this, "i", 3};
    rosia::state<bool> flag{this, "flag"};
    rosia::state<std::string> text{this, "text", "abc"};
    rosia::state<std::map<std::string, int>> table{this, "table"};
    rosia::state<int> other{this, "other", 100};
  };
  all_kinds x;
  x.i += 4;
  x.i *= 2;
  x.i -= 1;
  ++x.i;
  x.i++;
  x.i /= 3;
  int plain = x.i + 1;
  CHECK(plain == 6);
  CHECK(x.i == 5);
  CHECK(x.i < 6);
  x.i = x.other;
  CHECK(x.i == 100);
  CHECK(x.i.name() == "i");
  CHECK_FALSE(x.flag);
  x.flag = true;
  CHECK((x.flag && true));
  x.text += "d";
  x.text = *x.text + "e";
  const std::string& view = x.text;
  CHECK(view == "abcde");
  CHECK(x.text->size() == 5);
  x.table["seven"] = 7;
  CHECK(x.table->at("seven") == 7);
  const auto& fixed = x;
  CHECK(*fixed.text == "abcde");
  CHECK(fixed.i == 100);
  CHECK(x.i.version() == 1);
  CHECK(x.i.type() == typeid(int));
  CHECK(x.i.parent() == &x);
}

TEST_CASE("a state is as large as its value and its name", "[state]") {
  CHECK(sizeof(rosia::state<int>)
        <= sizeof(rosia::state_base) + sizeof(std::int64_t));
}

TEST_CASE("the names of states are checked like those of other members",
          "[state]") {
  struct twice : rosia::node {
    rosia::state<int> x{this, "count", 0};
    rosia::state<double> y{this, "count", 0};
  };
  struct bad : rosia::node {
    rosia::state<int> x{this, "", 0};
  };
  CHECK(error_of<graph_error>([] { harness<twice> h; })
        == "a node has state 'count' twice; give one of the two another name");
  CHECK_THAT(error_of<graph_error>([] { harness<bad> h; }),
             ContainsSubstring("state '' has a bad name"));
}

TEST_CASE("a harness shows the states of its node, with their names",
          "[state]") {
  harness<counter> h;
  h.set(&counter::in, 1ms, 5);
  h.set(&counter::in, 2ms, 6);
  h.run_until(3ms);
  CHECK(h.values(&counter::out) == std::vector{1, 2});
  auto states = h.states();
  REQUIRE(states.size() == 3);
  CHECK(states[0] == "count: 2");
  CHECK(states[1] == "all: [5, 6]");
  CHECK_THAT(states[2], ContainsSubstring("where: "));
  CHECK_THAT(states[2], ContainsSubstring("12"));
}

TEST_CASE("a node declares its state, or that it has none", "[state]") {
  struct silent : rosia::node {
    rosia::action<int> later{this, "later"};
  };
  struct doubler : rosia::node, rosia::stateless<doubler> {};
  struct counting_doubler : doubler {
    int count = 0;
  };
  harness<counter> x;
  harness<silent> y;
  harness<doubler> z;
  harness<counting_doubler> derived;
  harness<rosia::timer> t{1s};
  CHECK(node_access::declares_state(*x));
  CHECK_FALSE(node_access::declares_state(*y));
  CHECK(node_access::declares_state(*z));
  CHECK(node_access::declares_state(*t));
  // The declaration may be missing.
  CHECK_FALSE(node_access::declares_state(*derived));
}

// -- saving -------------------------------------------------------------------

TEST_CASE("the data of a node is copied, and another node continues with it",
          "[state]") {
  harness<counter> h;
  h.set(&counter::in, 1ms, 5);
  h.set(&counter::in, 2ms, 6);
  h.run_until(3ms);
  auto saved = copy_data(*h);
  // Later events are not included.
  h.set(&counter::in, 4ms, 9);
  h.run_until(5ms);
  REQUIRE(saved.states.size() == 3);
  REQUIRE(saved.events.size() == 4);
  harness<counter> other;
  for (auto& x : saved.states)
    restore_state(*other, x.name, x.version, to_bytes(x.name, x.content));
  for (auto& x : saved.events)
    restore_event(*other, x.action, x.tag, to_bytes(x.action, x.content));
  CHECK(other->count == 2);
  CHECK(*other->all == std::vector{5, 6});
  CHECK(*other->where == pose{12, 2, 3});
  CHECK(other.scheduled(&counter::later)
        == record<std::string>{
          {1001ms, "after 5"},
          {1002ms, "after 6"},
          {2001ms, "long after"},
          {2002ms, "long after"}});
  other.run();
  CHECK(other.log()
        == std::vector<std::string>{"info: after 5", "info: after 6",
                                    "info: long after", "info: long after"});
}

TEST_CASE("an older version's value is upgraded, and a newer one refused",
          "[state]") {
  struct mover : rosia::node {
    rosia::state<pose> at{
      this,
      "at",
      {},
      rosia::upgrades(
        nullptr,
        [](const int& old) {
          return pose{double(old), 0, 0};
        },
        [](const std::pair<double, double>& old) {
          return pose{old.first, old.second, 0};
        })};
  };
  harness<mover> h;
  CHECK(h->at.version() == 4);
  restore_state(*h, "at", 4, bytes_of(pose{1, 2, 3}));
  CHECK(*h->at == pose{1, 2, 3});
  restore_state(*h, "at", 3, bytes_of(std::pair{4.0, 5.0}));
  CHECK(*h->at == pose{4, 5, 0});
  restore_state(*h, "at", 2, bytes_of(7));
  CHECK(*h->at == pose{7, 0, 0});
  CHECK(error_with([&] { restore_state(*h, "at", 1, bytes_of(7)); })
        == "state 'at' of node 'node' was saved in version 1, and the program, "
           "with version 4, does not read that; give the state a function for "
           "it, see rosia::upgrades");
  CHECK(error_with([&] { restore_state(*h, "at", 5, bytes_of(7)); })
        == "state 'at' of node 'node' was saved in version 5, and the program, "
           "with version 4, does not read that; use the newer program");
  CHECK_THAT(error_with([&] { restore_state(*h, "at", 0, bytes_of(7)); }),
             ContainsSubstring("version 0"));
  CHECK(*h->at == pose{7, 0, 0});
}

TEST_CASE(
  "data that does not fit is refused with the names, and changes nothing",
  "[state]") {
  harness<counter> h;
  CHECK(error_with([&] { restore_state(*h, "size", 1, {}); })
        == "state 'size' of node 'node' was saved, but the node has none of "
           "that name");
  CHECK(error_with([&] { restore_state(*h, "count", 1, {}); })
        == "state 'count' of node 'node' cannot be read: its type does not fit "
           "what was saved; if the type has changed, restore it, or give a "
           "state a higher version and a function that reads the old one "
           "(rosia::upgrades); if not, the file is garbled: use a copy");
  auto longer = bytes_of(pose{});
  CHECK_THAT(error_with([&] { restore_state(*h, "count", 1, longer); }),
             ContainsSubstring("does not fit"));
  std::vector<char> endless(12, '\xff');
  CHECK_THAT(error_with([&] { restore_state(*h, "all", 1, endless); }),
             ContainsSubstring("state 'all' of node 'node' cannot be read"));
  CHECK(h->count == 0);
  CHECK(h->all->empty());
  CHECK(error_with([&] { restore_event(*h, "sooner", at(1s), {}); })
        == "action 'sooner' of node 'node' was saved, but the node has none of "
           "that name");
  CHECK_THAT(error_with([&] { restore_event(*h, "later", at(1s), {}); }),
             ContainsSubstring("action 'later' of node 'node' cannot be read"));
  CHECK(h.scheduled(&counter::later).empty());
}

TEST_CASE("events without a value, and events that CAF cannot serialise",
          "[state]") {
  struct opaque {
    std::unique_ptr<int> content;
  };
  struct keeper : rosia::node {
    rosia::action<void> tick{this, "tick"};
    rosia::action<std::shared_ptr<opaque>> odd{this, "odd"};
    void start() {
      tick.schedule(1s);
      odd.schedule(2s, nullptr);
    }
  };
  harness<keeper> h;
  h.run_until(0s);
  auto saved = copy_data(*h);
  REQUIRE(saved.events.size() == 2);
  auto bytes = to_bytes("tick", saved.events[0].content);
  CHECK(bytes.empty());
  CHECK(error_with([&] { to_bytes("odd", saved.events[1].content); })
        == "'odd' cannot be saved: CAF cannot write its type; give the type an "
           "inspect()");
  harness<keeper> other;
  restore_event(*other, "tick", at(1s), bytes);
  CHECK(other.scheduled(&keeper::tick) == std::vector<logical_time>{at(1s)});
  CHECK_THAT(error_with([&] { restore_event(*other, "odd", at(1s), bytes); }),
             ContainsSubstring("CAF cannot read its type"));
}

TEST_CASE("a value whose inspect() throws is named", "[state]") {
  auto content = rosia::engine::make_shared_value<fragile>(fragile{-1});
  CHECK(error_with([&] { to_bytes("node.state", content); })
        == "'node.state' cannot be saved: it is negative");
}

} // namespace states_test
