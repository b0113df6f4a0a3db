// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/run_context.hpp"

#include "compat/scheduling.hpp"
#include "drills/drill.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/checkpoints.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

// -- constructors, destructors ------------------------------------------------

run_context::run_context(
  caf::actor_system& sys, const options& opts, std::shared_ptr<log_context> log,
  std::unique_ptr<trace_writer> trace, node_directory nodes,
  engine::topology graph, std::unique_ptr<session> others,
  std::optional<graph_description> known)
  : system_(&sys), options_(opts), log_(std::move(log)),
    coordinator_log_(log_->make("rosia")), nodes_(std::move(nodes)),
    graph_(std::move(graph), std::move(known)), trace_(std::move(trace)),
    progress_(nodes_.size(), time_),
    executors_(nodes_.size(), count_workers(sys)),
    actors_(nodes_, std::move(others)) {
  if (trace_)
    trace_->graph(options_, nodes_, description());
}

run_context::~run_context() {
  // nop
}

// -- properties ---------------------------------------------------------------

std::uint32_t run_context::max_in_flight(const options& opts) noexcept {
  return static_cast<std::uint32_t>(
    std::min<std::size_t>(opts.max_in_flight, 1u << 31));
}

void run_context::checkpoints(
  std::unique_ptr<detail::checkpoints> checkpoints) {
  checkpoints_ = std::move(checkpoints);
}

void run_context::resume(std::unique_ptr<resumption> from) {
  // Physical time must have passed the tag before later tags are executed.
  time_.origin(from->tag().ns + 1);
  if (trace_)
    checkpoint_trace{*trace_}.resumed(from->tag());
  records_.resumed = std::move(from);
}

void run_context::record(const std::string& path, const std::string& uuid) {
  auto log = coordinator_log_;
  records_.file = std::make_unique<run_file::writer>(
    path, [log](const std::string& text) { log->error("{}", text); });
  records_.recorder = std::make_unique<detail::recorder>(
    *records_.file, options_, nodes_, graph_.topology(), description(), time_,
    uuid);
  if (records_.replay)
    records_.recorder->copy_from(records_.replay->all_events(), nodes_);
}

void run_context::close_files(std::chrono::nanoseconds patience) {
  if (!records_.close(patience))
    outlive_application();
}

void run_context::outlive_application() {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::shared_ptr<run_context>>;
  outlives_application_ = true;
  std::lock_guard guard{mutex};
  kept.push_back(shared_from_this());
}

void run_context::repeat(const run_file::recorded_run& run, std::size_t piece) {
  records_.replay = std::make_unique<detail::replay>(
    run, nodes_, graph_.topology(), description(), piece);
}

void run_context::attach(std::shared_ptr<detail::drill> hook) {
  observers_.drill = std::move(hook);
  if (!observers_.drill)
    return;
  if (trace_)
    trace_->output().write_through();
  std::vector<std::string> names;
  for (auto i : nodes_.local())
    names.push_back(nodes_.name(i));
  observers_.drill->introduce(names);
}

// -- executors and actors -----------------------------------------------------

void run_context::release_actors() {
  actors_.release();
  executors_.release();
}

} // namespace caf::rosia::detail
