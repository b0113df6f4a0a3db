// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <boost/program_options.hpp>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace subcommands {

namespace po = boost::program_options;

using arguments = std::vector<std::string>;

/// The error for an invalid command line.
class usage_error : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// The options and arguments of one of a tool's commands.
class command_line {
public:
  /// @param synopsis its usage, the tool's name first.
  /// @param text its description.
  /// @param style syntax of the options.
  command_line(std::string synopsis, std::string text,
               int style = po::command_line_style::default_style)
    : synopsis_{std::move(synopsis)}, text_{std::move(text)}, style_{style} {
    visible_.add_options()("help,h", "print this help");
  }

  po::options_description_easy_init add() {
    return visible_.add_options();
  }

  /// @return false if only the help was requested; then it was printed.
  /// @throws po::error if an option is invalid.
  bool parse(const arguments& args);

  bool has(const char* option) const {
    return values_.contains(option);
  }

  template <class T>
  T get(const char* option) const {
    return values_[option].as<T>();
  }

  /// Returns the arguments that are not options.
  arguments rest() const {
    return has("argument") ? get<arguments>("argument") : arguments{};
  }

  /// @throws usage_error
  void require_no_arguments() const {
    if (has("argument"))
      throw usage_error{"unexpected argument " + rest().front()};
  }

private:
  std::string synopsis_;
  std::string text_;
  int style_;
  po::options_description visible_{"Options"};
  po::variables_map values_;
};

} // namespace subcommands
