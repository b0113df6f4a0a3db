// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoints.hpp"

#include "base/duration.hpp"
#include "base/exception_text.hpp"
#include "drills/drill.hpp"
#include "run_file/backup.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/executor.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <spdlog/logger.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// Number of planned checkpoints kept in memory while the disk is slow.
constexpr std::size_t most_ahead = 4;

} // namespace

using command = checkpoint_command::kind;
using answer_kind = checkpoint_reply::kind;

// -- constructors, destructors ------------------------------------------------

checkpoints::checkpoints(run_context& run, settings init)
  : run_(run), settings_(std::move(init)),
    writer_(std::make_unique<run_file::writer>(
      settings_.file,
      [&run](const std::string& text) { run.coordinator_log().error(text); })),
    latest_(run.nodes().local().size()), left_(latest_.size()),
    asked_(latest_.size()) {
  // Checked here, so that a file that cannot be written is an error before the
  // start.
  if (!settings_.backup.empty())
    run_file::check_backup(settings_.backup);
  std::promise<std::string> made;
  writer_->post_durable(
    [](run_file::database& file) { run_file::make_checkpoint_tables(file); },
    [&](const std::string& problem) { made.set_value(problem); });
  if (auto problem = made.get_future().get(); !problem.empty())
    throw std::runtime_error(problem);
  next_planned_ = engine::next_checkpoint(
    settings_.every, engine::just_past(settings_.after));
  plan_ahead();
}

checkpoints::~checkpoints() {
  // nop
}

// -- called by nodes ----------------------------------------------------------

std::size_t checkpoints::index_of(engine::node_id node) const {
  auto& local = run_.nodes().local();
  if (node < local.size() && local[node] == node)
    return node; // usual case: all nodes are local
  auto i = std::lower_bound(local.begin(), local.end(), node);
  return static_cast<std::size_t>(i - local.begin());
}

void checkpoints::save(engine::node_id node, saved_part part) {
  auto saved = std::make_shared<const saved_part>(std::move(part));
  auto index = index_of(node);
  part_pointer former; // destroyed without the lock
  std::lock_guard guard{mutex_};
  former = std::exchange(latest_[index], saved);
  for (auto& x : targets_)
    give(x, index, saved);
  for (auto& x : ahead_)
    give(x, index, saved);
  plan_ahead();
  write_complete_ones();
}

void checkpoints::give(target& to, std::size_t index,
                       const part_pointer& part) {
  if (!covers(*part, to.tag))
    return;
  auto& mine = to.parts[index];
  if (mine == nullptr)
    --to.missing;
  else if (!part->node.left)
    return;
  mine = part;
  // A node that left does not wait.
  std::erase(to.waiting, index);
  if (!part->node.yielded.empty())
    to.waiting.push_back(index);
}

checkpoints::target checkpoints::make_target(
  logical_time tag, command type) const {
  target result{
    tag, type, latest_.size(), std::vector<part_pointer>(latest_.size())};
  for (std::size_t i = 0; i < latest_.size(); ++i)
    if (latest_[i])
      give(result, i, latest_[i]);
  return result;
}

logical_time checkpoints::furthest() const {
  auto result = never;
  for (auto& part : latest_)
    if (part && !part->node.left)
      result = std::max(result, part->node.logical);
  return result;
}

void checkpoints::plan_ahead() {
  while (next_planned_ != forever && ahead_.size() < most_ahead
         && (ahead_.empty() || ahead_.back().missing == 0)) {
    next_planned_ = engine::next_checkpoint(
      settings_.every, std::max(next_planned_, furthest()));
    if (next_planned_ == forever)
      return;
    ahead_.push_back(make_target(next_planned_, command::periodic));
    next_planned_ = engine::next_checkpoint(
      settings_.every, engine::just_past(next_planned_));
  }
}

void checkpoints::answer(engine::node_id node, logical_time tag) {
  auto index = index_of(node);
  std::lock_guard guard{mutex_};
  if (asked_[index])
    count_answer(index, tag);
}

void checkpoints::note_exit(engine::node_id node) {
  auto index = index_of(node);
  std::lock_guard guard{mutex_};
  left_[index] = true;
  if (asked_[index])
    count_answer(index, latest_[index] ? latest_[index]->node.logical : never);
}

void checkpoints::count_answer(std::size_t index, logical_time tag) {
  asked_[index] = false;
  highest_answer_ = std::max(highest_answer_, tag);
  if (--unanswered_ == 0)
    reply(answer_kind::answer, highest_answer_);
}

// -- called by users ----------------------------------------------------------

void checkpoints::open() {
  std::lock_guard guard{mutex_};
  open_ = true;
  reply(answer_kind::ready, never);
  if (std::exchange(demanded_, false))
    reply(answer_kind::demand, never);
}

void checkpoints::demand() {
  std::lock_guard guard{mutex_};
  demand_locked();
}

void checkpoints::demand_locked() {
  if (over_)
    return;
  if (open_)
    reply(answer_kind::demand, never);
  else
    demanded_ = true;
}

std::future<logical_time> checkpoints::request() {
  waiter x;
  auto result = x.result.get_future();
  std::lock_guard guard{mutex_};
  if (over_) {
    x.result.set_exception(std::make_exception_ptr(
      std::runtime_error("no checkpoint is taken: the application has ended")));
    return result;
  }
  waiters_.push_back(std::move(x));
  demand_locked();
  return result;
}

// -- called by the coordinator ------------------------------------------------

void checkpoints::obey(const checkpoint_command& x) {
  auto calls = false;
  {
    std::lock_guard guard{mutex_};
    switch (x.type) {
      case command::ask:
        ask();
        calls = true;
        break;
      case command::periodic:
        add(x.tag, x.type);
        break;
      case command::agreed:
        note_agreed(x.tag);
        notify({.tag = x.tag});
        calls = true;
        add(x.tag, x.type);
        break;
      case command::final:
        final_ = x.tag;
        std::erase_if(targets_, [&](auto& y) { return y.tag > x.tag; });
        ahead_.clear();
        next_planned_ = forever;
        add(x.tag, x.type);
        break;
      case command::release:
        note_agreed(x.tag);
        notify({});
        calls = true;
        break;
      case command::mark:
        mark(x.tag);
        break;
      case command::complete:
      case command::failed:
        conclude(x);
        break;
    }
    write_complete_ones();
  }
  // The nodes that are called first answer and save while the rest are called.
  if (calls)
    call_executors();
}

void checkpoints::ask() {
  for (auto& x : waiters_)
    x.asked = true;
  // The agreed tag must not be less than that of a written checkpoint.
  highest_answer_ = newest_;
  asking_ = true;
  unanswered_ = 0;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    asked_[i] = !left_[i];
    unanswered_ += asked_[i] ? 1 : 0;
    if (left_[i] && latest_[i])
      highest_answer_ = std::max(highest_answer_, latest_[i]->node.logical);
  }
  if (unanswered_ == 0)
    reply(answer_kind::answer, highest_answer_);
  // All nodes answered the last question, so they know all notices before it.
  auto last = std::find_if(
    latest_notices_.rbegin(), latest_notices_.rend(),
    [](auto& x) { return x.asks; });
  if (last != latest_notices_.rend())
    latest_notices_.erase(latest_notices_.begin(), last.base() - 1);
  notify({.asks = true});
}

void checkpoints::notify(notice x) {
  latest_notices_.push_back(x);
  notices_.fetch_add(1, std::memory_order_seq_cst);
}

std::vector<checkpoints::notice> checkpoints::notices_after(
  std::uint64_t& known) const {
  std::lock_guard guard{mutex_};
  auto all = notices_.load(std::memory_order_relaxed);
  auto count = std::min<std::uint64_t>(all - known, latest_notices_.size());
  known = all;
  return {latest_notices_.end() - static_cast<std::ptrdiff_t>(count),
          latest_notices_.end()};
}

void checkpoints::call_executors() const {
  std::vector<engine::node_id> present;
  {
    std::lock_guard guard{mutex_};
    auto& local = run_.nodes().local();
    for (std::size_t i = 0; i < local.size(); ++i)
      if (!left_[i])
        present.push_back(local[i]);
  }
  // Neighbours often share an executor.
  const executor* last = nullptr;
  for (auto node : present)
    if (auto& x = run_.runner_at(node).runs_on(); &x != std::exchange(last, &x))
      x.signal();
}

void checkpoints::note_agreed(logical_time tag) {
  asking_ = false;
  for (auto& x : waiters_)
    if (x.asked && x.tag == forever)
      x.tag = tag;
}

void checkpoints::add(logical_time tag, command type) {
  if (over_ || tag > final_)
    return;
  auto has = [tag](auto& tags) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  };
  // The final checkpoint is written in any case. A later checkpoint may remove
  // the existing one before this process knows the final tag.
  if (auto is_durable = has(durable_);
      type != command::final && (is_durable || has(under_way_))) {
    if (is_durable)
      reply(answer_kind::written, tag);
    return;
  }
  if (auto same = std::find_if(targets_.begin(), targets_.end(),
                               [&](auto& x) { return x.tag == tag; });
      same != targets_.end()) {
    // A final checkpoint stays final.
    if (same->type != command::final)
      same->type = type;
    return;
  }
  if (type == command::periodic) {
    while (!ahead_.empty() && ahead_.front().tag < tag)
      ahead_.pop_front();
    if (ahead_.empty() || ahead_.front().tag != tag) {
      next_planned_ = std::max(tag, ahead_.empty() ? tag : next_planned_);
      auto reached = ahead_.empty() ? furthest() : ahead_.front().tag;
      if (reached > tag) {
        plan_ahead();
        reply(answer_kind::passed, tag, {}, reached);
        return;
      }
      collect(make_target(tag, type));
      next_planned_
        = engine::next_checkpoint(settings_.every, engine::just_past(tag));
    } else {
      collect(std::move(ahead_.front()));
      ahead_.pop_front();
    }
    plan_ahead();
  } else {
    collect(make_target(tag, type));
  }
}

void checkpoints::collect(target x) {
  auto next = std::find_if(targets_.begin(), targets_.end(), [&](auto& y) {
    return y.tag > x.tag;
  });
  targets_.insert(next, std::move(x));
}

void checkpoints::write_complete_ones() {
  for (std::size_t i = 0; i < targets_.size();) {
    auto& x = targets_[i];
    if (x.missing > 0 || (asking_ && x.type == command::periodic)) {
      ++i;
      continue;
    }
    // Nodes may reach this tag before physical time does. A run that resumes
    // here must not skip the time up to it.
    if (auto& time = run_.time();
        x.type == command::periodic && run_.opts().realtime
        && time.elapsed() < x.tag.ns) {
      if (!std::exchange(x.awaits_time, true))
        time.call_at(x.tag.ns, [this] {
          std::lock_guard guard{mutex_};
          write_complete_ones();
        });
      ++i;
      continue;
    }
    auto complete = std::move(x);
    targets_.erase(targets_.begin() + static_cast<std::ptrdiff_t>(i));
    // While the disk is slow, a later checkpoint may overtake planned ones that
    // are kept in memory. The newest one stays the last in the file.
    if (complete.type == command::periodic && complete.tag < newest_)
      reply(answer_kind::passed, complete.tag, {}, newest_);
    else
      write(std::move(complete));
  }
}

std::string checkpoints::obstacle(const target& x) const {
  if (x.waiting.empty())
    return {};
  auto first = *std::min_element(x.waiting.begin(), x.waiting.end());
  return "reaction '" + x.parts[first]->node.yielded + "' of node '"
         + run_.nodes().name(run_.nodes().local()[first])
         + "' waits at that tag (co_await), which cannot be saved; schedule an "
           "action instead";
}

void checkpoints::write(target x) {
  if (auto problem = obstacle(x); !problem.empty()) {
    reply(answer_kind::failed, x.tag, problem);
    return;
  }
  // The final checkpoint may be far ahead of the other processes: if all nodes
  // of this process left or are idle, it is written early.
  if (x.type != command::final || !run_.nodes().distributed())
    newest_ = std::max(newest_, x.tag);
  under_way_.push_back(x.tag);
  auto& nodes = run_.nodes();
  auto alone = !nodes.distributed();
  auto tag = x.tag;
  auto done
    = x.type == command::final
        ? answer_kind::final_written
        : answer_kind::written;
  run_file::checkpoint row;
  row.run = settings_.run;
  row.number = settings_.number;
  row.process = alone ? "" : nodes.processes()[nodes.self()];
  row.processes
    = alone ? 1 : static_cast<std::int64_t>(nodes.processes().size());
  row.tag = tag;
  row.final = x.type == command::final;
  auto content = std::make_shared<const target>(std::move(x));
  post(
    [this, row = std::move(row), content, alone](run_file::database& file) {
      run_file::write(file, row, settings_.graph, make_parts(*content));
      rehearse("part_written", content->tag);
      if (alone)
        run_file::mark_complete(
          file, settings_.run, content->tag, settings_.keep);
    },
    [this, tag, done](const std::string& problem) {
      if (problem.empty())
        rehearse("part_durable", tag);
      std::lock_guard guard{mutex_};
      std::erase(under_way_, tag);
      if (problem.empty()) {
        // The file keeps no more checkpoints than this.
        durable_.push_back(tag);
        if (durable_.size() > std::min(most_ahead, settings_.keep))
          durable_.pop_front();
      }
      report(done, tag, problem);
    });
}

std::vector<run_file::node_part> checkpoints::make_parts(const target& from) {
  std::lock_guard guard{nodes_mutex_};
  if (nodes_gone_)
    throw std::runtime_error("the run is over");
  auto& local = run_.nodes().local();
  std::vector<run_file::node_part> result;
  for (std::size_t i = 0; i < local.size(); ++i)
    result.push_back(make_part(run_.nodes(), run_.graph().topology(), local[i],
                               *from.parts[i], from.tag));
  return result;
}

void checkpoints::rehearse(const char* step, logical_time tag) {
  if (auto& drill = run_.observers().drill)
    drill->step(step, {}, tag);
}

void checkpoints::mark(logical_time tag) {
  post(
    [this, tag](run_file::database& file) {
      run_file::mark_complete(file, settings_.run, tag, settings_.keep);
    },
    [this, tag](const std::string& problem) {
      std::lock_guard guard{mutex_};
      report(answer_kind::marked, tag, problem);
    });
}

void checkpoints::post(run_file::writer::job work,
                       std::function<void(const std::string&)> done) {
  ++writing_;
  writer_->post_durable(
    std::move(work),
    [this, done = std::move(done)](const std::string& problem) {
      done(problem);
      std::lock_guard guard{mutex_};
      --writing_;
      written_.notify_all();
    });
}

void checkpoints::report(answer_kind type, logical_time tag,
                         const std::string& problem) {
  if (!over_)
    reply(problem.empty() ? type : answer_kind::failed, tag, problem);
}

void checkpoints::conclude(const checkpoint_command& x) {
  auto& nodes = run_.nodes();
  if (x.type == command::complete && nodes.distributed() && nodes.self() != 0)
    writer_->post(0, [this, tag = x.tag](run_file::database& file) {
      run_file::mark_complete(file, settings_.run, tag, settings_.keep);
    });
  std::erase_if(targets_, [&](auto& y) { return y.tag == x.tag; });
  std::erase_if(waiters_, [&](auto& y) {
    auto complete = x.type == command::complete;
    // A planned checkpoint before the agreed tag may lack what preceded the
    // request.
    if (x.tag != final_ && x.tag != y.tag && !(complete && x.tag > y.tag))
      return false;
    if (complete)
      y.result.set_value(x.tag);
    else
      y.result.set_exception(std::make_exception_ptr(std::runtime_error(
        "the checkpoint at tag " + to_string(x.tag)
        + " was not taken; the log tells why")));
    return true;
  });
}

void checkpoints::reply(answer_kind type, logical_time tag, std::string problem,
                        logical_time reached) {
  run_.send_to_coordinator(checkpoint_reply{
    run_.nodes().self(), type, tag, reached, std::move(problem)});
}

// -- the end ------------------------------------------------------------------

std::string checkpoints::finish(std::chrono::nanoseconds patience) {
  std::unique_lock guard{mutex_};
  over_ = true;
  targets_.clear();
  ahead_.clear();
  for (auto& x : waiters_)
    x.result.set_exception(std::make_exception_ptr(std::runtime_error(
      "no checkpoint was taken: the application has ended")));
  waiters_.clear();
  auto done
    = written_.wait_for(guard, patience, [this] { return writing_ == 0; });
  guard.unlock();
  // If the disk responds later, the thread exits then.
  auto closed = writer_->close(done ? patience : std::chrono::nanoseconds{0});
  finished_ = done && closed;
  if (finished_)
    return {};
  // A thread that waits for a disk cannot be stopped. It keeps everything it
  // uses, except for the nodes.
  {
    std::lock_guard nodes_guard{nodes_mutex_};
    nodes_gone_ = true;
  }
  run_.outlive_application();
  return "'" + settings_.file + "' could not be written within "
         + time_text(patience)
         + ": the disk does not respond, or another process holds the file";
}

std::string checkpoints::back_up(std::chrono::nanoseconds patience) const {
  if (!finished_ || settings_.backup.empty())
    return {};
  try {
    run_file::back_up(settings_.file, settings_.backup, patience);
  } catch (const std::exception& e) {
    return exception_text(e);
  }
  run_.coordinator_log().info(
    "the checkpoints in '{}' were copied to '{}'", settings_.file,
    settings_.backup);
  return {};
}

} // namespace caf::rosia::detail
