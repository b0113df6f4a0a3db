// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/round_processes.hpp"

#include <algorithm>

namespace rosia_drill {

round_processes::round_processes(
  const drill& definition, const std::filesystem::path& folder) {
  for (auto& name : definition.process_names()) {
    auto& x = all_.emplace_back(name, folder / "logs" / (name + ".log"));
    if (!definition.processes.empty())
      x.reserve_port();
    std::filesystem::create_directories(folder / "work" / name);
  }
}

std::vector<std::string> round_processes::names() const {
  std::vector<std::string> result;
  for (auto& x : all_)
    result.push_back(x.name());
  return result;
}

bool round_processes::any_running() const {
  return std::any_of(all_.begin(), all_.end(), [](auto& x) {
    return x.is_running();
  });
}

bool round_processes::only_stopped_are_left() const {
  return std::all_of(all_.begin(), all_.end(), [](auto& x) {
    return !x.is_running() || x.is_stopped_for_ever();
  });
}

round_process* round_processes::find(const std::string& name) {
  auto i = std::find_if(all_.begin(), all_.end(), [&](auto& x) {
    return x.name() == (name.empty() ? "coordinator" : name);
  });
  return i == all_.end() ? nullptr : &*i;
}

round_process* round_processes::find_by_node(const std::string& name) {
  if (auto* result = find(name))
    return result;
  auto i = std::find_if(all_.begin(), all_.end(), [&](auto& x) {
    return x.has_node(name);
  });
  return i == all_.end() ? nullptr : &*i;
}

std::size_t round_processes::index_of(const std::string& name) const {
  std::size_t result = 0;
  while (all_[result].name() != name)
    ++result;
  return result;
}

void round_processes::kill_all() const {
  for (auto& x : all_)
    x.kill_group();
}

} // namespace rosia_drill
