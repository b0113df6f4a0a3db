// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "catch.hpp"
#include "rosia_drill/fault.hpp"
#include "rosia_drill/storm.hpp"

#include <csignal>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace storm_test {

using namespace rosia_drill;
using Catch::Matchers::ContainsSubstring;

namespace {

using entry = std::tuple<std::int64_t, storm_action, std::uint64_t>;

std::vector<entry> forecast_of(const storm& x, std::uint64_t seed) {
  std::vector<entry> result;
  for (auto& y : forecast(x, seed))
    result.emplace_back(y.pause.count(), y.action, y.target);
  return result;
}

std::string problem(const std::string& fault) {
  try {
    parse_fault(fault);
  } catch (const mistake& e) {
    return e.what();
  }
  return {};
}

} // namespace

TEST_CASE("a storm's actions, times and pauses can be written") {
  auto x = parse_fault(
    "storm target=left when=launch times=2..5 every=10ms..1s "
    "with=stop,continue,stop optional");
  CHECK(x.kind == fault_kind::storm);
  CHECK(x.target == "left");
  CHECK(x.optional);
  CHECK(x.storm.times.first == 2);
  CHECK(x.storm.times.last == 5);
  CHECK(x.storm.pause.first == 10'000'000);
  CHECK(x.storm.pause.last == 1'000'000'000);
  CHECK(x.storm.actions
        == std::vector<storm_action>{
          storm_action::stop, storm_action::go_on, storm_action::stop});
  CHECK(parse_fault("storm").storm.actions.size() == 4);
  CHECK_THAT(
    problem("storm with=kil"),
    ContainsSubstring("unknown storm action 'kil'; known are 'interrupt', "
                      "'terminate', 'kill', 'stop', 'continue'")
      && ContainsSubstring("did you mean 'kill'?"));
  CHECK_THAT(problem("storm with=,"), ContainsSubstring("with: "));
  CHECK_THAT(problem("storm times=0..3"), ContainsSubstring("times: "));
  CHECK_THAT(
    problem("kill with=stop"), ContainsSubstring("unknown word 'with'"));
}

TEST_CASE("a seed determines all actions of a storm") {
  storm x;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    CHECK(forecast_of(x, seed) == forecast_of(x, seed));
  CHECK(forecast_of(x, 1) != forecast_of(x, 2));
  // On any machine and with any standard library.
  x.times = {2, 2};
  CHECK(forecast_of(x, 1)
        == std::vector<entry>{
          {119104077, storm_action::go_on, 387828560950575246},
          {136293042, storm_action::stop, 8683844110200328628}});
}

TEST_CASE("a storm stays within its parameters, and uses all of them") {
  storm x;
  x.times = {1, 3};
  x.pause = {5, 7};
  x.actions = {storm_action::kill, storm_action::interrupt};
  std::set<std::size_t> sizes;
  std::set<std::int64_t> pauses;
  std::set<storm_action> actions;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    auto gusts = forecast(x, seed);
    sizes.insert(gusts.size());
    for (auto& y : gusts) {
      pauses.insert(y.pause.count());
      actions.insert(y.action);
    }
  }
  CHECK(sizes == std::set<std::size_t>{1, 2, 3});
  CHECK(pauses == std::set<std::int64_t>{5, 6, 7});
  CHECK(actions
        == std::set<storm_action>{storm_action::interrupt, storm_action::kill});
}

TEST_CASE("each action of a storm has its name and its signal") {
  for (auto& [name, number] : std::vector<std::pair<std::string, int>>{
         {"interrupt", SIGINT},
         {"terminate", SIGTERM},
         {"kill", SIGKILL},
         {"stop", SIGSTOP},
         {"continue", SIGCONT}}) {
    auto parsed = parse_storm_actions(name);
    REQUIRE(parsed.size() == 1);
    CHECK(to_string(parsed[0]) == name);
    CHECK(signal_of(parsed[0]) == number);
  }
}

} // namespace storm_test
