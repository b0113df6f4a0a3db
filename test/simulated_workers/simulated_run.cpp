// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "simulated_workers/simulated_run.hpp"

#include "benchmark/graphs/application.hpp"
#include "benchmark/graphs/event_queue.hpp"
#include "benchmark/graphs/graph_spec.hpp"
#include "nodes/node_access.hpp"
#include "runtime/timekeeper.hpp"
#include "simulated_workers/executed_work.hpp"
#include "simulated_workers/simulated_scheduler.hpp"
#include "simulated_workers/worker_clocks.hpp"

#include "support.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace simulated_workers {

namespace {

using rosia::detail::timekeeper;

/// Makes simulated time the time of applications.
class time_replacement {
public:
  explicit time_replacement(worker_clocks& clocks) {
    timekeeper::for_tests = &clocks;
  }

  time_replacement(const time_replacement&) = delete;

  time_replacement& operator=(const time_replacement&) = delete;

  ~time_replacement() {
    timekeeper::for_tests = nullptr;
  }
};

/// Performs the work of nodes in simulated time, and records it. Its calls do
/// not overlap.
class recorder final : public bench::work_simulator {
public:
  recorder(worker_clocks& clocks, const costs& prices)
    : clocks_(clocks), prices_(prices) {
    // nop
  }

  void perform(rosia::node& self, std::uint32_t id, logical_time tag,
               std::int64_t work) override {
    auto group = group_of(self, id);
    auto begin = clocks_.now();
    clocks_.charge(prices_.event);
    clocks_.work(work);
    if (work > 0)
      all_.push_back(
        {id, group, tag, begin, clocks_.now(), work, clocks_.overhead()});
  }

  /// Returns what was executed, in the order of the ends.
  std::vector<execution> take() {
    std::ranges::stable_sort(all_, {}, &execution::end);
    return std::move(all_);
  }

private:
  /// Returns a node of a node's group.
  std::uint32_t group_of(rosia::node& self, std::uint32_t id) {
    auto* group = rosia::detail::node_access::engine(self).group();
    groups_[id] = group;
    if (group == nullptr)
      return id;
    auto& first = first_of_[group];
    // The node may have left the group.
    if (auto i = groups_.find(first); i == groups_.end() || i->second != group)
      first = id;
    return first;
  }

  worker_clocks& clocks_;
  const costs prices_;
  std::vector<execution> all_;
  std::unordered_map<std::uint32_t, const rosia::engine::group*> groups_;
  std::unordered_map<const rosia::engine::group*, std::uint32_t> first_of_;
};

struct simulated_config : rosia::config {
  simulated_config(std::size_t workers, worker_clocks& clocks,
                   const costs& prices) {
    load_simulated_scheduler(*this, workers, clocks, prices);
  }
};

rosia::options options_of_runs() {
  auto result = fast();
  // Without workers to simulate, time does not pass.
  result.timeout = {};
  return result;
}

void require_results(bench::graph_plan graph,
                     const bench::graph_result& result) {
  for (auto& x : graph.nodes)
    x.work = 0;
  if (run_with_event_queue(graph).nodes != result.nodes)
    throw std::runtime_error("the results differ from those of an event queue");
}

double ratio(std::int64_t x, std::int64_t y) {
  return static_cast<double>(x) / static_cast<double>(y);
}

std::int64_t work_of(std::span<const execution> xs) {
  std::int64_t result = 0;
  for (auto& x : xs)
    result += x.work;
  return result;
}

} // namespace

double figures::bound() const {
  return std::min(static_cast<double>(workers), ratio(work, span));
}

std::string figures::text() const {
  return fmt::format(
    "{:3} workers, {:3.0f} ready for each: {:5.2f} of {:.0f} ({:.2f}); left "
    "after imbalance {:.2f}, executors {:.2f}, hand-overs {:.2f}; the rest "
    "waited for promises",
    workers, ready(), speedup, bound(), speedup / bound(), with_imbalance,
    with_executors, with_costs);
}

figures simulate(const std::string& spec, std::size_t workers,
                 const costs& prices) {
  auto graph = bench::make_graph(bench::parse_graph_spec(spec));
  worker_clocks clocks{workers};
  recorder record{clocks, prices};
  {
    time_replacement replaced{clocks};
    simulated_config config{workers, clocks, prices};
    caf::actor_system system{config};
    auto result = run_as_application(graph, system, options_of_runs(), &record);
    require_results(graph, result);
  }
  auto all = record.take();
  auto ideal = schedule_ideally(graph, all, workers);
  figures result{
    .workers = workers,
    .work = work_of(all),
    .span = ideal.span,
    .duration = all.back().end};
  auto& first = all[all.size() / 2];
  auto work = work_of(std::span{all}.subspan(all.size() / 2 + 1));
  result.speedup = ratio(work, all.back().end - first.end);
  result.with_imbalance = ratio(result.work, ideal.at_no_cost);
  result.with_executors = ratio(result.work, ideal.in_groups);
  auto costs = (all.back().overhead - first.overhead)
               / static_cast<std::int64_t>(workers);
  result.with_costs
    = static_cast<double>(work)
      / (static_cast<double>(work) / result.with_executors
         + static_cast<double>(costs));
  return result;
}

} // namespace simulated_workers
