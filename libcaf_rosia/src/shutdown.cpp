// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown.hpp"

#include "caf/rosia/application.hpp"
#include "caf/rosia/detail/application_access.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/detail/logging.hpp"
#include "caf/rosia/detail/parse_time.hpp"
#include "caf/rosia/detail/signal_watch.hpp"
#include "json.hpp"

#include <caf/actor_cast.hpp>
#include <caf/actor_registry.hpp>
#include <caf/actor_system.hpp>
#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>
#include <caf/system_messages.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <tuple>
#include <unordered_map>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace caf::rosia {

namespace detail {

namespace {

using clock = std::chrono::steady_clock;
using kind = part_report::kind;
using state = part_report::state;

constexpr std::uint32_t nobody = ~std::uint32_t{0};

/// How many parts are named in the log for one and the same thing.
constexpr std::size_t names_in_log = 20;

constexpr int status_failed = 1;
constexpr int status_second_signal = 128;
constexpr int status_deadline = 129;

bool is_over(state x) noexcept {
  return x == state::ended || x == state::failed;
}

clock::time_point after(clock::time_point t, std::chrono::nanoseconds d) {
  return d > clock::time_point::max() - t ? clock::time_point::max() : t + d;
}

} // namespace

/// What a shutdown, its guards, its threads and the actors that take part in it
/// share.
class shutdown_core : public std::enable_shared_from_this<shutdown_core> {
public:
  shutdown_core(caf::actor_system& sys, shutdown_options opts)
    : system_(&sys), options_(std::move(opts)), log_(options_.log_level),
      logger_(log_.make("shutdown")),
      watch_(std::in_place, options_.signals, wake_.get()) {
    phases_.push_back({"tasks", {}});
    phases_.push_back({"actors", {}});
    phases_.push_back({"final", {}});
    phases_[1].options.after = {"tasks"};
    phases_[2].options.after = {"actors"};
  }

  // -- building ---------------------------------------------------------------

  void set_phase(const std::string& name, phase_options opts) {
    std::lock_guard guard{mutex_};
    for (auto& x : opts.after)
      static_cast<void>(find_phase(x));
    if (opts.timeout.count() < 0)
      throw std::invalid_argument(
        "phase '" + name + "' has a negative timeout");
    auto i = std::find_if(phases_.begin(), phases_.end(), [&](auto& x) {
      return x.name == name;
    });
    auto before = phases_;
    if (i == phases_.end()) {
      phases_.push_back({name, std::move(opts)});
    } else {
      if (i->began)
        throw std::logic_error("phase '" + name + "' has begun already");
      i->options = std::move(opts);
    }
    auto cycle = find_cycle();
    if (!cycle.empty()) {
      phases_ = std::move(before);
      throw std::invalid_argument(
        "phase '" + name + "' would come after itself: " + cycle);
    }
  }

  std::uint64_t add_task(const std::string& in_phase, const std::string& name,
                         std::function<void(const shutdown_reason&)> what) {
    std::lock_guard guard{mutex_};
    auto p = find_phase(in_phase);
    if (phases_[p].began)
      throw std::logic_error(
        "task '" + name + "' comes too late: phase '" + in_phase
        + "' has begun already");
    tasks_.push_back({++numbers_, p, name, std::move(what)});
    return numbers_;
  }

  bool remove_task(std::uint64_t id) {
    std::lock_guard guard{mutex_};
    auto i = std::find_if(tasks_.begin(), tasks_.end(), [&](auto& x) {
      return x.id == id;
    });
    if (i == tasks_.end() || phases_[i->phase].began)
      return false;
    tasks_.erase(i);
    return true;
  }

  // -- guards and threads -----------------------------------------------------

  shutdown_guard make_guard(const std::string& name, bool temporary) {
    std::lock_guard guard{mutex_};
    auto id = ++numbers_;
    guards_.emplace(id, guard_record{name, temporary, clock::now()});
    return {shared_from_this(), id};
  }

  shutdown_guard make_child(std::uint64_t parent, const std::string& name) {
    std::unique_lock guard{mutex_};
    auto& x = guards_.at(parent);
    auto full = x.name + '/' + name;
    auto temporary = x.temporary;
    guard.unlock();
    return make_guard(full, temporary);
  }

  void drop_guard(std::uint64_t id) noexcept {
    std::unique_lock guard{mutex_};
    auto i = guards_.find(id);
    auto x = std::move(i->second);
    guards_.erase(i);
    if (begun_at_)
      dropped_.push_back({x.name, clock::now()});
    guard.unlock();
    if (!x.temporary)
      begin({"guard '" + x.name + "' was dropped"});
    wake_.notify();
  }

  void spawn(const std::string& name, bool temporary,
             std::function<void(std::stop_token)> what) {
    auto held = make_guard(name, temporary);
    auto fun = [this, name, what = std::move(what), held = std::move(held),
                token = stop_.get_token()]() mutable {
      run_guarded(
        "task", name, [&] { what(token); }, true);
      what = nullptr;
      held.drop();
    };
    start_thread(std::move(fun));
  }

  std::stop_token token() const {
    return stop_.get_token();
  }

  // -- workers ----------------------------------------------------------------

  void add_worker(const std::string& name, std::function<void()> notify,
                  std::function<void()> await) {
    std::lock_guard guard{mutex_};
    if (phases_[0].began)
      throw std::logic_error(
        "worker '" + name
        + "' comes too late: phase 'tasks' has begun "
          "already");
    workers_.push_back(
      {name, std::move(notify), std::move(await), state::running, {}, {}});
  }

  // -- parts ------------------------------------------------------------------

  void adopt(caf::strong_actor_ptr actor, std::string name, part_options opts) {
    if (!actor)
      throw std::invalid_argument("part '" + name + "' is no actor");
    part x;
    x.actor = caf::actor_cast<caf::weak_actor_ptr>(actor);
    auto id = add(std::move(x), std::move(name), std::move(opts));
    // Also called if it is dead already; and not under the lock therefore.
    actor->get()->attach_functor([self = shared_from_this(), id] {
      self->ended(id);
    });
    admit(id);
  }

  void adopt(application& app, std::string name, part_options opts) {
    part x;
    x.what = kind::application;
    x.app = &app;
    auto id = add(std::move(x), std::move(name), std::move(opts));
    application_access::on_over(app, [self = shared_from_this(), id] {
      self->ended(id);
    });
    admit(id);
  }

  // -- shutting down ----------------------------------------------------------

  bool begin(shutdown_reason why, bool by_signal = false) {
    std::lock_guard guard{mutex_};
    if (begun_at_)
      return false;
    begun_at_ = clock::now();
    reason_ = std::move(why);
    by_signal_ = by_signal;
    worst_ = std::max(worst_, reason_.status);
    wake_.notify();
    return true;
  }

  void force(int status, const std::string& why) {
    begin({why});
    std::lock_guard guard{mutex_};
    if (forced_ || over_)
      return;
    forced_ = true;
    forced_at_ = clock::now();
    status_ = status;
    logger_->warn("{}: what is left is stopped by force", why);
    wake_.notify();
  }

  int wait(std::optional<std::chrono::nanoseconds> deadline) {
    std::unique_lock guard{mutex_};
    if (deadline) {
      options_.deadline = *deadline;
      wake_.notify();
    }
    changed_.wait(guard, [this] { return over_; });
    return status_;
  }

  shutdown_report status() const;

  shutdown_timeline timeline() const;

  /// The shutdown's own thread.
  void run();

  /// Waits until there is no actor any more, taking part or not.
  void await_system();

private:
  struct phase {
    std::string name;
    phase_options options;
    bool began = false;
    bool over = false;
    bool late = false;
    std::size_t living = 0; // parts
    clock::time_point began_at{};
    clock::time_point over_at{};
  };

  struct task {
    std::uint64_t id;
    std::size_t phase;
    std::string name;
    std::function<void(const shutdown_reason&)> what;
    state now = state::running;
    clock::time_point since{};
    std::string error = {};
    clock::time_point began_at{};
  };

  struct worker {
    std::string name;
    std::function<void()> notify;
    std::function<void()> await;
    state now;
    clock::time_point since;
    std::string error;
    clock::time_point began_at{};
  };

  struct guard_record {
    std::string name;
    bool temporary;
    clock::time_point since;
  };

  struct part {
    caf::weak_actor_ptr actor = {};
    application* app = nullptr;
    std::string name = {};
    std::function<void()> post_stop = {};
    clock::time_point since{};
    clock::time_point asked_at{}; // to end; never before it was
    std::uint32_t phase = 0;
    std::uint32_t parent = nobody;
    std::uint32_t children = 0; // that have not ended
    kind what = kind::actor;
    state now = state::running;
    bool forced = false;
  };

  /// A guard that was dropped in the shutdown.
  struct dropped_guard {
    std::string name;
    clock::time_point at;
  };

  // -- phases -----------------------------------------------------------------

  std::size_t find_phase(const std::string& name) const {
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (phases_[i].name == name)
        return i;
    throw std::invalid_argument("there is no phase '" + name + "'");
  }

  /// Renders a cycle, "a after b after a"; empty if there is none.
  std::string find_cycle() const {
    std::vector<int> marks(phases_.size());
    std::vector<std::size_t> path;
    std::string result;
    std::function<bool(std::size_t)> visit = [&](std::size_t i) {
      if (marks[i] == 2)
        return false;
      path.push_back(i);
      if (marks[i] == 1) {
        auto first = std::find(path.begin(), path.end(), i);
        for (auto j = first; j != path.end(); ++j)
          result += (result.empty() ? "" : " after ") + phases_[*j].name;
        return true;
      }
      marks[i] = 1;
      for (auto& x : phases_[i].options.after)
        if (visit(find_phase(x)))
          return true;
      marks[i] = 2;
      path.pop_back();
      return false;
    };
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (visit(i))
        break;
    return result;
  }

  /// The next phase whose predecessors are over.
  std::optional<std::size_t> next_phase() const {
    for (std::size_t i = 0; i < phases_.size(); ++i)
      if (!phases_[i].began
          && std::all_of(
            phases_[i].options.after.begin(), phases_[i].options.after.end(),
            [&](auto& x) { return phases_[find_phase(x)].over; }))
        return i;
    return std::nullopt;
  }

  void run_phase(std::size_t index);

  /// Notifies the workers, and awaits them.
  void run_workers();

  bool is_done(std::size_t index) const;

  void name_late(std::size_t index);

  // -- parts ------------------------------------------------------------------

  std::uint32_t add(part x, std::string name, part_options opts) {
    std::lock_guard guard{mutex_};
    x.phase = static_cast<std::uint32_t>(find_phase(opts.phase));
    if (!opts.parent.empty()) {
      auto i = by_name_.find(opts.parent);
      if (i == by_name_.end())
        throw std::invalid_argument(
          "part '" + name + "' has the parent '" + opts.parent
          + "', which is no part");
      x.parent = i->second;
      x.phase = parts_[i->second].phase;
      ++parts_[i->second].children;
    }
    x.name = std::move(name);
    x.post_stop = std::move(opts.post_stop);
    x.since = clock::now();
    auto id = static_cast<std::uint32_t>(parts_.size());
    auto& added = parts_.emplace_back(std::move(x));
    ++living_;
    ++phases_[added.phase].living;
    by_name_.insert_or_assign(added.name, id);
    return id;
  }

  /// A part that comes when its phase has begun ends with the others; if that
  /// is over, at once.
  void admit(std::uint32_t id) {
    std::unique_lock guard{mutex_};
    auto& x = parts_[id];
    if (is_over(x.now))
      return;
    if (forced_ || phases_[x.phase].over) {
      logger_->warn(
        "part '{}' comes when its phase is over: it is stopped by "
        "force",
        x.name);
      stop(id, true, guard);
    } else if (phases_[x.phase].began) {
      stop(id, false, guard);
    }
  }

  /// Asks a part to end once its children have, or forces it.
  void stop(std::uint32_t id, bool forcibly,
            std::unique_lock<std::mutex>& held);

  /// A part has ended.
  void ended(std::uint32_t id);

  void force_parts(std::optional<std::uint32_t> of_phase);

  // -- threads ----------------------------------------------------------------

  /// Calls `fun`. @returns what went wrong, or nothing.
  template <class Fun>
  std::string run_guarded(const char* what, const std::string& name, Fun&& fun,
                          bool fatal) {
    std::string error;
    try {
      fun();
      return {};
    } catch (const std::exception& e) {
      error = e.what();
    } catch (...) {
      error = "an exception that is not derived from std::exception";
    }
    logger_->error("{} '{}' failed: {}", what, name, error);
    {
      std::lock_guard guard{mutex_};
      worst_ = std::max(worst_, status_failed);
      if (fatal)
        failures_.emplace_back(name, error);
    }
    if (fatal)
      begin({std::string{what} + " '" + name + "' failed: " + error,
             status_failed});
    return error;
  }

  template <class Fun>
  void start_thread(Fun fun) {
    std::lock_guard guard{mutex_};
    if (closed_)
      return; // there is nobody to wait for it
    auto done = std::make_shared<std::atomic<bool>>(false);
    threads_.push_back(
      {std::thread{[self = shared_from_this(), done,
                    fun = std::make_shared<Fun>(std::move(fun))]() mutable {
         (*fun)();
         fun.reset();
         done->store(true);
         self->wake_.notify();
       }},
       done});
  }

  // -- the shutdown's own thread ----------------------------------------------

  /// Waits for something to happen.
  void pause_until(clock::time_point end) const {
    wake_.wait(end == clock::time_point::max()
                 ? std::chrono::nanoseconds::max()
                 : end - clock::now());
  }

  /// The same, and looks after signals.
  void wait_until(clock::time_point end);

  clock::time_point last_moment() const {
    std::lock_guard guard{mutex_};
    return after(*begun_at_, options_.deadline);
  }

  bool forced() const {
    std::lock_guard guard{mutex_};
    return forced_;
  }

  /// Forces the shutdown once its deadline has passed.
  void watch_deadline() {
    std::unique_lock guard{mutex_};
    auto deadline = options_.deadline;
    if (forced_ || clock::now() < after(*begun_at_, deadline))
      return;
    guard.unlock();
    force(status_deadline, "the shutdown takes longer than its deadline ("
                             + time_text(deadline) + ")");
  }

  void run_on_signal();

  /// What the program makes of a status.
  int mapped(int status) const {
    return options_.map_status ? options_.map_status(status, reason_) : status;
  }

  void finish();

  /// Ends the process, unless the options say otherwise: something cannot be
  /// stopped.
  void end_process(int status);

  struct thread_record {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
  };

  caf::actor_system* system_;
  shutdown_options options_;
  log_context log_;
  std::shared_ptr<spdlog::logger> logger_;
  event_descriptor wake_;
  std::optional<signal_watch> watch_;
  std::stop_source stop_;
  int signals_ = 0; // that came; of the shutdown's own thread

  mutable std::mutex mutex_; // protects what follows
  std::condition_variable changed_;
  std::vector<phase> phases_;
  std::deque<task> tasks_;
  std::map<std::uint64_t, guard_record> guards_;
  std::vector<dropped_guard> dropped_;
  std::deque<worker> workers_;
  std::deque<part> parts_;
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<thread_record> threads_;
  std::vector<std::pair<std::string, std::string>> failures_;
  std::size_t living_ = 0; // parts
  std::uint64_t numbers_ = 0;
  shutdown_reason reason_;
  std::optional<clock::time_point> begun_at_;
  clock::time_point forced_at_{};
  bool by_signal_ = false;
  bool forced_ = false;
  bool over_ = false;
  bool closed_ = false; // no threads are started any more
  int status_ = 0;
  int worst_ = 0; // of what happened, if it is not forced
  std::string stage_ = "running";
};

// -- parts --------------------------------------------------------------------

void shutdown_core::stop(std::uint32_t id, bool forcibly,
                         std::unique_lock<std::mutex>& held) {
  auto& x = parts_[id];
  if (is_over(x.now) || x.now == state::forced)
    return;
  if (!forcibly && x.children > 0) {
    if (x.now == state::running) {
      x.now = state::waiting;
      x.since = clock::now();
    }
    return;
  }
  if (!forcibly && x.now == state::ending)
    return;
  x.now = forcibly ? state::forced : state::ending;
  x.since = clock::now();
  x.forced = x.forced || forcibly;
  if (x.asked_at == clock::time_point{})
    x.asked_at = x.since;
  auto actor = caf::actor_cast<caf::strong_actor_ptr>(x.actor);
  auto* app = x.app;
  auto status = status_;
  // What follows may run code of others.
  held.unlock();
  if (app != nullptr) {
    if (forcibly)
      app->force_shutdown(status != 0 ? status : status_deadline);
    else
      app->request_shutdown();
  } else if (actor) {
    // Behind all that is in the mailbox, or before it.
    auto reason
      = forcibly ? caf::exit_reason::kill : caf::exit_reason::user_shutdown;
    actor->enqueue(
      nullptr,
      caf::make_message_id(
        forcibly ? caf::message_priority::high : caf::message_priority::normal),
      caf::make_message(caf::exit_msg{actor->address(), reason}), nullptr);
  }
  held.lock();
}

void shutdown_core::ended(std::uint32_t id) {
  std::function<void()> post_stop;
  std::string name;
  {
    std::unique_lock guard{mutex_};
    auto& x = parts_[id];
    if (is_over(x.now))
      return;
    x.now = state::ended;
    x.since = clock::now();
    post_stop = std::move(x.post_stop);
    if (post_stop)
      name = x.name;
  }
  if (post_stop)
    run_guarded("the hook of part", name, post_stop, false);
  std::unique_lock guard{mutex_};
  --living_;
  auto last_of_phase = --phases_[parts_[id].phase].living == 0;
  if (auto parent = parts_[id].parent; parent != nobody)
    if (--parts_[parent].children == 0 && parts_[parent].now == state::waiting)
      stop(parent, false, guard);
  if (begun_at_ && last_of_phase)
    wake_.notify();
}

void shutdown_core::force_parts(std::optional<std::uint32_t> of_phase) {
  std::unique_lock guard{mutex_};
  for (std::uint32_t i = 0; i < parts_.size(); ++i)
    if (!of_phase || parts_[i].phase == *of_phase)
      stop(i, true, guard);
}

// -- the shutdown's own thread ------------------------------------------------

void shutdown_core::wait_until(clock::time_point end) {
  pause_until(end);
  watch_->collect([this](int signal) {
    if (signal == SIGUSR1)
      logger_->info("{}", to_string(this->status()));
    else if (++signals_ == 1)
      begin({"signal " + std::to_string(signal)}, true);
    else
      force(status_second_signal,
            "signal " + std::to_string(signal) + " again");
  });
}

void shutdown_core::run() {
  while (![this] {
    std::lock_guard guard{mutex_};
    return begun_at_.has_value();
  }())
    wait_until(clock::time_point::max());
  logger_->info(
    "{}: the system shuts down; a second signal forces it", reason_.what);
  if (by_signal_)
    run_on_signal();
  stop_.request_stop();
  while (!forced()) {
    std::optional<std::size_t> next;
    {
      std::lock_guard guard{mutex_};
      next = next_phase();
    }
    if (!next)
      break;
    run_phase(*next);
  }
  finish();
  // Actors may keep this alive for long.
  watch_.reset();
}

void shutdown_core::run_on_signal() {
  if (!options_.on_signal)
    return;
  auto done = std::make_shared<std::atomic<int>>(0);
  start_thread([this, done] {
    auto error = run_guarded("handler", "on_signal", options_.on_signal, false);
    done->store(error.empty() ? 1 : 2);
  });
  auto end = after(clock::now(), options_.on_signal_timeout);
  while (*done == 0 && clock::now() < end && !forced())
    wait_until(end);
  if (*done == 1)
    return;
  if (*done == 0)
    logger_->error(
      "handler 'on_signal' did not return within "
      "on_signal_timeout ({}): the shutdown goes on without it",
      time_text(options_.on_signal_timeout));
  if (options_.backup)
    run_guarded("handler", "backup", options_.backup, false);
  // The deadline is for what follows.
  std::lock_guard guard{mutex_};
  begun_at_ = clock::now();
}

bool shutdown_core::is_done(std::size_t index) const {
  if (index == 0
      && (!guards_.empty()
          || std::any_of(workers_.begin(), workers_.end(), [](auto& x) {
               return !is_over(x.now);
             })))
    return false;
  for (auto& x : tasks_)
    if (x.phase == index && !is_over(x.now))
      return false;
  return phases_[index].living == 0;
}

void shutdown_core::run_workers() {
  // Nobody adds to them any more.
  auto set = [this](worker& x, state now, std::string error) {
    std::lock_guard guard{mutex_};
    x.now = now;
    x.since = clock::now();
    x.error = std::move(error);
    if (now == state::ending)
      x.began_at = x.since;
  };
  for (auto& x : workers_) {
    if (x.notify)
      run_guarded("the notifier of worker", x.name, x.notify, false);
    set(x, state::ending, {});
  }
  for (auto i = workers_.rbegin(); i != workers_.rend(); ++i) {
    auto error = run_guarded("worker", i->name, i->await, false);
    set(*i, error.empty() ? state::ended : state::failed, error);
  }
}

void shutdown_core::await_system() {
  if (!options_.await_system)
    return;
  // CAF tells their number, not who they are.
  constexpr auto pause = std::chrono::milliseconds{1};
  auto end = after(clock::now(), options_.grace_period);
  while (system_->registry().running() > 0 && clock::now() < end)
    pause_until(std::min(end, clock::now() + pause));
  auto left = system_->registry().running();
  if (left == 0)
    return;
  logger_->critical(
    "{} of the actor system {} alive {} after the shutdown, and "
    "took no part in it: the system's destructor would wait "
    "for {} for ever",
    left == 1 ? "1 actor" : std::to_string(left) + " actors",
    left == 1 ? "is" : "are", time_text(options_.grace_period),
    left == 1 ? "it" : "them");
  end_process(mapped(status_deadline));
}

void shutdown_core::end_process(int status) {
  if (options_.end_process)
    logger_->critical("the process ends with status {}", status);
  log_.flush();
  if (options_.end_process)
    std::_Exit(status);
}

void shutdown_core::run_phase(std::size_t index) {
  std::vector<task*> to_run;
  clock::time_point end;
  std::string name;
  auto recover = true;
  {
    std::unique_lock guard{mutex_};
    auto& here = phases_[index];
    here.began = true;
    here.began_at = clock::now();
    stage_ = name = here.name;
    recover = here.options.recover;
    end = after(clock::now(), here.options.timeout);
    for (auto& x : tasks_)
      if (x.phase == index) {
        x.now = state::ending;
        x.since = x.began_at = clock::now();
        to_run.push_back(&x);
      }
    for (std::uint32_t i = 0; i < parts_.size(); ++i)
      if (parts_[i].phase == index)
        stop(i, false, guard);
  }
  logger_->debug("phase '{}' begins", name);
  if (index == 0 && !workers_.empty())
    start_thread([this] { run_workers(); });
  auto has_failed = std::make_shared<std::atomic<bool>>(false);
  for (auto* x : to_run)
    start_thread([this, x, has_failed] {
      auto error = run_guarded(
        "task", x->name, [&] { x->what(reason_); }, false);
      if (!error.empty())
        *has_failed = true;
      std::lock_guard guard{mutex_};
      x->now = error.empty() ? state::ended : state::failed;
      x->error = error;
      x->since = clock::now();
    });
  auto done = [&] {
    std::lock_guard guard{mutex_};
    return is_done(index);
  };
  auto in_time = done();
  while (!in_time && !forced() && clock::now() < end) {
    wait_until(std::min(end, last_moment()));
    watch_deadline();
    in_time = done();
  }
  if (!in_time && !forced()) {
    name_late(index);
    force_parts(static_cast<std::uint32_t>(index));
  }
  {
    std::lock_guard guard{mutex_};
    phases_[index].over = true;
    phases_[index].over_at = clock::now();
    phases_[index].late = !in_time;
    if (!in_time)
      worst_ = std::max(worst_, status_deadline);
  }
  if (!recover && (!in_time || *has_failed))
    force(in_time ? status_failed : status_deadline,
          "phase '" + name + "' has failed");
}

void shutdown_core::name_late(std::size_t index) {
  auto all = status();
  std::string text;
  std::size_t count = 0;
  for (auto& x : all.parts) {
    if (x.phase != phases_[index].name || is_over(x.now))
      continue;
    if (++count <= names_in_log)
      text += "\n  " + to_string(x.what) + " '" + x.name + "'";
  }
  if (count > names_in_log)
    text += "\n  and " + std::to_string(count - names_in_log) + " more";
  logger_->error(
    "phase '{}' is not over after its timeout ({}):{}", phases_[index].name,
    time_text(phases_[index].options.timeout), text);
}

void shutdown_core::finish() {
  // What was left behind has to end now, too.
  std::unique_lock guard{mutex_};
  auto all_gone = [this] {
    return living_ == 0 && guards_.empty()
           && std::all_of(threads_.begin(), threads_.end(), [](auto& x) {
                return x.done->load();
              });
  };
  if (!all_gone()) {
    stage_ = "forced";
    if (!forced_)
      forced_at_ = clock::now();
    auto end = after(forced_at_, options_.grace_period);
    guard.unlock();
    force_parts(std::nullopt);
    guard.lock();
    while (!all_gone() && clock::now() < end) {
      guard.unlock();
      wait_until(end);
      guard.lock();
    }
  }
  auto clean = all_gone();
  if (!clean)
    status_ = status_deadline;
  else if (!forced_)
    status_ = worst_;
  status_ = mapped(status_);
  auto status = status_;
  auto threads = std::move(threads_);
  threads_.clear();
  closed_ = true;
  guard.unlock();
  for (auto& x : threads)
    if (*x.done)
      x.thread.join();
    else
      x.thread.detach();
  if (!clean) {
    logger_->critical(
      "what could not be stopped: {}", to_string(this->status()));
    end_process(status);
  }
  guard.lock();
  over_ = true;
  stage_ = "over";
  changed_.notify_all();
}

// -- reports ------------------------------------------------------------------

shutdown_report shutdown_core::status() const {
  std::lock_guard guard{mutex_};
  auto now = clock::now();
  shutdown_report result;
  result.stage = stage_;
  result.reason = reason_;
  if (begun_at_)
    result.elapsed = now - *begun_at_;
  auto add = [&](std::string name, kind what, state how, std::size_t in_phase,
                 clock::time_point since) -> part_report& {
    auto& x = result.parts.emplace_back();
    x.name = std::move(name);
    x.what = what;
    x.now = how;
    x.phase = phases_[in_phase].name;
    x.since = now - since;
    return x;
  };
  for (auto& [id, x] : guards_)
    add(x.name, kind::guard, begun_at_ ? state::ending : state::running, 0,
        x.since);
  result.actors = system_->registry().running();
  for (auto& x : workers_)
    if (x.now != state::ended)
      add(x.name, kind::worker, x.now, 0, x.since).error = x.error;
  for (auto& x : tasks_)
    if (x.now != state::ended)
      add(x.name, kind::action, x.now, x.phase, x.since).error = x.error;
  std::unordered_map<std::uint32_t, std::uint32_t> first_child;
  for (std::uint32_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].parent != nobody && !is_over(parts_[i].now))
      first_child.try_emplace(parts_[i].parent, i);
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    auto& x = parts_[i];
    if (is_over(x.now))
      continue;
    auto& y = add(x.name, x.what, x.now, x.phase, x.since);
    if (auto child = first_child.find(i); child != first_child.end())
      y.waits_for = parts_[child->second].name;
  }
  for (auto& [name, error] : failures_)
    add(name, kind::task, state::failed, 0, now).error = error;
  return result;
}

shutdown_timeline shutdown_core::timeline() const {
  std::lock_guard guard{mutex_};
  shutdown_timeline result;
  if (!begun_at_)
    return result;
  auto now = clock::now();
  auto add = [&](const std::string& name, std::string what,
                 std::size_t in_phase, clock::time_point begin, bool over,
                 clock::time_point end, bool forced) {
    result.push_back(
      {name, std::move(what), phases_[in_phase].name, begin - *begun_at_,
       (over ? end : now) - *begun_at_, over, forced});
  };
  std::vector<std::size_t> order(phases_.size());
  for (std::size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [this](auto a, auto b) {
    return phases_[a].began_at < phases_[b].began_at;
  });
  std::vector<std::vector<std::uint32_t>> parts(phases_.size());
  for (std::uint32_t i = 0; i < parts_.size(); ++i)
    if (parts_[i].asked_at != clock::time_point{})
      parts[parts_[i].phase].push_back(i);
  for (auto i : order) {
    auto& here = phases_[i];
    if (!here.began)
      continue;
    add(here.name, "phase", i, here.began_at, here.over, here.over_at,
        here.late);
    if (i == 0) {
      for (auto& x : dropped_)
        add(x.name, "guard", i, here.began_at, true, x.at, false);
      for (auto& [id, x] : guards_)
        add(x.name, "guard", i, here.began_at, false, {}, here.over);
      for (auto& x : workers_)
        add(x.name, "worker", i,
            x.began_at == clock::time_point{} ? here.began_at : x.began_at,
            is_over(x.now), x.since, x.now == state::failed);
    }
    for (auto& x : tasks_)
      if (x.phase == i)
        add(x.name, "action", i, x.began_at, is_over(x.now), x.since,
            x.now == state::failed);
    for (auto id : parts[i]) {
      auto& x = parts_[id];
      add(x.name, to_string(x.what), i, x.asked_at, is_over(x.now), x.since,
          x.forced);
    }
  }
  return result;
}

} // namespace detail

// -- guards -------------------------------------------------------------------

shutdown_guard& shutdown_guard::operator=(shutdown_guard&& other) noexcept {
  if (this != &other) {
    drop();
    core_ = std::move(other.core_);
    id_ = other.id_;
  }
  return *this;
}

shutdown_guard::~shutdown_guard() {
  drop();
}

shutdown_guard shutdown_guard::child(const std::string& name) const {
  if (!core_)
    throw std::logic_error(
      "guard '" + name + "' has a parent that was dropped");
  return core_->make_child(id_, name);
}

std::stop_token shutdown_guard::token() const {
  return core_ ? core_->token() : std::stop_token{};
}

void shutdown_guard::drop() noexcept {
  if (auto core = std::exchange(core_, nullptr))
    core->drop_guard(id_);
}

// -- reports ------------------------------------------------------------------

std::string to_string(part_report::kind x) {
  switch (x) {
    case part_report::kind::actor:
      return "actor";
    case part_report::kind::application:
      return "application";
    case part_report::kind::task:
      return "task";
    case part_report::kind::guard:
      return "guard";
    case part_report::kind::worker:
      return "worker";
    default:
      return "action";
  }
}

std::string to_string(part_report::state x) {
  switch (x) {
    case part_report::state::running:
      return "running";
    case part_report::state::waiting:
      return "waiting";
    case part_report::state::ending:
      return "ending";
    case part_report::state::forced:
      return "forced";
    case part_report::state::ended:
      return "ended";
    default:
      return "failed";
  }
}

namespace {

std::string since_text(const part_report& x) {
  auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(x.since);
  return detail::time_text(ms);
}

std::string text_of(const part_report& x) {
  auto result = to_string(x.what) + " '" + x.name + "': ";
  switch (x.now) {
    case part_report::state::running:
      return result + "runs, phase '" + x.phase + "'";
    case part_report::state::waiting:
      return result + "waits for '" + x.waits_for + "' since " + since_text(x);
    case part_report::state::ending:
      return result + "was asked to end " + since_text(x) + " ago";
    case part_report::state::forced:
      return result + "was forced to end " + since_text(x) + " ago";
    case part_report::state::ended:
      return result + "has ended";
    default:
      return result + "failed: " + x.error;
  }
}

/// Who comes first in a text.
int urgency(const part_report& x) {
  switch (x.now) {
    case part_report::state::failed:
      return 0;
    case part_report::state::forced:
      return 1;
    case part_report::state::ending:
      return 2;
    default:
      return 3;
  }
}

} // namespace

std::string to_string(const shutdown_report& x) {
  auto result = "the system is in stage '" + x.stage + "'";
  if (!x.reason.what.empty())
    result += " because of " + x.reason.what;
  result
    += "; " + std::to_string(x.parts.size())
       + (x.parts.size() == 1 ? " part is left" : " parts are left") + ", "
       + std::to_string(x.actors)
       + (x.actors == 1 ? " actor is alive" : " actors are alive");
  std::vector<const part_report*> parts;
  for (auto& part : x.parts)
    parts.push_back(&part);
  std::stable_sort(parts.begin(), parts.end(), [](auto* a, auto* b) {
    return urgency(*a) < urgency(*b);
  });
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i == detail::names_in_log) {
      result += "\n  and " + std::to_string(parts.size() - i) + " more";
      break;
    }
    result += "\n  " + text_of(*parts[i]);
  }
  return result;
}

std::string to_json(const shutdown_report& x) {
  rapidjson::StringBuffer buffer;
  detail::json_writer to{buffer};
  to.SetIndent(' ', 1);
  to.StartObject();
  detail::put(to, "format", "rosia-shutdown-1");
  detail::put(to, "stage", x.stage);
  detail::put(to, "reason", x.reason.what);
  to.Key("elapsed_ns");
  to.Int64(x.elapsed.count());
  to.Key("actors");
  to.Uint64(x.actors);
  to.Key("parts");
  to.StartArray();
  for (auto& part : x.parts) {
    to.StartObject();
    detail::put(to, "name", part.name);
    detail::put(to, "kind", to_string(part.what));
    detail::put(to, "state", to_string(part.now));
    detail::put(to, "phase", part.phase);
    to.Key("since_ns");
    to.Int64(part.since.count());
    if (!part.waits_for.empty())
      detail::put(to, "waits_for", part.waits_for);
    if (!part.error.empty())
      detail::put(to, "error", part.error);
    to.EndObject();
  }
  to.EndArray();
  to.EndObject();
  return std::string{buffer.GetString(), buffer.GetSize()} + '\n';
}

// -- timelines ----------------------------------------------------------------

std::string to_json(const shutdown_timeline& xs) {
  rapidjson::StringBuffer buffer;
  detail::json_writer to{buffer};
  to.SetIndent(' ', 1);
  to.StartObject();
  detail::put(to, "format", "rosia-shutdown-timeline-1");
  to.Key("entries");
  to.StartArray();
  for (auto& x : xs) {
    to.StartObject();
    detail::put(to, "name", x.name);
    detail::put(to, "kind", x.what);
    detail::put(to, "phase", x.phase);
    to.Key("begin_ns");
    to.Int64(x.begin.count());
    to.Key("end_ns");
    to.Int64(x.end.count());
    to.Key("over");
    to.Bool(x.over);
    to.Key("forced");
    to.Bool(x.forced);
    to.EndObject();
  }
  to.EndArray();
  to.EndObject();
  return std::string{buffer.GetString(), buffer.GetSize()} + '\n';
}

namespace {

std::string xml_text(std::string_view x) {
  std::string result;
  for (auto c : x)
    switch (c) {
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '&':
        result += "&amp;";
        break;
      default:
        // XML has no way to write control characters.
        result += static_cast<unsigned char>(c) < 0x20 ? '?' : c;
    }
  return result;
}

/// The entries that are drawn: all phases, and of the rest those that took
/// longest, in the order in which they are.
std::vector<const timeline_entry*> select_rows(
  const shutdown_timeline& xs, std::size_t max_rows) {
  std::vector<const timeline_entry*> result;
  for (auto& x : xs)
    result.push_back(&x);
  if (result.size() <= max_rows)
    return result;
  auto rank = [](const timeline_entry* x) {
    return std::tuple{x->what != "phase", !x->forced, x->begin - x->end};
  };
  std::stable_sort(result.begin(), result.end(), [&](auto* a, auto* b) {
    return rank(a) < rank(b);
  });
  result.resize(max_rows);
  std::sort(result.begin(), result.end());
  return result;
}

} // namespace

std::string to_svg(const shutdown_timeline& xs, std::size_t max_rows) {
  constexpr auto row = 20;
  constexpr auto left = 260;
  constexpr auto width = 640;
  auto rows = select_rows(xs, max_rows);
  auto last = std::chrono::nanoseconds{1};
  for (auto* x : rows)
    last = std::max(last, x->end);
  auto scale = [&](std::chrono::nanoseconds x) {
    return left
           + static_cast<double>(x.count()) / static_cast<double>(last.count())
               * width;
  };
  auto result = fmt::format(
    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{}\" height=\"{}\" "
    "font-family=\"sans-serif\" font-size=\"12\">\n"
    "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
    left + width + 90, (static_cast<int>(rows.size()) + 2) * row);
  auto y = row / 2;
  for (auto* x : rows) {
    auto is_phase = x->what == "phase";
    auto colour = x->forced ? "#c0392b" : is_phase ? "#7f8c8d" : "#2e86c1";
    result += fmt::format(
      "<text x=\"{}\" y=\"{}\"{}>{}</text>\n", is_phase ? 8 : 24, y + 13,
      is_phase ? " font-weight=\"bold\"" : "",
      xml_text(x->what + ' ' + x->name));
    result += fmt::format(
      "<rect x=\"{:.1f}\" y=\"{}\" width=\"{:.1f}\" height=\"{}\" "
      "fill=\"{}\"{}><title>{}</title></rect>\n",
      scale(x->begin), y + 3, std::max(scale(x->end) - scale(x->begin), 1.0),
      row - 6, colour, x->over ? "" : " fill-opacity=\"0.5\"",
      xml_text(x->name + ": " + detail::time_text(x->begin) + " to "
               + detail::time_text(x->end) + (x->over ? "" : ", not over")
               + (x->forced ? ", forced" : "")));
    y += row;
  }
  if (rows.size() < xs.size()) {
    result += fmt::format("<text x=\"24\" y=\"{}\">and {} more</text>\n",
                          y + 13, xs.size() - rows.size());
  }
  result += fmt::format(
    "<text x=\"{}\" y=\"{}\">0</text>\n<text x=\"{}\" y=\"{}\">{}</text>\n"
    "</svg>\n",
    left, y + row + 5, left + width - 20, y + row + 5, detail::time_text(last));
  return result;
}

// -- shutdown -----------------------------------------------------------------

shutdown::shutdown(caf::actor_system& sys, shutdown_options opts) {
  auto check = [](const char* name, std::chrono::nanoseconds x) {
    if (x.count() < 0)
      throw std::invalid_argument(
        std::string{name}
        + " of a shutdown is negative: " + std::to_string(x.count()) + " ns");
  };
  check("deadline", opts.deadline);
  check("grace_period", opts.grace_period);
  check("on_signal_timeout", opts.on_signal_timeout);
  core_ = std::make_shared<detail::shutdown_core>(sys, std::move(opts));
  runner_ = std::thread{[core = core_] { core->run(); }};
}

shutdown::~shutdown() {
  begin({"the end of the program"});
  runner_.join();
  core_->await_system();
}

void shutdown::phase(const std::string& name, phase_options opts) {
  core_->set_phase(name, std::move(opts));
}

std::uint64_t shutdown::on(const std::string& phase, const std::string& name,
                           std::function<void(const shutdown_reason&)> what) {
  return core_->add_task(phase, name, std::move(what));
}

bool shutdown::remove(std::uint64_t task) {
  return core_->remove_task(task);
}

shutdown_guard shutdown::guard(const std::string& name) {
  return core_->make_guard(name, false);
}

shutdown_guard shutdown::temporary(const std::string& name) {
  return core_->make_guard(name, true);
}

void shutdown::spawn_task(const std::string& name,
                          std::function<void(std::stop_token)> what) {
  core_->spawn(name, false, std::move(what));
}

void shutdown::spawn_temporary(
  const std::string& name, std::function<void(std::stop_token)> what) {
  core_->spawn(name, true, std::move(what));
}

std::stop_token shutdown::token() const {
  return core_->token();
}

void shutdown::add_worker(const std::string& name, std::function<void()> notify,
                          std::function<void()> await) {
  core_->add_worker(name, std::move(notify), std::move(await));
}

void shutdown::add_worker(const std::string& name, std::function<void()> notify,
                          std::thread worker) {
  add_worker(
    name, std::move(notify),
    [x = std::make_shared<std::thread>(std::move(worker))] { x->join(); });
}

void shutdown::adopt(application& app, std::string name, part_options opts) {
  core_->adopt(app, std::move(name), std::move(opts));
}

void shutdown::adopt_ptr(caf::strong_actor_ptr actor, std::string name,
                         part_options opts) {
  core_->adopt(std::move(actor), std::move(name), std::move(opts));
}

bool shutdown::begin(shutdown_reason reason) {
  return core_->begin(std::move(reason));
}

void shutdown::force(int status) {
  core_->force(status, "a request");
}

int shutdown::wait_for_shutdown() {
  return core_->wait(std::nullopt);
}

int shutdown::wait_for_shutdown(std::chrono::nanoseconds deadline) {
  return core_->wait(deadline);
}

shutdown_timeline shutdown::timeline() const {
  return core_->timeline();
}

shutdown_report shutdown::status() const {
  return core_->status();
}

} // namespace caf::rosia
