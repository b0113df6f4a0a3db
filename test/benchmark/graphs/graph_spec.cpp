// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "benchmark/graphs/graph_spec.hpp"

#include "engine/random.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <stdexcept>

namespace bench {

namespace {

struct parameter {
  std::string_view name;
  std::uint32_t graph_spec::*value;
  std::uint32_t least;
  std::uint32_t greatest;
};

/// Some seconds, in nanoseconds.
constexpr std::uint32_t longest = 4'000'000'000;

constexpr std::array parameters{
  parameter{"nodes", &graph_spec::nodes, 2, 10'000'000},
  parameter{"degree", &graph_spec::degree, 1, 1'000},
  parameter{"layers", &graph_spec::layers, 1, 100'000},
  parameter{"rounds", &graph_spec::rounds, 1, 1'000'000'000},
  parameter{"hops", &graph_spec::hops, 1, 1'000'000'000},
  parameter{"delay", &graph_spec::delay, 1, longest},
  parameter{"loops", &graph_spec::loops, 0, 100},
  parameter{"active", &graph_spec::active, 1, 100},
  parameter{"heavy", &graph_spec::heavy, 0, 100},
  parameter{"work", &graph_spec::work, 0, longest},
  parameter{"seed", &graph_spec::seed, 0, 0xffff'ffff},
  parameter{"threads", &graph_spec::threads, 1, 1'000},
};

const auto& kinds() {
  static const std::array result{
    graph_spec{.kind = "phold", .nodes = 64, .hops = 300, .active = 100},
    graph_spec{.kind = "layers", .rounds = 20},
    graph_spec{.kind = "rings", .nodes = 32, .layers = 64, .hops = 500},
    graph_spec{.kind = "fan", .rounds = 500},
    graph_spec{.kind = "chain", .rounds = 500},
    graph_spec{.kind = "grid", .nodes = 16, .rounds = 200},
    graph_spec{.kind = "random", .nodes = 200, .rounds = 200, .hops = 20},
  };
  return result;
}

template <class List, class NameOf>
std::string names(const List& xs, NameOf&& name_of) {
  std::string result;
  for (auto& x : xs)
    result += (result.empty() ? "" : ", ") + std::string{name_of(x)};
  return result;
}

const graph_spec& defaults_of(std::string_view kind) {
  auto i = std::ranges::find(kinds(), kind, &graph_spec::kind);
  if (i == kinds().end())
    throw std::invalid_argument(
      "unknown kind of graph '" + std::string{kind} + "'; known are "
      + names(kinds(), [](auto& x) { return x.kind; }));
  return *i;
}

void set_parameter(graph_spec& result, std::string_view text) {
  // With find() of the text, g++ 12 has a false warning.
  auto equals
    = static_cast<std::size_t>(std::ranges::find(text, '=') - text.begin());
  auto name = text.substr(0, equals);
  auto i = std::ranges::find(parameters, name, &parameter::name);
  if (i == parameters.end())
    throw std::invalid_argument(
      "unknown parameter '" + std::string{name} + "' of a graph; known are "
      + names(parameters, [](auto& x) { return x.name; }));
  auto digits = text.substr(std::min(equals + 1, text.size()));
  std::uint32_t number = 0;
  auto [end, problem]
    = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (problem != std::errc{} || end != digits.data() + digits.size()
      || number < i->least || number > i->greatest)
    throw std::invalid_argument(
      "invalid value '" + std::string{digits} + "' of '" + std::string{name}
      + "': it must be a number from " + std::to_string(i->least) + " to "
      + std::to_string(i->greatest));
  result.*i->value = number;
}

} // namespace

graph_spec parse_graph_spec(std::string_view text) {
  auto colon = std::min(text.find(':'), text.size());
  auto result = defaults_of(text.substr(0, colon));
  text.remove_prefix(std::min(colon + 1, text.size()));
  while (!text.empty()) {
    auto comma = std::min(text.find(','), text.size());
    set_parameter(result, text.substr(0, comma));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return result;
}

graph_spec random_graph_spec(std::uint32_t seed) {
  engine_test::random_source rng{seed};
  auto result = defaults_of("random");
  result.seed = seed;
  // Many sizes, evenly spread over their orders of magnitude.
  result.nodes = rng.below(std::size_t{16} << rng.below(9)) + 8;
  result.degree = rng.below(6) + 1;
  result.loops = rng.pick({0u, 5u, 20u, 50u, 100u});
  result.active = rng.pick({1u, 5u, 20u, 50u});
  result.delay = rng.pick({1'000u, 100'000u, 10'000'000u});
  result.hops = rng.pick({5u, 20u, 50u});
  result.heavy = rng.pick({0u, 0u, 5u, 50u});
  result.work = result.heavy > 0 ? rng.pick({1'000u, 10'000u}) : 0;
  auto sources = std::max(result.nodes * result.active / 100, 1u);
  constexpr std::uint32_t messages = 20'000;
  result.rounds = std::max(messages / sources / result.hops, 1u);
  return result;
}

std::string to_string(const graph_spec& x) {
  auto& defaults = defaults_of(x.kind);
  std::string result;
  for (auto& which : parameters)
    if (x.*which.value != defaults.*which.value)
      result += (result.empty() ? ':' : ',') + std::string{which.name} + '='
                + std::to_string(x.*which.value);
  return x.kind + result;
}

} // namespace bench
