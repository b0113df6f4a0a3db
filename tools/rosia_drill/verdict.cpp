// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/verdict.hpp"

#include "rosia_drill/launch_command.hpp"
#include "rosia_drill/trace_look.hpp"
#include "rosia_trace/soundness.hpp"

#include "base/duration.hpp"

#include <rapidjson/document.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rosia_drill {

namespace {

using kind = expectation_kind;

std::string status_with_signal(int status) {
  return status > 128
           ? std::to_string(status) + " (128 and "
               + std::to_string(status - 128) + ')'
           : std::to_string(status);
}

/// Returns the level of a line of the library's log; empty for other lines.
std::string_view level_of(std::string_view line) {
  constexpr std::size_t date = 27; // 2024-05-17 14:03:21.118240 and a space
  if (line.size() < date || line[4] != '-' || line[19] != '.')
    return {};
  return line.substr(date, line.find(' ', date) - date);
}

/// Returns the line of a log that is the most likely reason for an end,
/// shortened: the last error of the library or with the program's name,
/// otherwise the last line of the program.
std::string last_error(const std::filesystem::path& log,
                       const std::string& program) {
  constexpr std::size_t most = 300;
  std::string error;
  std::string last;
  std::ifstream in{log};
  for (std::string line; std::getline(in, line);) {
    auto level = level_of(line);
    if (level == "error" || level == "critical"
        || line.starts_with(program + ": "))
      error = line.substr(0, most);
    else if (level.empty() && !line.empty())
      last = line.substr(0, most);
  }
  return error.empty() ? last : error;
}

bool is_port_of(std::string_view port, const std::string& node) {
  return port == node || port.starts_with(node + '.');
}

/// Returns whether a report names a node or process as the cause of a delay.
bool names(const rapidjson::Document& report, const std::string& name) {
  auto text = [](const rapidjson::Value& x, const char* key) {
    return x.HasMember(key) && x[key].IsString()
             ? std::string{x[key].GetString()}
             : std::string{};
  };
  if (text(report, "reason").find('\'' + name + '\'') != std::string::npos)
    return true;
  if (!report.HasMember("nodes") || !report["nodes"].IsArray())
    return false;
  for (auto& node : report["nodes"].GetArray()) {
    auto stage = text(node, "stage");
    auto runs
      = node.HasMember("code") && node["code"].IsObject()
        && node["code"].HasMember("running")
        && node["code"]["running"].GetBool();
    if (text(node, "name") == name
        && (runs || stage == "failed" || stage == "vanished"))
      return true;
    if (node.HasMember("held_back") && node["held_back"].IsObject()
        && is_port_of(text(node["held_back"], "waits_for"), name))
      return true;
  }
  return false;
}

/// Checks one round against expectations. Each function returns the violation,
/// or nothing.
class judge_of_round {
public:
  judge_of_round(const drill& definition, const outcome& round,
                 const undisturbed_run& undisturbed,
                 const round_settings& settings)
    : settings_{settings},
      program_{std::filesystem::path{definition.program}.filename()},
      round_{round}, undisturbed_{undisturbed} {
    // nop
  }

  std::string check(const expectation& e) {
    if (!e.if_statuses.empty() && !counts(e))
      return {};
    switch (e.kind) {
      case kind::status:
        return status(e.statuses, e.process);
      case kind::ends:
        return ends(e);
      case kind::named:
        return named(e);
      case kind::report:
        return round_.report.find(e.words) != std::string::npos ? std::string{}
               : no_report() ? "there is no report of an abort"
                             : "the report does not have this text";
      case kind::no_report:
        return no_report() ? std::string{} : "there is a report of an abort";
      case kind::agreement:
        return rule("agreement");
      case kind::nothing_lost:
        return rule("nothing-lost");
      case kind::nothing_late:
        return rule("no-late-message");
      case kind::rules:
        return rule({});
      case kind::same:
        return same(e);
      case kind::sound:
        return sound(e);
      case kind::no_process:
        return left("processes", round_.processes_left);
      case kind::no_port:
        return left("ports", round_.ports_left);
      case kind::no_file:
        return left("files", round_.files_left);
      default:
        return log(e);
    }
  }

private:
  /// Returns whether the condition of an expectation holds. A program may end
  /// in order before logical time starts, and then has no trace.
  bool counts(const expectation& e) const {
    return status(e.if_statuses, e.if_process).empty()
           && (round_.began || !e.needs_trace());
  }

  bool no_report() const {
    return round_.report.empty();
  }

  std::string status(const std::set<int>& statuses,
                     const std::string& process) const {
    auto wanted = process.empty() ? "coordinator" : process;
    for (auto& y : round_.processes) {
      if (y.name != wanted && wanted != "all")
        continue;
      if (!y.ran && wanted != "all")
        return "'" + y.name + "' was not started";
      if (y.ran && !statuses.contains(y.status))
        return "the status of '" + y.name + "' is "
               + status_with_signal(y.status) + reason_of(y);
    }
    return {};
  }

  /// Returns the last message of a process that exited by itself with an error.
  std::string reason_of(const process_outcome& x) const {
    if (x.status == 0 || x.status > 128)
      return {};
    auto line = last_error(x.log, program_);
    return line.empty() ? line : "; it printed: " + line;
  }

  std::string ends(const expectation& e) const {
    if (e.after_faults && !round_.last_fault)
      return "no fault happened";
    std::int64_t end = 0;
    for (auto& y : round_.processes)
      end = std::max(end, y.ended);
    auto took = end - (e.after_faults ? *round_.last_fault : 0);
    if (took <= e.limit.count())
      return {};
    return "it took "
           + caf::rosia::detail::time_text(
             std::chrono::milliseconds{took / 1'000'000});
  }

  std::string named(const expectation& e) const {
    if (no_report())
      return "there is no report of an abort";
    rapidjson::Document report;
    report.Parse(round_.report.c_str());
    if (report.HasParseError() || !report.IsObject())
      return "the report is not JSON";
    return names(report, e.words)
             ? std::string{}
             : "the report does not say that '" + e.words + "' held it up";
  }

  /// @param name of the rule; empty for all rules.
  std::string rule(std::string_view name) {
    if (round_.trace.empty())
      return round_.no_trace;
    if (!checked_) {
      broken_ = check_trace(round_.trace);
      checked_ = true;
    }
    if (!broken_)
      return {};
    if (name.empty() || broken_->rule == name)
      return broken_->text;
    // The trace is not checked beyond the first violation.
    return "unknown, because the trace breaks another rule earlier: "
           + broken_->text;
  }

  std::string same(const expectation& e) const {
    if (round_.trace.empty())
      return round_.no_trace;
    if (undisturbed_.trace.empty())
      return "there is no undisturbed run: " + undisturbed_.problem;
    try {
      return compare_traces(undisturbed_.trace, round_.trace, e.up_to);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  std::string sound(const expectation& e) const {
    try {
      auto file = with_values(e.words, settings_, "coordinator");
      auto found = rosia_trace::check_run_file(file);
      return fmt::format("{}", fmt::join(found.problems, ", "));
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  }

  static std::string left(const std::string& noun,
                          const std::vector<std::string>& xs) {
    return xs.empty() ? std::string{}
                      : fmt::format("{} remain: {}", noun, fmt::join(xs, ", "));
  }

  std::string log(const expectation& e) const {
    for (auto& y : round_.processes) {
      if (!e.process.empty() && e.process != "all" && e.process != y.name)
        continue;
      std::ifstream in{y.log};
      for (std::string line; std::getline(in, line);)
        if (line.find(e.words) != std::string::npos)
          return e.kind == kind::log
                   ? std::string{}
                   : "'" + y.name + "' printed: " + line;
    }
    return e.kind == kind::log ? "no line of a log has this text" : "";
  }

  const round_settings& settings_;
  std::string program_;
  const outcome& round_;
  const undisturbed_run& undisturbed_;
  bool checked_ = false;
  std::optional<trace_fault> broken_;
};

} // namespace

std::vector<failed_expectation> judge(
  const drill& definition, const outcome& round,
  const undisturbed_run& undisturbed, const round_settings& settings) {
  auto result = round.problems;
  judge_of_round judge{definition, round, undisturbed, settings};
  auto resumed = !settings.continued.empty();
  for (auto& e : definition.expectations)
    if (e.resumed == resumed)
      if (auto wrong = judge.check(e); !wrong.empty())
        result.push_back({e.text, wrong});
  return result;
}

} // namespace rosia_drill
