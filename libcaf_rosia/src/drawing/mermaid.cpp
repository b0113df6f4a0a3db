// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/diagram.hpp"
#include "drawing/connection_style.hpp"
#include "drawing/frames.hpp"
#include "drawing/label.hpp"
#include "drawing/reaction_causes.hpp"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <iterator>
#include <utility>
#include <vector>

namespace caf::rosia {

namespace detail {

namespace {

using graph = graph_description;

/// Quotes a text. Mermaid interprets Markdown, HTML, formulas and directives
/// even within quotes. So all characters except letters, digits and harmless
/// ones are written as codes. Mermaid decodes these before it searches for line
/// ends, written as "\n", and for icons, "fa:fa-x": a zero-width character
/// breaks these sequences.
std::string as_quoted(std::string_view text) {
  constexpr std::string_view harmless = " _-.,";
  std::string result = "\"";
  for (auto c : text) {
    auto is_plain
      = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9') || static_cast<unsigned char>(c) >= 0x80
        || harmless.find(c) != std::string_view::npos;
    if (is_plain)
      result += c;
    else
      result += fmt::format(
        "#{};{}", static_cast<int>(c), c == '\\' || c == ':' ? "#8203;" : "");
  }
  return result += '"';
}

/// Quotes several lines, one below the other.
std::string lines_in_quotes(const std::vector<std::string>& lines) {
  std::string result = "\"";
  for (auto& line : lines) {
    auto text = as_quoted(line);
    result += result.size() > 1 ? "<br/>" : "";
    result += text.substr(1, text.size() - 2);
  }
  return result += '"';
}

class mermaid_writer {
public:
  explicit mermaid_writer(const graph& x) : graph_(x) {
    // nop
  }

  std::string write() {
    put("%% Drawn by libcaf_rosia.\nflowchart LR\n");
    for (auto& frame : frames_of(graph_))
      put_frame(frame);
    for (auto& connection : graph_.connections)
      put_connection(connection);
    put_styles();
    return std::move(result_);
  }

private:
  template <class... Ts>
  void put(fmt::format_string<Ts...> form, Ts&&... xs) {
    fmt::format_to(std::back_inserter(result_), form, std::forward<Ts>(xs)...);
  }

  void put_frame(const process_frame& frame) {
    if (!frame.process.empty())
      put("  subgraph p{}[{}]\n", processes_++,
          as_quoted("process " + label_of(frame.process)));
    for (auto& composite : frame.composites)
      put_composite(composite);
    for (auto& group : frame.groups) {
      put("  subgraph g{}[\"executed as one\"]\n", groups_++);
      for (auto id : group)
        put_node(id);
      put("  end\n");
    }
    for (auto id : frame.others)
      put_node(id);
    if (!frame.process.empty())
      put("  end\n");
  }

  void put_composite(const composite_frame& frame) {
    put("  subgraph c{}[{}]\n", composites_++,
        as_quoted(label_of(local_name(frame.name))));
    for (auto& inner : frame.inner)
      put_composite(inner);
    for (auto id : frame.nodes)
      put_node(id);
    put("  end\n");
  }

  void put_node(std::uint32_t id) {
    auto& node = graph_.nodes[id];
    std::vector<std::string> lines{label_of(local_name(node.name))};
    for (auto& frame : mode_frames_of(node)) {
      if (frame.mode != graph::no_mode)
        lines.push_back(label_of(node.actions[frame.mode]));
      for (auto i : frame.reactions)
        lines.push_back(fmt::format(
          "{}. {}{}", i + 1, label_of(node.reactions[i].name),
          causes(node, node.reactions[i])));
    }
    put("  n{}[{}]\n", id, lines_in_quotes(lines));
  }

  /// Returns the triggers of a reaction, as the rest of a sentence.
  static std::string causes(const graph::node& node,
                            const graph::reaction& reaction) {
    std::string result;
    if (auto remark = remark_on(reaction); !remark.empty())
      result = ", " + remark;
    auto named = causes_of(node, reaction);
    for (std::size_t i = 0; i < named.size(); ++i)
      result += (i == 0 ? " by " : ", ") + named[i];
    if (auto text = accesses_of(node, reaction); !text.empty())
      result += "; " + text;
    return result.empty() ? result : label_of(result);
  }

  void put_connection(const graph::connection& x) {
    auto style = style_of(x);
    auto arrow
      = style == connection_style::physical ? "-.->"
        : style == connection_style::loop
          ? "==>"
          : "-->";
    std::vector<std::string> lines{
      label_of(graph_.nodes[x.source].outputs[x.output].name) + " to "
      + label_of(graph_.nodes[x.target].inputs[x.input].name)};
    if (auto text = text_of(x); !text.empty())
      lines.push_back(std::move(text));
    put("  n{} {}|{}| n{}\n", x.source, arrow, lines_in_quotes(lines),
        x.target);
    drawn_[static_cast<std::size_t>(style)].push_back(connections_++);
  }

  /// Mermaid identifies connections by their numbers.
  void put_styles() {
    for (std::size_t i = 1; i < drawn_.size(); ++i)
      if (!drawn_[i].empty())
        put("  linkStyle {} stroke:{}\n", fmt::join(drawn_[i], ","),
            paint_of(static_cast<connection_style>(i)).light);
  }

  const graph& graph_;
  std::string result_;
  std::size_t processes_ = 0;
  std::size_t composites_ = 0;
  std::size_t groups_ = 0;
  std::size_t connections_ = 0;
  std::array<std::vector<std::size_t>, 4> drawn_; // by style
};

} // namespace

} // namespace detail

std::string to_mermaid(const graph_description& x) {
  return detail::mermaid_writer{x}.write();
}

} // namespace caf::rosia
