// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/phase_list.hpp"

#include "base/suggestion.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <utility>

namespace caf::rosia {

std::map<std::string, phase_options> standard_phases() {
  return {{"threads", {}},
          {"actors", {.after = {"threads"}}},
          {"final", {.after = {"actors"}}}};
}

namespace detail {

phase_list::phase_list() {
  auto standard = standard_phases();
  for (auto* name : {"threads", "actors", "final"})
    phases_.emplace_back(name).options = standard.at(name);
}

void phase_list::set_all(std::map<std::string, phase_options> all) {
  auto is_known = [this](const std::string& name) {
    return std::any_of(phases_.begin(), phases_.end(), [&](auto& phase) {
      return phase.name == name;
    });
  };
  // Added first, because phases may name each other in any order.
  for (auto& [name, opts] : all)
    if (!is_known(name))
      phases_.emplace_back(name);
  for (auto& [name, opts] : all) {
    check(name, opts);
    find(name).options = std::move(opts);
  }
  if (auto cycle = find_cycle(); !cycle.empty())
    throw std::invalid_argument(
      "the phases follow each other in a circle: " + cycle);
}

void phase_list::set(const std::string& name, phase_options opts) {
  check(name, opts);
  auto i = std::find_if(phases_.begin(), phases_.end(), [&](auto& phase) {
    return phase.name == name;
  });
  if (i == phases_.end()) {
    // No other phase can name it yet, so there is no cycle.
    phases_.emplace_back(name).options = std::move(opts);
    return;
  }
  if (i->began)
    throw std::logic_error("phase '" + name + "' began already");
  std::swap(i->options, opts);
  if (auto cycle = find_cycle(); !cycle.empty()) {
    i->options = std::move(opts);
    throw std::invalid_argument(
      "phase '" + name + "' would follow itself: " + cycle);
  }
}

shutdown_phase& phase_list::find(const std::string& name) {
  return phases_[index_of(name)];
}

bool phase_list::comes_after(
  const shutdown_phase& x, const shutdown_phase& earlier) {
  auto& after = x.options.after;
  return std::any_of(after.begin(), after.end(), [&](auto& name) {
    auto& other = find(name);
    return &other == &earlier || comes_after(other, earlier);
  });
}

shutdown_phase* phase_list::next() {
  for (auto& phase : phases_) {
    auto& after = phase.options.after;
    if (!phase.began
        && std::all_of(after.begin(), after.end(), [this](auto& name) {
             return find(name).over;
           }))
      return &phase;
  }
  return nullptr;
}

bool phase_list::all_empty() const {
  return std::all_of(phases_.begin(), phases_.end(), [](auto& phase) {
    return phase.living == 0;
  });
}

std::vector<const shutdown_phase*> phase_list::begun() const {
  std::vector<const shutdown_phase*> result;
  for (auto& phase : phases_)
    if (phase.began)
      result.push_back(&phase);
  std::stable_sort(result.begin(), result.end(), [](auto* a, auto* b) {
    return a->began_at < b->began_at;
  });
  return result;
}

void phase_list::check(const std::string& name,
                       const phase_options& opts) const {
  require_name("phase", name);
  for (auto& predecessor : opts.after)
    static_cast<void>(index_of(predecessor));
  if (opts.timeout.count() < 0)
    throw std::invalid_argument("phase '" + name + "' has a negative timeout");
}

std::size_t phase_list::index_of(const std::string& name) const {
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (phases_[i].name == name)
      return i;
  std::vector<std::string> names;
  for (auto& phase : phases_)
    names.push_back(phase.name);
  throw std::invalid_argument(
    "there is no phase '" + name + "'" + detail::suggestion(name, names));
}

std::string phase_list::find_cycle() const {
  enum class mark : std::uint8_t { none, on_path, done };
  std::vector<mark> marks(phases_.size(), mark::none);
  std::vector<std::size_t> path;
  std::string result;
  std::function<bool(std::size_t)> visit = [&](std::size_t i) {
    if (marks[i] == mark::done)
      return false;
    path.push_back(i);
    if (marks[i] == mark::on_path) {
      auto first = std::find(path.begin(), path.end(), i);
      for (auto j = first; j != path.end(); ++j)
        result += (result.empty() ? "" : " after ") + phases_[*j].name;
      return true;
    }
    marks[i] = mark::on_path;
    for (auto& name : phases_[i].options.after)
      if (visit(index_of(name)))
        return true;
    marks[i] = mark::done;
    path.pop_back();
    return false;
  };
  for (std::size_t i = 0; i < phases_.size(); ++i)
    if (visit(i))
      break;
  return result;
}

} // namespace detail

} // namespace caf::rosia
