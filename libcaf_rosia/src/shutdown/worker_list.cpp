// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/worker_list.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

void worker_list::add(
  const shutdown_phase& phase, const std::string& name,
  std::function<void()>&& notify, std::function<void()>&& await) {
  if (phase.began)
    throw std::logic_error(
      "worker '" + name + "' is added too late: phase '" + phase.name
      + "' began already");
  workers_.push_back({name, std::move(notify), std::move(await)});
}

void worker_list::run(shutdown_state& state) {
  for (auto& worker : workers_) {
    if (worker.notify)
      state.run("the notifier of worker", worker.name, worker.notify);
    worker.notify = nullptr;
    auto held = state.acquire();
    worker.run.begin();
  }
  for (auto i = workers_.rbegin(); i != workers_.rend(); ++i) {
    auto error = state.run("worker", i->name, i->await);
    i->await = nullptr;
    auto held = state.acquire();
    i->run.end(error);
  }
}

void worker_list::fail(shutdown_state& state, const std::string& error) {
  auto held = state.acquire();
  for (auto& worker : workers_)
    worker.run.end(error);
}

bool worker_list::are_over() const {
  return std::all_of(workers_.begin(), workers_.end(), [](auto& worker) {
    return worker.run.is_over();
  });
}

void worker_list::add_to(report_builder& builder,
                         const shutdown_phase& phase) const {
  for (auto& worker : workers_)
    if (worker.run.state != part_report::state::ended)
      builder
        .add(worker.name, part_report::kind::worker, worker.run.state, phase,
             worker.run.since)
        .error
        = worker.run.error;
}

void worker_list::add_to(timeline_builder& builder) const {
  for (auto& worker : workers_) {
    auto& run = worker.run;
    auto was_notified = run.began_at != run_record::clock::time_point{};
    builder.add(worker.name, "worker",
                was_notified ? run.began_at : builder.phase().began_at,
                run.over_at(), run.state == part_report::state::failed);
  }
}

} // namespace caf::rosia::detail
