// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/trace_look.hpp"

#include "rosia_trace/checker.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/comparison.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/trace_file.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace rosia_drill {

namespace {

namespace fs = std::filesystem;
namespace rt = rosia_trace;

/// Keeps the first step, the last one, and an even selection of those between.
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
      return true; // the last line of a process that was killed
    auto& x = parser_.get();
    if (x.kind == rt::event_kind::start)
      node(x.node).steps.push_back({at(x.elapsed), {}, 0});
    else if (x.kind == rt::event_kind::execute)
      execute(x);
    else if (x.kind == rt::event_kind::shutdown)
      node(x.node).ended
        = x.ending == "final" ? "requested" : std::string{x.ending};
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

  void execute(const rt::event& x) {
    auto& executed = node(x.node);
    executed.steps.push_back({at(x.elapsed), x.tag, ++executed.tags});
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

/// Completes the trace of a process that was killed: its nodes were aborted, as
/// was the application. So the checker examines everything before.
class trace_completer {
public:
  /// @param coordinator_killed whether the coordinator, whose trace records an
  /// abort, was killed.
  trace_completer(const fs::path& to, bool coordinator_killed)
    : out_{to, std::ios::binary}, coordinator_killed_{coordinator_killed} {
    // nop
  }

  bool line(std::string_view text) {
    if (parser_.parse(text) != rt::parse_result::event)
      return true; // the last line of a process that was killed
    auto& x = parser_.get();
    switch (x.kind) {
      case rt::event_kind::node:
        nodes_.push_back({std::string{x.node}});
        break;
      case rt::event_kind::execute:
        node(x.node).last = x.tag;
        break;
      case rt::event_kind::aborted:
        aborted_ = true;
        break;
      case rt::event_kind::shutdown:
        node(x.node).shut_down = true;
        if (x.ending == "aborted")
          abort();
        break;
      case rt::event_kind::exit:
        node(x.node).gone = true;
        break;
      case rt::event_kind::end:
        end_nodes();
        if (coordinator_killed_ && x.status != 0)
          abort();
        ended_ = true;
        break;
      default:
        break;
    }
    out_ << text << '\n';
    return true;
  }

  void finish() {
    end_nodes();
    if (!ended_)
      out_ << R"({"event":"end","status":1})" << '\n';
  }

private:
  struct life {
    std::string name;
    rt::logical_time last = {};
    bool shut_down = false;
    bool gone = false;
  };

  life& node(std::string_view name) {
    for (auto& x : nodes_)
      if (x.name == name)
        return x;
    return nodes_.emplace_back(life{std::string{name}});
  }

  void abort() {
    if (!std::exchange(aborted_, true))
      out_ << R"({"event":"aborted"})" << '\n';
  }

  void end_nodes() {
    for (auto& x : nodes_) {
      auto name = rt::quoted(x.name);
      if (!std::exchange(x.shut_down, true)) {
        abort();
        out_ << R"({"event":"shutdown","node":)" << name << R"(,"tag":)"
             << rt::to_json(x.last) << R"(,"how":"aborted"})" << '\n';
      }
      if (!std::exchange(x.gone, true))
        out_ << R"({"event":"exit","node":)" << name << "}\n";
    }
  }

  std::ofstream out_;
  bool coordinator_killed_;
  rt::line_parser parser_;
  std::vector<life> nodes_;
  bool aborted_ = false;
  bool ended_ = false;
};

bool has_end(const std::string& file) {
  auto result = false;
  rt::read_lines(file, [&](std::string_view line) {
    result = line.starts_with(R"({"event":"end")");
    return true;
  });
  return result;
}

/// Returns whether the only incomplete traces are those of killed processes.
bool killed_only(const outcome& x, const std::vector<std::string>& files) {
  constexpr int least_of_signals = 128;
  auto result = false;
  for (auto& file : files) {
    if (has_end(file))
      continue;
    auto i = std::find_if(
      x.processes.begin(), x.processes.end(), [&](auto& process) {
        return x.processes.size() == 1 || file.ends_with('.' + process.name);
      });
    if (i == x.processes.end() || i->status < least_of_signals)
      return false;
    result = true;
  }
  return result;
}

/// Returns the traces with the processes that wrote them, the coordinator's
/// first. A program may have started processes that are not part of the round.
/// Their name is empty.
std::vector<std::pair<std::string, fs::path>> find_traces(
  const fs::path& folder, const outcome& x) {
  std::vector<std::pair<std::string, fs::path>> result;
  auto add = [&result](const std::string& process, const fs::path& file) {
    std::error_code error;
    if (fs::is_regular_file(file, error) && fs::file_size(file, error) > 0)
      result.emplace_back(process, file);
  };
  const std::string name = "trace.jsonl";
  add(x.processes.front().name, folder / name);
  std::set<std::string> known;
  for (auto& process : x.processes)
    if (known.insert(process.name).second)
      add(process.name, folder / (name + '.' + process.name));
  std::set<std::string> others;
  for (auto& file : fs::directory_iterator(folder)) {
    auto other = file.path().filename().string();
    if (other.starts_with(name + '.')
        && !known.contains(other.substr(name.size() + 1)))
      others.insert(other.substr(name.size() + 1));
  }
  for (auto& process : others)
    add({}, folder / (name + '.' + process));
  return result;
}

/// Returns whether the trace is of a run that resumes another.
bool continues(const fs::path& trace) {
  auto result = false;
  rt::line_parser parser;
  rt::read_lines(trace.string(), [&](std::string_view line) {
    auto kind
      = parser.parse(line) == rt::parse_result::event
          ? parser.get().kind
          : rt::event_kind::end;
    result = kind == rt::event_kind::resumed;
    return kind == rt::event_kind::application || kind == rt::event_kind::node
           || kind == rt::event_kind::connection;
  });
  return result;
}

} // namespace

void look_at_traces(const fs::path& folder, outcome& into) {
  std::vector<std::string> files;
  for (auto& [process, file] : find_traces(folder / "traces", into)) {
    files.push_back(file.string());
    // The report shows only the processes of the round.
    if (process.empty())
      continue;
    node_reader reader{into, process};
    rt::read_lines(files.back(), [&](auto line) { return reader.line(line); });
    reader.finish();
  }
  if (files.empty()) {
    into.no_trace = "no process wrote a trace";
    return;
  }
  into.trace = files.front();
  try {
    if (into.processes.size() > 1 || files.size() > 1) {
      into.trace = folder / "merged.jsonl";
      std::ostringstream warnings;
      rt::merge_command({files, into.trace.string()}, warnings, warnings);
    }
    if (!killed_only(into, files))
      return;
    trace_completer completer{
      folder / "completed.jsonl", !has_end(files.front())};
    rt::read_lines(into.trace.string(), [&](auto line) {
      return completer.line(line);
    });
    completer.finish();
    into.trace = folder / "completed.jsonl";
  } catch (const std::runtime_error& e) {
    into.trace.clear();
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
    return "the graphs differ: " + result.graph.front().text;
  if (result.nodes.empty())
    return {};
  auto& x = result.nodes.front();
  return "node '" + (x.left != nullptr ? x.left : x.right)->name
         + "' differs first at tag " + rt::to_string(x.tag);
}

void join_traces(const outcome& first, outcome& second, const fs::path& to) {
  if (second.trace.empty())
    return;
  try {
    // Without a checkpoint, the second run has started from the beginning.
    if (!continues(second.trace))
      return;
    if (first.trace.empty())
      throw std::runtime_error(first.no_trace);
    std::ostringstream ignored;
    rt::join_command(
      {{first.trace.string(), second.trace.string()}, to.string()}, ignored);
    second.trace = to;
  } catch (const std::runtime_error& e) {
    second.trace.clear();
    second.no_trace = e.what();
  }
}

} // namespace rosia_drill
