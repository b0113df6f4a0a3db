// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/trace_look.hpp"

#include "rosia_trace/checker.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/comparison.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/trace_file.hpp"

#include <algorithm>
#include <map>
#include <sstream>

namespace rosia_drill {

namespace {

namespace fs = std::filesystem;
namespace rt = rosia_trace;

/// Keeps the first, the last, and as many in between as may be shown.
void thin(std::vector<node_step>& xs) {
  if (xs.size() <= steps_of_node)
    return;
  std::vector<node_step> result;
  for (std::size_t i = 0; i < steps_of_node; ++i)
    result.push_back(xs[i * (xs.size() - 1) / (steps_of_node - 1)]);
  xs = std::move(result);
}

class node_reader {
public:
  node_reader(outcome& into, std::string process)
    : into_{into}, process_{std::move(process)} {
    // nop
  }

  bool line(std::string_view text) {
    if (parser_.parse(text) != rt::parse_result::event)
      return true; // the last one of a process that was killed
    auto& x = parser_.get();
    if (x.kind == rt::event_kind::start)
      node(x.node).steps.push_back({at(x.elapsed), {}});
    else if (x.kind == rt::event_kind::execute)
      node(x.node).steps.push_back({at(x.elapsed), x.tag});
    else if (x.kind == rt::event_kind::shutdown)
      node(x.node).ended = x.how == "final" ? "requested" : std::string{x.how};
    return true;
  }

  void finish() {
    for (auto& [name, x] : nodes_) {
      thin(x.steps);
      into_.nodes.push_back(std::move(x));
    }
  }

private:
  std::int64_t at(std::int64_t elapsed) const {
    return into_.began.value_or(0) + elapsed;
  }

  node_outcome& node(std::string_view name) {
    auto& result = nodes_[std::string{name}];
    if (result.name.empty()) {
      result.name = name;
      result.process = process_;
    }
    return result;
  }

  outcome& into_;
  std::string process_;
  rt::line_parser parser_;
  std::map<std::string, node_outcome> nodes_;
};

} // namespace

void look_at_traces(const fs::path& folder, outcome& into) {
  std::vector<std::string> files;
  for (auto& x : into.processes) {
    auto file = folder / "traces" / "trace.jsonl";
    if (into.processes.size() > 1)
      file += '.' + x.name;
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored) || fs::file_size(file) == 0)
      continue;
    files.push_back(file.string());
    node_reader reader{into, x.name};
    rt::read_lines(files.back(), [&](auto line) { return reader.line(line); });
    reader.finish();
  }
  if (files.empty()) {
    into.no_trace = "no process has written a trace";
    return;
  }
  if (into.processes.size() == 1) {
    into.trace = files.front();
    return;
  }
  auto merged = folder / "merged.jsonl";
  std::ostringstream warnings;
  try {
    rt::merge_command({files, merged.string()}, warnings, warnings);
    into.trace = merged;
  } catch (const std::runtime_error& e) {
    into.no_trace = e.what();
  }
}

std::optional<trace_fault> check_trace(const fs::path& trace) {
  rt::checker state;
  std::string rest;
  try {
    rest = rt::read_lines(trace.string(), [&](std::string_view line) {
      return state.line(line);
    });
  } catch (const rt::unreadable_file& e) {
    return trace_fault{{}, e.what()};
  }
  auto found = state.finish(rest);
  if (!found)
    return std::nullopt;
  auto rule
    = found->broken == rt::rule::readable
        ? std::string{}
        : std::string{rt::to_string(found->broken)};
  return trace_fault{rule, rt::to_string(*found, trace.filename().string())};
}

std::string compare_traces(
  const fs::path& undisturbed, const fs::path& disturbed,
  const std::optional<rt::logical_time>& up_to) {
  rt::recording left{rt::read_all(undisturbed.string()), "undisturbed"};
  rt::recording right{rt::read_all(disturbed.string()), "disturbed"};
  auto result = rt::compare(left, right, up_to);
  if (!result.graph.empty())
    return "the graphs differ: " + result.graph.front().what;
  if (result.nodes.empty())
    return {};
  auto& x = result.nodes.front();
  return "node '" + (x.left != nullptr ? x.left : x.right)->name
         + "' differs first at tag " + rt::to_readable(x.tag);
}

} // namespace rosia_drill
