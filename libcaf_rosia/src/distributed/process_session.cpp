// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/process_session.hpp"

#include "caf/rosia/detail/sending.hpp"
#include "compat/actor_calls.hpp"
#include "distributed/process_actor.hpp"
#include "distributed/validation.hpp"
#include "runtime/node_runner.hpp"
#include "runtime/run_context.hpp"

#include <caf/actor_cast.hpp>
#include <caf/scoped_actor.hpp>

#include <utility>

namespace caf::rosia::detail {

namespace {

/// Up to this number of messages, a fast node handles them in less time than
/// waking another thread takes.
constexpr std::size_t few_messages = 1024;

} // namespace

// -- constructors, destructors ------------------------------------------------

process_session::process_session(caf::actor_system& sys, membership& group,
                                 std::uint64_t number, std::size_t processes)
  : system_(&sys), group_(&group), number_(number), self_(group.self()),
    peers_(processes), own_address_(group.actor().address()),
    lost_(std::make_unique<std::atomic<bool>[]>(processes)),
    progress_(std::make_unique<std::atomic<std::uint64_t>[]>(processes)),
    aborted_(processes), own_process_(group.actor()) {
  // nop
}

process_session::~process_session() {
  // nop
}

// -- from start to end --------------------------------------------------------

void process_session::meet(const std::vector<engine::process_id>& processes) {
  peers_ = group_->meet(processes);
}

void process_session::open(run_context& run) {
  run_ = &run;
  auto& nodes = run.nodes();
  runner_ = std::make_shared<network_runner>(*system_, nodes.size());
  auto links = std::make_unique<gateway>(
    number_, group_->links_to(peers_), nodes, run.graph(),
    run_context::max_in_flight(run.opts()),
    gateway::local{
      [this](auto id, std::size_t messages) {
        auto& executor = run_->actors().runner_at(id).runs_on();
        if (messages <= few_messages)
          runner_->wake(id, executor, messages);
        else
          executor.signal();
        return !run_->progress().stages.has_left(id);
      },
      [this](auto id) {
        return run_->actors().runner_at(id).runs_on().awaits_promises();
      },
      system_, &run.progress().unexecuted, group_->frames(),
      [this](auto process, auto problem) {
        process_actor::call(
          group_->actor(),
          [process, problem = std::move(problem)](process_actor& x) {
            x.blame(process, problem);
          });
      }});
  std::lock_guard guard{mutex_};
  gateway_ = std::move(links);
}

std::int64_t process_session::begin(const std::shared_ptr<runtime>& run) {
  process_actor::call(group_->actor(), [run](process_actor& x) {
    x.serve(run);
  });
  return group_->wait_for_start();
}

void process_session::dismiss() {
  group_->dismiss(true);
}

void process_session::close_links() {
  {
    std::lock_guard guard{mutex_};
    own_process_ = nullptr;
  }
  if (!gateway_)
    return;
  gateway_->close();
  runner_->close();
}

void process_session::close() {
  group_->close();
}

void process_session::end_all(
  int status, logical_time final, std::chrono::nanoseconds patience,
  std::function<void()> done) {
  process_actor::call(
    group_->actor(),
    [over = over_message{status, final}, patience, done = std::move(done)](
      process_actor& x) { x.end_all(over, patience, done); });
}

void process_session::hurry() {
  group_->hurry();
}

void process_session::kill_others() noexcept {
  group_->kill_others();
}

// -- messages of nodes --------------------------------------------------------

void process_session::send(engine::node_id from, engine::node_id to,
                           std::vector<engine::envelope>& batch) {
  gateway_->send(from, to, batch);
}

void process_session::note_restored(
  std::uint32_t connection, std::uint64_t count) {
  gateway_->note_restored(connection, count);
}

void process_session::note_idle(engine::node_id id, bool owes_acks) {
  gateway_->note_idle(id, owes_acks);
}

void process_session::note_exit(engine::node_id id) {
  gateway_->note_exit(id);
}

void process_session::flush() {
  gateway_->flush();
}

std::optional<session::traffic> process_session::sent() const {
  std::lock_guard guard{mutex_};
  if (!gateway_)
    return std::nullopt;
  auto x = gateway_->sent();
  return traffic{x.messages, x.frames, x.without_messages};
}

// -- messages of the protocol -------------------------------------------------

caf::actor process_session::self() const {
  return caf::actor_cast<caf::actor>(own_address_);
}

caf::actor process_session::peer(engine::process_id process) const {
  return caf::actor_cast<caf::actor>(peers_[process]);
}

void process_session::abort(engine::process_id process, std::string reason) {
  if (aborted_[process])
    return;
  aborted_[process] = true;
  if (auto& peer = peers_[process])
    send_from(self(), peer, abort_process{std::move(reason)});
}

void process_session::announce_end(const std::string& reason) {
  for (engine::process_id i = 0; i < peers_.size(); ++i)
    if (peers_[i] && !lost_[i])
      send_from(self(), peers_[i], end_notice{reason});
}

void process_session::request_progress(logical_time final) {
  for (auto& peer : peers_)
    if (peer)
      send_from(self(), peer, progress_request{final});
}

void process_session::note_progress(
  engine::process_id process, std::uint64_t progress) noexcept {
  if (process < peers_.size())
    progress_[process].store(progress, std::memory_order_relaxed);
}

std::uint64_t process_session::progress() const noexcept {
  std::uint64_t result = 0;
  for (engine::process_id i = 0; i < peers_.size(); ++i)
    result += progress_[i].load(std::memory_order_relaxed);
  return result;
}

void process_session::lose(engine::process_id process) {
  lost_[process] = true;
}

bool process_session::has_lost(engine::process_id process) const noexcept {
  return lost_[process];
}

// -- the actor of a process without the coordinator ---------------------------

void process_session::give_report() {
  process_actor::call(group_->actor(), [](process_actor& x) {
    x.give_report();
  });
}

void process_session::watch_lag() {
  process_actor::call(group_->actor(), [](process_actor& x) { x.watch_lag(); });
}

void process_session::leave_coordinator(std::string reason, int status) {
  process_actor::call(
    group_->actor(), [reason = std::move(reason), status](process_actor& x) {
      x.leave_coordinator(reason, status);
    });
}

// -- reports ------------------------------------------------------------------

session::answers process_session::request_reports(
  engine::process_id first, engine::process_id last) {
  caf::scoped_actor self{*system_};
  auto ask = [&](auto& peer) {
    return detail::request(
      *self, peer, patience_with_process, process_report_request{});
  };
  std::vector<std::optional<decltype(ask(peers_.front()))>> pending(last);
  for (auto i = first; i < last; ++i)
    if (peers_[i] && !lost_[i])
      pending[i].emplace(ask(peers_[i]));
  answers result(last);
  for (auto i = first; i < last; ++i)
    if (pending[i])
      std::move(*pending[i])
        .receive(
          [&](process_report_reply& x) {
            auto problem = problem_of(x, way_from(i));
            if (problem.empty())
              result[i] = std::move(x);
            else
              run_->actors().send_to_coordinator(
                transport_error{self_, i, impossible(problem)});
          },
          [](const caf::error&) {
            // It is busy, or lost.
          });
  return result;
}

std::optional<caf::expected<application_report>> process_session::
  request_report_of_all() {
  process_handle hub; // the group may be destroyed already
  {
    std::lock_guard guard{mutex_};
    if (!gateway_)
      return std::nullopt; // nothing to report yet
    hub = self_ == 0 || !own_process_ ? own_process_ : peers_[0];
  }
  if (!hub)
    return std::nullopt;
  caf::scoped_actor self{*system_};
  std::optional<caf::expected<application_report>> result;
  detail::request(
    *self, hub, patience_with_coordinator, application_report_request{})
    .receive(
      [&](application_report& x) {
        // The report was requested here, so an invalid one is dropped without
        // blaming the sender.
        if (!problem_of(x, way_from(0)).empty())
          x.nodes.clear();
        result.emplace(std::move(x));
      },
      [&](const caf::error& e) { result.emplace(e); });
  return result;
}

correspondence process_session::way_from(engine::process_id process) const {
  return {process, self_, peers_.size(), &run_->nodes()};
}

} // namespace caf::rosia::detail
