// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Mistakes that compilers detect, with the expected messages, see rejected.py.
// A compiler reports an error in a template once for equal types, so the types
// differ.

#include "caf/rosia/all.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;

// -- valid code ---------------------------------------------------------------

struct from : rosia::node {
  rosia::output_port<int> out{this, "out"};
  std::array<rosia::output_port<int>, 2> outs{{{this, "o0"}, {this, "o1"}}};
};

struct to : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::input_port<long> other{this, "other"};
};

struct graph {
  rosia::application& app;
  rosia::node_ref<from> a;
  rosia::node_ref<to> b;
};

// -- members of a node --------------------------------------------------------

//: the node comes first, then the name: {this, name, ...}
struct port_without_this : rosia::node {
  rosia::input_port<int> in{"in"};
};

//: the node comes first, then the name: {this, name, ...}
struct output_without_this : rosia::node {
  rosia::output_port<int> output{"output"};
};

//: the node comes first, then the name: {this, name, ...}
struct reaction_without_this : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{"on_in", {in}, [] {}};
};

//: the node comes first, then the name: {this, name, ...}
struct physical_action_without_this : rosia::node {
  rosia::physical_action<int> press{"pressed_by_hand"};
};

//: the node comes first, then the name: {this, name, ...}
struct startup_without_this : rosia::node {
  rosia::startup at_start{"at_start", [] {}};
};

//: the node comes first, then the name: {this, name, ...}
struct action_without_this : rosia::node {
  rosia::action<int> later{"scheduled"};
};

//: the node comes first, then the name: {this, name, ...}
struct watchdog_without_this : rosia::node {
  rosia::watchdog dog{"guard_of_the_house", 5ms};
};

//: the handler of a watchdog returns nothing, and cannot yield; the reaction
//:   that the watchdog triggers may
struct handler_that_yields : rosia::node {
  rosia::watchdog dog{
    this, "dog", 5ms, []() -> rosia::task { co_await rosia::after(1ms); }};
};

//: the handler of a watchdog is a function without parameters
struct handler_with_parameter : rosia::node {
  rosia::watchdog dog{this, "dog", 5ms, [](int) {}};
};

//: the node comes first, then the name: {this, name, ...}
struct mode_without_this : rosia::node {
  rosia::mode failed{"failed_mode"};
};

//: only reactions, actions, ticks and states have a mode; the first argument of
//:   other members is `this`
struct watchdog_of_a_mode : rosia::node {
  rosia::mode failed{this, "failed"};
  rosia::watchdog dog{failed, "dog", 5ms};
};

//: only reactions, actions, ticks and states have a mode; the first argument of
//:   other members is `this`
struct physical_action_of_a_mode : rosia::node {
  rosia::mode failed{this, "failed"};
  rosia::physical_action<int> key{failed, "any_key"};
};

//: only reactions, actions, ticks and states have a mode; the first argument of
//:   other members is `this`
struct startup_of_a_mode : rosia::node {
  rosia::mode failed{this, "failed"};
  rosia::startup at_start{failed, "at_start", [] {}};
};

//: the node comes first, then the name: {this, name, ...}
struct state_without_this : rosia::node {
  rosia::state<int> count{"number_of_all", 0};
};

// -- values -------------------------------------------------------------------

struct pair_of_numbers {
  double a = 0;
  int b = 0;
};

template <class Inspector>
auto inspect(Inspector& f, pair_of_numbers& x) {
  return rosia::inspect_members(f, x.a, x.b);
}

//: the object comes first, then its own members: inspect_members(f, x, x.a)
struct value_without_object : rosia::node {
  rosia::output_port<pair_of_numbers> out{this, "out"};
};

struct text_and_number {
  std::string a;
  int b = 0;
};

template <class Inspector>
auto inspect(Inspector& f, text_and_number& x) {
  return rosia::inspect_members(f, x.a, x.b);
}

//: the object comes first, then its own members: inspect_members(f, x, x.a)
struct state_without_object : rosia::node {
  rosia::state<text_and_number> x{this, "x"};
};

struct pair_of_structures {
  text_and_number a;
  text_and_number b;
};

template <class Inspector>
auto inspect(Inspector& f, pair_of_structures& x) {
  return rosia::inspect_members(f, x.a, x.b);
}

//: the object comes first, then its own members: inspect_members(f, x, x.a)
struct structures_without_object : rosia::node {
  rosia::output_port<pair_of_structures> out{this, "out"};
};

struct single_member {
  std::vector<int> a;
};

template <class Inspector>
auto inspect(Inspector& f, single_member& x) {
  return rosia::inspect_members(f, x);
}

//: the object comes first, then its own members: inspect_members(f, x, x.a)
struct value_without_members : rosia::node {
  rosia::output_port<single_member> out{this, "out"};
};

// -- states and actions -------------------------------------------------------

struct unwritable {
  int* where = nullptr;
};

//: CAF can read and write the type of a state: give the type an inspect()
struct state_that_cannot_be_saved : rosia::node {
  rosia::state<unwritable> x{this, "x"};
};

//: a function that upgrades a state makes its value from the older one
struct state_with_wrong_upgrade : rosia::node {
  rosia::state<int> x{
    this, "x", 0, rosia::upgrades([](const double&) { return std::string{}; })};
};

//: the type of an action must be a plain type, as that of a port is: values are
//:   immutable
struct action_of_references : rosia::node {
  rosia::action<const int> later{this, "later"};
};

//: ports and reactions are members of a class that derives from rosia::node,
//:   and their first argument is `this`
struct no_node {
  rosia::input_port<int> in{this, "in"};
};

//: a node's class derives from rosia::node publicly, and only once
class private_node : rosia::node {
  rosia::input_port<int> in{this, "in"};
};

//: the triggers of a reaction are input ports and actions of its node, or
//:   ranges of them, or rosia::at_shutdown
struct triggered_by_output : rosia::node {
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_out{this, "on_out", {out}, [] {}};
};

//: the triggers of a reaction follow its name, in braces or as a range: {this,
//:   name, {in}, ...}; without triggers it is a rosia::startup
struct trigger_without_braces : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", in, [] {}};
};

//: the triggers of a reaction follow its name, in braces or as a range: {this,
//:   name, {in}, ...}; without triggers it is a rosia::startup
struct action_without_braces : rosia::node {
  rosia::mode failed{this, "failed"};
  rosia::action<int> later{failed, "later"};
  rosia::reaction on_later{failed, "on_later", later, rosia::eager, [] {}};
};

//: the triggers of a reaction follow its name, in braces or as a range: {this,
//:   name, {in}, ...}; without triggers it is a rosia::startup
struct reaction_without_triggers : rosia::node {
  rosia::reaction always{this, "always", [] {}};
};

//: a reaction is a function without parameters: it reads its node's input ports
struct reaction_with_parameter : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{this, "on_in", {in}, [](int) {}};
};

// -- durations ----------------------------------------------------------------

//: a duration needs a unit, such as 10ms
struct tick_without_unit : rosia::node {
  rosia::tick step{this, "step", std::int8_t{10}};
};

//: a duration needs a unit, such as 10ms
struct watchdog_without_unit : rosia::node {
  rosia::watchdog dog{this, "dog", std::uint8_t{10}};
};

//: a duration needs a unit, such as 10ms
struct deadline_without_unit : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::reaction on_in{
    this, "on_in", {in}, rosia::deadline{std::int16_t{5}, [] {}}, [] {}};
};

//: a duration needs a unit, such as 10ms
struct schedules_without_unit : rosia::node {
  rosia::action<int> later{this, "later"};

  void start() {
    later.schedule(std::uint16_t{10}, 1);
  }
};

//: a duration needs a unit, such as 10ms
void create_timer_without_unit(graph& g) {
  g.app.create<rosia::timer>("clock", 100);
}

//: a duration needs a unit, such as 10ms
void connect_with_number(graph& g) {
  g.app.connect(g.a, &from::out, g.b, &to::in, 5.0);
}

//: a duration needs a unit, such as 10ms
rosia::options option_without_unit() {
  rosia::options result;
  result.grace_period = 5L;
  return result;
}

// -- nodes --------------------------------------------------------------------

struct no_class_of_a_node {};

//: a node's class derives from rosia::node
void create_no_node(graph& g) {
  g.app.create<no_class_of_a_node>("x");
}

struct virtual_node : virtual rosia::node {};

//: a node's class does not derive from rosia::node virtually
void create_virtual(graph& g) {
  g.app.create<virtual_node>("x");
}

struct abstract_node : rosia::node {
  virtual void step() = 0;
};

//: a node's class defines all of its virtual functions
void create_abstract(graph& g) {
  g.app.create<abstract_node>("x");
}

//: the constructor of the node's class does not take what follows the name in
//:   application::create
void create_with_too_much(graph& g) {
  g.app.create<to>("x", 5);
}

//: the constructor of the class does not take what follows the number of nodes
//:   in application::create_bank
void create_bank_with_too_much(graph& g) {
  g.app.create_bank<to>("x", 3, rosia::bank_index);
}

struct starts_with_parameter : rosia::node {
  void start(int) {}
};

//: start() of a node has no parameters
void create_starts_with_parameter(graph& g) {
  g.app.create<starts_with_parameter>("x");
}

struct ends_with_parameter : rosia::node {
  void shutdown(int) {}
};

//: shutdown() of a node has no parameters
void create_ends_with_parameter(graph& g) {
  g.app.create<ends_with_parameter>("x");
}

struct resumes_with_parameter : rosia::node {
  void resumed(int) {}
};

//: resumed() of a node has no parameters
void create_resumes_with_parameter(graph& g) {
  g.app.create<resumes_with_parameter>("x");
}

// -- connections --------------------------------------------------------------

//: the output comes first, then the input: swap them
void connect_swapped(graph& g) {
  g.app.connect(g.b, &to::in, g.a, &from::out);
}

//: the output comes first, then the input: swap them
void join_swapped(graph& g) {
  g.b[&to::other] >>= g.a[&from::out];
}

//: a connection leads to an input, and this is an output
void connect_outputs(graph& g) {
  g.app.connect(g.a, &from::out, g.a, &from::out);
}

//: a connection leads from an output, and this is an input
void connect_inputs(graph& g) {
  g.app.connect(g.b, &to::in, g.b, &to::in, 5ms);
}

//: the output and the input have different types: both must have the same type,
//:   or a node between them must convert the values
void connect_other_type(graph& g) {
  g.app.connect(g.a, &from::out, g.b, &to::other, rosia::physical);
}

//: one port of an array is connected as node[&the_class::the_array][index]
void connect_array(graph& g) {
  g.app.connect(g.a, &from::outs, g.b, &to::in);
}

//: the port is not a member of the node's class
void connect_port_of_another_class(graph& g) {
  g.app.connect(g.b, &from::out, g.b, &to::in);
}

//: what follows the ports in connect() is rosia::after(...),
//:  rosia::maxwait(...), rosia::physical or rosia::keep_latest(...)
void connect_with_text(graph& g) {
  g.app.connect(g.a, &from::out, g.b, &to::in, "5ms");
}

//: a port is connected as node[&the_class::port], and not as node->port
void connect_ports(graph& g) {
  g.app.connect(g.a->out, g.b->in);
}

//: a port is connected as node[&the_class::port], and not as node->port
void join_ports(graph& g) {
  g.a->out >>= g.b->in;
}

//: a port is connected as node[&the_class::port], and not as node->port
void join_with_port(graph& g) {
  g.a[&from::out] >>= g.b->in;
}
