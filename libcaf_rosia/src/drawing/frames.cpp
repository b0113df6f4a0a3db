// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drawing/frames.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Adds a node to the frame of its composite.
/// @param from the begin of the names of `frames` in the node's name.
/// @returns whether the node is in a composite.
bool add_to_composite(
  std::vector<composite_frame>& frames, const std::string& node,
  std::size_t from, std::uint32_t id) {
  auto dot = node.find('.', from);
  if (dot == std::string::npos)
    return false;
  auto name = node.substr(0, dot);
  auto at = std::find_if(frames.begin(), frames.end(), [&](auto& frame) {
    return frame.name == name;
  });
  if (at == frames.end())
    at = frames.insert(frames.end(), composite_frame{name});
  if (!add_to_composite(at->inner, node, dot + 1, id))
    at->nodes.push_back(id);
  return true;
}

process_frame frame_of(const graph_description& x, const std::string& process,
                       std::vector<std::uint32_t> members) {
  process_frame result{process};
  std::erase_if(members, [&](auto id) {
    return add_to_composite(result.composites, x.nodes[id].name, 0, id);
  });
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  for (auto id : members)
    if (auto group = x.nodes[id].group)
      groups[*group].push_back(id);
  for (auto id : members) {
    auto group = x.nodes[id].group;
    if (!group || groups[*group].size() == 1)
      result.others.push_back(id);
    else if (groups[*group].front() == id)
      result.groups.push_back(groups[*group]);
  }
  return result;
}

} // namespace

std::string_view local_name(std::string_view node) noexcept {
  return node.substr(node.rfind('.') + 1);
}

std::vector<process_frame> frames_of(const graph_description& x) {
  std::vector<std::string> processes;
  std::map<std::string, std::vector<std::uint32_t>> members;
  for (std::uint32_t id = 0; id < x.nodes.size(); ++id) {
    auto& of_process = members[x.nodes[id].process];
    if (of_process.empty())
      processes.push_back(x.nodes[id].process);
    of_process.push_back(id);
  }
  std::vector<process_frame> result;
  for (auto& process : processes)
    result.push_back(frame_of(x, process, members[process]));
  return result;
}

} // namespace caf::rosia::detail
