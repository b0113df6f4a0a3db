// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "subcommands/command_line.hpp"

#include "base/closest_name.hpp"

#include <iostream>

namespace subcommands {

namespace {

/// @param argument the option, perhaps with its value.
std::string unknown_option(
  const std::string& argument, const po::options_description& known) {
  auto name = argument.substr(0, argument.find('='));
  std::vector<std::string> names;
  for (auto& x : known.options())
    names.push_back("--" + x->long_name());
  auto closest = caf::rosia::detail::closest_name(name, names);
  return "unknown option '" + name + "'"
         + (closest.empty() ? "" : "; did you mean '" + closest + "'?");
}

} // namespace

bool command_line::parse(const arguments& args) {
  po::options_description all;
  all.add(visible_);
  all.add_options()("argument", po::value<arguments>());
  po::positional_options_description positional;
  positional.add("argument", -1);
  try {
    po::store(
      po::command_line_parser{args}
        .options(all)
        .positional(positional)
        .style(style_)
        .run(),
      values_);
  } catch (const po::unknown_option& problem) {
    throw usage_error{unknown_option(problem.get_option_name(), visible_)};
  }
  if (has("help")) {
    std::cout << "Usage: " << synopsis_ << "\n\n" << text_ << '\n' << visible_;
    return false;
  }
  po::notify(values_);
  return true;
}

} // namespace subcommands
