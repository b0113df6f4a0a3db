// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/commands.hpp"
#include "rosia_trace/comparison.hpp"
#include "rosia_trace/run_diff.hpp"
#include "rosia_trace/run_file_kind.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"

#include <algorithm>
#include <ostream>

namespace rosia_trace {

namespace {

constexpr std::size_t lines_before = 2;
constexpr std::size_t lines_from_there = 3;

class report {
public:
  report(const recording& left, const recording& right, std::ostream& out)
    : left_{left}, right_{right}, out_{out} {
    // nop
  }

  void print_graph(const graph_difference& x) {
    out_ << '\n' << x.text;
    if (x.left_line == 0 || x.right_line == 0)
      out_ << " is in " << (x.left_line == 0 ? right_ : left_).file()
           << " only\n";
    else
      out_ << " is declared differently\n";
    if (x.left_line != 0)
      print_line('<', left_, x.left_line);
    if (x.right_line != 0)
      print_line('>', right_, x.right_line);
  }

  void print_node(const node_difference& x) {
    out_ << "\nnode " << quoted(x.left->name) << " differs first at tag "
         << to_string(x.tag) << '\n';
    for (auto i = x.position - std::min(x.position, lines_before);
         i < x.position; ++i)
      print_line(' ', left_, x.left->steps[i].line);
    print_steps('<', left_, *x.left, x.position);
    print_steps('>', right_, *x.right, x.position);
  }

private:
  void print_steps(char mark, const recording& from,
                   const recording::node& node, std::size_t position) {
    auto last = std::min(position + lines_from_there, node.steps.size());
    if (position == last)
      out_ << mark << ' ' << from.file() << ": nothing more of this node\n";
    for (auto i = position; i < last; ++i)
      print_line(mark, from, node.steps[i].line);
  }

  void print_line(char mark, const recording& from, std::size_t line) {
    out_ << mark << ' ' << from.file() << ':' << line << ": " << from.line(line)
         << '\n';
  }

  const recording& left_;
  const recording& right_;
  std::ostream& out_;
};

std::string describe_limit(logical_time up_to) {
  return up_to == forever ? " to the end" : " up to tag " + to_string(up_to);
}

void print_partial(const comparison& x, std::ostream& out) {
  if (x.partial == 0)
    return;
  out << counted(x.partial, "node") << (x.partial == 1 ? " was" : " were")
      << " aborted or cut off in one of the runs, and compared as far "
         "as both went\n";
}

void print_cut_off(const comparison& x, std::ostream& out) {
  for (auto& file : x.cut_off)
    out << file << " is cut off: it has no line \"end\"\n";
}

int code_of(const comparison& x) {
  if (!x.same())
    return exit_bad;
  return x.cut_off.empty() ? exit_good : exit_cut_off;
}

/// Refuses files of different kinds.
void require_same_kind(const diff_options& x, bool left_is_run_file,
                       bool right_is_run_file) {
  if (left_is_run_file != right_is_run_file)
    throw unreadable_file{
      shown_path(x.left) + " is " + describe_file(x.left) + ", and "
      + shown_path(x.right) + " is " + describe_file(x.right)
      + ": compare two traces, or two run files"};
}

} // namespace

int diff_command(const diff_options& options, std::ostream& out) {
  auto run_files = is_run_file(options.left);
  require_same_kind(options, run_files, is_run_file(options.right));
  if (run_files)
    return diff_run_files(options, out);
  recording left{read_all(options.left), shown_path(options.left)};
  recording right{read_all(options.right), shown_path(options.right)};
  auto result = compare(left, right, options.up_to);
  auto code = code_of(result);
  if (options.quiet)
    return code;
  if (result.same()) {
    out << (code == exit_good ? "same: " : "same as far as both go: ")
        << counted(result.compared, "node") << ", "
        << counted(result.same_steps, "event") << ", compared"
        << describe_limit(result.up_to) << '\n';
    print_partial(result, out);
    print_cut_off(result, out);
    return code;
  }
  out << "different: " << result.nodes.size() << " of "
      << counted(result.compared, "node") << ", compared"
      << describe_limit(result.up_to) << '\n';
  if (!result.graph.empty())
    out << counted(result.graph.size(), "difference") << " of the graphs\n";
  print_partial(result, out);
  print_cut_off(result, out);
  report to{left, right, out};
  for (std::size_t i = 0;
       i < std::min(result.graph.size(), options.shown_nodes); ++i)
    to.print_graph(result.graph[i]);
  for (std::size_t i = 0;
       i < std::min(result.nodes.size(), options.shown_nodes); ++i)
    to.print_node(result.nodes[i]);
  auto total = std::max(result.graph.size(), result.nodes.size());
  if (total > options.shown_nodes)
    out << "\n(more differ; --nodes shows more than " << options.shown_nodes
        << ")\n";
  return code;
}

} // namespace rosia_trace
