// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/explanation.hpp"

#include "base/duration.hpp"

#include <algorithm>
#include <sstream>

namespace rosia_drill {

namespace {

std::string_view meaning_of(const expectation& x) {
  // The texts are in the order of the kinds, except that statuses and logs have
  // two forms.
  auto form = [](std::string_view begin) {
    for (auto& y : all_expectations())
      if (y.form.starts_with(begin))
        return y.text;
    return std::string_view{};
  };
  using kind = expectation_kind;
  switch (x.kind) {
    case kind::status:
      return form("status");
    case kind::ends:
      return form("ends");
    case kind::log:
      return form("log [of PROCESS] contains");
    case kind::no_log:
      return form("log [of PROCESS] lacks");
    case kind::same:
      return form("same");
    case kind::named:
      return form("report names");
    case kind::report:
      return form("report contains");
    case kind::sound:
      return form("sound");
    default:
      auto begin = x.resumed ? x.text.find_first_not_of(' ', 7) : 0;
      return form(x.text.substr(begin, x.text.find(" if status ") - begin));
  }
}

void put_time(std::ostream& out, const drill& x) {
  out << "  rounds: " << x.rounds << ", seeds from " << x.seed
      << " on, each of them at most " << caf::rosia::detail::time_text(x.limit)
      << '\n';
  if (x.load > 0)
    out << "  load: " << x.load << " busy threads\n";
}

} // namespace

std::string paragraph(std::string_view text) {
  constexpr std::size_t indent = 4;
  constexpr std::size_t width = 76;
  std::string result;
  while (!text.empty()) {
    auto length = text.size();
    if (length > width - indent) {
      length = text.rfind(' ', width - indent);
      if (length == std::string_view::npos)
        length = std::min(text.find(' '), text.size());
    }
    result
      += std::string(indent, ' ') + std::string{text.substr(0, length)} + '\n';
    text.remove_prefix(std::min(text.size(), length + 1));
  }
  return result;
}

std::string explain(const drill& x) {
  std::ostringstream out;
  out << x.name << '\n' << paragraph(x.purpose) << "  program: " << x.program;
  for (auto& argument : x.arguments)
    out << ' ' << argument;
  out << (x.nodes ? "" : " (without nodes)") << "\n  processes:";
  for (auto& name : x.process_names())
    out << ' ' << name;
  out << (x.certificates ? ", with certificates\n" : "\n");
  for (auto& [node, process] : x.placement)
    out << "  node " << node << " runs in " << process << '\n';
  put_time(out, x);
  for (auto& y : x.faults) {
    auto& kind = describe(y.kind);
    out << "  fault: " << y.text << '\n' << paragraph(kind.text);
    if (!kind.from_the_beginning)
      out << paragraph("at the injection point " + y.when.text
                       + (y.optional ? ", if the round gets there" : ""));
  }
  if (x.resumes()) {
    out << "  afterwards: " << x.program_resumed();
    for (auto& argument : x.resume)
      out << ' ' << argument;
    out << '\n';
    if (!x.spoil.empty())
      out << "  in between: " << x.spoil << '\n';
  }
  for (auto& y : x.expectations)
    out << "  expected: " << y.text << '\n' << paragraph(meaning_of(y));
  return out.str();
}

std::string explain_words() {
  std::ostringstream out;
  out << "Faults (fault = KIND WORD=VALUE..., in any order):\n";
  for (auto& x : all_faults()) {
    out << "  " << x.name
        << (x.where == fault_place::link   ? " link=PROCESS-PROCESS"
            : x.where == fault_place::node ? " target=NODE"
            : x.from_the_beginning
              ? " target=PROCESS"
              : " [target=PROCESS|NODE]");
    for (auto& word : x.needed)
      out << ' ' << word << "=...";
    for (auto& word : x.allowed)
      out << " [" << word << "=...]";
    out << (x.from_the_beginning ? "" : " [when=POINT]") << " [optional]\n"
        << paragraph(x.text);
  }
  out << "\nInjection points (a RANGE is a value, or FIRST..LAST, of which the "
         "seed "
         "picks one):\n"
         "  launch\n    the processes have been started\n"
         "  start\n    logical time begins (without when=, this)\n"
         "  RANGE of times, such as 200ms\n    physical time since then\n"
         "  logical:RANGE@NODE\n    the node is about to execute this tag, or "
         "a later one\n"
         "  log:TEXT\n    a process prints a line with this text\n";
  for (auto& x : all_steps())
    out << "  " << x.name << "[:RANGE][@NODE]\n" << paragraph(x.text);
  out << "\nExpectations:\n";
  for (auto& x : all_expectations())
    out << "  " << x.form << '\n' << paragraph(x.text);
  return out.str();
}

} // namespace rosia_drill
