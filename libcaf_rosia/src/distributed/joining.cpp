// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/joining.hpp"

#include <algorithm>

namespace caf::rosia::detail {

namespace {

/// Describes the first line in which the graphs of two processes differ.
std::string difference(const join_request& first, const std::string& x,
                       const join_request& other, const std::string& y) {
  auto& xs = first.graph;
  auto& ys = other.graph;
  auto at = std::mismatch(xs.begin(), xs.end(), ys.begin(), ys.end());
  auto line = [](auto i, auto& lines) {
    return i == lines.end() ? std::string{"nothing"} : *i;
  };
  auto without_place = [](const std::string& text) {
    return text.substr(0, text.rfind(" in process '"));
  };
  auto lines = "process '" + y + "' has " + line(at.second, ys)
               + " where process '" + x + "' has " + line(at.first, xs);
  if (at.first != xs.end() && at.second != ys.end()
      && first.placement != other.placement
      && without_place(*at.first) == without_place(*at.second))
    return "the processes place the nodes differently: " + lines
           + "; rosia.placement is '" + other.placement + "' in process '" + y
           + "' and '" + first.placement + "' in process '" + x
           + "': give it to process '" + x + "' alone, or the same to all";
  return "the processes do not declare the same graph: " + lines
         + "; all must run the same program with the same options";
}

} // namespace

joining::joining(std::vector<std::string> processes)
  : processes_(std::move(processes)), requests_(processes_.size()) {
  // nop
}

std::string joining::accept(join_request x) {
  auto& slot = requests_[x.process];
  if (slot)
    return "another process '" + processes_[x.process]
           + "' joined already; each name may join once";
  slot = std::move(x);
  return {};
}

bool joining::complete() const noexcept {
  return std::all_of(requests_.begin(), requests_.end(), [](auto& x) {
    return x.has_value();
  });
}

std::vector<std::string> joining::missing() const {
  std::vector<std::string> result;
  for (std::size_t i = 0; i < requests_.size(); ++i)
    if (!requests_[i])
      result.push_back(processes_[i]);
  return result;
}

join_reply joining::agree() const {
  join_reply result;
  auto& first = requests_.front()->graph;
  std::vector<bool> claimed(first.size()); // by node
  for (std::size_t i = 1; i < requests_.size(); ++i)
    if (requests_[i]->graph != first) {
      result.problem = difference(
        *requests_.front(), processes_.front(), *requests_[i], processes_[i]);
      return result;
    }
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    auto& x = *requests_[i];
    result.addresses.push_back(x.address);
    for (auto& [id, node] : x.nodes) {
      result.nodes.resize(std::max<std::size_t>(result.nodes.size(), id + 1));
      if (claimed[id]) {
        result.problem
          = "process '" + processes_[i] + "' claims node " + std::to_string(id)
            + ", which another process runs";
        return result;
      }
      claimed[id] = true;
      result.nodes[id] = node;
    }
    result.ports.insert(result.ports.end(), x.ports.begin(), x.ports.end());
  }
  // The order of the ports at one end stays.
  std::stable_sort(
    result.ports.begin(), result.ports.end(),
    [](auto& left, auto& right) { return left.first < right.first; });
  return result;
}

} // namespace caf::rosia::detail
