// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/run_diff.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/recorded_values.hpp"
#include "rosia_trace/run_comparison.hpp"
#include "rosia_trace/run_file_kind.hpp"
#include "rosia_trace/table.hpp"

#include <algorithm>
#include <ostream>

namespace rosia_trace {

namespace {

using reason = node_verdict::reason;

constexpr std::size_t values_before = 2;
constexpr std::size_t values_from_there = 3;

std::string text_of(const node_verdict& x) {
  switch (x.cause) {
    case reason::itself:
      return "same inputs, other outputs";
    case reason::follows:
      return x.followed.empty() ? "follows" : "follows " + x.followed;
    case reason::events:
      return "other external events";
    case reason::absorbs:
      return "other inputs, same outputs";
    case reason::inputs:
      return "other inputs; its outputs are not recorded "
             "(--rosia.record.ports)";
    default:
      return "other outputs; not all of its inputs are recorded "
             "(--rosia.record.ports)";
  }
}

std::string limit_text(caf::rosia::logical_time up_to) {
  return up_to == caf::rosia::forever
           ? "to the end"
           : "up to tag " + to_string(up_to);
}

class report {
public:
  report(const recorded_values& left, const recorded_values& right,
         std::ostream& out)
    : left_{left}, right_{right}, out_{out} {
    // nop
  }

  void print_difference(const stream_difference& x) {
    out_ << '\n'
         << (x.left->name.empty() ? x.right : x.left)->name
         << " differs first at tag " << to_string(x.tag) << '\n';
    for (auto i = x.position - std::min(x.position, values_before);
         i < x.position; ++i)
      print_value(' ', left_, *x.left, x.left->entries[i]);
    print_values('<', left_, *x.left, x.position);
    print_values('>', right_, *x.right, x.position);
  }

  void print_remarks(const recorded_values& from) {
    for (auto& x : from.run().remarks)
      out_ << from.file() << ": " << x << '\n';
    if (from.lost_values() > 0)
      out_ << from.file() << ": " << counted(from.lost_values(), "value")
           << " could not be recorded: a difference may be one of them\n";
  }

  void print_coverage(const run_comparison& x) {
    if (!x.recorded_once.empty()) {
      out_ << counted(x.recorded_once.size(), "port")
           << " of one run only, such as " << x.recorded_once.front() << '\n';
    }
    if (x.not_recorded > 0)
      out_ << counted(x.not_recorded, "node")
           << (x.not_recorded == 1 ? " has" : " have")
           << " no recorded port (--rosia.record.ports)\n";
  }

private:
  void print_values(char mark, const recorded_values& from,
                    const recorded_stream& values, std::size_t position) {
    auto last = std::min(position + values_from_there, values.entries.size());
    if (position == last)
      out_ << mark << ' ' << from.file() << ": nothing more\n";
    for (auto i = position; i < last; ++i)
      print_value(mark, from, values, values.entries[i]);
  }

  void print_value(
    char mark, const recorded_values& from, const recorded_stream& values,
    const recorded_stream::entry& x) {
    out_ << mark << ' ';
    if (mark != ' ')
      out_ << from.file() << ": ";
    out_ << to_string(x.tag) << '\t' << from.text(values, x) << '\n';
  }

  const recorded_values& left_;
  const recorded_values& right_;
  std::ostream& out_;
};

int code_of(const run_comparison& x, bool cut_off) {
  if (!x.same())
    return exit_bad;
  return cut_off ? exit_cut_off : exit_good;
}

} // namespace

int diff_run_files(const diff_options& options, std::ostream& out) {
  require_recording(options.left);
  require_recording(options.right);
  recorded_values left{options.left};
  recorded_values right{options.right};
  std::optional<caf::rosia::logical_time> up_to;
  if (options.up_to)
    up_to = caf::rosia::logical_time{
      options.up_to->ns, static_cast<std::uint32_t>(options.up_to->microstep)};
  auto result = compare(left, right, up_to);
  auto code = code_of(result, left.is_cut_off() || right.is_cut_off());
  if (options.quiet)
    return code;
  report to{left, right, out};
  if (result.same())
    out << (code == exit_good ? "same: " : "same as far as both go: ")
        << counted(result.compared, "node") << ", "
        << counted(result.same_values, "value") << " of "
        << counted(result.streams, "port") << ", compared "
        << limit_text(result.up_to) << '\n';
  else
    out << "different: " << result.nodes.size() << " of "
        << counted(result.compared, "node") << ", compared "
        << limit_text(result.up_to) << '\n';
  if (!result.graph.empty())
    out << "the graphs differ: " << result.graph << '\n';
  auto shown = std::min(result.nodes.size(), options.shown_nodes);
  for (std::size_t i = 0; i < shown; ++i)
    out << result.nodes[i].node << ": " << text_of(result.nodes[i]) << '\n';
  to.print_coverage(result);
  to.print_remarks(left);
  to.print_remarks(right);
  for (std::size_t i = 0; i < shown; ++i)
    for (auto& x : result.nodes[i].differences)
      to.print_difference(x);
  if (result.nodes.size() > shown)
    out << "\n(more differ; --nodes shows more than " << options.shown_nodes
        << ")\n";
  return code;
}

} // namespace rosia_trace
