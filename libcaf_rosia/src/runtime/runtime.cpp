// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/runtime.hpp"

#include "base/duration.hpp"
#include "base/last_words.hpp"
#include "base/text.hpp"
#include "caf/rosia/port.hpp"
#include "compat/without_thread.hpp"
#include "drills/drill.hpp"
#include "nodes/node_access.hpp"
#include "runtime/coordinator.hpp"
#include "runtime/node_runner.hpp"

#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <limits>
#include <stdexcept>

namespace caf::rosia::detail {

namespace {

/// How many nodes a report in the log tells of.
constexpr std::size_t nodes_in_log = 20;

/// How long a report waits for nodes that are busy.
constexpr std::chrono::milliseconds patience{200};
constexpr std::chrono::milliseconds pause_between_looks{5};

/// In nanoseconds: signals that ask for one before that count as one.
constexpr std::int64_t least_time_between_reports
  = 2 * std::chrono::nanoseconds{patience}.count();

/// The coordinator may be silent for the grace period and this, when it
/// matters; and if the process seems to have been stopped meanwhile, for this
/// in addition.
constexpr std::chrono::seconds silence_after_grace_period{2};
constexpr std::chrono::nanoseconds silence_after_stop = std::chrono::seconds{1};

/// The application's status when a second signal aborted it.
constexpr int second_signal_status = 128;

bool has_gone(node_stage x) noexcept {
  return x == node_stage::left || x == node_stage::vanished
         || x == node_stage::lost;
}

std::string code_name(node& x, std::uint32_t code) {
  if (code == engine::activity::start_code)
    return "start";
  if (code == engine::activity::shutdown_code)
    return "shutdown";
  return std::string{node_access::body(x).reaction_name(code)};
}

blocker public_name(engine::blocker::kind x) noexcept {
  using kind = engine::blocker::kind;
  switch (x) {
    case kind::none:
      return blocker::none;
    case kind::start:
      return blocker::start;
    case kind::failure:
      return blocker::failure;
    case kind::input:
      return blocker::input;
    case kind::loop:
      return blocker::loop;
    case kind::agreement:
      return blocker::agreement;
    case kind::clock:
      return blocker::clock;
    case kind::receiver:
      return blocker::receiver;
    case kind::outside:
      return blocker::outside;
    default:
      return blocker::sender;
  }
}

} // namespace

// -- constructors, destructors ------------------------------------------------

runtime::runtime(
  caf::actor_system& sys, const options& opts, std::shared_ptr<log_context> log,
  std::unique_ptr<trace_writer> trace, node_directory nodes,
  engine::topology graph, std::unique_ptr<session> others)
  : system_(&sys), options_(opts), log_(std::move(log)),
    coordinator_log_(log_->make("rosia")), nodes_(std::move(nodes)),
    graph_(std::move(graph)),
    wiring_(
      graph_.make_wiring([this](auto members, auto& edges, auto& clocked) {
        auto result = std::make_unique<shared_loop_time_table>(
          std::move(members), edges, clocked);
        loop_time_tables_.push_back(result.get());
        return result;
      })),
    trace_(std::move(trace)), others_(std::move(others)),
    stages_(std::make_unique<std::atomic<node_stage>[]>(nodes_.size())) {
  for (engine::node_id i = 0; i < nodes_.size(); ++i)
    if (nodes_.find(i) != nullptr)
      local_.push_back(i);
  if (trace_)
    trace_->graph(options_, nodes_, graph_);
  if (!others_)
    return;
  forced_processes_.resize(process_count());
  progress_ = std::make_unique<std::atomic<std::uint64_t>[]>(process_count());
  for (auto& name : nodes_.processes())
    summary_.processes.push_back({name, "has not reported yet"});
}

runtime::~runtime() {
  // nop
}

// -- several processes, before the run ----------------------------------------

void runtime::meet(const std::vector<engine::process_id>& who) {
  auto end_trace = [this](bool ended, int status) {
    if (!trace_)
      return;
    trace_unstarted(ended);
    trace_->end(status);
    trace_->flush();
  };
  try {
    others_->meet(who);
  } catch (const ended_early&) {
    end_trace(true, 0);
    throw;
  } catch (...) {
    end_trace(false, 1);
    throw;
  }
}

void runtime::trace_unstarted(bool ended) {
  // As to what belongs to no node, the coordinator's trace speaks for all.
  if (!trace_ || nodes_.self() != 0)
    return;
  if (ended)
    trace_->request(std::nullopt, never, never, 0);
  trace_->forced(false);
}

// -- drills -------------------------------------------------------------------

void runtime::rehearse(std::shared_ptr<detail::drill> x) {
  drill_ = std::move(x);
  if (!drill_)
    return;
  if (trace_)
    trace_->write_through();
  std::vector<std::string> names;
  for (auto i : local_)
    names.push_back(nodes_.name(i));
  drill_->introduce(names);
}

// -- running ------------------------------------------------------------------

int runtime::run(const std::shared_ptr<runtime>& self) {
  auto& time = self->time_;
  // Not before the signals are taken care of: that may throw, and actors that
  // nobody ends would keep their system from ending.
  auto start_nodes = [&] {
    self->spawn(self);
    auto begins = true;
    if (self->others_)
      begins = self->begin_together(self);
    else {
      std::lock_guard guard{self->mutex_}; // of those who ask for the summary
      time.start();
    }
    if (!begins)
      return;
    if (self->drill_)
      self->drill_->started(time.started_at());
    if (auto& timeout = self->options_.timeout; timeout && self->coordinator_)
      // A share of the runtime would keep it alive: the call is a part of it.
      time.call_at(timeout->count(), [run = self.get()] {
        caf::anon_send(
          run->coordinator_,
          force_application{
            129, "its timeout is over",
            "the application did not end within its timeout ("
              + time_text(*run->options_.timeout) + "): it is aborted"});
        run->expect_life();
      });
    // From here on calls of triggers wake their nodes; not before, when the
    // nodes were not ready to run.
    for (auto i : self->local_)
      node_access::inbox(self->at(i))
        .attach(self->actors_[i], max_in_flight(self->options_));
    for (auto i : self->local_)
      caf::anon_send(self->handles_[i], start_message{});
    if (auto& lag = self->options_.lag_warn) {
      self->lag_watch_.emplace(lag->count());
      self->watch_lag_later();
    }
    std::lock_guard guard{self->mutex_};
    self->has_actors_ = true;
    if (self->summary_.stage == application_stage::not_started)
      self->summary_.stage = application_stage::running;
    if (self->requested_)
      self->tell_coordinator(rosia::request_from_outside{
        never, *self->requested_, self->nodes_.self()});
    if (self->forced_)
      self->tell_coordinator(*self->forced_);
  };
  // Each may keep the coordinator for a while, which has to end things in time.
  auto next_report = std::numeric_limits<std::int64_t>::min();
  auto report_is_due = false;
  auto ask_for_report = [&] {
    if (report_is_due)
      return;
    auto ask = [&, run = self.get()] {
      report_is_due = false;
      next_report = time.elapsed() + least_time_between_reports;
      if (run->coordinator_)
        caf::anon_send(run->coordinator_, report_request{});
      else
        run->others_->give_report();
    };
    if (time.elapsed() >= next_report) {
      ask();
    } else {
      report_is_due = true;
      time.call_at(next_report, ask);
    }
  };
  time.run(
    {start_nodes, [&](auto node) { self->actors_[node]->signal(); },
     [&](auto signal, auto count) { self->on_signal(signal, count); },
     ask_for_report},
    self->options_.signals, self->options_.sighup);
  auto status = 0;
  {
    std::lock_guard guard{self->mutex_};
    self->has_actors_ = false;
    // Nobody says so where there is no coordinator.
    self->summary_.stage = application_stage::over;
    status = self->summary_.status;
  }
  if (self->others_) {
    self->others_->close_links();
    self->coordinator_log_->debug(
      "this process {}", to_string(self->own_report()));
  }
  // Others may still send what is for the nodes.
  if (self->others_)
    self->others_->close();
  self->handles_.clear();
  self->coordinator_ = nullptr;
  if (self->trace_) {
    self->trace_->end(status);
    if (!self->trace_->flush())
      status = self->trace_lost(status);
  }
  self->log_->flush();
  return status;
}

int runtime::trace_lost(int status) {
  auto what
    = options_.trace.empty()
        ? std::string{"the trace"}
        : "the trace '" + options_.trace + "'";
  // Whoever asked for a trace must not take this for a success.
  auto result = status == 0 ? 1 : status;
  coordinator_log_->error(
    "{} is not complete: it could not be written (is the disk full?); the "
    "status is {}",
    what, result);
  set_reason(what + " could not be written");
  set_stage(application_stage::over, forever, result);
  return result;
}

bool runtime::has_left(engine::node_id id) const noexcept {
  return has_gone(stages_[id].load());
}

node_handle runtime::handle_of(engine::node_id id) const {
  return id < handles_.size() ? handles_[id] : node_handle{};
}

void runtime::finish(int status) {
  set_stage(application_stage::over, forever, status);
  if (!others_) {
    time_.finish();
    return;
  }
  auto final = forever;
  {
    std::lock_guard guard{mutex_};
    final = summary_.final;
  }
  others_->end_all(status, final, options_.grace_period, [this] {
    time_.finish();
  });
}

void runtime::give_up(int status) {
  limit_last_words(status);
  give_last_report();
  coordinator_log_->critical("the process ends with status {}", status);
  log_->flush();
  if (trace_)
    trace_->flush();
  if (others_)
    others_->kill_others();
  std::_Exit(status);
}

std::uint64_t runtime::progress() const noexcept {
  std::uint64_t result = 0;
  for (auto i : local_)
    result += node_access::engine(*nodes_.find(i)).progress();
  for (engine::process_id i = 0; i < process_count(); ++i)
    result += progress_[i].load(std::memory_order_relaxed);
  return result;
}

// -- for the coordinator's deadlines
// -------------------------------------------

std::uint64_t runtime::call_overdue(
  std::int64_t ns, std::uint64_t deadline, bool look) {
  return time_.call_at(ns, [this, deadline, look] {
    if (look)
      caf::anon_send(coordinator_, look_at_progress{deadline});
    else
      caf::anon_send(coordinator_, stage_overdue{deadline});
    expect_life();
  });
}

// -- from outside -------------------------------------------------------------

void runtime::request_from_outside(int signal) {
  std::lock_guard guard{mutex_};
  requested_ = signal;
  if (has_actors_)
    tell_coordinator(rosia::request_from_outside{never, signal, nodes_.self()});
}

void runtime::force_from_outside(int status) {
  std::lock_guard guard{mutex_};
  forced_ = force_application{status, "a request from outside", {}};
  if (has_actors_)
    tell_coordinator(*forced_);
}

// -- for the coordinator and the nodes ----------------------------------------

void runtime::set_stage(engine::node_id id, node_stage x) noexcept {
  auto& stage = stages_[id];
  auto old = stage.load(std::memory_order_relaxed);
  while (!has_gone(old)
         && !stage.compare_exchange_weak(old, x, std::memory_order_release)) {
    // again
  }
}

void runtime::set_stage(application_stage x, logical_time final, int status) {
  std::lock_guard guard{mutex_};
  if (summary_.stage == application_stage::over && x != summary_.stage)
    return;
  summary_.stage = x;
  summary_.final = std::min(summary_.final, final);
  summary_.status = status;
}

void runtime::set_reason(const std::string& x) {
  std::lock_guard guard{mutex_};
  if (summary_.reason.empty())
    summary_.reason = x;
}

void runtime::prepare_last_report() {
  last_look_ = new_observation();
  for (auto i : local_)
    if (!has_gone(stages_[i]))
      actors_[i]->observe(*last_look_);
}

void runtime::last_words(const engine::node& x) {
  if (last_look_ && !last_look_->knows(x.id()))
    last_look_->put(x.id(), x.look());
}

// -- several processes --------------------------------------------------------

bool runtime::begin_together(const std::shared_ptr<runtime>& self) {
  auto ended = false;
  try {
    auto at = others_->begin(self);
    std::lock_guard guard{mutex_};
    time_.start(at);
    return true;
  } catch (const ended_early& e) {
    coordinator_log_->info(
      "the application ends before it has started: {}", e.what());
    ended = true;
  } catch (const std::runtime_error& e) {
    coordinator_log_->error("the application does not start: {}", e.what());
  }
  {
    std::lock_guard guard{mutex_};
    time_.start();
  }
  if (coordinator_)
    caf::anon_send_exit(coordinator_, caf::exit_reason::kill);
  orphaned_ = true;
  trace_unstarted(ended);
  force_nodes();
  if (ended) {
    set_stage(application_stage::forced, forever, 0);
    others_->dismiss();
  }
  return false;
}

void runtime::force(engine::process_id process) {
  if (forced_processes_[process])
    return;
  forced_processes_[process] = true;
  std::string reason;
  {
    std::lock_guard guard{mutex_};
    reason = summary_.reason;
  }
  others_->force(process, std::move(reason));
}

void runtime::tell_of_loss(const process_lost& x) {
  caf::anon_send(coordinator_, x);
  expect_life();
}

void runtime::tell_others(const std::string& why) {
  if (others_)
    others_->tell_others(why);
}

void runtime::say(spdlog::level::level_enum level, const std::string& text) {
  auto done = std::make_shared<std::atomic<bool>>(false);
  expect([done] { return done->load(); });
  coordinator_log_->log(level, "{}", text);
  *done = true;
}

void runtime::end_by_force(const std::string& reason, int status) {
  set_reason(reason);
  say(spdlog::level::err,
      (reason.empty() ? "the coordinator has given no reason" : reason)
        + ": this process aborts");
  force_nodes(status);
}

std::vector<engine::node_id> runtime::lose(engine::process_id process) {
  others_->lose(process);
  {
    std::lock_guard guard{mutex_};
    summary_.processes[process].problem = "is gone";
  }
  std::vector<engine::node_id> result;
  for (engine::node_id i = 0; i < nodes_.size(); ++i)
    if (nodes_.home(i) == process)
      result.push_back(i);
  return result;
}

void runtime::ask_progress() {
  if (others_)
    others_->ask_progress();
}

void runtime::set_progress(
  engine::process_id process, std::uint64_t x) noexcept {
  if (process < process_count())
    progress_[process].store(x, std::memory_order_relaxed);
}

void runtime::force_nodes(int status) {
  prepare_last_report();
  set_stage(application_stage::forced, forever, status);
  for (auto i : local_) {
    set_stage(i, node_stage::forced);
    caf::anon_send(handles_[i], force_shutdown_message{});
  }
  watch_nodes();
  if (orphaned_ && alive_ == 0)
    time_.finish();
}

void runtime::coordinator_lost(const std::string& how, int status) {
  if (orphaned_)
    return;
  others_->hurry();
  // It may have told this process to abort, and be through with it.
  if (summary().stage != application_stage::forced)
    end_by_force("the coordinator " + how, status);
  // Not before the status is set: from here on the last node that leaves ends
  // the run.
  orphaned_ = true;
  if (alive_ == 0)
    time_.finish();
}

void runtime::end_here(int status, logical_time final) {
  auto stage = summary().stage;
  if (status != 0 && stage != application_stage::forced)
    say(spdlog::level::info,
        "the application has ended with status " + std::to_string(status));
  set_stage(application_stage::over, final, status);
  time_.finish();
}

process_report_reply runtime::local_report() {
  auto seen = last_look_ ? last_look_ : observe_nodes();
  process_report_reply result{own_report(), {}};
  seen->each([&](auto id, auto stage, auto* state) {
    if (nodes_.find(id) != nullptr)
      result.nodes.emplace_back(id, describe(id, stage, state));
  });
  return result;
}

process_report runtime::own_report() const {
  process_report result{nodes_.processes()[nodes_.self()]};
  auto sent = others_->sent();
  if (!sent)
    return result; // it has not begun yet
  result.messages = sent->messages;
  result.parcels = sent->frames - sent->without_messages;
  result.control_parcels = sent->without_messages;
  return result;
}

void runtime::note(engine::process_id process, process_report x) {
  std::lock_guard guard{mutex_};
  x.name = nodes_.processes()[process];
  summary_.processes[process] = std::move(x);
}

void runtime::note_exit() {
  if (alive_.fetch_sub(1) == 1 && orphaned_)
    time_.finish();
}

bool runtime::note_vanished(const caf::down_msg& x) {
  // The handles are in the order of their actors' numbers.
  auto i = std::lower_bound(
    local_.begin(), local_.end(), x.source.id(),
    [this](auto id, caf::actor_id y) { return handles_[id].id() < y; });
  if (i == local_.end() || handles_[*i].id() != x.source.id()
      || has_gone(stages_[*i]))
    return false;
  auto name = nodes_.name(*i);
  coordinator_log_->error(
    "node '{}' vanished; another part of the program ended its actor: {}", name,
    caf::to_string(x.reason));
  set_stage(*i, node_stage::vanished);
  // Its actor, which did not get to do this, is about to be destroyed.
  node_access::inbox(at(*i)).close();
  node_access::environment(at(*i), nullptr);
  tell_coordinator(
    node_force_shutdown_request{*i, 1, "node '" + name + "' vanished"});
  tell_coordinator(exit_message{*i, engine::ending::aborted, never});
  note_exit();
  return true;
}

void runtime::watch_nodes() {
  auto end = saturating_add(
    logical_time{time_.elapsed(), 0},
    delay{options_.grace_period + silence_after_grace_period});
  time_.call_at(end.ns, [this] {
    if (alive_ == 0)
      return;
    limit_last_words(129);
    coordinator_log_->critical(
      "nodes of this process did not end within grace_period ({})",
      time_text(options_.grace_period));
    give_up(129);
  });
}

// -- reports ------------------------------------------------------------------

const node_report* runtime::foreign_report(engine::node_id id) {
  // All at once: those that do not answer cost the same time together as one.
  if (foreign_reports_.empty()
      || time_.elapsed() - foreign_reports_at_ > least_time_between_reports) {
    foreign_reports_ = others_->ask_for_reports(1, process_count());
    foreign_reports_at_ = time_.elapsed();
  }
  auto& reports = foreign_reports_[nodes_.home(id)];
  if (!reports)
    return nullptr;
  for (auto& [other, x] : reports->nodes)
    if (other == id)
      return &x;
  return nullptr;
}

report runtime::look() {
  auto all = others_ ? others_->ask_for_report_of_all() : std::nullopt;
  if (!all)
    return look_here();
  if (!*all)
    return look_alone(all->error());
  // There is nothing to tell before the start and after the end.
  return (*all)->nodes.empty() ? look_here() : std::move(**all);
}

report runtime::look_here() {
  return make_report(*observe_nodes());
}

report runtime::look_alone(const caf::error& why) {
  auto result = look_here();
  auto problem
    = orphaned_ || why != caf::sec::request_timeout
        ? std::string{"is gone"}
        : "did not answer within "
            + time_text(session::patience_with_coordinator);
  for (engine::process_id i = 0; i < result.processes.size(); ++i)
    if (i != nodes_.self())
      result.processes[i].problem
        = i == 0 ? problem : "only the coordinator knows its state";
  return result;
}

report runtime::complete(report x, const answers& of_others) {
  for (engine::process_id i = 1; i < process_count(); ++i)
    add(x, i, of_others[i]);
  return x;
}

void runtime::add(report& to, engine::process_id process,
                  const std::optional<process_report_reply>& x) {
  auto self = x ? x->self : process_report{};
  if (others_->has_lost(process))
    self.problem = "is gone";
  else if (!x)
    self.problem
      = "did not answer within " + time_text(session::patience_with_process);
  note(process, self);
  self.name = nodes_.processes()[process];
  to.processes[process] = std::move(self);
  if (!x)
    return;
  for (auto& [id, node] : x->nodes) {
    if (id >= nodes_.size() || nodes_.home(id) != process)
      continue;
    // How far it has come in the protocol is known here.
    auto stage = to.nodes[id].stage;
    to.nodes[id] = node;
    to.nodes[id].stage = stage;
    to.nodes[id].process = nodes_.processes()[process];
  }
}

std::shared_ptr<observation> runtime::observe_nodes() {
  auto seen = new_observation();
  {
    std::lock_guard guard{mutex_};
    if (has_actors_)
      for (auto i : local_)
        if (!has_gone(stages_[i]) && !actors_[i]->observe(*seen))
          caf::anon_send(handles_[i], observation_request{seen});
  }
  // A node that leaves in the meantime does not answer any more.
  for (auto end = timekeeper::clock::now() + patience;
       timekeeper::clock::now() < end;) {
    auto missing = false;
    seen->each([&](auto id, auto, auto* state) {
      missing
        = missing
          || (state == nullptr && nodes_.find(id) != nullptr
              && !has_gone(stages_[id]));
    });
    if (!missing)
      break;
    seen->wait(pause_between_looks);
  }
  return seen;
}

report runtime::summary() const {
  std::unique_lock guard{mutex_};
  auto result = summary_;
  result.elapsed = std::chrono::nanoseconds{time_.elapsed()};
  guard.unlock();
  if (others_)
    result.processes[nodes_.self()] = own_report();
  return result;
}

bool runtime::verbose_end() const {
  return options_.verbose_end
         || coordinator_log_->should_log(spdlog::level::debug);
}

void runtime::give(const report& x) {
  give(x, to_string(x, nodes_in_log));
}

void runtime::give(const report& x, const std::string& text) {
  coordinator_log_->info("{}", text);
  if (!options_.report.empty())
    try {
      write_report(options_.report, x);
    } catch (const std::system_error& e) {
      coordinator_log_->error("{}", e.what());
    }
}

void runtime::give_last_report() {
  if (!last_look_)
    return;
  auto result = make_report(*last_look_);
  if (nodes_.self() == 0 && others_)
    result = complete(
      std::move(result), others_->ask_for_reports(1, process_count()));
  give(result, verbose_end() ? to_string(result, nodes_in_log)
                             : short_text(result, nodes_in_log));
}

std::string runtime::describe(engine::node_id id) {
  if (nodes_.find(id) != nullptr)
    return to_string(describe(id, stages_[id].load(), nullptr));
  if (auto* x = foreign_report(id))
    return to_string(*x) + place_of(id);
  return "its state is unknown" + place_of(id);
}

void runtime::watch_lag() {
  auto now = time_.elapsed();
  auto busy = busy_nodes();
  auto found = lag_watch_->look(now, busy);
  std::string others;
  if (!found.named.empty())
    if (auto count = found.waiting + count_idle_late(busy); count > 0)
      others = "; " + plural(count, "other node is", "other nodes are")
               + " behind, too";
  for (auto& x : found.named) {
    auto behind = std::chrono::floor<std::chrono::milliseconds>(
      std::chrono::nanoseconds{x.behind});
    auto text = fmt::format(
      "node '{}' {} {}, more than lag_warn ({}) allows: {}{}",
      nodes_.name(x.node),
      x.runs ? "is behind physical time by"
             : "has been waiting for a worker for",
      time_text(behind), time_text(*options_.lag_warn), describe(x.node),
      others);
    // If nobody reads the log, a process must not hang in here for ever; the
    // coordinator is watched when it matters.
    if (coordinator_)
      coordinator_log_->warn("{}", text);
    else
      say(spdlog::level::warn, text);
  }
  watch_lag_later();
}

void runtime::watch_lag_later() {
  time_.call_at(time_.elapsed() + lag_watch_->pause(), [this] {
    if (coordinator_)
      caf::anon_send(coordinator_, look_at_lag{});
    else
      others_->watch_lag();
  });
}

std::vector<lag_watch::sight> runtime::busy_nodes() const {
  std::vector<lag_watch::sight> result;
  std::lock_guard guard{mutex_};
  if (!has_actors_)
    return result;
  for (auto i : local_) {
    if (has_gone(stages_[i]))
      continue;
    auto doing = node_access::engine(*nodes_.find(i)).doing();
    if (doing.running || actors_[i]->waits_for_worker())
      result.push_back({i, doing.running, doing.count,
                        std::max<std::int64_t>(doing.tag.ns, 0)});
  }
  return result;
}

std::size_t runtime::count_idle_late(
  const std::vector<lag_watch::sight>& busy) {
  auto seen = new_observation();
  {
    std::lock_guard guard{mutex_};
    if (!has_actors_)
      return 0;
    auto next = busy.begin();
    for (auto i : local_) {
      if (next != busy.end() && next->node == i)
        ++next;
      else if (!has_gone(stages_[i]))
        actors_[i]->observe(*seen);
    }
  }
  std::size_t result = 0;
  auto latest = time_.elapsed() - options_.lag_warn->count();
  seen->each([&](auto, auto, auto* state) {
    if (state != nullptr && state->next.ns < latest)
      ++result;
  });
  return result;
}

std::string runtime::place_of(engine::node_id id) const {
  if (id >= nodes_.size() || nodes_.home(id) == nodes_.self())
    return {};
  return " (in process '" + nodes_.processes()[nodes_.home(id)] + "')";
}

bool runtime::runs_code(engine::node_id id) {
  if (auto* x = nodes_.find(id))
    return node_access::engine(*x).doing().running;
  auto* x = foreign_report(id);
  return x != nullptr && x->running;
}

// -- implementation -----------------------------------------------------------

engine::node_config runtime::configure(engine::node_id id) const {
  auto& x = *nodes_.find(id);
  engine::node_config result;
  for (auto* port : node_access::inputs(x))
    result.inputs.push_back(&port->state());
  for (auto* port : node_access::outputs(x))
    result.outputs.push_back(&port->state());
  wiring_.wire(id, result);
  for (auto& y : result.out)
    y.remote = nodes_.home(result.peers[y.peer]) != nodes_.self();
  result.realtime = node_access::realtime(x).value_or(options_.realtime);
  if (options_.lag_warn)
    result.lag_warn = options_.lag_warn->count();
  result.max_in_flight = max_in_flight(options_);
  return result;
}

std::uint32_t runtime::max_in_flight(const options& opts) noexcept {
  return static_cast<std::uint32_t>(
    std::min<std::size_t>(opts.max_in_flight, 1u << 31));
}

void runtime::spawn(const std::shared_ptr<runtime>& self) {
  if (trace_ && options_.stop_after && nodes_.self() == 0) {
    trace_->request(std::nullopt, never, *options_.stop_after, 0);
    trace_->final(*options_.stop_after);
  }
  auto first
    = options_.stop_after ? node_stage::executing : node_stage::running;
  actors_.resize(nodes_.size());
  handles_.resize(nodes_.size());
  alive_ = local_.size();
  if (others_)
    others_->open(*this);
  for (auto i : local_) {
    auto& x = *nodes_.find(i);
    auto handle = system_->spawn<node_runner, caf::lazy_init>(self, x);
    actors_[i] = caf::actor_cast<node_runner*>(handle);
    handles_[i] = std::move(handle);
    auto& engine = node_access::engine(x);
    auto config = configure(i);
    follows_clock_ = follows_clock_ || config.follows_clock();
    auto& code = node_access::body(x);
    engine.init(std::move(config),
                drill_ ? drill_->disturb(x.name(), code, engine) : code,
                *actors_[i], trace_.get());
    if (options_.stop_after)
      engine.take_final(*options_.stop_after, *options_.stop_after);
  }
  for (engine::node_id i = 0; i < nodes_.size(); ++i)
    set_stage(i, first);
  if (nodes_.self() != 0)
    return;
  for (engine::node_id i = 0; i < nodes_.size(); ++i)
    follows_clock_ = follows_clock_ || nodes_.find(i) == nullptr;
  try {
    coordinator_ = spawn_detached<coordinator>(*system_, self);
  } catch (...) {
    // They keep the application, and it keeps them.
    handles_.clear();
    throw;
  }
}

std::shared_ptr<observation> runtime::new_observation() const {
  std::vector<node_stage> stages(nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i)
    stages[i] = stages_[i].load(std::memory_order_acquire);
  return std::make_shared<observation>(std::move(stages));
}

report runtime::make_report(const observation& x) {
  auto result = summary();
  result.nodes.reserve(nodes_.size());
  x.each([&](auto id, auto stage, auto* state) {
    if (nodes_.find(id) != nullptr) {
      result.nodes.push_back(describe(id, stage, state));
      return;
    }
    auto home = nodes_.home(id);
    auto& node = result.nodes.emplace_back();
    node.name = nodes_.name(id);
    node.process = nodes_.processes()[home];
    // It may have been lost after that was looked at.
    node.stage = others_->has_lost(home) ? node_stage::lost : stage;
    node.has_left = has_gone(node.stage);
  });
  return result;
}

node_report runtime::describe(
  engine::node_id id, node_stage stage, const engine::snapshot* state) const {
  auto& x = *nodes_.find(id);
  node_report result;
  result.name = x.name();
  if (others_)
    result.process = nodes_.processes()[nodes_.self()];
  result.stage = stage;
  result.has_left = has_gone(stages_[id].load(std::memory_order_acquire));
  result.inbox = node_access::inbox(x).size();
  auto doing = state != nullptr ? state->doing : node_access::engine(x).doing();
  if (doing.count > 0) {
    result.code = code_name(x, doing.code);
    result.code_tag = doing.tag;
    result.running = doing.running;
  }
  if (doing.running)
    result.running_for = std::chrono::nanoseconds{
      std::max<std::int64_t>(time_.elapsed() - doing.since, 0)};
  if (state == nullptr)
    return result;
  result.complete = true;
  result.logical = state->logical;
  result.stat = state->stat;
  result.next = state->next;
  result.outside = state->outside;
  result.yielded = state->yielded;
  for (auto [input, size] : state->queues)
    result.queues.emplace_back(node_access::inputs(x)[input]->name(), size);
  auto& held = state->held_back;
  result.held_back_by = public_name(held.what);
  result.bound = held.bound;
  switch (held.what) {
    case engine::blocker::kind::loop:
      result.waits_for = nodes_.name(held.node);
      [[fallthrough]];
    case engine::blocker::kind::input:
    case engine::blocker::kind::sender:
      if (held.connection != engine::blocker::no_connection) {
        auto& c = graph_.connections()[held.connection];
        result.port = node_access::inputs(x)[c.input]->name();
        if (c.source == held.node)
          result.waits_for = nodes_.path(c.source, true, c.output);
      }
      break;
    case engine::blocker::kind::receiver: {
      auto& c = graph_.connections()[held.connection];
      result.port = node_access::outputs(x)[c.output]->name();
      result.waits_for = nodes_.path(c.target, false, c.input);
      break;
    }
    default:
      break;
  }
  return result;
}

void runtime::on_signal(int signal, int count) {
  if (count == 1)
    tell_coordinator(rosia::request_from_outside{never, signal, nodes_.self()});
  else {
    auto where
      = nodes_.self() == 0
          ? std::string{}
          : " to process '" + nodes_.processes()[nodes_.self()] + "'";
    tell_coordinator(force_application{
      second_signal_status, "a second signal" + where,
      "signal " + std::to_string(signal) + " again" + where
        + ": the application is aborted"});
    if (!coordinator_)
      expect_force();
  }
  expect_life();
}

void runtime::expect_force() {
  auto leave_after = [this](std::chrono::nanoseconds limit, bool forced) {
    auto end = saturating_add(logical_time{time_.elapsed(), 0}, delay{limit});
    time_.call_at(end.ns, [this, limit, forced] {
      if (!forced && summary().stage == application_stage::forced)
        return;
      others_->leave_coordinator(
        "did not end the application within " + time_text(limit)
          + " of a second signal",
        second_signal_status);
    });
  };
  leave_after(session::patience_with_coordinator, false);
  leave_after(options_.grace_period + silence_after_grace_period, true);
}

void runtime::expect_life() {
  if (!coordinator_)
    return; // it is elsewhere, and its process watches it
  auto number = ++expected_;
  caf::anon_send(coordinator_, ping{number});
  expect([this, number] { return pong_.load() >= number; });
}

void runtime::expect(std::function<bool()> check) {
  auto end = saturating_add(
    logical_time{time_.elapsed(), 0},
    delay{options_.grace_period + silence_after_grace_period});
  time_.call_at(end.ns, [this, check = std::move(check)] {
    if (check())
      return;
    // Perhaps the process was stopped for all that time.
    time_.call_at(time_.elapsed() + silence_after_stop.count(), [check] {
      if (!check())
        std::_Exit(129);
    });
  });
}

} // namespace caf::rosia::detail
