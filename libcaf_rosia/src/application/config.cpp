// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/config.hpp"

#include "base/closest_name.hpp"
#include "base/read_file.hpp"
#include "caf/rosia/options.hpp"
#include "caf/rosia/scheduler_defaults.hpp"
#include "caf/rosia/shutdown/shutdown_config.hpp"
#include "compat/caf_options.hpp"
#include "compat/config_value.hpp"
#include "compat/io/middleman.hpp"
#include "config/config_file.hpp"
#include "config/option_table.hpp"
#include "distributed/process_messages.hpp"

#include <caf/config_option.hpp>
#include <caf/config_option_adder.hpp>
#include <caf/config_option_set.hpp>
#include <caf/expected.hpp>
#include <caf/settings.hpp>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace caf::rosia {

namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

// -- declaring Rosia's options ------------------------------------------------

caf::config_option make_option(const detail::option_entry& entry) {
  auto dot = entry.name.rfind('.');
  auto group
    = dot == std::string_view::npos
        ? "rosia"
        : "rosia." + std::string{entry.name.substr(0, dot)};
  return detail::make_unchecked_option(
    group, entry.name.substr(dot + 1), entry.description, entry.type_name);
}

// -- the command line ---------------------------------------------------------

std::string cli_name(const caf::config_option& x) {
  auto name = detail::to_text(x.long_name());
  return x.has_flat_cli_name()
           ? name
           : detail::to_text(x.category()) + "." + name;
}

bool is_global(const caf::config_option& x, detail::text_view name) {
  return x.category() == "global" && x.long_name() == name;
}

bool is_long(const std::string& argument) {
  return argument.starts_with("--");
}

bool is_option(const std::string& argument) {
  return argument.size() > 1 && argument[0] == '-';
}

std::string long_name_of(const std::string& argument) {
  return argument.substr(2, argument.find('=') - 2);
}

// Returns the value within an argument: --name=value or -nvalue.
std::string value_of(const std::string& argument) {
  if (!is_long(argument))
    return argument.substr(2);
  auto assignment = argument.find('=');
  return assignment == std::string::npos
           ? std::string{}
           : argument.substr(assignment + 1);
}

void check_value(const std::string& argument, const caf::config_option& opt,
                 const std::string& value) {
  if (opt.is_flag()) {
    if (value.empty() && argument.back() != '=')
      return;
    refuse(argument + ": this is a flag, which takes no value");
  }
  auto type = detail::to_text(opt.type_name());
  if (value.empty())
    refuse(argument + ": a value is missing: "
           + (is_long(argument) ? "--" + long_name_of(argument) + "="
                                : argument + " ")
           + "<" + type + ">");
  if (!detail::takes_text(opt, value))
    refuse(argument + ": \"" + value + "\" is not of type " + type);
}

std::string suggest(const std::string& argument,
                    const caf::config_option_set& declared) {
  auto wanted = long_name_of(argument);
  constexpr std::string_view prefix = "rosia.";
  if (wanted.starts_with(prefix))
    if (auto present = detail::renamed_option(wanted.substr(prefix.size()));
        !present.empty())
      return "; it is called --rosia." + std::string{present} + " now";
  std::vector<std::string> names;
  for (auto& opt : declared) {
    // A forgotten group is the most likely mistake.
    if (opt.long_name() == wanted)
      return "; did you mean --" + cli_name(opt) + "?";
    names.push_back(cli_name(opt));
  }
  auto other = detail::closest_name(wanted, names);
  return other.empty() ? other : "; did you mean --" + other + "?";
}

// -- the config file ----------------------------------------------------------

std::optional<std::string> read_file(const std::string& name, bool required) {
  try {
    return detail::read_file(name).text;
  } catch (const detail::file_error& problem) {
    if (!required && problem.number() == ENOENT)
      return std::nullopt;
    refuse(name + ": cannot read the config file: " + problem.what());
  }
}

// -- help ---------------------------------------------------------------------

// CAF's descriptions of its options say STDERR, but requested output goes to
// stdout, here and in CAF.
std::string to_stdout(std::string text) {
  constexpr std::string_view wrong = "to STDERR and exit";
  constexpr std::string_view right = "to stdout and exit";
  for (auto i = text.find(wrong); i != std::string::npos;
       i = text.find(wrong, i))
    text.replace(i, wrong.size(), right);
  return text;
}

// -- mistakes that CAF detects later -----------------------------------------

void check_scheduler(const caf::settings& content) {
  for (auto suffix : {"scheduler.max-threads", "scheduler.max-throughput"}) {
    auto name = detail::caf_option(suffix);
    if (auto value = caf::get_if<std::int64_t>(&content, name);
        value && *value < 1)
      refuse(name + ": " + std::to_string(*value) + " is not 1 or more");
  }
  auto policy = detail::word_of(content, "scheduler.policy");
  if (policy && policy != "sharing" && policy != "stealing"
      && policy != "testing")
    refuse(detail::caf_option("scheduler.policy") + ": " + *policy
           + " is not sharing or stealing");
}

} // namespace

// -- constructors, destructors, and assignment operators ----------------------

config::config() {
  detail::declare_middleman_options(*this);
  num_caf_options_ = custom_options_.size();
  add_process_messages(*this);
  for (auto& entry : detail::option_table())
    custom_options_.add(make_option(entry));
  set_scheduler_defaults(*this);
}

// -- properties ---------------------------------------------------------------

caf::settings config::dump_content() const {
  auto result = detail::config_base::dump_content();
  options defaults;
  auto& group = result["rosia"].as_dictionary();
  for (auto& entry : detail::option_table()) {
    auto value = entry.render(defaults);
    if (!value.empty())
      if (auto parsed = caf::config_value::parse(value))
        caf::put_missing(group, entry.name, std::move(*parsed));
  }
  return result;
}

std::string config::help_text(bool all) const {
  if (all)
    return to_stdout(custom_options_.help_text(false));
  caf::config_option_set shown;
  for (std::size_t i = 0; i < custom_options_.size(); ++i) {
    auto& opt
      = *std::next(custom_options_.begin(), static_cast<std::ptrdiff_t>(i));
    if (i >= num_caf_options_ || opt.has_flat_cli_name())
      shown.add(opt);
  }
  return to_stdout(shown.help_text(false));
}

// -- modifiers ----------------------------------------------------------------

caf::config_option_adder config::add_options(detail::text_view group) {
  return {custom_options_, group};
}

void config::add_shutdown_options(const std::vector<std::string>& more_phases) {
  rosia::add_shutdown_options(custom_options_, more_phases);
}

struct config::command_line {
  // The options, for CAF to parse.
  std::vector<std::string> options;

  // The arguments that are not options.
  std::vector<std::string> others;

  std::optional<std::string> config_file;

  // Requested by --help or --long-help.
  bool help = false;
  bool long_help = false;
};

const caf::config_option& config::option_of(const std::string& argument) const {
  auto opt
    = is_long(argument)
        ? custom_options_.cli_long_name_lookup(long_name_of(argument))
        : custom_options_.cli_short_name_lookup(argument[1]);
  if (opt == nullptr)
    refuse(argument + ": there is no such option"
           + (is_long(argument) ? suggest(argument, custom_options_) : "")
           + " (--help lists them)");
  return *opt;
}

config::command_line config::split(
  const std::vector<std::string>& arguments) const {
  command_line result;
  for (auto i = arguments.begin(); i != arguments.end(); ++i) {
    if (*i == "--") {
      result.others.insert(result.others.end(), i + 1, arguments.end());
      break;
    }
    if (!is_option(*i)) {
      result.others.push_back(*i);
      continue;
    }
    auto argument = *i;
    auto& opt = option_of(argument);
    if (detail::to_text(opt.type_name()) == detail::bool_type
        && argument.find('=') == std::string::npos)
      argument += "=true";
    result.options.push_back(argument);
    auto value = value_of(argument);
    // A short option's value may be the next argument.
    if (value.empty() && !is_long(argument) && !opt.is_flag()
        && std::next(i) != arguments.end()) {
      value = *++i;
      result.options.push_back(value);
    }
    check_value(argument, opt, value);
    if (is_global(opt, "help"))
      result.help = true;
    else if (is_global(opt, "long-help"))
      result.long_help = true;
    else if (is_global(opt, "config-file"))
      result.config_file = value;
  }
  return result;
}

void config::read(int argc, const char* const* argv) {
  auto args = split({argv + std::min(argc, 1), argv + argc});
  if (args.help || args.long_help) {
    std::cout << help_text(args.long_help) << std::flush;
    cli_helptext_printed = true;
    return;
  }
  auto file_name = args.config_file.value_or(config_file_path);
  auto text = read_file(file_name, args.config_file.has_value());
  if (text)
    for (auto& warning :
         detail::check_config_file(file_name, *text, custom_options_))
      std::cerr << warning << '\n';
  std::istringstream file{text.value_or("")};
  detail::parse_arguments(*this, std::move(args.options), file);
  remainder.insert(remainder.end(), args.others.begin(), args.others.end());
  check_scheduler(content);
  options_from(*this);
  check_shutdown_options();
}

void config::check_shutdown_options() const {
  shutdown_options any;
  if (auto phases
      = caf::get_if<caf::settings>(&content, "rosia.shutdown.phases"))
    for (auto& [name, phase] : *phases)
      any.phases.try_emplace(name);
  shutdown_options_from(*this, std::move(any));
}

} // namespace caf::rosia
