// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Loops of nodes without delay as users build them.

#include "support.hpp"

#include "temporary_folder.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace instant_loops_test {

using Catch::Matchers::ContainsSubstring;
using test::temporary_folder;

namespace {

constexpr auto steps = 20;

/// Writes its speed at each step, and takes the force at the same tag.
struct plant : rosia::node {
  rosia::input_port<int> force{this, "force"};
  rosia::output_port<int> speed{this, "speed"};
  rosia::action<void> step{this, "step"};

  void start() {
    step.schedule(10ms);
  }

  rosia::reaction on_step{
    this, "on_step", {step}, rosia::writes(speed), [this] {
      speed(++done);
      if (done < steps)
        step.schedule(10ms);
    }};

  rosia::reaction on_force{
    this, "on_force", {force}, rosia::writes(), [this] {
      taken.push_back(*force);
      tags.push_back(now());
    }};

  int done = 0;
  std::vector<int> taken;
  std::vector<rosia::logical_time> tags;
};

struct controller : rosia::node {
  rosia::input_port<int> speed{this, "speed"};
  rosia::output_port<int> force{this, "force"};
  rosia::reaction on_speed{
    this, "on_speed", {speed}, [this] { force(10 * *speed); }};
};

/// A plant whose declarations are missing.
struct undeclared : rosia::node {
  rosia::input_port<int> force{this, "force"};
  rosia::output_port<int> speed{this, "speed"};
  rosia::reaction on_force{this, "on_force", {force}, [] {}};
};

/// A controller that brakes once the speed is above 5, and says so first.
struct braking : rosia::node {
  rosia::input_port<int> speed{this, "speed"};
  rosia::output_port<int> force{this, "force"};
  rosia::mode drives{this, "drives"}, brakes{this, "brakes"};

  rosia::reaction on_drive{
    drives, "on_drive", {speed}, [this] {
      force(*speed);
      if (*speed > 5)
        brakes.enter();
    }};

  rosia::reaction on_brake{
    brakes, "on_brake", {speed}, [this] { force(-*speed); }};
};

/// Calls once, and listens from then on. It never does both at one tag.
struct caller : rosia::node {
  rosia::input_port<int> answer{this, "answer"};
  rosia::output_port<int> call{this, "call"};
  rosia::mode calls{this, "calls"}, listens{this, "listens"};
  rosia::tick repeat{listens, "repeat", rosia::once, 10ms};
  rosia::tick begin{calls, "begin", rosia::once};

  rosia::reaction on_repeat{
    listens, "on_repeat", {repeat}, rosia::writes(call), [this] { call(2); }};

  rosia::reaction on_answer{
    listens, "on_answer", {answer}, rosia::writes(), [this] {
      answers.emplace_back(now(), *answer);
    }};

  rosia::reaction on_begin{
    calls, "on_begin", {begin}, rosia::writes(call), [this] {
      call(1);
      listens.enter();
    }};

  record<int> answers;
};

struct echo : rosia::node {
  rosia::input_port<int> in{this, "in"};
  rosia::output_port<int> out{this, "out"};
  rosia::reaction on_in{this, "on_in", {in}, [this] { out(10 * *in); }};
};

/// A controller that may wait for a setting.
struct set_from_outside : controller {
  rosia::input_port<int> setting{this, "setting", rosia::optional_input};
};

struct panel : rosia::node {
  rosia::output_port<int> setting{this, "setting"};
  rosia::startup begin{this, "begin", [this] { setting(1); }};
};

/// A plant whose speed is measured outside.
struct measured : rosia::node {
  rosia::physical_action<int> sensor{this, "sensor"};
  rosia::input_port<int> force{this, "force"};
  rosia::output_port<int> speed{this, "speed"};

  rosia::reaction on_sensor{
    this, "on_sensor", {sensor}, rosia::writes(speed), [this] {
      speeds.emplace_back(now(), *sensor);
      speed(*sensor);
      if (*sensor == steps)
        request_shutdown();
    }};

  rosia::reaction on_force{
    this, "on_force", {force}, rosia::writes(), [this] {
      forces.emplace_back(now(), *force);
    }};

  void start() {
    for (auto i = 1; i <= steps; ++i)
      sensor.schedule(i);
  }

  record<int> speeds;
  record<int> forces;
};

/// A controller with a gain that is set outside.
struct adjustable : rosia::node {
  rosia::physical_action<int> gain{this, "gain"};
  rosia::input_port<int> speed{this, "speed"};
  rosia::output_port<int> force{this, "force"};

  rosia::reaction on_gain{
    this, "on_gain", {gain}, rosia::writes(), [this] {
      gains.emplace_back(now(), *gain);
    }};

  rosia::reaction on_speed{
    this, "on_speed", {speed}, rosia::writes(force), [this] {
      force(*speed * (gains.empty() ? 1 : gains.back().value));
    }};

  void start() {
    for (auto i = 2; i <= steps; ++i)
      gain.schedule(i);
  }

  record<int> gains;
};

/// A controller that would have to be executed alone.
struct watched : controller {
  rosia::watchdog dog{this, "dog", 1s, [] {}};
};

template <class Controller = controller, class Plant = plant>
auto connect(rosia::application& app) {
  auto a = app.create<Plant>("plant");
  auto b = app.create<Controller>("control");
  app.connect(a, &Plant::speed, b, &Controller::speed);
  app.connect(b, &Controller::force, a, &Plant::force);
  return std::pair{a, b};
}

} // namespace

TEST_CASE("10.1.3 a plant and a controller run without delay, however nodes "
          "are grouped") {
  for (auto groups : {"auto", "off", "all", "shuffle"}) {
    CAPTURE(groups);
    test_system sys;
    auto options = fast();
    options.groups = groups;
    rosia::application app{sys, options};
    auto [a, b] = connect(app);
    auto values = app.create<recorder<int>>("values");
    app.connect(a, &plant::speed, values, &recorder<int>::in);
    REQUIRE(app.run() == 0);
    REQUIRE(a->taken.size() == steps);
    for (auto i = 0; i < steps; ++i) {
      CHECK(a->taken[static_cast<std::size_t>(i)] == 10 * (i + 1));
      CHECK(a->tags[static_cast<std::size_t>(i)]
            == rosia::logical_time{(i + 1) * 10'000'000, 0});
    }
    CHECK(values->got.size() == steps);
  }
}

TEST_CASE("10.1.3 a cycle of reactions is refused with what they have to "
          "declare") {
  test_system sys;
  rosia::application app{sys, fast()};
  connect<controller, undeclared>(app);
  CHECK_THROWS_WITH(
    app.run(),
    ContainsSubstring(
      "a loop of zero delay: 'plant.on_force' writes 'plant.speed', which "
      "'control.on_speed' reads; 'control.on_speed' writes 'control.force', "
      "which 'plant.on_force' reads; say what 'plant.on_force', "
      "'control.on_speed' read and write (rosia::reads, rosia::writes)"));
}

TEST_CASE("10.7.2 a node of a loop without delay changes its mode at the next "
          "microstep") {
  test_system sys;
  rosia::application app{sys, fast()};
  auto [a, b] = connect<braking>(app);
  REQUIRE(app.run() == 0);
  REQUIRE(a->taken.size() == steps);
  for (auto i = 1; i <= steps; ++i)
    CHECK(a->taken[static_cast<std::size_t>(i - 1)] == (i > 6 ? -i : i));
}

TEST_CASE("10.7.6 the order of declaration closes no loop between modes") {
  for (auto groups : {"auto", "off", "all", "shuffle"}) {
    CAPTURE(groups);
    test_system sys;
    auto options = fast();
    options.groups = groups;
    rosia::application app{sys, options};
    auto from = app.create<caller>("caller");
    auto to = app.create<echo>("echo");
    from[&caller::call] >>= to[&echo::in];
    to[&echo::out] >>= from[&caller::answer];
    REQUIRE(app.run() == 0);
    // The first answer arrives in the mode in which no reaction takes it.
    REQUIRE(from->answers.size() == 1);
    CHECK(from->answers[0].tag == rosia::logical_time{10'000'000, 0});
    CHECK(from->answers[0].value == 20);
  }
}

TEST_CASE("10.1.8 values of physical actions of several nodes pass through a "
          "loop of nodes without delay at their own tags") {
  for (auto groups : {"auto", "off", "all", "shuffle"}) {
    CAPTURE(groups);
    test_system sys;
    auto options = fast();
    options.groups = groups;
    rosia::application app{sys, options};
    auto [a, b] = connect<adjustable, measured>(app);
    REQUIRE(app.run() == 0);
    REQUIRE(a->speeds.size() == steps);
    REQUIRE(a->forces.size() == steps);
    for (std::size_t i = 0; i < a->speeds.size(); ++i) {
      auto tag = a->speeds[i].tag;
      CHECK(a->forces[i].tag == tag);
      auto gain = 1;
      for (auto& x : b->gains)
        if (x.tag <= tag)
          gain = x.value;
      CHECK(a->forces[i].value == gain * a->speeds[i].value);
    }
  }
}

TEST_CASE("10.1.9 a connection with a maximal wait is refused to a loop of "
          "nodes without delay") {
  test_system sys;
  rosia::application app{sys, fast()};
  connect<set_from_outside>(app);
  app.create<panel>("panel");
  app.connect("panel.setting", "control.setting", rosia::maxwait(10ms));
  CHECK_THROWS_WITH(
    app.run(),
    ContainsSubstring(
      "node 'control' receives from a connection with a maximal wait"));
}

TEST_CASE("10.1.9 a node with a watchdog is refused in a loop of nodes without "
          "delay") {
  test_system sys;
  rosia::application app{sys, fast()};
  connect<watched>(app);
  CHECK_THROWS_WITH(
    app.run(), ContainsSubstring("node 'control' has a watchdog"));
}

TEST_CASE("10.1.10 a trace has a line for each node of a loop without delay "
          "that continues") {
  temporary_folder folder;
  test_system sys;
  auto options = fast();
  options.trace = folder.file("trace");
  rosia::application app{sys, options};
  connect(app);
  REQUIRE(app.run() == 0);
  std::ifstream in{folder.file("trace")};
  std::string text{std::istreambuf_iterator{in}, {}};
  CHECK_THAT(text, ContainsSubstring(R"("before":"on_force")"));
}

} // namespace instant_loops_test
