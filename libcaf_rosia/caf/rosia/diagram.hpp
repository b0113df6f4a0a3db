// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia {

/// The format of a drawing. Any thread may call the functions below. They write
/// a character that cannot be printed as an escape sequence, bytes that are not
/// UTF-8 as U+FFFD, and only the first 60 characters of a longer name. They
/// require valid indices of nodes, ports and actions.
enum class diagram_format : std::uint8_t {
  /// The language of Graphviz.
  dot,
  /// The language that Markdown on GitHub and GitLab displays.
  mermaid,
  /// A picture for browsers, in light and in dark colors.
  svg,
};

/// Returns the format for the extension of a file's name: `.svg`; `.dot` or
/// `.gv`; `.mmd` or `.mermaid`. None for any other.
std::optional<diagram_format> diagram_format_of(std::string_view file) noexcept;

/// Returns the graph in the language of Graphviz: `dot -Tsvg` converts it to a
/// picture. The result is a function of the graph alone.
std::string to_dot(const graph_description& x);

/// Returns the graph as a flowchart in the language of Mermaid. Mermaid has no
/// ports: connections are labelled with their names. The result is a function
/// of the graph alone.
std::string to_mermaid(const graph_description& x);

/// Returns the graph as a picture. Starts the program `dot` of Graphviz, which
/// takes a second or more for several hundred nodes, and waits for it.
/// @throws std::runtime_error if there is no such program, or if it fails.
std::string to_svg(const graph_description& x);

/// Writes a graph to a file, in the format of the file's extension. Replaces
/// only files that are empty or were written by this function.
/// @throws std::invalid_argument for another extension.
/// @throws std::runtime_error as `to_svg`.
/// @throws std::system_error if the file cannot be written.
void write_diagram(const std::string& file, const graph_description& x);

} // namespace caf::rosia
