// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor/joining.hpp"

#include <algorithm>

namespace caf::rosia::detail {

namespace {

constexpr auto unknown = ~std::uint32_t{0};

/// Shows the first line in which two graphs differ.
std::string difference(
  const std::vector<std::string>& xs, const std::string& x,
  const std::vector<std::string>& ys, const std::string& y) {
  auto at = std::mismatch(xs.begin(), xs.end(), ys.begin(), ys.end());
  auto line = [](auto i, auto& lines) {
    return i == lines.end() ? std::string{"nothing"} : *i;
  };
  return "the processes do not declare the same graph: process '" + y + "' has "
         + line(at.second, ys) + " where process '" + x + "' has "
         + line(at.first, xs)
         + "; all have to run the same program with the same options";
}

} // namespace

joining::joining(std::vector<std::string> processes)
  : processes_(std::move(processes)), requests_(processes_.size()) {
  // nop
}

std::string joining::accept(join_request x) {
  if (x.process >= processes_.size())
    return "there is no such process in this application";
  auto& slot = requests_[x.process];
  if (slot)
    return "there is a process '" + processes_[x.process]
           + "' already; each name may join once";
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
  for (std::size_t i = 1; i < requests_.size(); ++i)
    if (auto& other = requests_[i]->graph; other != first) {
      result.problem
        = difference(first, processes_.front(), other, processes_[i]);
      return result;
    }
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    auto& x = *requests_[i];
    result.addresses.push_back(x.address);
    // There is a line for each node, and for each connection.
    auto is_wrong = [&](auto& entry) { return entry.first >= first.size(); };
    if (std::any_of(x.nodes.begin(), x.nodes.end(), is_wrong)
        || std::any_of(x.outputs.begin(), x.outputs.end(), is_wrong)
        || std::any_of(x.inputs.begin(), x.inputs.end(), is_wrong)) {
      result.problem
        = "process '" + processes_[i]
          + "' tells of nodes or connections that there are not";
      return result;
    }
    for (auto& [id, node] : x.nodes) {
      result.nodes.resize(std::max<std::size_t>(result.nodes.size(), id + 1));
      result.nodes[id] = node;
    }
    auto take = [&](auto& ends, auto member) {
      for (auto [number, port] : ends) {
        if (number >= result.ports.size())
          result.ports.resize(number + 1, {unknown, unknown});
        result.ports[number].*member = port;
      }
    };
    take(x.outputs, &std::pair<std::uint32_t, std::uint32_t>::first);
    take(x.inputs, &std::pair<std::uint32_t, std::uint32_t>::second);
  }
  return result;
}

} // namespace caf::rosia::detail
