// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/process_actor.hpp"

#include "base/duration.hpp"
#include "base/text.hpp"
#include "caf/rosia/version.hpp"
#include "distributed/gateway.hpp"
#include "distributed/validation.hpp"
#include "runtime/runtime.hpp"
#include "time/clocks.hpp"

#include <caf/actor_system_config.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/result.hpp>
#include <caf/sec.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace caf::rosia {

namespace {

/// Between the moment at which all are ready, and the start: enough for all to
/// learn of it.
constexpr std::chrono::milliseconds start_margin{20};

/// Between two warnings of strangers.
constexpr std::chrono::seconds pause_between_warnings{10};

/// In addition to what the coordinator allows the others, for its reply.
constexpr std::chrono::seconds time_for_reply{5};

std::string signal_text(int signal) {
  return "signal " + std::to_string(signal);
}

/// Takes as long whether the texts differ in the first character or the last.
bool same_secret(const std::string& x, const std::string& y) {
  auto different = x.size() ^ y.size();
  for (std::size_t i = 0; i < x.size(); ++i)
    different
      |= static_cast<std::size_t>(x[i] ^ y[y.empty() ? 0 : i % y.size()]);
  return different == 0;
}

} // namespace

void add_process_messages(caf::actor_system_config& cfg) {
  cfg.add_message_type<greeting_request>("rosia::greeting_request")
    .add_message_type<greeting_reply>("rosia::greeting_reply")
    .add_message_type<join_request>("rosia::join_request")
    .add_message_type<join_reply>("rosia::join_reply")
    .add_message_type<ready_request>("rosia::ready_request")
    .add_message_type<start_reply>("rosia::start_reply")
    .add_message_type<hello>("rosia::hello")
    .add_message_type<value_frame>("rosia::frame")
    .add_message_type<application_request_shutdown>(
      "rosia::application_request_shutdown")
    .add_message_type<shutdown_message>("rosia::shutdown_message")
    .add_message_type<force_process>("rosia::force_process")
    .add_message_type<end_notice>("rosia::end_notice")
    .add_message_type<node_request_shutdown>("rosia::node_request_shutdown")
    .add_message_type<application_shutdown_response>(
      "rosia::application_shutdown_response")
    .add_message_type<exit_message>("rosia::exit_message")
    .add_message_type<node_force_shutdown_request>(
      "rosia::node_force_shutdown_request")
    .add_message_type<request_from_outside>("rosia::request_from_outside")
    .add_message_type<force_application>("rosia::force_application")
    .add_message_type<connection_lost>("rosia::connection_lost")
    .add_message_type<transport_error>("rosia::transport_error")
    .add_message_type<progress_request>("rosia::progress_request")
    .add_message_type<progress_reply>("rosia::progress_reply")
    .add_message_type<process_report_request>("rosia::process_report_request")
    .add_message_type<process_report_reply>("rosia::process_report_reply")
    .add_message_type<application_report_request>(
      "rosia::application_report_request")
    .add_message_type<report>("rosia::report")
    .add_message_type<over_message>("rosia::over_message")
    .add_message_type<over_reply>("rosia::over_reply");
}

// -- constructors, destructors ------------------------------------------------

process_actor::process_actor(caf::actor_config& cfg, settings what)
  : super(cfg), settings_(std::move(what)), joining_(settings_.processes),
    ready_(settings_.processes.size()), peers_(settings_.processes.size()),
    over_(settings_.processes.size()) {
  set_down_handler([this](const caf::down_msg& x) { lost(x); });
  // By default each of these ends the actor, or prints what has come.
  set_error_handler([](caf::error&) {
    // Nobody has asked for it.
  });
  set_exit_handler([this](caf::exit_msg& x) {
    if (x.source.node() == system().node())
      quit(std::move(x.reason));
  });
  set_default_handler(caf::drop);
}

process_actor::~process_actor() {
  // nop
}

// -- from any thread ----------------------------------------------------------

void process_actor::call(const process_handle& who,
                         std::function<void(process_actor&)> what) {
  using function = std::function<void(process_actor&)>;
  caf::anon_send(
    who, process_call{std::make_shared<function>(std::move(what))});
}

// -- for `call` ---------------------------------------------------------------

void process_actor::know(engine::process_id process,
                         const process_handle& who) {
  peers_[process] = who;
  monitor(who);
}

void process_actor::say_hello(
  engine::process_id process, const process_handle& who,
  std::chrono::nanoseconds patience, std::function<void(std::string)> then) {
  if (!problem_.empty())
    return then(problem_);
  on_hello_ = std::move(then);
  auto reply = [this](const std::string& problem) {
    if (auto f = std::exchange(on_hello_, nullptr))
      f(problem);
  };
  request(who, patience, hello{session_, settings_.self, settings_.token})
    .then(
      [=, this](const hello& x) {
        if (x.session != session_ || x.process != process)
          return reply("it is another one");
        know(process, who);
        reply({});
      },
      [=, this](const caf::error& e) { reply(system().render(e)); });
}

void process_actor::join(join_request x, std::function<void(join_reply)> then) {
  on_joined_ = std::move(then);
  if (!problem_.empty())
    return refuse_start();
  if (coordinates()) {
    take_in(std::move(x), {}, nullptr);
    return;
  }
  auto reply = [this](join_reply y) {
    if (auto f = std::exchange(on_joined_, nullptr))
      f(std::move(y));
  };
  joined_ = true;
  request(peers_[0], settings_.join_timeout + time_for_reply, std::move(x))
    .then(
      [reply, this](join_reply& y) {
        if (auto problem = detail::problem_of(
              y, {0, settings_.self, peers_.size(), nullptr});
            !problem.empty()) {
          y = {};
          y.problem = "the coordinator " + detail::impossible(problem);
        }
        session_ = y.session;
        reply(std::move(y));
      },
      [reply, this](const caf::error& e) {
        join_reply y;
        y.problem = "the coordinator did not let this process join: "
                    + system().render(e);
        reply(std::move(y));
      });
}

void process_actor::meet(
  std::vector<engine::process_id> who,
  std::function<void(std::vector<process_handle>)> then) {
  if (!problem_.empty())
    return then({});
  to_meet_ = std::move(who);
  on_met_ = std::move(then);
  check_met();
}

void process_actor::be_ready(std::function<void(start_reply)> then) {
  if (!problem_.empty())
    return then({problem_, ended_, 0});
  on_start_ = std::move(then);
  if (coordinates()) {
    note_ready(0, nullptr);
    return;
  }
  auto reply = [this](start_reply y) {
    if (stage_ == stage::over)
      return; // this process has not waited for it
    stage_ = y.problem.empty() ? stage::running : stage::over;
    if (auto f = std::exchange(on_start_, nullptr))
      f(std::move(y));
  };
  stage_ = stage::preparing;
  request(peers_[0], settings_.join_timeout + time_for_reply,
          ready_request{settings_.self})
    .then([reply](start_reply& y) { reply(std::move(y)); },
          [reply, this](const caf::error& e) {
            start_reply y;
            y.problem = "the coordinator did not start the application: "
                        + system().render(e);
            reply(std::move(y));
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
  refuse_reports();
  runtime_ = nullptr;
}

void process_actor::give_report() {
  if (!runtime_ || stage_ != stage::running)
    return;
  request(peers_[0], detail::session::patience_with_coordinator,
          application_report_request{})
    .then(
      [this](const report& x) {
        if (is_valid_reply(0, x) && runtime_ && !x.nodes.empty())
          runtime_->status().publish(x);
      },
      [this](const caf::error& e) {
        if (runtime_)
          runtime_->status().publish(runtime_->status().look_alone(e));
      });
}

void process_actor::end_all(
  const over_message& what, std::chrono::nanoseconds patience,
  std::function<void()> then) {
  stage_ = stage::over;
  on_over_ = std::move(then);
  over_[settings_.self] = true;
  for (std::uint32_t i = 0; i < peers_.size(); ++i) {
    if (!peers_[i] || over_[i])
      continue;
    request(peers_[i], patience, what)
      .then(
        [this, i](const over_reply& x) {
          if (runtime_)
            runtime_->status().note(i, x.self);
          note_over(i);
        },
        [this, i](const caf::error&) { note_over(i); });
  }
  note_over(settings_.self);
}

void process_actor::leave() {
  stage_ = stage::over;
  if (problem_.empty())
    problem_ = "the application is over";
  // Each promise that is kept here keeps this actor, and the actor system waits
  // for that one.
  refuse_start();
  refuse_reports();
  note_end();
  if (auto f = std::exchange(on_over_, nullptr))
    f();
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
    "another part of the program has ended the actor "
    "that connects this process to others");
  runtime_->give_up(1);
}

void process_actor::enqueue(
  caf::mailbox_element_ptr what, caf::execution_unit* by) {
  // Data is taken in by the thread that reads it from the network.
  if (what->content().match_elements<value_frame>()) {
    auto& x = what->content().get_mutable_as<value_frame>(0);
    detail::gateway::lease self{x.session, x.to};
    if (self.get() != nullptr)
      self.get()->receive(x, what->sender);
    return;
  }
  super::enqueue(std::move(what), by);
}

process_actor::behavior_type process_actor::make_behavior() {
  auto to_coordinator = [this](auto& x) {
    if (is_valid(x) && runtime_ && coordinates())
      caf::anon_send(runtime_->context().coordinator(), x);
  };
  auto to_node = [this](std::uint32_t id, auto& x) {
    if (is_valid(id, x) && runtime_)
      runtime_->context().send_to_node(id, x);
  };
  return {
    [this](const greeting_request& x) { return greet(x); },
    [this](join_request& x) {
      // The promise takes it.
      auto who = caf::actor_cast<process_handle>(current_sender());
      auto promise = make_response_promise<join_reply>();
      take_in(std::move(x), who, &promise);
      return promise;
    },
    [this](const ready_request& x) {
      auto valid = is_valid(x); // before the promise takes the sender
      auto promise = make_response_promise<start_reply>();
      if (valid)
        note_ready(x.process, &promise);
      else
        promise.deliver(caf::make_error(caf::sec::invalid_argument));
      return promise;
    },
    [this](const hello& x) { return take_hello(x); },
    [](const value_frame&) {
      // See `enqueue`.
    },
    [to_node](std::uint32_t id, const application_request_shutdown& x) {
      to_node(id, x);
    },
    [to_node](std::uint32_t id, const shutdown_message& x) { to_node(id, x); },
    [this](const force_process& x) {
      if (is_valid(x) && runtime_)
        runtime_->abort(x.reason);
    },
    [this](const end_notice& x) {
      if (is_valid(x) && runtime_)
        runtime_->watchdog().log(spdlog::level::info, x.text);
    },
    [to_coordinator](const node_request_shutdown& x) { to_coordinator(x); },
    [to_coordinator](const application_shutdown_response& x) {
      to_coordinator(x);
    },
    [to_coordinator](const exit_message& x) { to_coordinator(x); },
    [to_coordinator](const node_force_shutdown_request& x) {
      to_coordinator(x);
    },
    [this, to_coordinator](const request_from_outside& x) {
      if (stage_ == stage::running)
        return to_coordinator(x);
      if (is_valid(x))
        give_up(signal_text(x.signal) + " to process '"
                  + settings_.processes[*sender()] + "'",
                true);
    },
    [to_coordinator](const force_application& x) { to_coordinator(x); },
    [to_coordinator](const connection_lost& x) { to_coordinator(x); },
    [to_coordinator](const transport_error& x) { to_coordinator(x); },
    [this](const progress_request& x) {
      if (is_valid(x) && runtime_ && peers_[0])
        send(peers_[0], progress_reply{settings_.self, runtime_->progress()});
    },
    [this](const progress_reply& x) {
      if (is_valid(x) && runtime_)
        runtime_->context().others()->note_progress(x.process, x.progress);
    },
    [this](
      const process_report_request& x) -> caf::result<process_report_reply> {
      if (!is_valid(x))
        return caf::sec::invalid_argument;
      return runtime_ ? runtime_->status().local_report()
                      : process_report_reply{};
    },
    [this](const application_report_request& x) {
      auto valid = is_valid(x); // as above
      auto promise = make_response_promise<report>();
      if (valid)
        collect_report([promise](const report& y) mutable {
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
        give_up("the coordinator has ended it", x.status == 0);
      stage_ = stage::over;
      note_end();
      if (!runtime_)
        return over_reply{};
      // Without a start it ends by itself, when its nodes have.
      if (started)
        runtime_->end_here(x.status, x.final);
      return over_reply{runtime_->status().own_report()};
    },
    [this](const child_ended& x) {
      auto how = "ended with status " + std::to_string(x.status);
      if (x.status > 128)
        how += " (signal " + std::to_string(x.status - 128) + ")";
      lost(x.process, how);
    },
    [this](const process_call& x) { (*x.what)(*this); },
  };
}

// -- who says what ------------------------------------------------------------

std::optional<engine::process_id> process_actor::process_at(
  const caf::node_id& where) const {
  if (where == system().node())
    return settings_.self;
  for (engine::process_id i = 0; i < peers_.size(); ++i)
    if (peers_[i] && peers_[i].node() == where)
      return i;
  return std::nullopt;
}

std::optional<engine::process_id> process_actor::sender() {
  // Not all that a process sends is from its actor of this kind.
  auto& who = current_sender();
  return who ? process_at(who->node()) : std::nullopt;
}

template <class... Ts>
bool process_actor::is_valid(const Ts&... xs) {
  auto from = sender();
  if (!from) {
    note_stranger("a message");
    return false;
  }
  if (*from == settings_.self)
    return true;
  auto problem = detail::problem_of(
    xs..., {*from, settings_.self, peers_.size(),
            runtime_ ? &runtime_->nodes() : nullptr});
  if (!problem.empty())
    blame(*from, detail::impossible(problem));
  return problem.empty();
}

template <class T>
bool process_actor::is_valid_reply(engine::process_id from, const T& x) {
  auto problem = detail::problem_of(
    x, {from, settings_.self, peers_.size(),
        runtime_ ? &runtime_->nodes() : nullptr});
  if (!problem.empty())
    blame(from, detail::impossible(problem));
  return problem.empty();
}

void process_actor::note_stranger(const char* what) {
  auto now = std::chrono::steady_clock::now();
  if (now < next_warning_ || stage_ == stage::over)
    return;
  next_warning_ = now + pause_between_warnings;
  settings_.log->warn(
    "{} that is not from a process which has joined is ignored", what);
}

void process_actor::blame(engine::process_id process, const std::string& what) {
  if (stage_ == stage::over)
    return;
  if (stage_ != stage::running || !runtime_)
    give_up("process '" + settings_.processes[process] + "' " + what);
  else {
    runtime_->context().send_to_coordinator(
      transport_error{settings_.self, process, what});
    // It may not care to hear that of itself.
    if (process == 0 && !coordinates())
      runtime_->note_coordinator_loss(what);
  }
}

// -- joining ------------------------------------------------------------------

greeting_reply process_actor::greet(const greeting_request& x) const {
  greeting_reply result;
  result.steady = detail::shown_by<std::chrono::steady_clock>();
  result.date = detail::shown_by<std::chrono::system_clock>();
  if (!same_secret(settings_.token, x.token))
    result.problem
      = "the tokens differ (rosia.token): this may be the coordinator "
        "of another application";
  else if (x.version != version)
    result.problem
      = "the coordinator has version " + std::string{version}
        + " of libcaf_rosia, and this process version " + x.version;
  else if (!coordinates())
    result.problem
      = "this is process '" + settings_.processes[settings_.self]
        + "', not the coordinator";
  else if (stage_ == stage::joining) {
    result.processes = settings_.processes;
    result.placement = settings_.placement;
  }
  return result;
}

hello process_actor::take_hello(const hello& x) {
  hello result{0, settings_.self, {}};
  if (!same_secret(settings_.token, x.token) || !current_sender() || sender()) {
    note_stranger("a greeting");
    return result;
  }
  // It may have heard of the session before this process does.
  auto problem = detail::problem_of(
    x, {x.process, settings_.self, peers_.size(), nullptr});
  if (!problem.empty() || peers_[x.process]
      || (session_ != 0 && x.session != session_))
    return result;
  result.session = x.session;
  know(x.process, caf::actor_cast<process_handle>(current_sender()));
  check_met();
  return result;
}

void process_actor::check_met() {
  if (on_met_ && std::all_of(to_meet_.begin(), to_meet_.end(), [this](auto i) {
        return bool{peers_[i]};
      }))
    std::exchange(on_met_, nullptr)(peers_);
}

void process_actor::take_in(join_request x, const process_handle& who,
                            caf::typed_response_promise<join_reply>* promise) {
  auto refuse = [&](std::string problem) {
    join_reply reply;
    reply.problem = std::move(problem);
    reply.ended = ended_;
    if (promise != nullptr)
      promise->deliver(std::move(reply));
    else if (auto f = std::exchange(on_joined_, nullptr))
      f(std::move(reply));
  };
  if (!problem_.empty())
    return refuse(problem_);
  if (promise != nullptr && (!who || !same_secret(settings_.token, x.token)))
    return refuse("the tokens differ (rosia.token)");
  if (!coordinates() || stage_ != stage::joining)
    return refuse("the application has started already");
  if (auto problem = detail::problem_of(x, settings_.processes.size());
      !problem.empty())
    return refuse("it " + detail::impossible(problem));
  auto process = x.process;
  if (promise != nullptr
      && (process == settings_.self || process_at(who.node())))
    return refuse(
      "a process joins once, under a name that no other process has");
  if (auto problem = joining_.accept(std::move(x)); !problem.empty())
    return refuse(std::move(problem));
  if (promise != nullptr) {
    know(process, who);
    to_join_.push_back(*promise);
    settings_.log->debug(
      "process '{}' has joined", settings_.processes[process]);
  }
  if (!joining_.complete())
    return;
  auto reply = joining_.agree();
  if (!reply.problem.empty())
    return give_up(reply.problem);
  stage_ = stage::preparing;
  auto& shared = settings_.shared;
  reply.session = session_ = shared.session;
  reply.realtime = shared.realtime;
  reply.stop_after = shared.stop_after;
  reply.max_in_flight = shared.max_in_flight;
  reply.grace_period = shared.grace_period;
  for (auto& y : to_join_)
    y.deliver(reply);
  to_join_.clear();
  if (auto f = std::exchange(on_joined_, nullptr))
    f(std::move(reply));
}

void process_actor::note_ready(
  std::uint32_t process, caf::typed_response_promise<start_reply>* who) {
  if (!problem_.empty() || process >= ready_.size()) {
    start_reply reply{problem_, ended_, 0};
    if (who != nullptr)
      who->deliver(std::move(reply));
    else if (auto f = std::exchange(on_start_, nullptr))
      f(std::move(reply));
    return;
  }
  ready_[process] = true;
  if (who != nullptr)
    to_start_.push_back(*who);
  if (!std::all_of(ready_.begin(), ready_.end(), [](bool x) { return x; }))
    return;
  stage_ = stage::running;
  start_reply reply{
    {},
    false,
    detail::shown_by<std::chrono::steady_clock>()
      + std::chrono::nanoseconds{start_margin}.count()};
  for (auto& promise : to_start_)
    promise.deliver(reply);
  to_start_.clear();
  if (auto f = std::exchange(on_start_, nullptr))
    f(std::move(reply));
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
          + " within join_timeout (" + detail::time_text(settings_.join_timeout)
          + "): is it running, and can it reach the coordinator?");
}

void process_actor::end_early(int signal) {
  if (stage_ == stage::running && runtime_)
    runtime_->requests().request_end(signal);
  if (stage_ == stage::running || stage_ == stage::over)
    return;
  // The coordinator's tells the others.
  if (peers_[0])
    send(peers_[0], request_from_outside{never, signal, settings_.self});
  // That one may have started them all by now, this process too.
  if (coordinates() || !peers_[0] || !on_start_)
    give_up(signal_text(signal), true);
}

void process_actor::end_without_word(int signal) {
  if (stage_ != stage::running)
    give_up(signal_text(signal), true);
}

void process_actor::leave_coordinator(const std::string& why, int status) {
  if (runtime_ && stage_ == stage::running)
    runtime_->note_coordinator_loss(why, status);
}

void process_actor::wait_for_end(std::function<void()> then) {
  on_end_ = std::move(then);
  // Is there anybody to wait for?
  if (end_noted_ || !joined_ || !peers_[0])
    note_end();
}

void process_actor::note_end() {
  end_noted_ = true;
  if (auto f = std::exchange(on_end_, nullptr))
    f();
}

void process_actor::give_up(const std::string& problem, bool ended) {
  if (!problem_.empty())
    return;
  problem_ = problem;
  ended_ = ended;
  stage_ = stage::over;
  refuse_start();
}

void process_actor::refuse_start() {
  join_reply no_join;
  no_join.problem = problem_;
  no_join.ended = ended_;
  start_reply no_start{problem_, ended_, 0};
  for (auto& promise : std::exchange(to_join_, {}))
    promise.deliver(no_join);
  for (auto& promise : std::exchange(to_start_, {}))
    promise.deliver(no_start);
  if (auto f = std::exchange(on_joined_, nullptr))
    f(no_join);
  if (auto f = std::exchange(on_start_, nullptr))
    f(no_start);
  if (auto f = std::exchange(on_hello_, nullptr))
    f(problem_);
  if (auto f = std::exchange(on_met_, nullptr))
    f({});
}

void process_actor::refuse_reports() {
  for (auto& f : std::exchange(on_report_, {}))
    f({});
}

// -- losing processes ---------------------------------------------------------

void process_actor::lost(const caf::down_msg& x) {
  for (std::uint32_t i = 0; i < peers_.size(); ++i)
    if (peers_[i] && peers_[i].address() == x.source)
      lost(i, {});
}

void process_actor::lost(engine::process_id process, const std::string& how) {
  if (process == 0)
    note_end();
  if (over_[process])
    return;
  peers_[process] = nullptr;
  auto name = "process '" + settings_.processes[process] + "'";
  switch (stage_) {
    case stage::joining:
    case stage::preparing:
      give_up(name + (how.empty() ? " was lost" : ' ' + how)
              + " before the application started");
      break;
    case stage::running:
      over_[process] = true;
      if (!runtime_)
        break;
      if (coordinates())
        runtime_->report_loss(process_lost{process, how});
      else if (process == 0)
        runtime_->note_coordinator_loss();
      else if (peers_[0])
        send(peers_[0], connection_lost{settings_.self, process});
      break;
    case stage::over:
      note_over(process);
      break;
  }
}

// -- reports
// -------------------------------------------------------------------

void process_actor::collect_report(std::function<void(const report&)> then) {
  if (!runtime_ || !coordinates() || stage_ != stage::running)
    return then({});
  on_report_.push_back(std::move(then));
  if (on_report_.size() > 1)
    return; // there will be one soon
  settings_.log->debug("the other processes are asked for a report");
  told_.assign(peers_.size(), std::nullopt);
  to_tell_ = 1;
  for (engine::process_id i = 1; i < peers_.size(); ++i) {
    if (!peers_[i])
      continue;
    ++to_tell_;
    request(peers_[i], detail::session::patience_with_process,
            process_report_request{})
      .then(
        [this, i](process_report_reply& x) {
          if (is_valid_reply(i, x))
            told_[i] = std::move(x);
          note_told();
        },
        [this](const caf::error&) { note_told(); });
  }
  note_told();
}

void process_actor::note_told() {
  if (--to_tell_ > 0 || !runtime_)
    return;
  auto x = runtime_->status().complete(runtime_->status().look_here(), told_);
  for (auto& f : std::exchange(on_report_, {}))
    f(x);
}

void process_actor::note_over(std::uint32_t process) {
  over_[process] = true;
  for (std::size_t i = 0; i < peers_.size(); ++i)
    if (peers_[i] && !over_[i])
      return;
  if (auto f = std::exchange(on_over_, nullptr))
    f();
}

} // namespace caf::rosia
