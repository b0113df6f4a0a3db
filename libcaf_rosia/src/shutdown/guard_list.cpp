// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/guard_list.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace caf::rosia::detail {

std::uint64_t guard_list::add(std::string name, bool temporary,
                              const std::shared_ptr<thread_progress>& thread) {
  auto kind = thread ? part_report::kind::thread : part_report::kind::guard;
  guards_.emplace(
    ++last_id_, record{std::move(name), temporary, kind, clock::now(), thread});
  return last_id_;
}

std::vector<std::shared_ptr<thread_progress>> guard_list::threads() const {
  std::vector<std::shared_ptr<thread_progress>> result;
  for (auto& [id, guard] : guards_)
    if (auto thread = guard.thread.lock())
      result.push_back(std::move(thread));
  return result;
}

guard_list::record guard_list::drop(std::uint64_t id, bool in_shutdown) {
  auto i = guards_.find(id);
  auto result = std::move(i->second);
  guards_.erase(i);
  if (in_shutdown)
    dropped_.push_back({result.name, result.kind, clock::now()});
  return result;
}

void guard_list::add_to(report_builder& builder,
                        const shutdown_phase& phase) const {
  auto begun_at = builder.begun_at();
  auto state
    = begun_at ? part_report::state::ending : part_report::state::running;
  for (auto& [id, guard] : guards_) {
    auto is_cancelled = guard.kind == part_report::kind::thread && begun_at;
    builder.add(guard.name, guard.kind, state, phase,
                is_cancelled ? std::max(guard.since, *begun_at) : guard.since);
  }
}

void guard_list::add_to(timeline_builder& builder) const {
  auto& phase = builder.phase();
  for (auto& guard : dropped_)
    builder.add(
      guard.name, to_string(guard.kind), phase.began_at, guard.at, false);
  for (auto& [id, guard] : guards_)
    builder.add(guard.name, to_string(guard.kind), phase.began_at, std::nullopt,
                phase.over);
}

} // namespace caf::rosia::detail
