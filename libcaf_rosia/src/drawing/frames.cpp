// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drawing/frames.hpp"

#include <map>
#include <utility>

namespace caf::rosia::detail {

namespace {

process_frame frame_of(const graph_description& x, const std::string& process,
                       const std::vector<std::uint32_t>& members) {
  process_frame result{process};
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
