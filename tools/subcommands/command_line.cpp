// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "subcommands/command_line.hpp"

#include <iostream>

namespace subcommands {

bool command_line::parse(const arguments& args) {
  po::options_description all;
  all.add(visible_);
  all.add_options()("argument", po::value<arguments>());
  po::positional_options_description positional;
  positional.add("argument", -1);
  po::store(
    po::command_line_parser{args}
      .options(all)
      .positional(positional)
      .style(style_)
      .run(),
    values_);
  if (has("help")) {
    std::cout << "Usage: " << synopsis_ << "\n\n" << text_ << '\n' << visible_;
    return false;
  }
  po::notify(values_);
  return true;
}

} // namespace subcommands
