// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/causality.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/judge.hpp"
#include "rosia_trace/process_trace.hpp"
#include "rosia_trace/trace_file.hpp"

#include <algorithm>
#include <memory>
#include <ostream>
#include <span>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>

namespace rosia_trace {

namespace {

using traces = std::vector<std::unique_ptr<process_trace>>;

// -- consistency --------------------------------------------------------------

/// Leaves out the traces that break off in their header.
void leave_out_early(traces& all, std::ostream& warnings) {
  auto size = [](const auto& x) { return x->header().size(); };
  auto longest = (*std::ranges::max_element(all, {}, size))->header();
  if (longest.empty())
    throw unreadable_file{
      all.front()->file()
      + ": the trace is empty, or breaks off in its first line"};
  std::erase_if(all, [&](const auto& x) {
    auto early
      = x->ends_in_header() && size(x) < longest.size()
        && std::ranges::equal(x->header(), std::span{longest}.first(size(x)));
    if (early)
      warnings << x->file()
               << ": the trace is omitted, because it breaks off in its "
                  "header: the process crashed or was killed\n";
    return early;
  });
}

/// Sorts by the processes' names, so that the order of the files does not
/// matter.
void sort_by_process(traces& all) {
  std::sort(all.begin(), all.end(), [](auto& x, auto& y) {
    return std::tie(x->process(), x->file())
           < std::tie(y->process(), y->file());
  });
  for (std::size_t i = 1; i < all.size(); ++i)
    if (all[i - 1]->process() == all[i]->process())
      throw unreadable_file{
        all[i]->header_place(0) + ": the process " + quoted(all[i]->process())
        + " is also that of " + all[i - 1]->header_place(0)};
}

void require_same_header(const process_trace& x, const process_trace& y) {
  auto [i, j] = std::mismatch(
    x.header().begin(), x.header().end(), y.header().begin(), y.header().end());
  if (i == x.header().end() && j == y.header().end())
    return;
  auto shown = [](const process_trace& from, auto line) {
    auto place = from.header_place(
      static_cast<std::size_t>(line - from.header().begin()));
    return "\n  " + place + ": "
           + (line == from.header().end() ? "the header ends" : *line);
  };
  throw unreadable_file{
    "the processes do not belong to one application:" + shown(x, i)
    + shown(y, j)};
}

graph graph_of(const process_trace& x) {
  graph result;
  judge rules;
  line_parser parser;
  std::size_t position = 0;
  try {
    for (; position < x.header().size(); ++position) {
      parser.parse(x.header()[position]);
      if (parser.get().kind == event_kind::node)
        result.add_node(parser.get(), rules);
      else if (parser.get().kind == event_kind::connection)
        result.add_connection(parser.get(), rules);
    }
    --position;
    result.seal(rules);
  } catch (const broken_rule& e) {
    throw unreadable_file{x.header_place(position) + ": " + e.text};
  }
  return result;
}

/// Checks that the steps of each node are in one process, as are those without
/// a node. As an exception, the sender of a physical value may drop it.
void require_own_nodes(const graph& declared, const traces& all) {
  struct first_step {
    const process_trace* process = nullptr;
    std::size_t position = 0;
  };
  std::vector<first_step> firsts(declared.nodes().size() + 1);
  for (const auto& x : all)
    for (std::size_t i = 0; i < x->steps().size(); ++i) {
      auto node = x->steps()[i].node;
      if (x->steps()[i].kind == event_kind::drop)
        continue;
      auto& first = node == no_index ? firsts.back() : firsts[node];
      if (first.process == nullptr)
        first = {x.get(), i};
      if (first.process != x.get())
        throw unreadable_file{
          x->step_place(i) + ": "
          + (node == no_index ? "what belongs to no node"
                              : "node " + declared.node_name(node))
          + " has its steps in " + first.process->step_place(first.position)
          + ", a trace of another process"};
    }
}

/// @returns the line `end`; empty if no process got there.
std::string_view common_end(const traces& all) {
  const process_trace* first = nullptr;
  for (const auto& x : all) {
    if (x->end().empty())
      continue;
    if (first == nullptr)
      first = x.get();
    if (x->status() != first->status())
      throw unreadable_file{
        x->end_place() + ": the application ends with status "
        + std::to_string(x->status()) + ", but with "
        + std::to_string(first->status()) + " in " + first->end_place()};
  }
  return first == nullptr ? std::string_view{} : first->end();
}

void warn_of_killed(const traces& all, std::ostream& warnings) {
  for (const auto& x : all)
    if (x->end().empty())
      warnings << x->end_place() << ": the trace breaks off "
               << (x->cut_off() ? "in the middle of" : "before")
               << " this line: the process " << quoted(x->process())
               << " crashed or was killed, or still runs\n";
}

// -- order --------------------------------------------------------------------

/// Merges the steps of all processes.
class merger {
public:
  merger(const graph& declared, const traces& all)
    : past_{declared, pointers(all)} {
    for (const auto& x : all)
      heads_.push_back({x.get(), 0, {}});
    for (std::size_t i = 0; i < heads_.size(); ++i)
      look_at(i);
  }

  /// Calls `f` with each step in turn. If no step may follow, calls `stuck`
  /// with the place of a step that is too early.
  template <class F, class G>
  void run(F&& f, G&& stuck) {
    for (;;) {
      auto next = least([this](auto& x) { return may_come(x); });
      if (next == heads_.size()) {
        next = least([](auto&) { return true; });
        if (next == heads_.size())
          return;
        stuck(heads_[next].trace->step_place(heads_[next].position));
      }
      const auto& x = heads_[next].current();
      f(x);
      past_.write(x);
      ++heads_[next].position;
      look_at(next);
    }
  }

private:
  /// The position in the trace of a process.
  struct head {
    const process_trace* trace;
    std::size_t position;
    /// The steps that must be written before.
    std::vector<prefix> causes;

    bool over() const {
      return position == trace->steps().size();
    }

    const step& current() const {
      return trace->steps()[position];
    }
  };

  static causality::processes pointers(const traces& all) {
    causality::processes result;
    for (const auto& x : all)
      result.push_back(x.get());
    return result;
  }

  void look_at(std::size_t process) {
    auto& x = heads_[process];
    if (!x.over())
      x.causes = past_.causes(process, x.current());
  }

  bool may_come(head& x) {
    while (!x.causes.empty()
           && heads_[x.causes.back().process].position >= x.causes.back().count)
      x.causes.pop_back();
    return x.causes.empty() && past_.may_follow(x.current());
  }

  /// Orders by the processes' clocks, which may differ. Steps without a node
  /// are last.
  auto rank(const head& x) const {
    auto elapsed = x.current().elapsed;
    return std::pair{
      x.current().node == no_index && elapsed != before_all, elapsed};
  }

  template <class Condition>
  std::size_t least(Condition&& condition) {
    auto result = heads_.size();
    for (std::size_t i = 0; i < heads_.size(); ++i)
      if (!heads_[i].over() && condition(heads_[i])
          && (result == heads_.size()
              || rank(heads_[i]) < rank(heads_[result])))
        result = i;
    return result;
  }

  causality past_;
  std::vector<head> heads_;
};

/// Writes all lines, in an order that keeps causes before effects.
void write_merged(
  const graph& declared, const traces& all, std::string_view end,
  std::ostream& out, std::ostream& warnings) {
  for (const auto& line : all.front()->header())
    out << line << '\n';
  auto fits = true;
  merger{declared, all}.run(
    [&](const step& x) { out << x.text << '\n'; },
    [&](const std::string& place) {
      if (std::exchange(fits, false))
        warnings << place
                 << ": a line that must precede this line does not; check will "
                    "tell what is missing\n";
    });
  if (!end.empty())
    out << end << '\n';
}

} // namespace

int merge_command(const combination_options& options, std::ostream& out,
                  std::ostream& warnings) {
  traces all;
  for (const auto& file : options.files)
    all.push_back(std::make_unique<process_trace>(file));
  leave_out_early(all, warnings);
  sort_by_process(all);
  for (const auto& x : all)
    require_same_header(*all.front(), *x);
  auto declared = graph_of(*all.front());
  for (const auto& x : all)
    x->read_steps(declared);
  require_own_nodes(declared, all);
  auto end = common_end(all);
  warn_of_killed(all, warnings);
  write_to(options.output, out, [&](std::ostream& to) {
    write_merged(declared, all, end, to, warnings);
  });
  return exit_good;
}

} // namespace rosia_trace
