// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/schedule.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>
#include <utility>

namespace rosia_trace {

namespace {

constexpr auto none = unlimited;

template <class T>
using min_heap = std::priority_queue<T, std::vector<T>, std::greater<>>;

/// An activation that may run. The one with the least tag is first.
struct ready_activation {
  logical_time tag;
  std::size_t number;

  friend auto operator<=>(const ready_activation&, const ready_activation&)
    = default;
};

struct running_activation {
  std::int64_t end;
  std::size_t number;

  friend auto operator<=>(const running_activation&, const running_activation&)
    = default;
};

enum class progress : std::uint8_t { waiting, ready, done };

/// A node that waits until another one has executed all up to `tag`.
struct waiting_node {
  index node;
  logical_time tag;
};

struct node_schedule {
  /// The activations, in their order.
  std::vector<std::size_t> activations;
  /// The first one that has not ended.
  std::size_t position = 0;
  /// The senders of the next activation up to here are far enough.
  std::size_t checked_senders = 0;
  /// Nothing that happens up to this tag, here or at a node that may send here,
  /// is left.
  logical_time complete = never;
  std::vector<waiting_node> waiting;
  /// During a search: the tag up to which the node must be complete.
  logical_time required = never;
};

/// The activations that one thread at a time executes.
struct executor {
  bool is_busy = false;
  min_heap<ready_activation> ready;
};

struct process {
  std::size_t idle = 0;
  min_heap<ready_activation> ready;
};

class scheduler {
public:
  scheduler(const workload& work, const schedule_options& options)
    : work_{work}, options_{options} {
    auto size = work.declared().nodes().size();
    nodes_.resize(size);
    executors_.resize(size);
    processes_.resize(work.process_names().size());
    for (auto& x : processes_)
      x.idle = options.workers;
    auto& all = work.activations();
    causes_.resize(all.size(), none);
    progress_.resize(all.size());
    waiting_for_value_.resize(all.size());
    for (std::size_t i = 0; i < all.size(); ++i)
      nodes_[all[i].node].activations.push_back(i);
  }

  schedule run() {
    for (index i = 0; i < nodes_.size(); ++i)
      check(i);
    for (;;) {
      // Activations that end at one time end before another one begins.
      if (running_.empty() || running_.top().end > now_)
        dispatch();
      if (!running_.empty())
        finish_next();
      else if (!release_stuck())
        break;
    }
    return {now_, path()};
  }

private:
  const activation& at(std::size_t number) const {
    return work_.activations()[number];
  }

  /// Returns the next activation of a node, or one that runs.
  std::size_t next_of(index node) const {
    auto& x = nodes_[node];
    return x.position < x.activations.size() ? x.activations[x.position] : none;
  }

  /// Returns the earliest tag at which a node has something left to do.
  logical_time next_tag(index node) const {
    auto next = next_of(node);
    return next == none ? forever : at(next).tag;
  }

  // -- readiness --------------------------------------------------------------

  /// Makes the next activation of a node ready, or has it wait for the first
  /// thing that prevents that.
  void check(index node) {
    auto next = next_of(node);
    if (next == none || progress_[next] != progress::waiting)
      return;
    auto& x = at(next);
    for (auto sender : x.physical_senders)
      if (progress_[sender] != progress::done) {
        waiting_for_value_[sender].push_back(node);
        return;
      }
    if (x.is_start || (check_senders(node, x.tag) && search(node, x.tag)))
      make_ready(next);
  }

  /// Checks those that send directly to the node, each of them once.
  bool check_senders(index node, logical_time tag) {
    auto& senders = work_.senders(node);
    for (auto& i = nodes_[node].checked_senders; i < senders.size(); ++i)
      if (!require(node, senders[i].node, latest_before(tag, senders[i].delay)))
        return false;
    return true;
  }

  /// Checks all from which a path leads to the node. Each node on these paths
  /// must have executed all tags from which the path leads to `tag`.
  bool search(index node, logical_time tag) {
    found_.clear();
    found_.push_back(node);
    nodes_[node].required = tag;
    std::priority_queue<std::pair<logical_time, index>> next;
    auto add_senders = [&](index of, logical_time required) {
      for (auto& x : work_.senders(of)) {
        auto before = latest_before(required, x.delay);
        auto& sender = nodes_[x.node];
        if (before.ns < 0 || sender.complete >= before
            || sender.required >= before)
          continue;
        if (sender.required == never)
          found_.push_back(x.node);
        sender.required = before;
        next.emplace(before, x.node);
      }
    };
    auto holds = true;
    add_senders(node, tag);
    while (holds && !next.empty()) {
      auto [required, sender] = next.top();
      next.pop();
      if (nodes_[sender].required != required)
        continue;
      holds = require(node, sender, required);
      add_senders(sender, required);
    }
    for (auto i : found_) {
      auto& x = nodes_[i];
      if (holds && i != node)
        x.complete = std::max(x.complete, x.required);
      x.required = never;
    }
    return holds;
  }

  /// Returns whether `sender` has nothing left up to `tag`; otherwise `node`
  /// waits for what is left.
  bool require(index node, index sender, logical_time tag) {
    if (next_tag(sender) > tag || sender == node)
      return true;
    nodes_[sender].waiting.push_back({node, tag});
    return false;
  }

  void make_ready(std::size_t number) {
    progress_[number] = progress::ready;
    causes_[number] = last_ended_;
    auto& owner = executors_[executor_of(number)];
    if (std::exchange(owner.is_busy, true))
      owner.ready.push({at(number).tag, number});
    else
      offer(number);
  }

  index executor_of(std::size_t number) const {
    return options_.keep_groups ? at(number).group : at(number).node;
  }

  void offer(std::size_t number) {
    process_of(number).ready.push({at(number).tag, number});
  }

  process& process_of(std::size_t number) {
    return processes_[work_.process_of(at(number).node)];
  }

  /// Lets the earliest activation run without what it waits for. A promise of a
  /// node's code is not in the trace; so a node may have run earlier than its
  /// connections alone permit. Damaged traces have no order at all.
  bool release_stuck() {
    auto earliest = none;
    for (index i = 0; i < nodes_.size(); ++i)
      earliest = std::min(earliest, next_of(i));
    if (earliest == none)
      return false;
    make_ready(earliest);
    return true;
  }

  // -- time -------------------------------------------------------------------

  void dispatch() {
    for (auto& x : processes_)
      while (x.idle > 0 && !x.ready.empty()) {
        auto number = x.ready.top().number;
        x.ready.pop();
        if (options_.workers != unlimited)
          --x.idle;
        running_.push({now_ + at(number).duration, number});
      }
  }

  void finish_next() {
    auto [end, number] = running_.top();
    running_.pop();
    now_ = end;
    last_ended_ = number;
    progress_[number] = progress::done;
    if (options_.workers != unlimited)
      ++process_of(number).idle;
    release_executor(number);
    auto node = at(number).node;
    auto& x = nodes_[node];
    ++x.position;
    x.checked_senders = 0;
    check(node);
    wake_waiting(node);
    for (auto receiver : std::exchange(waiting_for_value_[number], {}))
      check(receiver);
  }

  void release_executor(std::size_t number) {
    auto& x = executors_[executor_of(number)];
    x.is_busy = !x.ready.empty();
    if (!x.is_busy)
      return;
    auto next = x.ready.top().number;
    x.ready.pop();
    causes_[next] = number;
    offer(next);
  }

  void wake_waiting(index node) {
    auto& waiting = nodes_[node].waiting;
    auto next = next_tag(node);
    auto first_woken = std::partition(
      waiting.begin(), waiting.end(), [&](auto& x) { return x.tag >= next; });
    std::vector<waiting_node> woken{first_woken, waiting.end()};
    waiting.erase(first_woken, waiting.end());
    for (auto& x : woken)
      check(x.node);
  }

  // -- the result -------------------------------------------------------------

  std::vector<std::size_t> path() const {
    std::vector<std::size_t> result;
    for (auto i = last_ended_; i != none; i = causes_[i])
      result.push_back(i);
    std::ranges::reverse(result);
    return result;
  }

  const workload& work_;
  const schedule_options& options_;
  std::vector<node_schedule> nodes_;
  std::vector<executor> executors_;
  std::vector<process> processes_;
  min_heap<running_activation> running_;
  /// By activation: the one at whose end it became ready, its progress, and the
  /// nodes that wait for its values.
  std::vector<std::size_t> causes_;
  std::vector<progress> progress_;
  std::vector<std::vector<index>> waiting_for_value_;
  /// The nodes that a search has found.
  std::vector<index> found_;
  std::int64_t now_ = 0;
  std::size_t last_ended_ = none;
};

} // namespace

schedule make_schedule(const workload& work, const schedule_options& options) {
  return scheduler{work, options}.run();
}

} // namespace rosia_trace
