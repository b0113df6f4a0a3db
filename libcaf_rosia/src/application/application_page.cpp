// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "application/application_page.hpp"

#include "application/application_source.hpp"
#include "application/graph_drawing.hpp"
#include "nodes/node_access.hpp"
#include "runtime/grouping.hpp"
#include "runtime/run_context.hpp"

#include <spdlog/logger.h>

#include <utility>

namespace caf::rosia::detail {

application_page::application_page(std::shared_ptr<application_link> link)
  : link_(std::move(link)) {
  // nop
}

void application_page::open(
  const options& opts, const std::shared_ptr<log_context>& log,
  spdlog::logger& logger) {
  if (opts.watch.address.empty() || !opts.network.join.empty())
    return;
  auto board = page_board::open(page_config_of(opts));
  std::unique_lock guard{mutex_};
  board_ = board;
  sources_.push_back(std::make_shared<application_source>(link_, log));
  for (auto& x : sources_)
    board_->add(x);
  guard.unlock();
  logger.info("the live page is at {}", board->url());
}

void application_page::close() {
  std::unique_lock guard{mutex_};
  auto closed = std::exchange(board_, nullptr);
  auto sources = sources_;
  guard.unlock();
  if (closed)
    closed->remove(sources);
}

void application_page::show(std::shared_ptr<watch_source> other) {
  std::lock_guard guard{mutex_};
  if (board_)
    board_->add(other);
  sources_.push_back(std::move(other));
}

std::string application_page::url() const {
  std::lock_guard guard{mutex_};
  return board_ ? board_->url() : std::string{};
}

void application_page::attach_to(
  run_context& context, const grouping& groups, log_context& log) {
  if (!board_ && !watched_)
    return;
  counters_ = std::make_shared<run_counters>(context.nodes().size());
  context.observers().counters = counters_;
  if (board_) {
    graph_ = std::make_shared<const graph_description>(add_groups(
      context.description(), context.nodes(), context.graph().topology(),
      groups));
    context.observers().page_log = board_->log();
  } else {
    auto lines = std::make_shared<log_ring>();
    log.add_sink(lines);
    context.observers().page_log = std::move(lines);
  }
}

std::vector<std::optional<node_counts>> application_page::counts(
  const std::vector<node*>& nodes, std::int64_t now) const {
  std::vector<std::optional<node_counts>> result;
  if (!counters_)
    return result;
  for (engine::node_id id = 0; id < nodes.size(); ++id) {
    auto counts = counters_->read(id, now);
    // Other processes have added their own.
    if (counts && nodes[id] != nullptr)
      counts->dropped += node_access::inbox(*nodes[id]).refused();
    result.push_back(std::move(counts));
  }
  return result;
}

} // namespace caf::rosia::detail
