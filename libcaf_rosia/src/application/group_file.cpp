// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/group_file.hpp"

#include "base/read_file.hpp"
#include "base/suggestion.hpp"
#include "base/text.hpp"
#include "caf/rosia/graph_error.hpp"
#include "config/process_options.hpp"

#include <cstddef>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace caf::rosia::detail {

using engine::node_id;

namespace {

/// Returns a readable part of an unknown name.
std::string shown(std::string_view name) {
  constexpr std::size_t most = 80;
  std::string result{name.substr(0, most)};
  for (auto& c : result)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = '?';
  return name.size() > most ? result + "..." : result;
}

class reader {
public:
  reader(const std::string& file, const node_directory& nodes)
    : file_(file), nodes_(nodes), named_in_(nodes.size()) {
    for (node_id i = 0; i < nodes.size(); ++i)
      names_.push_back(nodes.name(i));
  }

  void read(std::string_view line) {
    // Some editors put a byte order mark at the start of a file.
    if (constexpr std::string_view mark = "\xef\xbb\xbf";
        ++line_ == 1 && line.starts_with(mark))
      line.remove_prefix(mark.size());
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    line = trim(line);
    if (line.empty() || line.front() == '#')
      return;
    std::vector<node_id> members;
    for (auto& name : split_list(line))
      add(name, members);
    std::erase_if(members, [this](auto id) { return !nodes_.find(id); });
    if (!members.empty())
      result_.groups.push_back(std::move(members));
  }

  declared_groups result() {
    return std::move(result_);
  }

private:
  std::string place() const {
    return "rosia.groups: " + file_ + ':' + std::to_string(line_) + ": ";
  }

  void add(std::string_view name, std::vector<node_id>& members) {
    if (name.empty())
      throw graph_error(
        place()
        + "a name is missing; each line has the names of nodes, with "
          "commas between them");
    auto is_pattern = name.find_first_of("*?") != std::string_view::npos;
    auto found = false;
    for (node_id i = 0; i < nodes_.size(); ++i) {
      if (!matches_node(name, names_[i]))
        continue;
      found = true;
      if (named_in_[i] == 0) {
        named_in_[i] = line_;
        members.push_back(i);
      } else if (!is_pattern) {
        throw graph_error(
          place() + "node '" + names_[i] + "' is in the group of line "
          + std::to_string(named_in_[i]) + " already");
      }
    }
    if (found)
      return;
    auto problem = place() + "there is no node '" + shown(name) + '\'';
    if (is_pattern) {
      result_.warnings.push_back(std::move(problem));
      return;
    }
    throw graph_error(problem + suggestion(shown(name), names_));
  }

  const std::string& file_;
  const node_directory& nodes_;
  std::vector<std::string> names_;
  std::vector<std::size_t> named_in_; // by node: its line; 0 if none
  std::size_t line_ = 0;
  declared_groups result_;
};

} // namespace

declared_groups read_groups(
  std::istream& from, const std::string& file, const node_directory& nodes) {
  reader result{file, nodes};
  for (std::string line; std::getline(from, line);)
    result.read(line);
  return result.result();
}

declared_groups read_groups(
  const std::string& file, const node_directory& nodes) {
  std::istringstream from;
  try {
    from.str(read_file(file).text);
  } catch (const file_error& problem) {
    throw std::runtime_error(
      "rosia.groups is neither auto, off nor all, and the file '" + file
      + "' cannot be read: " + problem.what());
  }
  return read_groups(from, file, nodes);
}

} // namespace caf::rosia::detail
