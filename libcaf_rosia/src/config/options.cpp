// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/options.hpp"

#include "base/checkpoint_signal.hpp"
#include "base/closest_name.hpp"
#include "base/duration.hpp"
#include "base/logging.hpp"
#include "caf/rosia/diagram.hpp"
#include "compat/config_value.hpp"
#include "config/option_table.hpp"
#include "config/parameter_settings.hpp"
#include "config/process_options.hpp"
#include "time/parse_time.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/settings.hpp>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <stdexcept>
#include <system_error>
#include <type_traits>

namespace caf::rosia {

namespace detail {

namespace {

using std::chrono::nanoseconds;

// -- from a config's values ---------------------------------------------------

bool read(const caf::config_value& from, logical_time& to) {
  std::optional<logical_time> tag;
  if (auto value = caf::get_if<caf::timespan>(&from))
    tag = logical_time{value->count(), 0};
  else if (auto text = text_of(from))
    tag = parse_logical_time(*text);
  to = tag.value_or(to);
  return tag.has_value();
}

bool read(const caf::config_value& from, std::size_t& to) {
  if (auto value = caf::get_if<std::int64_t>(&from)) {
    to = static_cast<std::size_t>(*value);
    return *value >= 0;
  }
  auto text = text_of(from).value_or("");
  auto last = text.data() + text.size();
  auto [end, code] = std::from_chars(text.data(), last, to);
  return code == std::errc{} && end == last;
}

template <class T>
  requires requires(const caf::config_value& from, T& to) {
    read_value(from, to);
  }
bool read(const caf::config_value& from, T& to) {
  return read_value(from, to);
}

template <class T>
bool read(const caf::config_value& from, std::optional<T>& to) {
  return read(from, to.emplace());
}

// -- to text ------------------------------------------------------------------

std::string render(bool x) {
  return x ? "true" : "false";
}

std::string render(logical_time x) {
  // Quote what CAF cannot read otherwise.
  auto text = rosia::to_string(x);
  return text.find_first_of(".+v") == std::string::npos ? text : quote(text);
}

std::string render(nanoseconds x) {
  return render(logical_time{x.count(), 0});
}

std::string render(std::size_t x) {
  return std::to_string(x);
}

std::string render(const std::string& x) {
  return x.empty() ? x : quote(x);
}

std::string render(const std::vector<std::string>& xs) {
  std::string result;
  for (auto& x : xs)
    result += (result.empty() ? "[" : ", ") + quote(x);
  return result.empty() ? result : result + ']';
}

std::string render(signal_behavior x) {
  return quote(rosia::to_string(x));
}

template <class T>
std::string render(const std::optional<T>& x) {
  return x ? render(*x) : std::string{};
}

// -- what is allowed ----------------------------------------------------------

template <class T>
bool valid(const T&) {
  return true;
}

template <std::derived_from<nanoseconds> T>
bool valid(const T& x) {
  return x >= nanoseconds::zero();
}

bool valid(logical_time x) {
  return x >= logical_time{} && x.ns < forever.ns;
}

bool valid(std::size_t x) {
  return x > 0;
}

bool valid(signal_behavior x) {
  return x <= signal_behavior::none;
}

template <class T>
bool valid(const std::optional<T>& x) {
  return !x || valid(*x);
}

bool valid(const optional_tag& x) {
  return !x || valid(*x);
}

// -- the table ----------------------------------------------------------------

constexpr std::string_view span_type = "timespan";
constexpr std::string_view span_expected
  = R"(a time span of zero or more, such as 10ms or "1.5s")";
constexpr std::string_view tag_expected
  = R"(a tag from 0s on, such as 10s, "1.5s" or "20ms+3")";

/// Returns a member of a group, or of the options themselves.
template <auto... Path>
auto& member_of(auto& x) {
  return (x.*....*Path);
}

template <auto... Path>
constexpr option_entry entry(
  std::string_view name, std::string_view type_name,
  std::string_view description, std::string_view expected,
  bool (*check)(const options&)
  = [](const options& x) { return valid(member_of<Path...>(x)); }) {
  return {
    name,
    type_name,
    description,
    expected,
    [](options& x, const caf::config_value& y) {
      return read(y, member_of<Path...>(x));
    },
    [](const options& x) { return render(member_of<Path...>(x)); },
    check};
}

template <auto... Path>
constexpr option_entry flag_entry(
  std::string_view name, std::string_view description) {
  return entry<Path...>(name, "true|false", description, "true or false");
}

/// The entry of an option that must be more than zero, if it is set.
template <auto... Path>
constexpr option_entry positive_span_entry(
  std::string_view name, std::string_view description) {
  return entry<Path...>(
    name, span_type, description,
    R"(a time span of more than zero, such as 10ms or "1.5s")",
    [](const options& x) {
      return std::optional<nanoseconds>{member_of<Path...>(x)}.value_or(
               nanoseconds::max())
             > nanoseconds::zero();
    });
}

template <auto... Path>
constexpr option_entry file_entry(
  std::string_view name, std::string_view description) {
  return entry<Path...>(
    name, "file", description, "the name of a file, as text");
}

template <auto... Path>
constexpr option_entry address_entry(
  std::string_view name, std::string_view type_name,
  std::string_view description) {
  return entry<Path...>(
    name, type_name, description,
    "an address with a port, such as 10.0.0.1:4000, host:4000 or [::1]:4000",
    [](const options& x) {
      return member_of<Path...>(x).empty()
             || parse_address(member_of<Path...>(x)).has_value();
    });
}

template <auto... Path>
constexpr option_entry names_entry(
  std::string_view name, std::string_view type_name,
  std::string_view description) {
  return entry<Path...>(
    name, type_name, description,
    "made of different names, which have letters, digits, '-' and '_'",
    [](const options& x) {
      return are_process_names(split_list(member_of<Path...>(x)));
    });
}

bool are_valid_ports(const options& x) {
  auto names = split_list(x.record.ports);
  return x.record.ports.empty()
         || std::all_of(names.begin(), names.end(), [](auto& name) {
              return name.find('.') != std::string::npos;
            });
}

bool are_valid_processes(const options& x) {
  auto names = split_list(x.processes);
  if (names.size() != 1)
    return are_process_names(names);
  auto number = process_count(x.processes);
  return number
           ? *number >= 1 && *number <= most_processes
           : is_process_name(names.front()) && names.front().front() != '-';
}

/// Returns a value of a parameter as text.
std::optional<std::string> setting_text(const caf::config_value& x) {
  if (auto value = caf::get_if<bool>(&x))
    return render(*value);
  if (auto value = caf::get_if<std::int64_t>(&x))
    return std::to_string(*value);
  if (auto value = caf::get_if<double>(&x))
    return fmt::format("{}", *value);
  if (auto value = caf::get_if<caf::timespan>(&x))
    return time_text(*value);
  return text_of(x);
}

/// Reads a group of nodes, whose groups have the values of their parameters.
/// @param prefix the names of the outer groups.
bool read_settings(const caf::settings& from, const std::string& prefix,
                   std::vector<std::string>& to) {
  for (auto& [name, value] : from) {
    auto path = prefix + name;
    if (auto* group = caf::get_if<caf::settings>(&value)) {
      if (!read_settings(*group, path + '.', to))
        return false;
    } else if (auto text = setting_text(value)) {
      to.push_back(path + '=' + *text);
    } else {
      return false;
    }
  }
  return true;
}

constexpr option_entry set_entry() {
  auto result = entry<&options::set>(
    "set", "node.parameter=value",
    "sets a parameter of a node; may be repeated, and \"help\" lists them",
    R"(help, filter.gain=2.5, a list such as ["filter.gain=2.5", )"
    R"("w[*].gain=3"], or a group such as filter { gain = 2.5 })",
    [](const options& x) { return are_settings(x.set); });
  result.read = [](options& x, const caf::config_value& y) {
    x.set.clear();
    if (auto* group = caf::get_if<caf::settings>(&y))
      return read_settings(*group, {}, x.set);
    if (auto text = text_of(y)) {
      x.set.push_back(std::move(*text));
      return true;
    }
    return read_value(y, x.set);
  };
  result.in_group = false;
  return result;
}

constexpr option_entry placement_entry() {
  auto result = entry<&options::placement>(
    "placement", "node=process,...",
    "which process runs which node; names may have * and ?",
    "a list such as camera=left, det*=right, or such a group",
    [](const options& x) { return parse_placement(x.placement).has_value(); });
  result.read = [](options& x, const caf::config_value& y) {
    auto* group = caf::get_if<caf::settings>(&y);
    if (group == nullptr)
      return read(y, x.placement);
    x.placement.clear();
    for (auto& [node, process] : *group) {
      auto name = text_of(process);
      if (!name)
        return false;
      x.placement += (x.placement.empty() ? "" : ", ") + node + '=' + *name;
    }
    return true;
  };
  return result;
}

constexpr std::array table{
  flag_entry<&options::realtime>(
    "realtime", "whether a tag waits for its physical time (default: true)"),
  entry<&options::lag_warn>(
    "lag_warn", span_type,
    "warns of nodes that differ from physical time by more than this",
    span_expected),
  flag_entry<&options::warn_unconnected>(
    "warn_unconnected",
    "warns of reactions whose triggers are not connected (default: true)"),
  entry<&options::stop_after>(
    "stop_after", "logical time",
    "shuts down after this tag, e.g. 10s, 1.5s or 20ms+3", tag_expected),
  entry<&options::timeout>(
    "timeout", span_type,
    "aborts the application after this much physical time", span_expected),
  set_entry(),
  entry<&options::diagram>(
    "diagram", "file",
    "draws the graph into this file (.svg, .dot, .mmd) instead of running it",
    "the name of a file that ends with .svg, .dot, .gv, .mmd or .mermaid",
    [](const options& x) {
      return x.diagram.empty() || diagram_format_of(x.diagram).has_value();
    }),
  file_entry<&options::trace>("trace", "writes a trace to this file"),
  file_entry<&options::record, &record_options::file>(
    "record.file", "records the run in this run file"),
  entry<&options::record, &record_options::ports>(
    "record.ports", "node.port,...",
    "ports whose values are recorded, too; names may have * and ?",
    "a list such as camera.image, det*.*", are_valid_ports),
  file_entry<&options::replay>(
    "replay", "repeats the last run that is recorded in this run file"),
  file_entry<&options::report>(
    "report", "writes a report to this file after an abort, and on SIGUSR1"),
  file_entry<&options::checkpoint, &checkpoint_options::file>(
    "checkpoint.file", "writes checkpoints to this file"),
  positive_span_entry<&options::checkpoint, &checkpoint_options::every>(
    "checkpoint.every",
    "takes a checkpoint at the multiples of this logical time"),
  entry<&options::checkpoint, &checkpoint_options::keep>(
    "checkpoint.keep", "number",
    "complete checkpoints that the file keeps (default: 3)",
    "a number of checkpoints, 1 or more"),
  entry<&options::checkpoint, &checkpoint_options::signal>(
    "checkpoint.signal", "signal",
    "takes a checkpoint at this signal, e.g. USR2", "USR2, QUIT, ALRM or WINCH",
    [](const options& x) {
      return x.checkpoint.signal.empty()
             || checkpoint_signal_number(x.checkpoint.signal).has_value();
    }),
  positive_span_entry<&options::checkpoint, &checkpoint_options::timeout>(
    "checkpoint.timeout",
    "how long the end waits for its checkpoint (default: 30s)"),
  file_entry<&options::checkpoint, &checkpoint_options::backup>(
    "checkpoint.backup",
    "copies the file of checkpoints to this one at the end"),
  file_entry<&options::resume, &resume_options::file>(
    "resume.file", "continues the run whose checkpoints are in this file"),
  entry<&options::resume, &resume_options::at>(
    "resume.at", "logical time",
    "continues from the checkpoint at this tag (default: the last one)",
    tag_expected),
  address_entry<&options::watch, &watch_options::address>(
    "watch.address", "address:port",
    "serves a live page of the run, and metrics, at this address"),
  flag_entry<&options::watch, &watch_options::control>(
    "watch.control",
    "whether the live page may request an end (default: false)"),
  file_entry<&options::watch, &watch_options::token_file>(
    "watch.token_file", "a file that holds the token of the live page"),
  flag_entry<&options::verbose_end>(
    "verbose_end", "logs all nodes at an abort, not only those at fault "
                   "(default: false)"),
  entry<&options::max_in_flight>(
    "max_in_flight", "number",
    "messages a connection may hold before its sender has to wait (default: "
    "1024)",
    "a number of messages, 1 or more"),
  entry<&options::groups>(
    "groups", "auto|off|all|FILE",
    "which nodes are executed as one, by one thread at a time (default: auto)",
    "auto, off, all or the name of a file",
    [](const options& x) { return !x.groups.empty(); }),
  positive_span_entry<&options::grace_period>(
    "grace_period", "how long an abort waits for nodes (default: 5s)"),
  positive_span_entry<&options::negotiation_timeout>(
    "negotiation_timeout",
    "how long a requested shutdown waits for answers (default: 10s)"),
  positive_span_entry<&options::end_timeout>(
    "end_timeout",
    "how long nodes may take to reach the final tag after a signal (default: "
    "1min)"),
  entry<&options::signals>(
    "signals", "handle|ignore|none",
    "what to do about SIGINT and SIGTERM (default: handle)",
    "handle, ignore or none"),
  flag_entry<&options::sighup>(
    "sighup", "whether signals applies to SIGHUP, too (default: false)"),
  entry<&options::log_level>(
    "log_level", "level", "least severe level that is logged (default: info)",
    "trace, debug, info, warning, error, critical or off",
    [](const options& x) { return parse_log_level(x.log_level).has_value(); }),
  entry<&options::processes>(
    "processes", "auto|N|name,...",
    "starts the application over several processes of this machine",
    "auto, a number from 1 to 256, or different names such as left,right, "
    "which have letters, digits, '-' and '_'",
    are_valid_processes),
  address_entry<&options::network, &network_options::listen>(
    "network.listen", "address:port",
    "the address at which other processes reach this one"),
  names_entry<&options::network, &network_options::expect>(
    "network.expect", "name,...", "the processes that join this coordinator"),
  address_entry<&options::network, &network_options::join>(
    "network.join", "host:port", "the coordinator that this process joins"),
  names_entry<&options::network, &network_options::process>(
    "network.process", "name", "the name of this process"),
  placement_entry(),
  positive_span_entry<&options::network, &network_options::join_timeout>(
    "network.join_timeout",
    "how long processes may take to find each other (default: 30s)"),
  positive_span_entry<&options::network, &network_options::heartbeat>(
    "network.heartbeat",
    "how often processes exchange heartbeats (default: 1s)"),
  positive_span_entry<&options::network, &network_options::connection_timeout>(
    "network.connection_timeout",
    "how long a process may be silent before "
    "it counts as lost (default: 5s)"),
  entry<&options::network, &network_options::max_message>(
    "network.max_message", "number",
    "bytes that a message of another process may have (default: 268435456)",
    "a number of bytes, 1 or more"),
  entry<&options::network, &network_options::clock_warn>(
    "network.clock_warn", span_type,
    "warns of clocks that differ by more than this (default: 100ms)",
    span_expected),
  file_entry<&options::tls, &tls_options::certificate>(
    "tls.certificate", "this process's certificate, in PEM format"),
  file_entry<&options::tls, &tls_options::key>(
    "tls.key", "the private key of that certificate, in PEM format"),
  file_entry<&options::tls, &tls_options::ca>(
    "tls.ca", "the CA whose certificates are accepted, in PEM format"),
  entry<&options::network, &network_options::token>(
    "network.token", "text",
    "only processes with the same token join each other", "text"),
  file_entry<&options::network, &network_options::token_file>(
    "network.token_file", "a file that holds the token"),
  flag_entry<&options::network, &network_options::insecure>(
    "network.insecure",
    "allows connections without TLS, on loopback only (default: false)"),
  entry<&options::drills>(
    "drills", "allow|refuse",
    "whether rosia-drill may disturb this process (default: refuse)",
    "allow or refuse",
    [](const options& x) {
      return x.drills == "allow" || x.drills == "refuse";
    }),
};

/// Returns the name that the option of a group had before there were groups.
std::string old_name_of(std::string_view name) {
  auto dot = name.find('.');
  std::string group{name.substr(0, dot)};
  std::string member{name.substr(dot + 1)};
  if (group == "network" || member == "backup")
    return member;
  return member == "file" || member == "address" ? group : group + '_' + member;
}

[[noreturn]] void throw_wrong_value(
  const option_entry& x, const std::string& value) {
  auto shown = value.empty() ? quote(value) : value;
  throw std::invalid_argument(
    "rosia." + std::string{x.name} + ": " + shown + " is not "
    + std::string{x.expected});
}

} // namespace

std::span<const option_entry> option_table() {
  return table;
}

std::vector<std::string> option_names() {
  std::vector<std::string> result;
  for (auto& x : table)
    result.emplace_back(x.name);
  return result;
}

std::string_view renamed_option(std::string_view old_name) {
  for (auto& x : table)
    if (x.name.find('.') != std::string_view::npos
        && old_name_of(x.name) == old_name)
      return x.name;
  return {};
}

void read_option(options& target, std::string_view name,
                 const caf::config_value& value) {
  for (auto& x : table) {
    if (x.name != name)
      continue;
    if (!x.read(target, value) || !x.valid(target))
      throw_wrong_value(x, render_value(value));
    return;
  }
  // A group within the group, such as `tls`.
  auto prefix = std::string{name} + '.';
  auto* group = caf::get_if<caf::settings>(&value);
  if (group != nullptr && std::any_of(table.begin(), table.end(), [&](auto& x) {
        return x.name.starts_with(prefix);
      })) {
    for (auto& [member, content] : *group)
      read_option(target, prefix + member, content);
    return;
  }
  if (auto present = renamed_option(name); !present.empty())
    throw std::invalid_argument(
      "rosia." + std::string{name}
      + ": there is no such option; it is called rosia." + std::string{present}
      + " now");
  auto message = "rosia." + std::string{name} + ": there is no such option";
  if (auto other = closest_name(name, option_names()); !other.empty())
    message += "; did you mean rosia." + other + "?";
  throw std::invalid_argument(message);
}

} // namespace detail

void validate(const options& x) {
  for (auto& entry : detail::option_table())
    if (!entry.valid(x))
      detail::throw_wrong_value(entry, entry.render(x));
  if (!x.record.ports.empty() && x.record.file.empty())
    throw std::invalid_argument(
      "rosia.record.ports: it needs rosia.record.file, the file to record in");
  if (x.watch.address.empty()
      && (x.watch.control || !x.watch.token_file.empty()))
    throw std::invalid_argument(
      std::string{"rosia.watch."} + (x.watch.control ? "control" : "token_file")
      + ": it needs rosia.watch.address, the address of the live page");
}

options options_from(const caf::actor_system_config& cfg) {
  options result;
  auto group = caf::get_if(&caf::content(cfg), "rosia");
  if (group == nullptr)
    return result;
  auto values = caf::get_if<caf::settings>(group);
  if (values == nullptr)
    throw std::invalid_argument(
      "rosia: " + detail::render_value(*group)
      + " is not a group of options, such as "
        "rosia { realtime = false }");
  for (auto& [name, value] : *values)
    if (name != detail::shutdown_group)
      detail::read_option(result, name, value);
  return result;
}

} // namespace caf::rosia
