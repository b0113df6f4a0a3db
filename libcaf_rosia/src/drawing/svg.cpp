// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/diagram.hpp"
#include "drawing/layout_program.hpp"
#include "drawing/palette.hpp"

#include <spdlog/fmt/fmt.h>

#include <stdexcept>

namespace caf::rosia {

namespace detail {

namespace {

/// Returns a style element that replaces the colors on a dark page.
std::string style_element() {
  std::string rules;
  for (auto& color : paints::all)
    for (auto attribute : {"fill", "stroke"})
      rules += fmt::format(
        "  [{0}=\"{1}\"] {{ {0}: {2} }}\n", attribute, color.light, color.dark);
  return "<style>\n@media (prefers-color-scheme: dark) {\n" + rules
         + "}\n</style>\n";
}

} // namespace

} // namespace detail

std::string to_svg(const graph_description& x) {
  auto drawn = detail::run_layout_program(to_dot(x));
  // Drop Graphviz's header, which differs between versions.
  auto begin = drawn.find("<svg");
  auto end = drawn.find('>', begin);
  if (begin == std::string::npos || end == std::string::npos)
    throw std::runtime_error("Graphviz has not drawn a picture");
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
         "<!-- Drawn by libcaf_rosia. -->\n"
         + drawn.substr(begin, end + 1 - begin) + '\n' + detail::style_element()
         + drawn.substr(end + 1);
}

} // namespace caf::rosia
