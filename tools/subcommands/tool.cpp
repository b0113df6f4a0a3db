// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "subcommands/tool.hpp"

#include "base/closest_name.hpp"
#include "base/standard_streams.hpp"
#include "base/text.hpp"
#include "subcommands/printable_output.hpp"

#include <exception>
#include <iostream>
#include <stdexcept>

namespace subcommands {

namespace {

using caf::rosia::detail::closest_name;
using caf::rosia::detail::printable_text;
using caf::rosia::detail::quoted_list;

constexpr int exit_good = 0;
constexpr int exit_usage = 2;

std::string unknown_command(const tool& x, const std::string& name) {
  std::string result = "unknown command '" + name + "'; known are ";
  std::vector<std::string> names;
  for (auto& command : x.commands)
    names.push_back(command.first);
  result += quoted_list(names);
  auto closest = closest_name(name, names);
  return closest.empty() ? result
                         : result + "; did you mean '" + closest + "'?";
}

int run_command(const tool& x, arguments args) {
  if (args.empty())
    throw usage_error{"a command is missing"};
  auto command = args.front();
  args.erase(args.begin());
  if (command == "-h" || command == "--help" || command == "help") {
    std::cout << x.usage;
    return exit_good;
  }
  if (command == "--version") {
    std::cout << x.version << '\n';
    return exit_good;
  }
  auto i = x.commands.find(command);
  if (i == x.commands.end())
    throw usage_error{unknown_command(x, command)};
  return i->second(args);
}

int fail(const tool& x, const std::string& message, int status) {
  std::cout.flush();
  std::cerr << x.name << ": " << printable_text(message) << '\n';
  return status;
}

int refuse(const tool& x, const std::string& message) {
  return fail(
    x,
    message + (message.ends_with('?') ? " Try " : "; try ") + x.name
      + " --help",
    exit_usage);
}

} // namespace

int run(const tool& x, int argc, const char* const* argv) {
  caf::rosia::detail::open_standard_streams();
  printable_output printable{std::cout};
  try {
    auto result = run_command(x, {argv + 1, argv + argc});
    std::cout.flush();
    if (!std::cout)
      throw std::runtime_error{"cannot write to standard output"};
    return result;
  } catch (const usage_error& e) {
    return refuse(x, e.what());
  } catch (const po::error& e) {
    return refuse(x, e.what());
  } catch (const std::exception& e) {
    return fail(x, e.what(), x.failure);
  }
}

} // namespace subcommands
