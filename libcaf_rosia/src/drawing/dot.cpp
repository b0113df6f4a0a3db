// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/text.hpp"
#include "caf/rosia/diagram.hpp"
#include "drawing/connection_style.hpp"
#include "drawing/frames.hpp"
#include "drawing/label.hpp"
#include "drawing/palette.hpp"
#include "drawing/reaction_causes.hpp"

#include <spdlog/fmt/fmt.h>

#include <iterator>
#include <utility>
#include <vector>

namespace caf::rosia {

namespace detail {

namespace {

using graph = graph_description;

/// Escapes a text for HTML-like labels. Graphviz also replaces \N and similar
/// sequences in them.
std::string html(std::string_view text) {
  std::string result;
  for (auto c : markup_text(text))
    result.append(c == '\\' ? 2 : 1, c);
  return result;
}

/// Quotes a text. Graphviz also replaces entities in it.
std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (auto c : text)
    if (c == '&')
      result += "&amp;";
    else if (c == '"' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  return result += '"';
}

std::string html_label(std::string_view name) {
  return html(label_of(name));
}

class dot_writer {
public:
  explicit dot_writer(const graph& x) : graph_(x) {
    // nop
  }

  std::string write() {
    put("// Drawn by libcaf_rosia. `dot -Tsvg` makes a picture of it.\n"
        "digraph rosia {{\n"
        "  graph [rankdir=LR, bgcolor=\"{0}\", fontcolor=\"{1}\", "
        "fontsize=12, nodesep=0.2, ranksep=0.6, pad=0.15, tooltip=\" \"]\n"
        "  node [shape=plain, fontcolor=\"{1}\", fontsize=11]\n"
        "  edge [fontcolor=\"{1}\", fontsize=9, arrowsize=0.7]\n"
        "  graph [fontname=\"{2}\"]\n"
        "  node [fontname=\"{2}\"]\n"
        "  edge [fontname=\"{2}\"]\n",
        paints::background.light, paints::text.light, font);
    for (auto& frame : frames_of(graph_))
      put_frame(frame);
    for (auto& connection : graph_.connections)
      put_connection(connection);
    put("}}\n");
    return std::move(result_);
  }

private:
  static constexpr std::string_view font = "Helvetica,Arial,sans-serif";

  template <class... Ts>
  void put(fmt::format_string<Ts...> form, Ts&&... xs) {
    fmt::format_to(std::back_inserter(result_), form, std::forward<Ts>(xs)...);
  }

  // -- frames -----------------------------------------------------------------

  void put_frame(const process_frame& frame) {
    if (!frame.process.empty())
      put("  subgraph cluster_process_{} {{\n"
          "    graph [label=<<B>{}</B>>, labeljust=l, style=rounded, "
          "color=\"{}\", tooltip={}, class=process]\n",
          processes_++, html_label(frame.process), paints::frame.light,
          in_quotes("process " + label_of(frame.process)));
    for (auto& composite : frame.composites)
      put_composite(composite);
    for (auto& group : frame.groups)
      put_group(group);
    for (auto id : frame.others)
      put_node(id);
    if (!frame.process.empty())
      put("  }}\n");
  }

  void put_composite(const composite_frame& frame) {
    put("  subgraph cluster_composite_{} {{\n"
        "    graph [label=<<B>{}</B>>, labeljust=l, style=\"rounded,dashed\", "
        "color=\"{}\", tooltip={}, class=composite]\n",
        composites_++, html_label(local_name(frame.name)), paints::frame.light,
        in_quotes("composite " + label_of(frame.name)));
    for (auto& inner : frame.inner)
      put_composite(inner);
    for (auto id : frame.nodes)
      put_node(id);
    put("  }}\n");
  }

  void put_group(const std::vector<std::uint32_t>& members) {
    put("  subgraph cluster_group_{} {{\n"
        "    graph [label=\"\", style=\"rounded,filled,dotted\", "
        "fillcolor=\"{}\", color=\"{}\", tooltip=\"executed as one\", "
        "class=group]\n",
        groups_++, paints::group_fill.light, paints::frame.light);
    for (auto id : members)
      put_node(id);
    put("  }}\n");
  }

  // -- nodes: a table of three columns ----------------------------------------

  void put_node(std::uint32_t id) {
    auto& node = graph_.nodes[id];
    put("  n{} [tooltip={}, label=<\n"
        "    <TABLE BORDER=\"1\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
        "CELLPADDING=\"0\" STYLE=\"ROUNDED\" COLOR=\"{}\" BGCOLOR=\"{}\">\n"
        "    <TR><TD COLSPAN=\"3\" CELLPADDING=\"4\"><B>{}</B></TD></TR>\n",
        id, in_quotes("node " + label_of(node.name)), paints::line.light,
        paints::node_fill.light, html_label(local_name(node.name)));
    if (!node.inputs.empty() || !node.outputs.empty()
        || !node.reactions.empty()) {
      put("    <TR>\n");
      put_ports(node.inputs, 'i', "LEFT");
      put_reactions(node);
      put_ports(node.outputs, 'o', "RIGHT");
      put("    </TR>\n");
    }
    put("    </TABLE>>]\n");
  }

  void put_ports(const std::vector<graph::port>& ports, char kind,
                 std::string_view side) {
    if (ports.empty()) {
      put("    <TD></TD>\n");
      return;
    }
    put("    <TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"0\" "
        "CELLPADDING=\"3\">\n");
    for (std::size_t i = 0; i < ports.size(); ++i) {
      auto& port = ports[i];
      put("      <TR><TD PORT=\"{}{}\" ALIGN=\"{}\">{}", kind, i, side,
          html_label(port.name));
      if (port.physical)
        put(" {}", remark("from outside"));
      put("</TD></TR>\n");
    }
    put("      </TABLE></TD>\n");
  }

  void put_reactions(const graph::node& node) {
    if (node.reactions.empty()) {
      put("    <TD></TD>\n");
      return;
    }
    put("    <TD><TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLSPACING=\"2\" "
        "CELLPADDING=\"3\">\n");
    for (auto& frame : mode_frames_of(node)) {
      if (frame.mode == graph::no_mode) {
        put_reactions(node, frame.reactions);
        continue;
      }
      put("      <TR><TD><TABLE BORDER=\"1\" CELLBORDER=\"0\" "
          "CELLSPACING=\"2\" CELLPADDING=\"3\" STYLE=\"ROUNDED,DASHED\" "
          "COLOR=\"{}\">\n"
          "      <TR><TD ALIGN=\"LEFT\">{}</TD></TR>\n",
          paints::frame.light, remark(label_of(node.actions[frame.mode])));
      put_reactions(node, frame.reactions);
      put("      </TABLE></TD></TR>\n");
    }
    put("      </TABLE></TD>\n");
  }

  void put_reactions(const graph::node& node,
                     const std::vector<std::uint32_t>& indices) {
    for (auto i : indices) {
      auto& reaction = node.reactions[i];
      put("      <TR><TD ALIGN=\"LEFT\" BALIGN=\"LEFT\" BGCOLOR=\"{}\" "
          "STYLE=\"ROUNDED\">{} {}",
          paints::reaction_fill.light, i + 1, html_label(reaction.name));
      if (auto text = triggers(node, reaction); !text.empty())
        put("<BR/>{}", remark(text));
      if (auto text = accesses_of(node, reaction); !text.empty())
        put("<BR/>{}", remark(label_of(text)));
      put("</TD></TR>\n");
    }
  }

  static std::string triggers(
    const graph::node& node, const graph::reaction& reaction) {
    auto result = remark_on(reaction);
    for (auto& cause : causes_of(node, reaction)) {
      result += result.empty() ? "" : ", ";
      result += cause;
    }
    return result.empty() ? result : label_of(result);
  }

  static std::string remark(std::string_view text) {
    return fmt::format("<FONT POINT-SIZE=\"9\" COLOR=\"{}\">{}</FONT>",
                       paints::remark.light, html(text));
  }

  // -- connections ------------------------------------------------------------

  void put_connection(const graph::connection& x) {
    auto style = style_of(x);
    put("  n{}:o{}:e -> n{}:i{}:w [class={}, color=\"{}\", tooltip={}",
        x.source, x.output, x.target, x.input, name_of(style),
        paint_of(style).light, in_quotes(tooltip(x)));
    if (style == connection_style::loop)
      put(", penwidth=2");
    if (x.physical)
      put(", style=dashed, arrowhead=empty");
    if (auto text = text_of(x); !text.empty())
      put(", label={}, fontcolor=\"{}\"", in_quotes(text),
          paint_of(style).light);
    put("]\n");
  }

  std::string tooltip(const graph::connection& x) const {
    auto& from = graph_.nodes[x.source];
    auto& to = graph_.nodes[x.target];
    auto result = fmt::format(
      "{}.{} to {}.{}", label_of(from.name),
      label_of(from.outputs[x.output].name), label_of(to.name),
      label_of(to.inputs[x.input].name));
    if (auto& type = from.outputs[x.output].type; !type.empty())
      result += ": " + label_of(type);
    return x.in_loop ? result + " (in a loop)" : result;
  }

  const graph& graph_;
  std::string result_;
  std::size_t processes_ = 0;
  std::size_t composites_ = 0;
  std::size_t groups_ = 0;
};

} // namespace

} // namespace detail

std::string to_dot(const graph_description& x) {
  return detail::dot_writer{x}.write();
}

} // namespace caf::rosia
