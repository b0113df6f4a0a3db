// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/process_actor.hpp"

#include "base/build_id.hpp"
#include "base/duration.hpp"
#include "base/secret.hpp"
#include "base/text.hpp"
#include "base/type_name.hpp"
#include "caf/rosia/detail/sending.hpp"
#include "caf/rosia/version.hpp"
#include "compat/caf_options.hpp"
#include "compat/message_types.hpp"
#include "config/process_options.hpp"
#include "distributed/validation.hpp"
#include "network/sockets.hpp"
#include "runtime/checkpoints.hpp"
#include "runtime/runtime.hpp"
#include "time/clocks.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/typed_response_promise.hpp>

#include <algorithm>
#include <csignal>
#include <string_view>
#include <typeinfo>

namespace caf::rosia {

namespace {

/// Time from the moment when all processes are ready to the start, so that all
/// are notified before.
constexpr std::chrono::milliseconds start_margin{20};

/// Pause between two warnings about strangers.
constexpr std::chrono::seconds pause_between_warnings{10};

/// Maximum number of characters in the name of a refused process.
constexpr std::size_t longest_logged_name = 100;

/// Additional time for the reply, after the time for other processes.
constexpr std::chrono::seconds time_for_reply{5};

std::string signal_text(int signal) {
  return "signal " + std::to_string(signal);
}

std::string signal_text(int signal, const std::string& process) {
  return signal_text(signal) + " to process '" + process + "'";
}

/// Adds types of messages, with the names "rosia::...".
template <class... Ts>
void add_messages(caf::actor_system_config& cfg) {
  constexpr std::string_view prefix = "caf::";
  (detail::add_message_type<Ts>(
     cfg, detail::type_name(typeid(Ts)).substr(prefix.size())),
   ...);
}

} // namespace

std::string to_string(const process_address& x) {
  if (detail::is_local_name(x.host))
    return x.host;
  auto is_v6 = x.host.find(':') != std::string::npos;
  return (is_v6 ? '[' + x.host + ']' : x.host) + ':' + std::to_string(x.port);
}

void add_process_messages(caf::actor_system_config& cfg) {
  add_messages<
    greeting_request, greeting_reply, join_request, join_reply, ready_request,
    start_reply, hello, end_proposal, final_tag_message, abort_process,
    end_notice, end_request, end_answer, done_message, exit_message,
    node_abort_request, request_from_outside, abort_application,
    connection_lost, transport_error, progress_request, progress_reply,
    process_report_request, process_report_reply, application_report_request,
    application_report, checkpoint_command, checkpoint_reply, over_message,
    over_reply>(cfg);
}

// -- constructors, destructors ------------------------------------------------

process_actor::process_actor(caf::actor_config& cfg, settings init)
  : super(cfg), settings_(std::move(init)), joining_(settings_.processes),
    ready_(settings_.processes.size()), peers_(settings_.processes.size()),
    farewell_(settings_.processes.size()),
    monitored_(
      *this, [this](const caf::actor_addr& address, const caf::error&) {
        for (engine::process_id i = 0; i < peers_.size(); ++i)
          if (peers_[i] && peers_[i].address() == address)
            note_loss(i, {});
      }) {
  // nop
}

process_actor::~process_actor() {
  // nop
}

// -- from any thread ----------------------------------------------------------

void process_actor::call(const process_handle& actor,
                         std::function<void(process_actor&)> fun) {
  using function = std::function<void(process_actor&)>;
  detail::send_anonymously(
    actor, process_call{std::make_shared<function>(std::move(fun))});
}

// -- for `call` ---------------------------------------------------------------

void process_actor::know(engine::process_id process,
                         const process_handle& actor) {
  peers_[process] = actor;
  monitored_.add(actor);
}

void process_actor::say_hello(
  engine::process_id process, const process_handle& actor,
  std::chrono::nanoseconds patience, std::function<void(std::string)> then) {
  if (waiters_.is_refused())
    return then(waiters_.problem());
  waiters_.await_hello(std::move(then));
  detail::request(
    *this, actor, patience, hello{session_, settings_.self, settings_.token})
    .then(
      [=, this](const hello& x) {
        if (x.session != session_ || x.process != process)
          return waiters_.answer_hello(
            "it is a different process than expected");
        know(process, actor);
        waiters_.answer_hello({});
      },
      [this](const caf::error& e) {
        waiters_.answer_hello(detail::text_of(e));
      });
}

void process_actor::join(join_request own,
                         std::function<void(join_reply)> then) {
  if (waiters_.is_refused())
    return then(waiters_.no_join());
  if (coordinates()) {
    take_in(std::move(own), nullptr, std::move(then));
    return;
  }
  waiters_.await_join(std::move(then));
  joined_ = true;
  detail::request(
    *this, peers_[0], settings_.join_timeout + time_for_reply, std::move(own))
    .then(
      [this](join_reply& reply) {
        if (auto problem = detail::problem_of(
              reply, {0, settings_.self, peers_.size(), nullptr});
            !problem.empty()) {
          reply = {};
          reply.problem = "the coordinator " + detail::impossible(problem);
        }
        session_ = reply.session;
        waiters_.answer_join(reply);
      },
      [this](const caf::error& e) {
        join_reply reply;
        reply.problem
          = "the coordinator did not let this process join: "
            + detail::text_of(e);
        waiters_.answer_join(reply);
      });
}

void process_actor::meet(
  std::vector<engine::process_id> processes,
  std::function<void(std::vector<process_handle>)> then) {
  if (waiters_.is_refused())
    return then({});
  waiters_.await_peers(std::move(processes), std::move(then));
  waiters_.check_peers(peers_);
}

void process_actor::be_ready(std::function<void(start_reply)> then) {
  if (waiters_.is_refused())
    return then(waiters_.no_start());
  if (coordinates()) {
    note_ready(0, std::move(then));
    return;
  }
  waiters_.await_start(std::move(then));
  auto answer = [this](const start_reply& reply) {
    if (stage_ == stage::over)
      return; // this process no longer waits
    stage_ = reply.problem.empty() ? stage::running : stage::over;
    waiters_.answer_start(reply);
  };
  stage_ = stage::preparing;
  detail::request(*this, peers_[0], settings_.join_timeout + time_for_reply,
                  ready_request{settings_.self})
    .then([answer](const start_reply& reply) { answer(reply); },
          [answer](const caf::error& e) {
            start_reply reply;
            reply.problem
              = "the coordinator did not start the application: "
                + detail::text_of(e);
            answer(reply);
          });
}

void process_actor::serve(std::shared_ptr<detail::runtime> run) {
  runtime_ = std::move(run);
}

void process_actor::watch_lag() {
  if (runtime_ && stage_ == stage::running)
    runtime_->lag().look();
}

void process_actor::stop_serving() {
  stage_ = stage::over;
  reports_.publish({});
  runtime_ = nullptr;
}

void process_actor::give_report() {
  if (!runtime_ || stage_ != stage::running)
    return;
  detail::request(*this, peers_[0], detail::session::patience_with_coordinator,
                  application_report_request{})
    .then(
      [this](const application_report& x) {
        if (is_valid_from(0, x) && runtime_ && !x.nodes.empty())
          runtime_->status().publish(x);
      },
      [this](const caf::error& e) {
        if (runtime_)
          runtime_->status().publish(runtime_->status().look_alone(e));
      });
}

void process_actor::end_all(
  const over_message& over, std::chrono::nanoseconds patience,
  std::function<void()> then) {
  stage_ = stage::over;
  std::vector<engine::process_id> others;
  for (engine::process_id i = 0; i < peers_.size(); ++i) {
    if (!peers_[i] || farewell_.is_over(i))
      continue;
    others.push_back(i);
    detail::request(*this, peers_[i], patience, over)
      .then(
        [this, i](const over_reply& reply) {
          if (runtime_)
            runtime_->status().note(i, reply.self);
          farewell_.note_over(i);
        },
        [this, i](const caf::error&) { farewell_.note_over(i); });
  }
  farewell_.await_others(others, std::move(then));
}

void process_actor::leave() {
  stage_ = stage::over;
  // Each promise that is kept here keeps this actor alive, and the actor system
  // waits for this actor.
  waiters_.refuse("the application has ended", false);
  reports_.publish({});
  farewell_.note_coordinator_end();
  farewell_.stop_waiting();
  runtime_ = nullptr;
  quit();
}

// -- overridden functions of CAF ----------------------------------------------

const char* process_actor::name() const {
  return "caf.rosia.process";
}

void process_actor::on_exit() {
  if (stage_ != stage::running || !runtime_)
    return;
  settings_.log->critical(
    "another part of the program ended the actor "
    "that connects this process to the rest of the application");
  runtime_->give_up(1);
}

process_actor::behavior_type process_actor::make_behavior() {
  auto to_coordinator = [this](auto& x) {
    if (is_valid(x) && runtime_ && coordinates())
      detail::send_anonymously(runtime_->context().actors().coordinator(), x);
  };
  auto to_node = [this](std::uint32_t id, auto& x) {
    if (is_valid(id, x) && runtime_)
      runtime_->context().actors().send_to_node(id, x);
  };
  return detail::make_robust_behavior<behavior_type>(
    *this,
    [this](caf::exit_msg& x) {
      if (x.source.node() == system().node())
        quit(std::move(x.reason));
    },
    [this](const greeting_request& x) { return greet(x); },
    [this](join_request& x) {
      // The promise takes the sender.
      auto actor = caf::actor_cast<process_handle>(current_sender());
      auto promise = make_response_promise<join_reply>();
      take_in(std::move(x), &actor, [promise](const join_reply& reply) mutable {
        promise.deliver(reply);
      });
      return promise;
    },
    [this](const ready_request& x) {
      auto valid = is_valid(x); // before the promise takes the sender
      auto promise = make_response_promise<start_reply>();
      if (valid)
        note_ready(x.process, [promise](const start_reply& reply) mutable {
          promise.deliver(reply);
        });
      else
        promise.deliver(caf::make_error(caf::sec::invalid_argument));
      return promise;
    },
    [this](const hello& x) { return take_hello(x); },
    [to_node](std::uint32_t id, const end_proposal& x) { to_node(id, x); },
    [to_node](std::uint32_t id, const final_tag_message& x) { to_node(id, x); },
    [this](const abort_process& x) {
      if (is_valid(x) && runtime_)
        runtime_->abort(x.reason);
    },
    [this](const end_notice& x) {
      if (is_valid(x) && runtime_)
        runtime_->watchdog().log(spdlog::level::info, x.text);
    },
    [to_coordinator](const end_request& x) { to_coordinator(x); },
    [to_coordinator](const end_answer& x) { to_coordinator(x); },
    [to_coordinator](const done_message& x) { to_coordinator(x); },
    [to_coordinator](const exit_message& x) { to_coordinator(x); },
    [to_coordinator](const node_abort_request& x) { to_coordinator(x); },
    [this, to_coordinator](const request_from_outside& x) {
      if (stage_ == stage::running)
        return to_coordinator(x);
      if (is_valid(x))
        give_up(signal_text(x.signal, settings_.processes[*sender()]), true);
    },
    [to_coordinator](const abort_application& x) { to_coordinator(x); },
    [to_coordinator](const connection_lost& x) { to_coordinator(x); },
    [to_coordinator](const transport_error& x) { to_coordinator(x); },
    [this](const progress_request& x) {
      if (is_valid(x) && runtime_ && peers_[0])
        detail::send_to(
          *this, peers_[0],
          progress_reply{settings_.self, runtime_->count_progress(x.final)});
    },
    [this](const progress_reply& x) {
      if (is_valid(x) && runtime_)
        runtime_->context().actors().others()->note_progress(
          x.process, x.progress);
    },
    [this](
      const process_report_request& x) -> caf::result<process_report_reply> {
      if (!is_valid(x))
        return caf::sec::invalid_argument;
      return runtime_ ? runtime_->status().local_report(x.log_since)
                      : process_report_reply{};
    },
    [this](const application_report_request& x) {
      auto valid = is_valid(x); // as above
      auto promise = make_response_promise<application_report>();
      if (valid)
        collect_report([promise](const application_report& y) mutable {
          promise.deliver(y);
        });
      else
        promise.deliver(caf::make_error(caf::sec::invalid_argument));
      return promise;
    },
    [this](const over_message& x) -> caf::result<over_reply> {
      if (!is_valid(x))
        return caf::sec::invalid_argument;
      auto started = stage_ == stage::running;
      if (!started)
        give_up("the coordinator ended it", x.status == 0);
      stage_ = stage::over;
      farewell_.note_coordinator_end();
      if (!runtime_)
        return over_reply{};
      // Without a start, the run ends with the last of its nodes.
      if (started)
        runtime_->end_here(x.status, x.final);
      return over_reply{runtime_->status().own_report()};
    },
    [this](const checkpoint_command& x) {
      if (!is_valid(x) || !runtime_)
        return;
      if (auto* checkpoints = runtime_->context().checkpoints())
        checkpoints->obey(x);
    },
    [to_coordinator](const checkpoint_reply& x) { to_coordinator(x); },
    [this](const child_ended& x) { note_end(x); },
    [this](const process_call& x) { (*x.fun)(*this); });
}

// -- messages and senders -----------------------------------------------------

std::optional<engine::process_id> process_actor::process_at(
  const caf::node_id& name) const {
  if (name == system().node())
    return settings_.self;
  for (engine::process_id i = 0; i < peers_.size(); ++i)
    if (peers_[i] && peers_[i].node() == name)
      return i;
  return std::nullopt;
}

std::optional<engine::process_id> process_actor::sender() {
  // The sender may be another actor of the process.
  auto& actor = current_sender();
  return actor ? process_at(actor->node()) : std::nullopt;
}

template <class... Ts>
bool process_actor::is_valid(const Ts&... xs) {
  if (auto from = sender())
    return *from == settings_.self || is_valid_from(*from, xs...);
  warn_of_stranger(
    "a message that is not from a process which joined is ignored");
  return false;
}

template <class... Ts>
bool process_actor::is_valid_from(engine::process_id from, const Ts&... xs) {
  auto problem = detail::problem_of(
    xs..., {from, settings_.self, peers_.size(),
            runtime_ ? &runtime_->nodes() : nullptr});
  if (!problem.empty())
    blame(from, detail::impossible(problem));
  return problem.empty();
}

void process_actor::warn_of_stranger(const std::string& text) {
  auto now = std::chrono::steady_clock::now();
  if (now < next_warning_ || stage_ == stage::over)
    return;
  next_warning_ = now + pause_between_warnings;
  settings_.log->warn("{}", text);
}

void process_actor::blame(engine::process_id process,
                          const std::string& problem) {
  if (stage_ == stage::over)
    return;
  if (stage_ != stage::running || !runtime_)
    give_up("process '" + settings_.processes[process] + "' " + problem);
  else {
    runtime_->context().actors().send_to_coordinator(
      transport_error{settings_.self, process, problem});
    // The coordinator may ignore a report about itself.
    if (process == 0 && !coordinates())
      runtime_->note_coordinator_loss(problem);
  }
}

// -- joining ------------------------------------------------------------------

greeting_reply process_actor::greet(const greeting_request& request) {
  greeting_reply result;
  result.steady = detail::shown_by<std::chrono::steady_clock>();
  result.date = detail::shown_by<std::chrono::system_clock>();
  if (!detail::same_secret(settings_.token, request.token))
    result.problem
      = "the tokens differ (rosia.network.token): this may be the coordinator "
        "of another application";
  else if (request.version != version)
    result.problem
      = "the coordinator has version " + std::string{version}
        + " of libcaf_rosia, and this process version " + request.version;
  else if (!coordinates())
    result.problem
      = "this is process '" + settings_.processes[settings_.self]
        + "', not the coordinator";
  else if (stage_ == stage::joining) {
    result.processes = settings_.processes;
    result.placement = settings_.placement;
  }
  note_greeting(request);
  return result;
}

void process_actor::note_greeting(const greeting_request& request) {
  // Greetings of strangers are not logged.
  if (!coordinates() || stage_ != stage::joining
      || !detail::same_secret(settings_.token, request.token)
      || request.process.size() > longest_logged_name
      || !detail::is_process_name(request.process))
    return;
  auto applicant = "process '" + request.process + "' ";
  auto& known = settings_.processes;
  if (request.version != version)
    warn_of_stranger(
      applicant + "is refused: it does not have version " + std::string{version}
      + " of libcaf_rosia, as this process has");
  else if (std::find(known.begin() + 1, known.end(), request.process)
           == known.end())
    warn_of_stranger(
      applicant + "is refused: expected are "
      + detail::quoted_list({known.begin() + 1, known.end()})
      + " (rosia.network.expect)");
}

hello process_actor::take_hello(const hello& greeting) {
  hello result{0, settings_.self, {}};
  if (!detail::same_secret(settings_.token, greeting.token) || !current_sender()
      || sender()) {
    warn_of_stranger(
      "a greeting that is not from a process which joined is ignored");
    return result;
  }
  // The sender may know the session before this process does.
  auto process = greeting.process;
  auto problem = detail::problem_of(
    greeting, {process, settings_.self, peers_.size(), nullptr});
  if (!problem.empty() || peers_[process]
      || (session_ != 0 && greeting.session != session_))
    return result;
  result.session = greeting.session;
  know(process, caf::actor_cast<process_handle>(current_sender()));
  waiters_.check_peers(peers_);
  return result;
}

void process_actor::take_in(join_request request, const process_handle* actor,
                            start_waiters::join_listener reply) {
  std::string applicant; // set when it is valid
  auto refuse = [&](std::string problem) {
    if (!applicant.empty())
      warn_of_stranger(applicant + " is refused: " + problem);
    auto refusal = waiters_.no_join();
    refusal.problem = std::move(problem);
    reply(std::move(refusal));
  };
  if (waiters_.is_refused())
    return refuse(waiters_.problem());
  if (actor != nullptr
      && (!*actor || !detail::same_secret(settings_.token, request.token)))
    return refuse("the tokens differ (rosia.network.token)");
  if (!coordinates() || stage_ != stage::joining)
    return refuse("the application started already");
  if (auto problem = detail::problem_of(request, settings_.processes.size());
      !problem.empty())
    return refuse("it " + detail::impossible(problem));
  auto process = request.process;
  applicant = "process '" + settings_.processes[process] + "' at "
              + to_string(request.address);
  if (actor != nullptr
      && (process == settings_.self || process_at(actor->node())))
    return refuse(
      "a process joins once, under a name that no other process has");
  auto build = request.build;
  if (auto problem = joining_.accept(std::move(request)); !problem.empty())
    return refuse(std::move(problem));
  waiters_.await_join(std::move(reply));
  if (actor != nullptr) {
    know(process, *actor);
    settings_.log->debug("process '{}' joined", settings_.processes[process]);
    if (auto own = detail::build_id(); !own.empty() && build != own)
      settings_.log->warn(
        "process '{}' runs another build of the program: a value arrives with "
        "wrong members if their order, or what their type's inspect() does, "
        "differs; run the same build everywhere",
        settings_.processes[process]);
  }
  if (!joining_.complete())
    return;
  auto agreed = joining_.agree();
  if (!agreed.problem.empty())
    return give_up(agreed.problem);
  stage_ = stage::preparing;
  auto& shared = settings_.shared;
  agreed.session = session_ = shared.session;
  agreed.realtime = shared.realtime;
  agreed.stop_after = shared.stop_after;
  agreed.max_in_flight = shared.max_in_flight;
  agreed.grace_period = shared.grace_period;
  agreed.checkpoints = shared.checkpoints;
  agreed.checkpoint_every = shared.checkpoint_every;
  agreed.start = shared.start;
  agreed.watched = shared.watched;
  waiters_.answer_join(agreed);
}

void process_actor::note_ready(
  engine::process_id process, start_waiters::start_listener reply) {
  if (waiters_.is_refused() || process >= ready_.size())
    return reply(waiters_.no_start());
  ready_[process] = true;
  waiters_.await_start(std::move(reply));
  if (!std::all_of(ready_.begin(), ready_.end(), [](bool x) { return x; }))
    return;
  stage_ = stage::running;
  waiters_.answer_start(
    {{},
     false,
     detail::shown_by<std::chrono::steady_clock>()
       + std::chrono::nanoseconds{start_margin}.count()});
}

void process_actor::give_up_waiting() {
  if (!coordinates() || stage_ == stage::running || stage_ == stage::over)
    return;
  auto names = joining_.missing();
  if (stage_ == stage::preparing)
    for (std::size_t i = 0; i < ready_.size(); ++i)
      if (!ready_[i])
        names.push_back(settings_.processes[i]);
  give_up("no message from " + detail::quoted_list(names)
          + " within network.join_timeout ("
          + detail::time_text(settings_.join_timeout)
          + "): is it running, and can it reach the coordinator?");
}

void process_actor::end_early(int signal) {
  if (stage_ == stage::running && runtime_)
    runtime_->requests().request_end(signal);
  if (stage_ == stage::running || stage_ == stage::over)
    return;
  // The coordinator's process notifies all processes.
  if (peers_[0])
    detail::send_to(
      *this, peers_[0], request_from_outside{never, signal, settings_.self});
  // The coordinator may have started all processes already, including this one.
  if (coordinates() || !peers_[0] || !waiters_.has_start_waiter())
    give_up(signal_text(signal), true);
}

void process_actor::end_without_word(int signal) {
  if (stage_ != stage::running)
    give_up(signal_text(signal), true);
}

void process_actor::leave_coordinator(const std::string& cause, int status) {
  if (runtime_ && stage_ == stage::running)
    runtime_->note_coordinator_loss(cause, status);
}

void process_actor::wait_for_end(std::function<void()> then) {
  farewell_.await_coordinator(std::move(then));
  // The coordinator answers only if it knows this process.
  if (!joined_ || !peers_[0])
    farewell_.note_coordinator_end();
}

void process_actor::give_up(const std::string& problem, bool ended) {
  if (waiters_.is_refused())
    return;
  stage_ = stage::over;
  waiters_.refuse(problem, ended);
}

// -- losing processes ---------------------------------------------------------

void process_actor::note_end(const child_ended& child) {
  auto signal = child.status - 128;
  // Such a signal is a request, which a process that starts cannot handle yet.
  if (settings_.handles_signals && (signal == SIGINT || signal == SIGTERM)
      && stage_ == stage::joining && !peers_[child.process])
    return give_up(
      signal_text(signal, settings_.processes[child.process]), true);
  auto cause = "ended with status " + std::to_string(child.status);
  if (signal > 0)
    cause += " (signal " + std::to_string(signal) + ")";
  note_loss(child.process, cause);
}

void process_actor::note_loss(
  engine::process_id process, const std::string& cause) {
  if (process == 0)
    farewell_.note_coordinator_end();
  if (farewell_.is_over(process))
    return;
  peers_[process] = nullptr;
  auto name = "process '" + settings_.processes[process] + "'";
  switch (stage_) {
    case stage::joining:
    case stage::preparing:
      give_up(name + (cause.empty() ? " was lost" : ' ' + cause)
              + " before the application started");
      break;
    case stage::running:
      farewell_.note_over(process);
      if (!runtime_)
        break;
      if (coordinates())
        runtime_->report_loss(process_lost{process, cause});
      else if (process == 0)
        runtime_->note_coordinator_loss();
      else if (peers_[0])
        detail::send_to(
          *this, peers_[0], connection_lost{settings_.self, process});
      break;
    case stage::over:
      farewell_.note_over(process);
      break;
  }
}

// -- reports ------------------------------------------------------------------

void process_actor::collect_report(
  std::function<void(const application_report&)> then) {
  if (!runtime_ || !coordinates() || stage_ != stage::running)
    return then({});
  if (!reports_.add(std::move(then)))
    return; // a collection is in progress
  settings_.log->debug("the other processes are asked for a report");
  // An answer, or the news that there is none.
  auto note_answer = [this] {
    if (!reports_.note_answer() || !runtime_)
      return;
    auto& status = runtime_->status();
    reports_.publish(status.complete(status.look_here(), reports_.all()));
  };
  reports_.begin(peers_.size());
  log_seen_.resize(peers_.size());
  for (engine::process_id i = 1; i < peers_.size(); ++i) {
    if (!peers_[i])
      continue;
    reports_.note_request();
    detail::request(*this, peers_[i], detail::session::patience_with_process,
                    process_report_request{log_seen_[i]})
      .then(
        [this, i, note_answer](process_report_reply& reply) {
          if (is_valid_from(i, reply)) {
            take_log(i, reply);
            reports_.put(i, std::move(reply));
          }
          note_answer();
        },
        [note_answer](const caf::error&) { note_answer(); });
  }
  note_answer();
}

void process_actor::take_log(
  engine::process_id from, process_report_reply& reply) {
  auto page = runtime_ ? runtime_->context().observers().page_log : nullptr;
  for (auto& line : reply.log) {
    log_seen_[from] = std::max(log_seen_[from], line.number);
    line.logger = settings_.processes[from] + ": " + line.logger;
    if (page != nullptr)
      page->add(std::move(line));
  }
  reply.log.clear();
}

} // namespace caf::rosia
