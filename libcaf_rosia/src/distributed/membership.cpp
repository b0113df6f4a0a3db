// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/membership.hpp"

#include "base/checkpoint_signal.hpp"
#include "base/duration.hpp"
#include "base/secret.hpp"
#include "base/signal_watch.hpp"
#include "base/text.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "caf/rosia/version.hpp"
#include "compat/actor_calls.hpp"
#include "compat/io/process_network.hpp"
#include "compat/spawn_detached.hpp"
#include "config/process_options.hpp"
#include "distributed/local_processes.hpp"
#include "distributed/role.hpp"
#include "distributed/validation.hpp"
#include "drills/drill.hpp"
#include "network/sockets.hpp"
#include "time/clocks.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/scoped_actor.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <set>
#include <stdexcept>
#include <system_error>
#include <thread>

namespace caf::rosia::detail {

namespace {

using std::chrono::nanoseconds;
using clock = std::chrono::steady_clock;

/// Bounds of the pause between attempts to connect, which is doubled each time.
constexpr std::chrono::milliseconds first_pause{10};
constexpr std::chrono::milliseconds longest_pause{1000};

/// Maximum duration of one attempt to connect.
constexpr std::chrono::seconds patience_with_attempt{5};

/// Time limit of the first greeting. Later greetings have more time.
constexpr std::chrono::milliseconds least_patience_with_greeting{100};

/// Time for other processes to learn that the application does not start.
constexpr std::chrono::seconds patience_with_dismissed{1};

/// Time limit for the coordinator's decision whether the application has
/// started, after this process reported a signal.
constexpr nanoseconds patience_with_word = std::chrono::seconds{1};

/// Number of comparisons of the clocks. The fastest answer counts.
constexpr int comparisons = 8;

[[noreturn]] void fail(const std::string& problem) {
  throw std::runtime_error(problem);
}

process_address coordinator_of(const options& opts) {
  if (is_local_name(opts.network.join))
    return {opts.network.join, 0};
  auto [host, port] = *parse_address(opts.network.join);
  return {host, port};
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

/// Returns whether a process is known to be lost.
bool is_gone(const process_handle& x) {
  return caf::actor_cast<caf::abstract_actor*>(x)->getf(
    caf::abstract_actor::is_terminated_flag);
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
  if (result.wait_for(patience_with_attempt) == std::future_status::ready)
    return result.get();
  fail(problem);
}

} // namespace

// -- signals ------------------------------------------------------------------

class membership::early_signals {
public:
  early_signals(membership& owner, signal_behavior behavior, bool sighup)
    : watch_(behavior, wake_.get(), sighup),
      thread_([this, &owner](std::stop_token stop) {
        unblocked_signals unblocked{watch_};
        // Signals that arrived before the request to stop are not lost.
        auto first = 0;
        auto count = 0;
        for (auto last = false; !last;) {
          last = stop.stop_requested();
          watch_.collect([&](int signal) {
            if (signal == SIGUSR1)
              return;
            if (++count == 1)
              first = signal;
            owner.on_signal(signal, count);
          });
          if (last)
            break;
          auto limit = first == 0 ? nanoseconds::max() : patience_with_word;
          auto begin = clock::now();
          wake_.wait(limit);
          if (first != 0 && clock::now() - begin >= limit)
            owner.on_silence(std::exchange(first, 0));
        }
      }) {
    // nop
  }

  ~early_signals() {
    thread_.request_stop();
    wake_.notify();
    thread_.join();
  }

private:
  event_descriptor wake_;
  signal_watch watch_;
  std::jthread thread_;
};

void membership::on_signal(int signal, int count) {
  if (count > 1) {
    log_->warn("signal {} again: the process aborts", signal);
    kill_others();
    std::_Exit(128);
  }
  pause_.note_signal(signal);
  std::lock_guard guard{mutex_};
  if (actor_)
    process_actor::call(actor_, [signal](process_actor& x) {
      x.end_early(signal);
    });
  else
    log_->info(
      "signal {}: the application will not start; a second signal aborts the "
      "end",
      signal);
}

void membership::on_silence(int signal) {
  std::lock_guard guard{mutex_};
  if (actor_)
    process_actor::call(actor_, [signal](process_actor& x) {
      x.end_without_word(signal);
    });
}

void membership::check_signals() {
  if (auto signal = pause_.signal(); signal != 0)
    throw ended_early{"signal " + std::to_string(signal)};
}

void membership::pause(nanoseconds duration) {
  pause_.wait_for(duration);
  check_signals();
}

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
  start_ = std::move(start);
  if (!claim(sys))
    fail("an actor system runs one application over several processes, and "
         "this one has done so already; run the other one without them, or in "
         "a program of its own");
  if (!sys.has_middleman())
    fail("the actor system has no middleman, which carries messages between "
         "processes: load it (cfg.load<caf::io::middleman>()), or use "
         "rosia::exec_main");
  signals_ = std::make_unique<early_signals>(*this, opts.signals, opts.sighup);
  if (opts.network.join.empty())
    coordinate();
  else
    find_coordinator();
}

membership::~membership() {
  signals_.reset();
  if (started_others_)
    local_processes::forget_owner();
  if (!actor_)
    return;
  network_->close(caf::actor_cast<caf::strong_actor_ptr>(actor_));
  process_actor::call(actor_, [](process_actor& x) { x.leave(); });
  // The actor system stops the middleman, and waits for the actor. So the
  // middleman must release the actor first.
  actor_ = hub_ = nullptr;
  life_.wait_for(patience_with_attempt);
}

std::unique_ptr<process_network> membership::make_network(
  std::size_t processes) const {
  process_network::settings init;
  auto local = starts_others() || is_local_name(options_.network.join);
  if (!local && !options_.network.insecure)
    init.tls = tls_files_of(options_, system_->config());
  init.token = token_;
  init.patience = options_.network.connection_timeout;
  init.max_message = options_.network.max_message;
  init.processes = processes;
  init.log = log_;
  init.frames = frames_;
  return std::make_unique<process_network>(*system_, std::move(init));
}

void membership::spawn(process_actor::settings&& init) {
  auto life = std::make_shared<std::promise<void>>();
  life_ = life->get_future();
  init.life
    = std::shared_ptr<void>{life.get(), [life](void*) { life->set_value(); }};
  auto actor = spawn_detached<process_actor>(*system_, std::move(init));
  std::lock_guard guard{mutex_};
  actor_ = std::move(actor);
}

// -- the coordinator ----------------------------------------------------------

void membership::coordinate() {
  processes_ = all_process_names(options_);
  auto sorted = processes_;
  std::sort(sorted.begin(), sorted.end());
  if (auto twin = std::adjacent_find(sorted.begin(), sorted.end());
      twin != sorted.end())
    fail("two processes have the name '" + *twin
         + "'; give one of them another name");
  if (processes_.size() == 1)
    fail("rosia.network.listen: the coordinator must know the other processes: "
         "name "
         "them with rosia.network.expect");
  if (token_.empty() && starts_others())
    token_ = random_text(16);
  network_ = make_network(processes_.size());
  process_actor::settings init;
  init.processes = processes_;
  init.placement = placement_ = options_.placement;
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
  shared.start = start_;
  shared.watched = !options_.watch.address.empty();
  init.log = log_;
  spawn(std::move(init));
  hub_ = actor_;
  if (starts_others()) {
    open_port({});
    start_others();
    return;
  }
  auto where = *parse_address(options_.network.listen);
  open_port({where.first, where.second});
  log_->info(
    "waiting for {} at {}", options_.network.expect, to_string(address_));
}

void membership::start_others() {
  std::vector<std::string> names{processes_.begin() + 1, processes_.end()};
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
  all.wait_for(coordinates() ? patience_with_attempt : patience_with_dismissed);
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
  auto where = coordinator_of(options_);
  // The coordinator does not know this process yet, so a signal ends the search
  // at once.
  auto end = add_saturated(clock::now(), options_.network.join_timeout);
  // The number of processes is not known yet.
  network_ = make_network(most_processes);
  // The coordinator found may be about to exit, and never answer.
  std::chrono::nanoseconds patience = least_patience_with_greeting;
  for (;; patience = std::clamp<nanoseconds>(
            end - clock::now(), first_pause,
            std::min<nanoseconds>(2 * patience, patience_with_attempt))) {
    if (hub_ && is_gone(hub_) && !processes_.empty())
      fail("the coordinator at " + options_.network.join
           + " ended while this process was joining");
    if (!hub_ || is_gone(hub_))
      hub_ = connect(where, end, "the coordinator");
    if (greet(patience))
      break;
    check_signals();
    if (clock::now() > end)
      fail("no answer from the coordinator at " + options_.network.join
           + " within network.join_timeout ("
           + time_text(options_.network.join_timeout) + ")");
  }
  find_own_name();
  process_actor::settings init;
  init.processes = processes_;
  init.self = self_;
  init.token = token_;
  init.join_timeout = options_.network.join_timeout;
  init.log = log_;
  spawn(std::move(init));
  process_actor::call(actor_, [hub = hub_](process_actor& x) {
    x.know(0, hub);
  });
  process_address own;
  if (!options_.network.listen.empty()) {
    auto [host, port] = *parse_address(options_.network.listen);
    own = {host, port};
  } else if (!is_local_name(where.host)) {
    own.host = local_address_towards(where.host, where.port);
  }
  open_port(own);
}

bool membership::greet(nanoseconds patience) {
  auto answered = true;
  auto least = std::numeric_limits<std::int64_t>::max();
  std::int64_t date_ahead = 0;
  for (auto i = 0; i < comparisons && answered; ++i) {
    // A new actor each time: CAF leaks an actor that skipped the timeout of an
    // answered request.
    caf::scoped_actor self{*system_};
    auto sent = shown_by<clock>();
    request(
      *self, hub_, patience,
      greeting_request{std::string{version}, token_, options_.network.process})
      .receive(
        [&](const greeting_reply& x) {
          auto received = shown_by<clock>();
          auto date = shown_by<std::chrono::system_clock>();
          if (!x.problem.empty())
            fail(
              "the coordinator at " + options_.network.join + ": " + x.problem);
          if (auto problem = problem_of(x); !problem.empty())
            fail("the coordinator at " + options_.network.join + ' '
                 + impossible(problem));
          answered = !x.processes.empty();
          if (!answered)
            return; // it is about to exit
          processes_ = x.processes;
          placement_ = x.placement;
          if (received - sent >= least)
            return;
          // The reply was written in the middle of this period, approximately.
          least = received - sent;
          ahead_ = x.steady - (sent + least / 2);
          date_ahead = x.date - (date - least / 2);
        },
        [&](const caf::error&) { answered = false; });
  }
  if (!answered) {
    std::this_thread::sleep_for(first_pause);
    return false;
  }
  nanoseconds off{date_ahead < 0 ? -date_ahead : date_ahead};
  log_->log(
    off > options_.network.clock_warn
      ? spdlog::level::warn
      : spdlog::level::debug,
    "the coordinator's clock is {} {} this one's (to within {})",
    time_text(off), date_ahead < 0 ? "behind" : "ahead of",
    time_text(nanoseconds{least / 2}));
  return true;
}

void membership::find_own_name() {
  auto me = std::find(
    processes_.begin() + 1, processes_.end(), options_.network.process);
  if (me == processes_.end())
    fail(
      "the coordinator at " + options_.network.join
      + " does not expect a process '" + options_.network.process
      + "', but: " + quoted_list({processes_.begin() + 1, processes_.end()}));
  self_ = static_cast<engine::process_id>(me - processes_.begin());
}

// -- before the start ---------------------------------------------------------

join_reply membership::join(join_request request) {
  check_signals();
  request.token = token_;
  request.process = self_;
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
    log_->info("all processes have joined");
  return reply;
}

std::vector<process_handle> membership::meet(
  const std::vector<engine::process_id>& processes) {
  // Each pair of processes has one connection, made by the later process. The
  // coordinator is connected with all.
  for (auto i : processes)
    if (i > 0 && i < self_) {
      auto name = "process '" + processes_[i] + "'";
      if (drill_)
        drill_->redirect(processes_[i], addresses_[i].host, addresses_[i].port);
      auto other = connect(addresses_[i], deadline(), name);
      auto problem = await<std::string>(
        actor_, clock::now() + 2 * patience_with_attempt,
        [i, other](process_actor& self, auto then) {
          self.say_hello(i, other, patience_with_attempt, std::move(then));
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
      + processes_[self_] + "' at " + to_string(address_)
      + ", within network.join_timeout: can they reach it?");
  check_start();
  return result;
}

void membership::check_start() {
  require_good(await<start_reply>(
    actor_, clock::now() + patience_with_attempt,
    [](process_actor& self, auto done) { done(self.prospects()); },
    "no message from this process itself"));
}

std::int64_t membership::wait_for_start() {
  check_signals();
  log_->debug("this process is ready; the application starts when all are");
  auto reply = await<start_reply>(
    actor_, deadline(),
    [](process_actor& self, auto done) { self.be_ready(std::move(done)); },
    "the coordinator did not start the application in time");
  require_good(reply);
  auto now = shown_by<clock>();
  if (auto problem = problem_of(reply, now + ahead_); !problem.empty())
    fail("the coordinator " + impossible(problem));
  // Corrects for the coordinator's clock, and for that of a drill.
  auto at = clock::time_point{nanoseconds{reply.at - ahead_ - clocks_ahead()}};
  log_->debug("the application starts in {}", time_text(at - clock::now()));
  // Signals are still handled: the first one requests an end, and the second
  // one ends the process.
  pause_.wait_until(at);
  signals_.reset();
  return std::min(at, clock::now()).time_since_epoch().count();
}

void membership::hurry() {
  pause_.hurry();
}

void membership::close() {
  auto done = std::make_shared<std::promise<void>>();
  auto result = done->get_future();
  // If the actor exited, the promise is destroyed with the call.
  process_actor::call(actor_, [done = std::move(done)](process_actor& x) {
    x.stop_serving();
    done->set_value();
  });
  result.wait_for(patience_with_attempt);
}

// -- connections --------------------------------------------------------------

void membership::open_port(const process_address& where) {
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(actor_);
  if (starts_others() || is_local_name(options_.network.join)) {
    address_ = {network_->open_locally(actor), 0};
    return;
  }
  try {
    address_ = {where.host, network_->open(actor, where.host, where.port)};
  } catch (const std::system_error& e) {
    auto text = "cannot open the port " + to_string(where) + ": " + e.what();
    if (e.code() == std::errc::address_in_use)
      text += "; end the program that listens there, or choose another port "
              "(rosia.network.listen)";
    else if (e.code() == std::errc::address_not_available)
      text += "; name an address of this machine (rosia.network.listen)";
    fail(text);
  }
}

std::vector<frame_link_ptr> membership::links_to(
  const std::vector<process_handle>& processes) {
  std::vector<frame_link_ptr> result;
  for (auto& x : processes)
    result.push_back(x ? network_->link_to(x.node()) : nullptr);
  return result;
}

process_handle membership::connect(
  const process_address& address, clock::time_point deadline,
  const std::string& name) {
  for (auto pause = first_pause;; pause = std::min(2 * pause, longest_pause)) {
    auto found = network_->connect(
      address.host, address.port,
      std::min(clock::now() + patience_with_attempt, deadline));
    if (found.actor)
      return caf::actor_cast<process_handle>(std::move(found.actor));
    if (found.other_token)
      fail(name + " at " + to_string(address)
           + ": the tokens differ (rosia.network.token): this may be the "
             "coordinator of another application");
    log_->debug("no answer yet from {} at {}: {}", name, to_string(address),
                found.problem);
    if (actor_)
      check_start(); // the coordinator may have decided against it
    else if (found.refused)
      // The coordinator started this process, so it was running before.
      fail(name + " ended while this process was joining");
    if (clock::now() + pause >= deadline)
      fail(
        "cannot reach " + name + " at " + to_string(address)
        + " within network.join_timeout ("
        + time_text(options_.network.join_timeout) + "): "
        + (found.answered
             ? "there is a port, but not one that answers as a process of this "
               "application with a certificate of the same CA ("
                 + found.problem + ')'
             : found.problem));
    this->pause(pause);
  }
}

clock::time_point membership::deadline() const {
  // The other processes wait for the coordinator's decision.
  auto result = clock::now() + options_.network.join_timeout;
  return coordinates() ? result : result + patience_with_attempt;
}

} // namespace caf::rosia::detail
