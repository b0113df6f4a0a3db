// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/config_file.hpp"

#include "base/closest_name.hpp"
#include "compat/caf_options.hpp"
#include "compat/config_syntax.hpp"
#include "compat/config_value.hpp"
#include "config/option_table.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/expected.hpp>
#include <caf/settings.hpp>

#include <map>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

class checker {
public:
  checker(const std::string& file_name, const caf::config_option_set& declared,
          const std::map<std::string, int>& lines)
    : file_name_(file_name), declared_(declared), lines_(lines) {
    for (auto& opt : declared) {
      auto group = to_text(opt.category());
      if (group == "global")
        continue;
      // A group within a group makes its parent a group, too.
      for (auto dot = group.find('.'); dot != std::string::npos;
           dot = group.find('.', dot + 1))
        groups_.insert(group.substr(0, dot));
      groups_.insert(group);
    }
  }

  void check(const caf::settings& values) {
    check("", values);
  }

  // Returns the probable mistakes.
  std::vector<std::string> take_warnings() {
    return std::move(warnings_);
  }

private:
  void check(const std::string& group, const caf::settings& values) {
    for (auto& [name, value] : values)
      check(group, name, value);
  }

  void check(const std::string& group, const std::string& name,
             const caf::config_value& value) {
    auto path = group.empty() ? name : group + "." + name;
    auto dict = caf::get_if<caf::settings>(&value);
    if (group == "rosia" && !(name == shutdown_group && groups_.contains(path)))
      check_rosia(path, name, value);
    else if (path == "rosia.shutdown.phases")
      return; // a phase may have any name, which its reader checks
    else if (path == "rosia" && dict == nullptr)
      refuse(path, render_value(value) + " is not a group of options");
    else if (auto opt = find(group, name); opt != nullptr)
      check_type(path, *opt, value);
    else if (dict != nullptr && groups_.contains(path))
      check(path, *dict);
    else if (!group.empty())
      refuse_option(path, closest_of(group, name));
    else if (dict != nullptr)
      take_unknown_group(path);
    else
      take_unknown_option(path);
  }

  void check_rosia(const std::string& path, const std::string& name,
                   const caf::config_value& value) {
    auto dict = caf::get_if<caf::settings>(&value);
    if (dict != nullptr && groups_.contains(path)) {
      for (auto& [member, content] : *dict)
        check_rosia(path + '.' + member, name + '.' + member, content);
      return;
    }
    try {
      options ignored;
      read_option(ignored, name, value);
    } catch (const std::invalid_argument& e) {
      refuse_line(file_name_, line_of(path), e.what());
    }
  }

  void check_type(const std::string& path, const caf::config_option& opt,
                  const caf::config_value& value) {
    if (!takes_value(opt, value))
      refuse(path, render_value(value) + " is not of type "
                     + to_text(opt.type_name()));
  }

  // A program may read a group without declaring options in it. So a name that
  // resembles no declared one may be correct.
  void take_unknown_group(const std::string& path) {
    auto other = closest_name(path, {groups_.begin(), groups_.end()});
    if (!other.empty())
      refuse_line(file_name_, line_of(path),
                  "there is no section " + section_text(path)
                    + "; did you mean " + section_text(other) + '?');
    warn(path, "section " + section_text(path));
  }

  // Handles an unknown option before the first section.
  void take_unknown_option(const std::string& path) {
    // A forgotten section is the most likely mistake.
    for (auto& opt : declared_)
      if (opt.long_name() == path)
        refuse_option(path, to_text(opt.category()) + '.' + path);
    auto other = closest_of("global", path);
    if (!other.empty())
      refuse_option(path, other);
    warn(path, "option " + path);
  }

  [[noreturn]] void refuse_option(
    const std::string& path, const std::string& other) const {
    refuse(path, "there is no such option"
                   + (other.empty() ? other : "; did you mean " + other + "?"));
  }

  void warn(const std::string& path, const std::string& declaration) {
    warnings_.push_back(file_name_ + ":" + std::to_string(line_of(path))
                        + ": warning: this program declared no " + declaration);
  }

  // Returns the option of a section with the closest name, in the form of a
  // message.
  std::string closest_of(const std::string& group,
                         const std::string& name) const {
    std::vector<std::string> names;
    for (auto& opt : declared_)
      if (opt.category() == group)
        names.push_back(to_text(opt.long_name()));
    auto result = closest_name(name, names);
    return result.empty() || group == "global" ? result : group + '.' + result;
  }

  const caf::config_option* find(
    const std::string& group, const std::string& name) const {
    return declared_.qualified_name_lookup(
      group.empty() ? "global" : group, name);
  }

  // A section such as [a.b] has a line, but its group a has none.
  int line_of(const std::string& path) const {
    auto i = lines_.lower_bound(path);
    return i == lines_.end() ? 1 : i->second;
  }

  [[noreturn]] void refuse(const std::string& path,
                           const std::string& reason) const {
    refuse_line(file_name_, line_of(path), path + ": " + reason);
  }

  const std::string& file_name_;
  const caf::config_option_set& declared_;
  const std::map<std::string, int>& lines_;

  // The names of all sections in which an option is declared.
  std::set<std::string> groups_;

  std::vector<std::string> warnings_;
};

// Returns whether a path, such as "a.b.c", has a value.
bool has_value(const caf::settings& values, std::string_view path) {
  for (auto& [name, value] : values) {
    if (name == path)
      return true;
    auto* group = caf::get_if<caf::settings>(&value);
    if (group != nullptr && path.starts_with(name)
        && path.substr(name.size()).starts_with('.')
        && has_value(*group, path.substr(name.size() + 1)))
      return true;
  }
  return false;
}

// Refuses sections of which CAF would lose values: a section replaces an
// earlier one in the same group within a group, as with [a.b] and [a.b.c], or
// [a.b.c] and [a.b.d].
void check_lost_values(
  const std::string& file_name, const std::map<std::string, int>& lines,
  const caf::settings& values) {
  for (auto& [path, line] : lines)
    if (path != "global" && !has_value(values, path))
      refuse_line(
        file_name, line,
        path
          + ": CAF forgets it, because of a later section of the "
            "same group; write one section, with groups in it: "
          + one_section_example());
}

// Refuses a byte order mark, which other editors write and CAF does not know.
void check_encoding(const std::string& file_name, std::string_view text) {
  auto refuse = [&](const char* problem) {
    refuse_line(
      file_name, 1,
      std::string{problem} + ": save it as UTF-8 without a byte order mark");
  };
  if (text.starts_with("\xef\xbb\xbf"))
    refuse("the file begins with a byte order mark (BOM)");
  if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
    refuse("the file is in UTF-16");
}

} // namespace

std::vector<std::string> check_config_file(
  const std::string& file_name, const std::string& text,
  const caf::config_option_set& declared) {
  check_encoding(file_name, text);
  auto lines = parse_config_syntax(file_name, text);
  std::istringstream in{text};
  // Without declared options, CAF keeps the values that have a wrong type.
  auto values = caf::actor_system_config::parse_config(in);
  if (!values)
    throw std::invalid_argument(file_name + ": " + text_of(values.error()));
  check_lost_values(file_name, lines, *values);
  checker names{file_name, declared, lines};
  names.check(*values);
  return names.take_warnings();
}

} // namespace caf::rosia::detail
