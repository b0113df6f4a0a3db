// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/checker.hpp"
#include "rosia_trace/commands.hpp"
#include "rosia_trace/event.hpp"
#include "rosia_trace/table.hpp"
#include "rosia_trace/trace_file.hpp"

#include <algorithm>
#include <ostream>

namespace rosia_trace {

namespace {

void print_counts(const trace_counts& x, std::ostream& out) {
  out << "  " << counted(x.of(event_kind::node), "node") << ", "
      << counted(x.of(event_kind::connection), "connection") << "; "
      << counted(x.of(event_kind::execute), "tag") << " executed, "
      << counted(x.of(event_kind::reaction), "reaction") << ", "
      << counted(x.of(event_kind::resume), "resume") << ", "
      << counted(x.of(event_kind::action), "scheduled event") << '\n'
      << "  " << counted(x.of(event_kind::send), "message") << " sent, "
      << counted(x.of(event_kind::input), "input") << " set, "
      << counted(x.of(event_kind::promise), "null message") << ", "
      << counted(x.of(event_kind::drop), "drop") << '\n'
      << "  "
      << (x.of(event_kind::aborted) > 0 ? "aborted"
          : x.of(event_kind::final) > 0
            ? "ended by request"
            : "ended by itself")
      << " with status " << x.status.value_or(0) << "; "
      << counted(x.lines, "line") << '\n';
}

void print_tally(const rule_tally& tally, std::ostream& out) {
  table rules{{{"rule"}, {"applied", table::align::right}, {"semantics"}}};
  for (std::size_t i = 0; i < rule_count; ++i) {
    auto which = static_cast<rule>(i);
    if (which == rule::readable)
      continue;
    rules.add({std::string{describe(which).name},
               tally[i] == 0 ? "-" : std::to_string(tally[i]),
               std::string{describe(which).source}});
  }
  rules.print(out);
}

/// Prints an indented paragraph that fits a terminal.
void print_wrapped(std::string_view text, std::ostream& out) {
  constexpr std::size_t indent = 4;
  constexpr std::size_t width = 76;
  while (!text.empty()) {
    auto length = text.size();
    if (length > width - indent)
      length = text.rfind(' ', width - indent);
    out << std::string(indent, ' ') << text.substr(0, length) << '\n';
    text.remove_prefix(std::min(text.size(), length + 1));
  }
}

} // namespace

int check_command(const check_options& options, std::ostream& out) {
  checker state;
  auto rest = read_lines(options.file, [&](std::string_view line) {
    return state.line(line);
  });
  auto name = shown_path(options.file);
  if (auto found = state.finish(rest)) {
    if (found->broken == rule::readable)
      throw unreadable_file{to_string(*found, name)};
    out << to_string(*found, name) << '\n';
    if (!state.process().empty())
      out << "  this is the trace of process " << quoted(state.process())
          << " alone; 'rosia-trace merge' makes one trace of those of all "
             "processes\n";
    return exit_bad;
  }
  if (options.quiet)
    return exit_good;
  out << name << ": all rules hold\n";
  print_counts(state.counts(), out);
  out << '\n';
  print_tally(state.tally(), out);
  return exit_good;
}

void list_rules(std::ostream& out) {
  for (std::size_t i = 0; i < rule_count; ++i) {
    const auto& x = describe(static_cast<rule>(i));
    out << x.name << ' ' << x.source << '\n';
    print_wrapped(x.text, out);
  }
}

} // namespace rosia_trace
