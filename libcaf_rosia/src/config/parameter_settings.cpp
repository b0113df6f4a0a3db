// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/parameter_settings.hpp"

#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "config/process_options.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace caf::rosia::detail {

namespace {

/// Returns the name of a node with a star for each index of a bank: "w[*]".
std::string without_index(std::string_view name) {
  std::string result;
  for (auto c : name)
    if (c >= '0' && c <= '9' && result.ends_with('['))
      result += '*';
    else if (!(c >= '0' && c <= '9' && result.ends_with("[*")))
      result += c;
  return result;
}

[[noreturn]] void refuse(const std::string& setting, const std::string& reason,
                         std::string_view name, std::set<std::string> known) {
  throw std::invalid_argument(
    "rosia.set: '" + setting + "': " + reason
    + suggestion(name, {known.begin(), known.end()}));
}

/// Returns the name of a node for a message: with a star for its index if the
/// setting is of a bank.
std::string name_for(const parameter_setting& x, const std::string& node) {
  auto is_bank = x.nodes.find("[*]") != std::string_view::npos;
  return is_bank ? without_index(node) : node;
}

/// Returns the parameters of the parts of composites; those with the name in
/// the setting if there are any.
std::set<std::string> parameters_of_parts(
  const parameter_setting& x,
  const std::vector<graph_description::node>& nodes) {
  std::set<std::string> all;
  std::set<std::string> named;
  for (auto& node : nodes) {
    if (!matches_node(x.nodes, node.name))
      continue;
    for (auto& parameter : node.parameters)
      (parameter.name == x.parameter ? named : all)
        .insert(name_for(x, node.name) + '.' + parameter.name);
  }
  return named.empty() ? all : named;
}

} // namespace

std::optional<parameter_setting> parse_setting(std::string_view text) {
  auto sign = text.find('=');
  auto name = trim(text.substr(0, sign));
  auto dot = name.rfind('.');
  if (sign == std::string_view::npos || dot == std::string_view::npos
      || dot == 0 || dot + 1 == name.size())
    return std::nullopt;
  return parameter_setting{
    name.substr(0, dot), name.substr(dot + 1), text.substr(sign + 1)};
}

bool lists_parameters(const std::vector<std::string>& xs) noexcept {
  return xs.size() == 1 && xs.front() == "help";
}

bool are_settings(const std::vector<std::string>& xs) {
  return lists_parameters(xs) || std::all_of(xs.begin(), xs.end(), [](auto& x) {
           return parse_setting(x).has_value();
         });
}

std::vector<std::pair<std::string, std::string>> settings_of(
  const std::vector<std::string>& all, std::string_view node) {
  std::vector<std::pair<std::string, std::string>> result;
  for (auto& text : all)
    if (auto x = parse_setting(text); x && matches(x->nodes, node))
      result.emplace_back(x->parameter, x->value);
  return result;
}

void check_settings(const std::vector<std::string>& all,
                    const std::vector<graph_description::node>& nodes) {
  for (auto& text : all) {
    auto x = parse_setting(text);
    if (!x)
      continue;
    std::set<std::string> names;
    std::set<std::string> parameters;
    auto found = false;
    auto is_composite = false;
    for (auto& node : nodes) {
      names.insert(name_for(*x, node.name));
      is_composite = is_composite || matches_node(x->nodes, node.name);
      if (!matches(x->nodes, node.name))
        continue;
      found = true;
      for (auto& parameter : node.parameters)
        parameters.insert(parameter.name);
    }
    auto subject = "'" + std::string{x->nodes} + "'";
    if (!found && is_composite)
      refuse(text, subject + " is a composite; set the parameters of its parts",
             {}, parameters_of_parts(*x, nodes));
    if (!found)
      refuse(text, "there is no node " + subject, x->nodes, std::move(names));
    std::string name{x->parameter};
    if (!parameters.contains(name))
      refuse(text, "node " + subject + " has no parameter '" + name + "'", name,
             std::move(parameters));
  }
}

std::string describe_parameters(
  const std::vector<graph_description::node>& nodes) {
  std::vector<std::pair<std::string, std::string>> lines;
  std::size_t width = 0;
  std::set<std::pair<std::string, std::string>> known;
  for (auto& node : nodes)
    for (auto& parameter : node.parameters) {
      std::pair line{
        "--set=" + without_index(node.name) + '.' + parameter.name + '='
          + parameter.initial,
        parameter.values};
      if (!known.insert(line).second)
        continue;
      width = std::max(width, line.first.size());
      lines.push_back(std::move(line));
    }
  if (lines.empty())
    return "No node has a parameter.\n";
  std::string result = "Parameters of nodes, with their values in the code:\n";
  for (auto& [setting, values] : lines)
    result += "  " + setting + std::string(width + 2 - setting.size(), ' ')
              + values + '\n';
  return result;
}

} // namespace caf::rosia::detail
