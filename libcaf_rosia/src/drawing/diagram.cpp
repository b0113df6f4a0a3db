// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/diagram.hpp"

#include "base/new_files.hpp"

#include <cerrno>
#include <stdexcept>
#include <system_error>

namespace caf::rosia {

namespace {

/// A text near the start of all files, whatever their format.
constexpr std::string_view mark = "Drawn by libcaf_rosia.";

std::string render(diagram_format format, const graph_description& x) {
  switch (format) {
    case diagram_format::dot:
      return to_dot(x);
    case diagram_format::mermaid:
      return to_mermaid(x);
    default:
      return to_svg(x);
  }
}

} // namespace

std::optional<diagram_format> diagram_format_of(
  std::string_view file) noexcept {
  using enum diagram_format;
  if (file.ends_with(".svg"))
    return svg;
  if (file.ends_with(".dot") || file.ends_with(".gv"))
    return dot;
  if (file.ends_with(".mmd") || file.ends_with(".mermaid"))
    return mermaid;
  return std::nullopt;
}

void write_diagram(const std::string& file, const graph_description& x) {
  auto format = diagram_format_of(file);
  if (!format)
    throw std::invalid_argument(
      "the name of the diagram '" + file
      + "' says no format: it has to end with .svg, .dot, .gv, .mmd or "
        ".mermaid");
  // The name may be from a config file that another user left in the working
  // directory.
  if (!detail::may_replace(file, [](std::string_view begin) {
        return begin.find(mark) != std::string_view::npos;
      }))
    throw std::system_error(
      EEXIST, std::generic_category(),
      "cannot write the diagram '" + file
        + "': there is a file of that name that is no diagram; remove it, or "
          "name another file");
  detail::new_files files{detail::existing_files::replace};
  files.add(file, render(*format, x));
  files.commit();
}

} // namespace caf::rosia
