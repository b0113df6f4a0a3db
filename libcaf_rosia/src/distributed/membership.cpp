// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/membership.hpp"

#include "base/build_id.hpp"
#include "base/checkpoint_signal.hpp"
#include "base/duration.hpp"
#include "base/secret.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "compat/spawn_detached.hpp"
#include "config/process_options.hpp"
#include "distributed/local_processes.hpp"
#include "distributed/role.hpp"
#include "distributed/validation.hpp"
#include "drills/drill.hpp"
#include "network/sockets.hpp"
#include "time/clocks.hpp"

#include <algorithm>
#include <csignal>
#include <mutex>
#include <set>
#include <stdexcept>

namespace caf::rosia::detail {

namespace {

using std::chrono::nanoseconds;
using clock = std::chrono::steady_clock;

/// Time for this process's actor to answer.
constexpr std::chrono::seconds patience_with_actor{5};

/// Time limit for a process that connects to say its name.
constexpr auto patience_with_hello = process_connector::longest_attempt;

/// Time for other processes to learn that the application does not start.
constexpr std::chrono::seconds patience_with_dismissed{1};

[[noreturn]] void fail(const std::string& problem) {
  throw std::runtime_error(problem);
}

/// Claims the actor system for one distributed application. Two processes have
/// one connection only, which remains open after an application.
/// @returns whether this is the first application of the system.
bool claim(caf::actor_system& sys) {
  static std::mutex mutex;
  static std::set<caf::actor_system*> used;
  std::lock_guard guard{mutex};
  if (!used.insert(&sys).second)
    return false;
  // One of CAF's own actors, which exits with the system.
  caf::actor_cast<caf::abstract_actor*>(sys.spawn_serv())
    ->attach_functor([ptr = &sys](const caf::error&) {
      std::lock_guard other_guard{mutex};
      used.erase(ptr);
    });
  return true;
}

/// Throws if there is a problem.
template <class Reply>
void require_good(const Reply& x) {
  if (x.ended)
    throw ended_early{x.problem};
  if (!x.problem.empty())
    fail(x.problem);
}

/// Lets the actor call a function with a callback, and waits for the callback's
/// argument.
/// @param problem thrown if the callback is not called in time.
template <class T, class Fun>
T await(const process_handle& actor, clock::time_point deadline, Fun&& fun,
        const std::string& problem) {
  auto promise = std::make_shared<std::promise<T>>();
  auto result = promise->get_future();
  process_actor::call(
    actor, [fun = std::forward<Fun>(fun), promise](process_actor& x) mutable {
      fun(x, [promise](T y) { promise->set_value(std::move(y)); });
    });
  if (result.wait_until(deadline) == std::future_status::ready)
    return result.get();
  // The coordinator can name the missing processes.
  process_actor::call(actor, [](process_actor& x) { x.give_up_waiting(); });
  if (result.wait_for(patience_with_actor) == std::future_status::ready)
    return result.get();
  fail(problem);
}

} // namespace

// -- constructors, destructors ------------------------------------------------

membership::membership(
  const options& opts, caf::actor_system& sys,
  std::shared_ptr<spdlog::logger> log, std::shared_ptr<drill> rehearsal)
  : system_(&sys), options_(opts), log_(std::move(log)),
    drill_(std::move(rehearsal)), token_(token_of(opts)) {
  // nop
}

membership::membership(
  caf::actor_system& sys, const options& opts,
  std::shared_ptr<spdlog::logger> log, std::shared_ptr<drill> rehearsal,
  starting_point start)
  : membership(opts, sys, std::move(log), std::move(rehearsal)) {
  if (!claim(sys))
    fail("an actor system runs one application over several processes, and "
         "this one has done so already; run the other one without them, or in "
         "a program of its own");
  if (!sys.has_middleman())
    fail("the actor system has no middleman, which carries messages between "
         "processes: load it (cfg.load<caf::io::middleman>()), or use "
         "rosia::exec_main");
  signals_ = std::make_unique<joining_signals>(options_, log_, [this] {
    kill_others();
  });
  if (opts.network.join.empty())
    coordinate(std::move(start));
  else
    find_coordinator();
}

membership::~membership() {
  signals_.reset();
  if (started_others_)
    local_processes::forget_owner();
  if (!actor_)
    return;
  connector_->close(actor_);
  process_actor::call(actor_, [](process_actor& x) { x.leave(); });
  // The actor system stops the middleman, and waits for the actor. So the
  // middleman must release the actor first.
  actor_ = known_.coordinator = nullptr;
  life_.wait_for(patience_with_actor);
}

void membership::make_connector(std::size_t processes) {
  connector_ = std::make_unique<process_connector>(
    *system_, options_, token_, processes, log_, frames_);
}

void membership::spawn(process_actor::settings&& init) {
  auto life = std::make_shared<std::promise<void>>();
  life_ = life->get_future();
  init.life
    = std::shared_ptr<void>{life.get(), [life](void*) { life->set_value(); }};
  actor_ = spawn_detached<process_actor>(*system_, std::move(init));
  signals_->report_to(actor_);
}

// -- the coordinator ----------------------------------------------------------

void membership::coordinate(starting_point&& start) {
  auto& names = known_.processes;
  names = all_process_names(options_);
  auto sorted = names;
  std::sort(sorted.begin(), sorted.end());
  if (auto twin = std::adjacent_find(sorted.begin(), sorted.end());
      twin != sorted.end())
    fail("two processes have the name '" + *twin
         + "'; give one of them another name");
  if (names.size() == 1)
    fail("rosia.network.listen: the coordinator must know the other processes: "
         "name "
         "them with rosia.network.expect");
  if (token_.empty() && starts_others())
    token_ = random_text(16);
  make_connector(names.size());
  process_actor::settings init;
  init.processes = names;
  init.placement = known_.placement = options_.placement;
  init.token = token_;
  init.join_timeout = options_.network.join_timeout;
  init.handles_signals = options_.signals == signal_behavior::handle;
  auto& shared = init.shared;
  shared.session = random_number();
  shared.realtime = options_.realtime;
  shared.stop_after = options_.stop_after.value_or(never);
  shared.max_in_flight = options_.max_in_flight;
  shared.grace_period = options_.grace_period.count();
  shared.checkpoints = !options_.checkpoint.file.empty();
  if (options_.checkpoint.every)
    shared.checkpoint_every = options_.checkpoint.every->count();
  shared.start = std::move(start);
  shared.watched = !options_.watch.address.empty();
  init.log = log_;
  spawn(std::move(init));
  known_.coordinator = actor_;
  if (starts_others()) {
    address_ = connector_->open(actor_, {});
    start_others();
    return;
  }
  auto where = *parse_address(options_.network.listen);
  address_ = connector_->open(actor_, {where.first, where.second});
  log_->info(
    "waiting for {} at {}", options_.network.expect, to_string(address_));
}

void membership::start_others() {
  std::vector<std::string> names{
    known_.processes.begin() + 1, known_.processes.end()};
  started_others_ = true;
  local_processes::start(
    std::move(names), options_.grace_period,
    [actor = actor_](std::size_t index, int status) {
      send_anonymously(
        actor, child_ended{static_cast<std::uint32_t>(index + 1), status});
    },
    [this](auto& name) {
      auto result = inheritance_of(to_string(address_), name, token_);
      if (options_.signals != signal_behavior::handle)
        return result;
      // A request for a report or a checkpoint to all processes must not kill
      // those that do not handle it yet.
      result.blocked = {SIGUSR1};
      if (auto signal = checkpoint_signal_number(options_.checkpoint.signal))
        result.blocked.push_back(*signal);
      return result;
    });
}

void membership::dismiss(bool in_order) {
  auto seen = std::make_shared<std::promise<void>>();
  auto all = seen->get_future();
  auto status = in_order ? 0 : 1;
  if (coordinates())
    process_actor::call(actor_, [seen, status](process_actor& x) {
      x.end_all({status, forever}, patience_with_dismissed, [seen] {
        seen->set_value();
      });
    });
  else if (in_order)
    process_actor::call(actor_, [seen](process_actor& x) {
      x.wait_for_end([seen] { seen->set_value(); });
    });
  else
    return;
  all.wait_for(coordinates() ? patience_with_actor : patience_with_dismissed);
  if (!in_order)
    kill_others();
  else if (started_others_)
    local_processes::dismiss();
}

void membership::kill_others() noexcept {
  if (started_others_)
    local_processes::kill_all();
}

// -- the other processes ------------------------------------------------------

void membership::find_coordinator() {
  // The number of processes is not known yet.
  make_connector(most_processes);
  known_ = coordinator_search{*system_,    options_,  token_,
                              *connector_, *signals_, *log_}
             .run();
  process_actor::settings init;
  init.processes = known_.processes;
  init.self = known_.self;
  init.token = token_;
  init.join_timeout = options_.network.join_timeout;
  init.log = log_;
  spawn(std::move(init));
  process_actor::call(actor_, [hub = known_.coordinator](process_actor& x) {
    x.know(0, hub);
  });
  process_address own;
  if (!options_.network.listen.empty()) {
    auto [host, port] = *parse_address(options_.network.listen);
    own = {host, port};
  } else if (auto where = coordinator_address(options_);
             !is_local_name(where.host)) {
    own.host = local_address_towards(where.host, where.port);
  }
  address_ = connector_->open(actor_, own);
}

// -- before the start ---------------------------------------------------------

join_reply membership::join(join_request request) {
  signals_->check();
  request.token = token_;
  request.process = self();
  request.build = build_id();
  request.address = address_;
  auto reply = await<join_reply>(
    actor_, deadline(),
    [request = std::move(request)](process_actor& self, auto done) mutable {
      self.join(std::move(request), std::move(done));
    },
    "the coordinator did not let this process join in time");
  require_good(reply);
  addresses_ = reply.addresses;
  if (coordinates() && !starts_others())
    log_->info("all processes joined");
  return reply;
}

std::vector<process_handle> membership::meet(
  const std::vector<engine::process_id>& processes) {
  // Each pair of processes has one connection, made by the later process. The
  // coordinator is connected with all.
  for (auto i : processes)
    if (i > 0 && i < self()) {
      auto name = "process '" + known_.processes[i] + "'";
      if (drill_)
        drill_->redirect(
          known_.processes[i], addresses_[i].host, addresses_[i].port);
      auto other = connector_->connect(
        addresses_[i], deadline(), name, *signals_,
        // The coordinator may have decided against the start.
        [this](auto&) { check_start(); });
      auto problem = await<std::string>(
        actor_, clock::now() + 2 * patience_with_hello,
        [i, other](process_actor& self, auto then) {
          self.say_hello(i, other, patience_with_hello, std::move(then));
        },
        "no answer from " + name);
      check_start();
      if (!problem.empty())
        fail("what answers at " + to_string(addresses_[i]) + " is not " + name
             + ": " + problem);
    }
  auto result = await<std::vector<process_handle>>(
    actor_, deadline(),
    [processes](process_actor& self, auto done) {
      self.meet(processes, std::move(done));
    },
    "not all of the other processes have connected to this one, '"
      + known_.processes[self()] + "' at " + to_string(address_)
      + ", within network.join_timeout: can they reach it?");
  check_start();
  return result;
}

void membership::check_start() {
  require_good(await<start_reply>(
    actor_, clock::now() + patience_with_actor,
    [](process_actor& self, auto done) { done(self.prospects()); },
    "no message from this process itself"));
}

std::int64_t membership::wait_for_start() {
  signals_->check();
  log_->debug("this process is ready; the application starts when all are");
  auto reply = await<start_reply>(
    actor_, deadline(),
    [](process_actor& self, auto done) { self.be_ready(std::move(done)); },
    "the coordinator did not start the application in time");
  require_good(reply);
  auto now = shown_by<clock>();
  if (auto problem = problem_of(reply, now + known_.ahead); !problem.empty())
    fail("the coordinator " + impossible(problem));
  // Corrects for the coordinator's clock, and for that of a drill.
  auto at
    = clock::time_point{nanoseconds{reply.at - known_.ahead - clocks_ahead()}};
  log_->debug("the application starts in {}", time_text(at - clock::now()));
  // Signals are still handled: the first one requests an end, and the second
  // one ends the process.
  signals_->pause_until(at);
  signals_->stop();
  return std::min(at, clock::now()).time_since_epoch().count();
}

void membership::close() {
  auto done = std::make_shared<std::promise<void>>();
  auto result = done->get_future();
  // If the actor exited, the promise is destroyed with the call.
  process_actor::call(actor_, [done = std::move(done)](process_actor& x) {
    x.stop_serving();
    done->set_value();
  });
  result.wait_for(patience_with_actor);
}

clock::time_point membership::deadline() const {
  // The other processes wait for the coordinator's decision.
  auto result = clock::now() + options_.network.join_timeout;
  return coordinates() ? result : result + patience_with_actor;
}

} // namespace caf::rosia::detail
