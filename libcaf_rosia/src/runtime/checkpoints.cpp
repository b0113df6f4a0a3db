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

using command = checkpoint_command::kind;
using answer_kind = checkpoint_reply::kind;

// -- constructors, destructors ------------------------------------------------

checkpoints::checkpoints(run_context& run, settings init)
  : run_(run), settings_(std::move(init)),
    writer_(std::make_unique<run_file::writer>(
      settings_.file,
      [&run](const std::string& text) { run.coordinator_log().error(text); })),
    inquiry_(run.nodes().local().size()),
    targets_(run.nodes().local().size(), settings_.every, settings_.after) {
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
  checkpoint_targets::part_pointer former; // destroyed without the lock
  std::lock_guard guard{mutex_};
  former = targets_.save(index, saved);
  write_complete_ones();
}

void checkpoints::answer(engine::node_id node, logical_time tag) {
  auto index = index_of(node);
  std::lock_guard guard{mutex_};
  reply_if(inquiry_.answer(index, tag));
}

void checkpoints::note_exit(engine::node_id node) {
  auto index = index_of(node);
  std::lock_guard guard{mutex_};
  reply_if(inquiry_.note_exit(index, targets_.last_of(index)));
}

void checkpoints::reply_if(const std::optional<logical_time>& answer) {
  if (answer)
    reply(answer_kind::answer, *answer);
}

// -- called by users ----------------------------------------------------------

void checkpoints::open() {
  std::lock_guard guard{mutex_};
  state_ = state::open;
  reply(answer_kind::ready, never);
  if (std::exchange(demanded_, false))
    reply(answer_kind::demand, never);
}

void checkpoints::demand() {
  std::lock_guard guard{mutex_};
  demand_locked();
}

void checkpoints::demand_locked() {
  if (state_ == state::starting)
    demanded_ = true;
  else if (state_ == state::open)
    reply(answer_kind::demand, never);
}

std::future<logical_time> checkpoints::request() {
  std::lock_guard guard{mutex_};
  auto result = requests_.add();
  if (is_over())
    requests_.refuse();
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
        requests_.note_asked();
        // The agreed tag must not be less than that of a written checkpoint.
        reply_if(inquiry_.begin(written_.newest));
        calls = true;
        break;
      case command::periodic:
        add(x.tag, x.type);
        break;
      case command::agreed:
        inquiry_.end();
        requests_.note_agreed(x.tag);
        inquiry_.notify({.tag = x.tag});
        calls = true;
        add(x.tag, x.type);
        break;
      case command::final:
        final_ = x.tag;
        targets_.end_at(x.tag);
        add(x.tag, x.type);
        break;
      case command::release:
        inquiry_.end();
        requests_.note_agreed(x.tag);
        inquiry_.notify({});
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

std::vector<checkpoints::notice> checkpoints::notices_after(
  std::uint64_t& known) const {
  std::lock_guard guard{mutex_};
  return inquiry_.notices_after(known);
}

void checkpoints::call_executors() const {
  std::vector<engine::node_id> present;
  {
    std::lock_guard guard{mutex_};
    auto& local = run_.nodes().local();
    for (std::size_t i = 0; i < local.size(); ++i)
      if (!inquiry_.has_left(i))
        present.push_back(local[i]);
  }
  // Neighbours often share an executor.
  const executor* last = nullptr;
  for (auto node : present)
    if (auto& x = run_.actors().runner_at(node).runs_on();
        &x != std::exchange(last, &x))
      x.signal();
}

void checkpoints::add(logical_time tag, command type) {
  if (is_over() || tag > final_)
    return;
  auto has = [tag](auto& tags) {
    return std::find(tags.begin(), tags.end(), tag) != tags.end();
  };
  // The final checkpoint is written in any case. A later checkpoint may remove
  // the existing one before this process knows the final tag.
  if (auto is_durable = has(written_.durable);
      type != command::final && (is_durable || has(written_.under_way))) {
    if (is_durable)
      reply(answer_kind::written, tag);
    return;
  }
  if (auto reached = targets_.add(tag, type))
    reply(answer_kind::passed, tag, {}, *reached);
}

void checkpoints::write_complete_ones() {
  auto& targets = targets_.all();
  for (std::size_t i = 0; i < targets.size();) {
    auto& x = targets[i];
    if (x.missing > 0 || (inquiry_.is_open() && x.type == command::periodic)) {
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
    targets.erase(targets.begin() + static_cast<std::ptrdiff_t>(i));
    // While the disk is slow, a later checkpoint may overtake planned ones that
    // are kept in memory. The newest one stays the last in the file.
    if (complete.type == command::periodic && complete.tag < written_.newest)
      reply(answer_kind::passed, complete.tag, {}, written_.newest);
    else
      write(std::move(complete));
  }
}

std::string checkpoints::waiting_reaction_problem(const target& x) const {
  if (x.waiting.empty())
    return {};
  auto first = *std::min_element(x.waiting.begin(), x.waiting.end());
  return "reaction '" + x.parts[first]->node.yielded + "' of node '"
         + run_.nodes().name(run_.nodes().local()[first])
         + "' waits at that tag (co_await), which cannot be saved; schedule an "
           "action instead";
}

void checkpoints::write(target x) {
  if (auto problem = waiting_reaction_problem(x); !problem.empty()) {
    reply(answer_kind::failed, x.tag, problem);
    return;
  }
  // The final checkpoint may be far ahead of the other processes: if all nodes
  // of this process left or are idle, it is written early.
  if (x.type != command::final || !run_.nodes().distributed())
    written_.newest = std::max(written_.newest, x.tag);
  written_.under_way.push_back(x.tag);
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
      std::erase(written_.under_way, tag);
      if (problem.empty()) {
        // The file keeps no more checkpoints than this.
        auto& durable = written_.durable;
        durable.push_back(tag);
        if (durable.size()
            > std::min(checkpoint_targets::most_ahead, settings_.keep))
          durable.pop_front();
      }
      report(done, tag, problem);
    });
}

std::vector<run_file::node_part> checkpoints::make_parts(const target& from) {
  std::lock_guard guard{nodes_mutex_};
  if (nodes_gone_)
    throw std::runtime_error("the run has ended");
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
  ++jobs_;
  writer_->post_durable(
    std::move(work),
    [this, done = std::move(done)](const std::string& problem) {
      done(problem);
      std::lock_guard guard{mutex_};
      --jobs_;
      idle_.notify_all();
    });
}

void checkpoints::report(answer_kind type, logical_time tag,
                         const std::string& problem) {
  if (!is_over())
    reply(problem.empty() ? type : answer_kind::failed, tag, problem);
}

void checkpoints::conclude(const checkpoint_command& x) {
  auto& nodes = run_.nodes();
  if (x.type == command::complete && nodes.distributed() && nodes.self() != 0)
    writer_->post(0, [this, tag = x.tag](run_file::database& file) {
      run_file::mark_complete(file, settings_.run, tag, settings_.keep);
    });
  targets_.remove(x.tag);
  requests_.conclude(x.tag, x.type == command::complete, x.tag == final_);
}

void checkpoints::reply(answer_kind type, logical_time tag, std::string problem,
                        logical_time reached) {
  run_.actors().send_to_coordinator(checkpoint_reply{
    run_.nodes().self(), type, tag, reached, std::move(problem)});
}

// -- the end ------------------------------------------------------------------

std::string checkpoints::finish(std::chrono::nanoseconds patience) {
  std::unique_lock guard{mutex_};
  state_ = state::over;
  targets_.end_at(never);
  requests_.refuse();
  auto done = idle_.wait_for(guard, patience, [this] { return jobs_ == 0; });
  guard.unlock();
  // If the disk responds later, the thread exits then.
  auto closed = writer_->close(done ? patience : std::chrono::nanoseconds{0});
  if (done && closed) {
    guard.lock();
    state_ = state::complete;
    return {};
  }
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
  if (state_ != state::complete || settings_.backup.empty())
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
