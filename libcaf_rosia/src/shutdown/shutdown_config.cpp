// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown/shutdown_config.hpp"

#include "base/closest_name.hpp"
#include "base/logging.hpp"
#include "base/suggestion.hpp"
#include "compat/config_value.hpp"
#include "shutdown/phase_list.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/config_option_set.hpp>
#include <caf/settings.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace caf::rosia {

namespace {

using std::chrono::nanoseconds;

constexpr std::string_view group_name = "rosia.shutdown";
constexpr std::string_view phases_name = "phases";

// -- validation ---------------------------------------------------------------

template <class T>
bool is_valid(const T&) {
  return true;
}

bool is_valid(physical_time_span x) {
  return x >= nanoseconds::zero();
}

bool is_valid(const std::string& x) {
  return detail::parse_log_level(x).has_value();
}

// -- the tables ---------------------------------------------------------------

/// A member of `Options` that a config may set.
template <class Options>
struct entry {
  std::string_view name;
  std::string_view type_name;
  std::string_view description;

  /// Completes "<value> is not ...".
  std::string_view expected;

  /// @returns false for a value that is not `expected`.
  bool (*read)(Options& target, const caf::config_value& value);
};

template <auto Member, class Options>
bool read(Options& target, const caf::config_value& value) {
  return detail::read_value(value, target.*Member) && is_valid(target.*Member);
}

template <auto Member, class Options>
constexpr entry<Options> time(
  std::string_view name, std::string_view description) {
  return {name, "timespan", description,
          R"(a time span of zero or more, such as 10ms or "1.5s")",
          read<Member, Options>};
}

template <auto Member, class Options>
constexpr entry<Options> flag(
  std::string_view name, std::string_view description) {
  return {name, detail::bool_type, description, "true or false",
          read<Member, Options>};
}

using options = shutdown_options;

constexpr std::array option_entries{
  time<&options::deadline, options>(
    "deadline", "when a shutdown must have finished (default: 30s)"),
  time<&options::grace_period, options>(
    "grace_period", "how long an aborted shutdown may take (default: 5s)"),
  time<&options::on_signal_timeout, options>(
    "on_signal_timeout",
    "how long the program's handler of a signal may take (default: 120s)"),
  time<&options::backup_timeout, options>(
    "backup_timeout", "how long the final backup may take (default: 60s)"),
  entry<options>{"signals", "handle|ignore|none",
                 "what to do about SIGINT and SIGTERM (default: handle)",
                 "handle, ignore or none", read<&options::signals, options>},
  flag<&options::sighup, options>(
    "sighup", "whether signals applies to SIGHUP, too (default: false)"),
  entry<options>{
    "log_level", "level", "least severe level that is logged (default: info)",
    "trace, debug, info, warning, error, critical or off",
    read<&options::log_level, options>},
};

constexpr std::array phase_entries{
  time<&phase_options::timeout, phase_options>(
    "timeout", "how long the phase may take (default: 5s)"),
  flag<&phase_options::recover, phase_options>(
    "recover", "whether the next phase follows a failure (default: true)"),
  flag<&phase_options::together, phase_options>(
    "together", "whether its actors wait for each other (default: false)"),
  flag<&phase_options::one_by_one, phase_options>(
    "one_by_one", "whether its functions wait for each other (default: false)"),
};

/// Not on the command line, which does not support lists.
constexpr entry<phase_options> after_entry{
  "after", "list", "", R"(a list of phases, such as ["threads", "actors"])",
  read<&phase_options::after, phase_options>};

// -- reading ------------------------------------------------------------------

std::string join(std::string_view group, std::string_view name) {
  return std::string{group} + '.' + std::string{name};
}

[[noreturn]] void refuse(const std::string& path, const std::string& reason) {
  throw std::invalid_argument(path + ": " + reason);
}

/// Throws an error for an unknown name, with a suggestion.
[[noreturn]] void refuse_name(
  std::string_view group, std::string_view name, const std::string& reason,
  const std::vector<std::string>& known) {
  auto other = detail::closest_name(name, known);
  refuse(
    join(group, name),
    reason
      + (other.empty() ? other : "; did you mean " + join(group, other) + "?"));
}

template <class Options>
void read_entry(Options& target, const entry<Options>& option,
                const std::string& path, const caf::config_value& value) {
  if (!option.read(target, value))
    refuse(path, detail::render_value(value) + " is not "
                   + std::string{option.expected});
}

/// Returns the entry with this name; null if there is none.
template <class Entries>
auto* find(const Entries& all, std::string_view name) {
  auto i = std::find_if(all.begin(), all.end(), [&](auto& x) {
    return x.name == name;
  });
  return i == all.end() ? nullptr : &*i;
}

template <class Entries>
std::vector<std::string> names_of(
  const Entries& all, std::string_view one_more) {
  std::vector<std::string> result{std::string{one_more}};
  for (auto& x : all)
    result.emplace_back(x.name);
  return result;
}

const caf::settings& require_group(
  const std::string& path, const caf::config_value& value) {
  if (auto* result = caf::get_if<caf::settings>(&value))
    return *result;
  refuse(path, detail::render_value(value) + " is not a group of options");
}

void read_phase(phase_options& target, const std::string& path,
                const caf::settings& values) {
  for (auto& [name, value] : values)
    if (name == after_entry.name)
      read_entry(target, after_entry, join(path, name), value);
    else if (auto* option = find(phase_entries, name))
      read_entry(target, *option, join(path, name), value);
    else
      refuse_name(path, name, "there is no such option",
                  names_of(phase_entries, after_entry.name));
}

std::vector<std::string> names_of(const shutdown_options& opts) {
  std::vector<std::string> result;
  for (auto& [name, phase] : opts.phases)
    result.push_back(name);
  return result;
}

void read_phases(shutdown_options& target, const std::string& path,
                 const caf::settings& values) {
  for (auto& [name, value] : values) {
    auto phase = join(path, name);
    auto& group = require_group(phase, value);
    // Without it, the phase would begin with the shutdown. Its name is probably
    // misspelt.
    if (!target.phases.contains(name)
        && group.count(std::string{after_entry.name}) == 0)
      refuse_name(
        path, name,
        "there is no such phase; one that is added needs an entry "
        "after",
        names_of(target));
    read_phase(target.phases[name], phase, group);
  }
}

/// Throws an error for a cycle, or if a phase names an unknown one.
void check_phases(const shutdown_options& opts, const std::string& path) {
  for (auto& [name, phase] : opts.phases)
    for (auto& other : phase.after)
      if (!opts.phases.contains(other))
        refuse(join(path, name) + ".after",
               "there is no phase \"" + other + "\""
                 + detail::suggestion(other, names_of(opts)));
  try {
    detail::phase_list{}.set_all(opts.phases);
  } catch (const std::invalid_argument& e) {
    refuse(path, e.what());
  }
}

} // namespace

void add_shutdown_options(caf::config_option_set& to,
                          const std::vector<std::string>& more_phases) {
  auto add = [&to](const std::string& group, auto& entries) {
    for (auto& x : entries)
      if (to.qualified_name_lookup(group, std::string{x.name}) == nullptr)
        to.add(detail::make_unchecked_option(
          group, x.name, x.description, x.type_name));
  };
  add(std::string{group_name}, option_entries);
  auto phases = join(group_name, phases_name);
  for (auto* name : {"threads", "actors", "final"})
    add(join(phases, name), phase_entries);
  for (auto& name : more_phases)
    add(join(phases, name), phase_entries);
}

shutdown_options shutdown_options_from(
  const caf::actor_system_config& cfg, shutdown_options defaults) {
  auto* found = caf::get_if(&caf::content(cfg), std::string{group_name});
  if (found == nullptr)
    return defaults;
  auto path = std::string{group_name};
  for (auto& [name, value] : require_group(path, *found))
    if (name == phases_name)
      read_phases(
        defaults, join(path, name), require_group(join(path, name), value));
    else if (auto* option = find(option_entries, name))
      read_entry(defaults, *option, join(path, name), value);
    else
      refuse_name(path, name, "there is no such option",
                  names_of(option_entries, phases_name));
  check_phases(defaults, join(path, phases_name));
  return defaults;
}

} // namespace caf::rosia
