// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/config_syntax.hpp"

#include "base/duration.hpp"
#include "compat/config_reader.hpp"

#include <caf/parser_state.hpp>
#include <caf/pec.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

using parser = caf::string_parser_state;

// CAF's parser and its consumer recurse once for each level.
constexpr std::size_t max_depth = 100;

// Limits the length of paths, which consist of names.
constexpr std::size_t max_name_size = 1000;

// -- line of each name --------------------------------------------------------

// Consumes the events of CAF's parser, and stores the line of each name.
class locator {
public:
  locator(const std::string& file_name, parser& state)
    : file_name_(file_name), state_(state), line_begin_(state.i) {
    // nop
  }

  // -- events of the parser ---------------------------------------------------

  void key(std::string name) {
    if (name.size() > max_name_size)
      refuse_line(file_name_, line(),
                  "a name of more than " + std::to_string(max_name_size)
                    + " characters: " + name.substr(0, 20) + "...");
    if (list_depth_ > 0)
      return;
    name_ = std::move(name);
    lines_.emplace(path(), line());
    check_span();
  }

  template <class T>
  void value(T&&) {
    note_origin(false);
  }

  locator& begin_map() {
    check_depth();
    if (list_depth_ > 0) {
      ++list_depth_;
    } else {
      note_origin(true);
      groups_.push_back(name_);
    }
    return *this;
  }

  void end_map() {
    if (list_depth_ > 0)
      --list_depth_;
    else
      groups_.pop_back();
  }

  locator& begin_list() {
    check_depth();
    note_origin(false);
    ++list_depth_;
    return *this;
  }

  void end_list() {
    --list_depth_;
  }

  // -- properties -------------------------------------------------------------

  // Returns the line of the parser's position. CAF does not count a line break
  // at the beginning, and counts a later one to the line after it.
  int line() {
    auto breaks = std::count(line_begin_, state_.i, '\n');
    line_ += static_cast<int>(breaks);
    line_begin_ = state_.i;
    return line_;
  }

  // Returns the line of each name, by its path.
  const std::map<std::string, int>& lines() const {
    return lines_;
  }

  // Returns the first name that is set twice.
  const std::optional<std::pair<int, std::string>>& mistake() const {
    return mistake_;
  }

private:
  // The first definition of a name. A group may have several, a value only one.
  struct origin {
    int line;
    bool is_group;
  };

  // CAF puts names before the first group into a group "global", and treats
  // groups in that group as groups of the top level.
  std::string path() const {
    std::string result;
    for (auto& group : groups_)
      if (!result.empty() || group != "global")
        result += group + '.';
    return result + name_;
  }

  // The parser calls `value` from a destructor, which must not throw.
  void note_mistake(const std::string& text) {
    if (!mistake_)
      mistake_.emplace(line(), path() + ": " + text);
  }

  void note_origin(bool is_group) {
    if (list_depth_ > 0 || (is_group && path() == "global"))
      return;
    auto [i, added] = origins_.emplace(path(), origin{line(), is_group});
    if (!added && !(is_group && i->second.is_group))
      note_mistake(
        "line " + std::to_string(i->second.line) + " sets this already");
  }

  void check_depth() {
    if (groups_.size() + list_depth_ >= max_depth)
      refuse_line(file_name_, line(),
                  "groups and lists are nested more than "
                    + std::to_string(max_depth) + " levels deep");
  }

  // CAF's parser overflows for a span of more than 64 bit, so this checks the
  // value before the parser reads it.
  void check_span() {
    std::string_view text{
      state_.i, static_cast<std::size_t>(state_.e - state_.i)};
    text.remove_prefix(std::min(text.find_first_not_of("=: \t+"), text.size()));
    text = text.substr(0, text.find_first_not_of("-0123456789nuimsh"));
    auto digits = std::min(text.find_first_not_of("-0123456789"), text.size());
    auto has_unit = parse_timespan("0" + std::string{text.substr(digits)});
    if (digits > 0 && has_unit && !parse_timespan(text))
      refuse_line(
        file_name_, line(), path() + ": " + std::string{text} + " is too long");
  }

  const std::string& file_name_;
  parser& state_;

  // The groups around the current name, and the number of lists, and of groups
  // in lists, around the current value. Members of a list have no names.
  std::vector<std::string> groups_;
  std::string name_;
  std::size_t list_depth_ = 0;

  // A position with a known line.
  const char* line_begin_;
  int line_ = 1;

  std::map<std::string, int> lines_;
  std::map<std::string, origin> origins_;
  std::optional<std::pair<int, std::string>> mistake_;
};

// -- syntax -------------------------------------------------------------------

std::string describe_character(const parser& state) {
  if (auto text = describe_foreign_syntax(state.current()); !text.empty())
    return text;
  std::string result = "unexpected '";
  result += state.current();
  result += "' (text needs quotes: name = \"text\")";
  return result;
}

std::string describe_syntax_error(const parser& state) {
  switch (state.code) {
    case caf::pec::success:
      return "a zero byte";
    case caf::pec::unexpected_eof:
      return "the file ends in the middle of a name, a value or a group";
    case caf::pec::unexpected_newline:
      return "the line ends in the middle of a name, a value or a group";
    case caf::pec::trailing_character:
    case caf::pec::unexpected_character:
      return describe_character(state);
    case caf::pec::fractional_timespan:
      return "a time span has no fraction: write 1500ms";
    default:
      return caf::to_string(state.code);
  }
}

} // namespace

void refuse_line(const std::string& file_name, int line,
                 const std::string& problem) {
  throw std::invalid_argument(
    file_name + ":" + std::to_string(line) + ": " + problem);
}

std::string section_text(std::string_view path) {
  std::string result{section_begin};
  result += path;
  result += section_end;
  return result;
}

std::string one_section_example() {
  return one_section;
}

std::map<std::string, int> parse_config_syntax(
  const std::string& file_name, const std::string& text) {
  parser state{text.data(), text.data() + text.size()};
  locator names{file_name, state};
  read_config(state, names);
  if (auto& mistake = names.mistake())
    refuse_line(file_name, mistake->first, mistake->second);
  // CAF checks only the position, and misses a file that ends too early.
  if (!state.at_end() || state.code > caf::pec::trailing_character)
    refuse_line(file_name, names.line(), describe_syntax_error(state));
  return names.lines();
}

} // namespace caf::rosia::detail
