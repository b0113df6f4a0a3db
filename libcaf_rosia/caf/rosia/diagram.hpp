// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/graph_description.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia {

/// How a graph is drawn. All of these functions can be called from any thread.
/// They show a character that cannot be printed as an escape sequence, bytes
/// that are no UTF-8 as U+FFFD, and the first 60 characters of a longer name.
/// They require that all indices of a graph are those of its nodes, ports and
/// actions.
enum class diagram_format : std::uint8_t {
  /// The language of Graphviz.
  dot,
  /// The language that Markdown on GitHub and GitLab understands.
  mermaid,
  /// A picture for browsers, in light and in dark colors.
  svg,
};

/// The format that the end of a file's name asks for: `.svg`; `.dot` or
/// `.gv`; `.mmd` or `.mermaid`. None for any other.
std::optional<diagram_format> diagram_format_of(std::string_view file) noexcept;

/// The graph in the language of Graphviz: `dot -Tsvg` turns it into a picture.
/// The result depends on nothing but the graph.
std::string to_dot(const graph_description& x);

/// The graph as a flowchart in the language of Mermaid. Mermaid has no ports:
/// they are named on the connections. The result depends on nothing but the
/// graph.
std::string to_mermaid(const graph_description& x);

/// The graph as a picture. Starts the program `dot` of Graphviz, which takes a
/// second or more for some hundred nodes, and waits for it.
/// @throws std::runtime_error if there is no such program, or if it fails.
std::string to_svg(const graph_description& x);

/// Writes a graph to a file, in the format that its name ends with. Replaces
/// nothing but what is empty, or was written by this function.
/// @throws std::invalid_argument for another end of the name.
/// @throws std::runtime_error as `to_svg`.
/// @throws std::system_error if the file cannot be written.
void write_diagram(const std::string& file, const graph_description& x);

} // namespace caf::rosia
