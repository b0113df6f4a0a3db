// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/storm.hpp"

#include <array>
#include <csignal>
#include <random>

namespace rosia_drill {

namespace {

struct description {
  storm_action action;
  std::string_view name;
  int signal;
};

constexpr std::array all_actions{
  description{storm_action::interrupt, "interrupt", SIGINT},
  description{storm_action::terminate, "terminate", SIGTERM},
  description{storm_action::kill, "kill", SIGKILL},
  description{storm_action::stop, "stop", SIGSTOP},
  description{storm_action::go_on, "continue", SIGCONT},
};

storm_action parse_action(const std::string& name) {
  std::vector<std::string> names;
  for (auto& x : all_actions) {
    if (x.name == name)
      return x.action;
    names.emplace_back(x.name);
  }
  throw mistake{"with: " + unknown("storm action", name, names)};
}

} // namespace

std::string_view to_string(storm_action x) {
  return all_actions[static_cast<std::size_t>(x)].name;
}

int signal_of(storm_action x) {
  return all_actions[static_cast<std::size_t>(x)].signal;
}

std::vector<storm_action> parse_storm_actions(const std::string& text) {
  std::vector<storm_action> result;
  for (auto& name : split_list(text))
    result.push_back(parse_action(name));
  if (result.empty())
    throw mistake{"with: an action is missing, such as kill or stop"};
  return result;
}

std::vector<gust> forecast(const storm& x, std::uint64_t seed) {
  // Not a distribution of the standard library: their results differ between
  // implementations.
  std::mt19937_64 random{seed};
  std::vector<gust> result;
  for (auto left = x.times.pick(random()); left > 0; --left) {
    gust next{};
    next.pause = std::chrono::nanoseconds{x.pause.pick(random())};
    next.action = x.actions[random() % x.actions.size()];
    next.target = random();
    result.push_back(next);
  }
  return result;
}

} // namespace rosia_drill
