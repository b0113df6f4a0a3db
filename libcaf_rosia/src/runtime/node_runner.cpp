// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/node_runner.hpp"

#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "base/text.hpp"
#include "compat/actor_calls.hpp"
#include "drills/drill.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/lag_lines.hpp"
#include "runtime/node_counters.hpp"
#include "runtime/node_mailbox.hpp"
#include "runtime/run_context.hpp"
#include "runtime/watchdog.hpp"
#include "runtime/woken_executors.hpp"

#include <caf/actor_cast.hpp>

#include <spdlog/logger.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace caf::rosia::detail {

namespace {

/// The maximal number of other nodes that a warning of a lag names.
constexpr std::size_t most_named = 3;

/// Returns the other nodes that lag, as a text for a warning.
std::string lagging_too(const lag_lines::node_set& others,
                        const node_directory& nodes) {
  auto result
    = plural(others.size(), "other node lags", "other nodes lag") + ", too:";
  std::size_t count = 0;
  for (auto id : others) {
    if (count == most_named) {
      result += ", ...";
      break;
    }
    result += (count++ == 0 ? " '" : ", '") + nodes.name(id) + '\'';
  }
  return result;
}

/// Returns null if nothing is counted.
node_counters* counters_of(run_context& run, engine::node_id node) noexcept {
  auto& all = run.observers().counters;
  return all == nullptr ? nullptr : all->find(node);
}

/// Aborts the application if `shutdown()` of a node does not return in time.
/// Nothing else limits its time if the node ends by itself, because other nodes
/// may run for long.
/// @returns the number of the deadline.
std::uint64_t limit_shutdown(run_context& run, engine::node_id node) {
  auto patience = run.opts().grace_period;
  return run.time().deadline_at(
    run.time().elapsed_in(patience), [&run, node, patience] {
      if (run.progress().stages.has_left(node))
        return;
      auto reason
        = "shutdown() of node '" + run.nodes().name(node) + "'"
          + run.nodes().place_of(node) + " did not return within grace_period ("
          + time_text(patience) + ')';
      run.actors().send_to_coordinator(abort_application{
        status_deadline, reason, reason + ": the application is aborted"});
    });
}

/// Reports a node's exit to the coordinator, and counts it.
void report_end(run_context& run, const exit_message& last) {
  // Nothing of the node may be accessed after the coordinator is informed, or
  // after the last exit in a process without coordinator.
  run.actors().send_to_coordinator(last);
  run.progress().exits.note_exit();
}

} // namespace

// -- constructors, destructors ------------------------------------------------

node_runner::node_runner(run_context& run, rosia::node& self)
  : run_(&run), node_(&self) {
  node_access::environment(self, this);
}

node_runner::~node_runner() {
  // nop
}

// -- command_handler ----------------------------------------------------------

struct node_runner::command_handler {
  node_runner& self;

  void operator()(const start_message&) const {
    self.rehearse("node_started", logical_time{});
    if (auto& from = self.run_->records().resumed)
      request_again(*from);
    self.engine().start();
    self.notify_others();
    woken_executors::wake_all();
  }

  void operator()(const end_proposal& x) const {
    self.engine().ask_shutdown(x.proposal);
  }

  void operator()(const final_tag_message& x) const {
    self.rehearse("node_final", x.final);
    self.engine().take_final(x.final, x.requested);
  }

  void operator()(const abort_message&) const {
    auto id = self.engine().id();
    self.rehearse("node_aborted", self.engine().logical());
    if (auto nodes = self.run_->progress().last_look();
        nodes && !nodes->knows(id))
      nodes->put(id, self.look());
    self.engine().abort();
  }

  void operator()(const observation_request& x) const {
    x.into->put(self.engine().id(), self.look());
  }

  /// Repeats the node's request for an end, made before the checkpoint from
  /// which the run continues. Called before the node sends anything else, so
  /// that the request is not ignored.
  void request_again(const resumption& from) const {
    auto id = self.engine().id();
    auto& run = *self.run_;
    auto end = from.request_of(run.nodes().name(id));
    if (!end)
      return;
    if (auto trace = run.trace())
      trace->request(id, self.engine().logical(), end->tag, end->status);
    run.actors().send_to_coordinator(end_request{id, end->tag, end->status});
  }
};

// -- scheduling ---------------------------------------------------------------

void node_runner::signal() {
  runs_on().signal();
}

void node_runner::tell(const node_command& x) {
  while (!runs_on().take_command(*this, x)) {
    // The node moved: try its new executor.
  }
}

// -- observing ----------------------------------------------------------------

bool node_runner::observe(observation& into) {
  return runs_on().observe(*this, into);
}

// -- the executor -------------------------------------------------------------

void node_runner::take_notices(
  std::span<const checkpoints::notice> news, std::uint64_t count) {
  auto& known = rare().notices;
  for (auto& x : news.last(std::min<std::uint64_t>(news.size(), count - known)))
    if (x.asks)
      engine().ask_checkpoint();
    else
      engine().take_checkpoint(x.tag);
  known = count;
}

void node_runner::obey(const node_command& x) {
  if (!engine().left())
    std::visit(command_handler{*this}, x);
}

// -- overridden functions of node_environment ---------------------------------

std::int64_t node_runner::elapsed() {
  return run_->time().elapsed();
}

engine::thread_time node_runner::time_of_thread() {
  auto usage = timekeeper::usage();
  return {elapsed(), usage.cpu, usage.waits};
}

std::shared_ptr<spdlog::logger> node_runner::make_logger(
  const std::string& name) {
  return run_->log().make(name);
}

node_actor* node_runner::self() {
  auto handle = run_->actors().mailboxes().get(engine().id());
  auto* result = caf::actor_cast<node_mailbox*>(handle);
  // The code's actions must be scheduled on the worker that runs it, not on one
  // that may sleep.
  if (auto* unit = runs_on().unit())
    result->run_on(unit);
  return result;
}

// -- overridden functions of engine::host -------------------------------------

std::int64_t node_runner::coarse_elapsed(bool executes) {
  auto& time = run_->time();
  auto now = time.coarse_elapsed();
  if (now != last_look_)
    if (auto* counters = counters_of(*run_, engine().id());
        counters != nullptr) {
      if (executes && engine().realtime()) {
        last_look_ = now;
        auto precisely = time.elapsed();
        counters->note_lag(precisely - engine().logical().ns, precisely);
      }
    }
  return now;
}

bool node_runner::has_mail() {
  return node_access::inbox(*node_).has_mail();
}

void node_runner::drain(std::vector<engine::envelope>& into) {
  node_access::inbox(*node_).drain(into);
}

void node_runner::send(engine::node_id receiver,
                       std::vector<engine::envelope>& batch) {
  if (auto* other = run_->nodes().find(receiver))
    run_->progress().unexecuted.add(
      receiver, node_access::inbox(*other).push(batch));
  else
    run_->actors().others()->send(engine().id(), receiver, batch);
}

void node_runner::wake(engine::node_id node) {
  if (run_->nodes().find(node) == nullptr) {
    // Messages that were sent there wake the node. Without them, an ack must.
    owes_acks_ = true;
    return;
  }
  woken_executors::wake_later(run_->actors().runner_at(node).runs_on());
}

void node_runner::close() {
  node_access::inbox(*node_).refuse();
  // If there is a final tag, the coordinator limits the time.
  if (engine().outcome() == engine::ending::done && engine().final() == forever
      && node_access::has_shutdown(*node_))
    rare().shutdown_deadline = limit_shutdown(*run_, engine().id());
}

void node_runner::request(logical_time proposal, int status) {
  if (auto trace = run_->trace())
    trace->request(engine().id(), engine().now(), proposal, status);
  // In a replay, the end is already known.
  if (run_->records().replay != nullptr)
    return;
  run_->actors().send_to_coordinator(
    end_request{engine().id(), proposal, status});
}

void node_runner::answer(logical_time tag) {
  rehearse("node_answers", tag);
  run_->actors().send_to_coordinator(end_answer{engine().id(), tag});
}

void node_runner::done(logical_time last) {
  run_->actors().send_to_coordinator(done_message{engine().id(), last});
}

void node_runner::answer_checkpoint(logical_time tag) {
  run_->checkpoints()->answer(engine().id(), tag);
}

void node_runner::save(engine::saved_node part) {
  rehearse("node_saves", part.logical);
  run_->checkpoints()->save(
    engine().id(), {std::move(part), copy_data(*node_)});
}

void node_runner::failed(const engine::failure& error) {
  node_->log().error("error in '{}' at tag {}: {}", error.reaction,
                     to_string(error.tag), error.text);
  run_->actors().send_to_coordinator(node_abort_request{
    engine().id(), 1,
    "error in '" + error.reaction + "' of node '" + node_->name() + "' at tag "
      + to_string(error.tag) + ": " + error.text});
}

void node_runner::shutdown_failed(const engine::failure& error) {
  node_->log().error("error in '{}' after tag {}: {}", error.reaction,
                     to_string(error.tag), error.text);
}

void node_runner::lagging(logical_time tag, std::int64_t ns, bool ended) {
  if (auto* counters = counters_of(*run_, engine().id());
      counters != nullptr && ns > 0)
    counters->late.add();
  auto others = run_->progress().lags.note(engine().id(), elapsed());
  if (!others)
    return;
  node_->log().warn(
    "tag {} {} {} {} physical time, more than lag_warn ({}) allows{}",
    to_string(tag), ended ? "ended" : "runs",
    time_text(std::chrono::nanoseconds{ns < 0 ? -ns : ns}),
    ns < 0 ? "ahead of" : "behind",
    time_text(std::chrono::nanoseconds{engine().config().lag_warn}),
    others->empty() ? std::string{}
                    : "; " + lagging_too(*others, run_->nodes()));
}

void node_runner::warn(const std::string& text) {
  node_->log().warn(text);
}

void node_runner::dropped(engine::drop_reason reason) {
  if (reason == engine::drop_reason::replaced)
    ++rare().replaced;
  else if (reason == engine::drop_reason::spacing)
    ++rare().spaced_out;
  else
    ++dropped_;
  if (auto* counters = counters_of(*run_, engine().id()))
    counters->dropped.add();
}

void node_runner::unexecuted(engine::node_id receiver, std::size_t values) {
  run_->progress().unexecuted.add(receiver, values);
}

// -- implementation -----------------------------------------------------------

engine::snapshot node_runner::look() {
  engine().settle_for_observer();
  return engine().look();
}

void node_runner::rehearse(const char* step, logical_time tag) {
  if (auto& drill = run_->observers().drill)
    drill->step(step, node_->name(), tag);
}

void node_runner::notify_others() {
  if (auto* others = run_->actors().others())
    others->note_idle(engine().id(), std::exchange(owes_acks_, false));
}

engine::node& node_runner::engine() noexcept {
  return node_access::engine(*node_);
}

void node_runner::report_exit(detail::worker* unit) {
  reported_ = true;
  auto aborted = engine().outcome() == engine::ending::aborted;
  if (!aborted)
    notify_others();
  if (rare_ && rare_->shutdown_deadline != 0)
    run_->time().cancel(rare_->shutdown_deadline);
  woken_executors::wake_all();
  auto& inbox = node_access::inbox(*node_);
  run_->progress().unexecuted.add(engine().id(), inbox.close());
  if (auto lost = dropped_ + inbox.refused();
      lost > 0 && run_->records().replay == nullptr)
    node_->log().warn(
      "{} dropped", plural(lost, "physical value was", "physical values were"));
  if (rare_ && rare_->replaced > 0 && run_->records().replay == nullptr)
    node_->log().info(
      "{} replaced by newer ones (keep_latest)",
      plural(rare_->replaced, "physical value was", "physical values were"));
  if (rare_ && rare_->spaced_out > 0 && run_->records().replay == nullptr)
    node_->log().info("{} dropped by the spacing of physical actions",
                      plural(rare_->spaced_out, "value was", "values were"));
  if (auto log = node_access::existing_logger(*node_))
    log->flush();
  node_access::environment(*node_, nullptr);
  auto id = engine().id();
  run_->progress().stages.set(id, node_stage::left);
  if (auto* checkpoints = run_->checkpoints())
    checkpoints->note_exit(id);
  if (auto* others = run_->actors().others(); others != nullptr && !aborted)
    others->note_exit(id);
  auto actor = run_->actors().mailboxes().find(id);
  auto* mailbox = actor ? caf::actor_cast<node_mailbox*>(actor) : nullptr;
  if (mailbox != nullptr)
    mailbox->keep(runs_on());
  report_end(*run_, {id, engine().outcome(), engine().last_before_end()});
  if (mailbox != nullptr)
    mailbox->leave(unit);
}

void node_runner::report_vanished(const caf::error& reason) {
  reported_ = true;
  auto id = engine().id();
  auto& name = node_->name();
  run_->coordinator_log().error(
    "node '{}' vanished; another part of the program ended its actor: {}", name,
    exit_text(reason));
  run_->progress().stages.set(id, node_stage::vanished);
  node_access::inbox(*node_).close();
  node_access::environment(*node_, nullptr);
  run_->actors().send_to_coordinator(
    node_abort_request{id, 1, "node '" + name + "' vanished"});
  report_end(*run_, {id, engine::ending::aborted, never});
}

} // namespace caf::rosia::detail
