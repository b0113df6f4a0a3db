// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/logging.hpp"
#include "base/signal_watch.hpp"
#include "caf/rosia/detail/event_descriptor.hpp"
#include "caf/rosia/shutdown.hpp"
#include "compat/actor_probe.hpp"
#include "shutdown/adopted_program.hpp"
#include "shutdown/last_resort.hpp"
#include "shutdown/participant_state.hpp"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

namespace spdlog {

class logger;

} // namespace spdlog

namespace caf::rosia::detail {

/// What a shutdown, its guards, its threads and the actors that take part in it
/// share.
///
/// When the phase of an actor begins it gets a message behind its backlog:
/// `draining`. When it comes to that, it ends at once: `ending`; or, if it has
/// requests that are not answered, gets another one a little later; or, if it
/// has children or ends together with others, when nobody is left to wait for:
/// `waiting` until then.
class shutdown_core : public std::enable_shared_from_this<shutdown_core> {
public:
  using clock = std::chrono::steady_clock;

  /// It lives as long as somebody shares it, or CAF has something of a part.
  static std::shared_ptr<shutdown_core> make(
    caf::actor_system& sys, shutdown_options opts);

  // -- building ---------------------------------------------------------------

  void set_phase(const std::string& name, phase_options opts);

  std::uint64_t add_task(const std::string& in_phase, const std::string& name,
                         std::function<void(const shutdown_reason&)> what);

  bool remove_task(std::uint64_t id);

  /// @param what a guard, or the task that holds it.
  shutdown_guard make_guard(const std::string& name, bool temporary,
                            part_report::kind what = part_report::kind::guard);

  shutdown_guard make_child(std::uint64_t parent, const std::string& name);

  void drop_guard(std::uint64_t id) noexcept;

  void spawn(const std::string& name, bool temporary,
             std::function<void(std::stop_token)> what);

  std::stop_token token() const {
    return stop_.get_token();
  }

  void add_worker(const std::string& name, std::function<void()> notify,
                  std::function<void()> await);

  void adopt(caf::strong_actor_ptr actor, std::string name, part_options opts);

  void adopt(std::shared_ptr<adopted_program> program, std::string name,
             part_options opts);

  void subscribe(std::function<void(const dead_letter&)> subscriber);

  // -- shutting down ----------------------------------------------------------

  bool begin(shutdown_reason why, bool by_signal = false);

  void force(int status, const std::string& why);

  int wait(std::optional<std::chrono::nanoseconds> deadline);

  /// Somebody waits for it.
  void be_awaited();

  shutdown_report status() const;

  shutdown_timeline timeline() const;

  /// The shutdown's own thread.
  void run();

  /// Waits until there is no actor any more, taking part or not, unless the
  /// options say otherwise. Nothing can end the process any more, then.
  void await_system();

private:
  using kind = part_report::kind;
  using state = part_report::state;

  struct phase {
    phase(shutdown_core& of, std::string called)
      : core(of), name(std::move(called)) {
      // nop
    }

    shutdown_core& core;
    std::string name;
    phase_options options;
    bool began = false;
    bool over = false;
    bool late = false;
    bool released = false;     // its actors may end
    std::size_t undrained = 0; // actors that have not handled their backlog
    clock::time_point began_at{};
    clock::time_point over_at{};
    // Parts. Every actor that ends counts down: what else is looked at lies
    // apart.
    alignas(64) std::atomic<std::size_t> living = 0;
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
    kind what;
    clock::time_point since;
  };

  /// An application that takes part.
  struct application_part {
    std::shared_ptr<adopted_program> program;
    bool begin_on_failure;
  };

  /// Takes as many bytes as it must: there may be hundreds of thousands.
  struct alignas(128) participant final : observed_actor {
    participant(shutdown_core::phase& in, caf::scheduled_actor* self)
      : observed_actor(self), phase(&in) {
      // nop
    }

    // -- overridden functions of observed_actor -------------------------------

    bool may_end(const progress& so_far,
                 caf::strong_actor_ptr& linked) override;

    bool wants_letters() const override;

    void meets_exit(std::size_t unread, std::vector<letter> letters) override;

    void handled_exit() override;

    void failed(const std::string& error) override;

    void ended() override;

    void let_go() noexcept override;

    // What an actor touches at its end comes first.
    shutdown_core::phase* phase;
    caf::weak_actor_ptr actor = {};
    participant_state now = {};
    kind what = kind::actor;
    bool forced : 1 = false;
    bool drained : 1 = false;  // has handled its backlog once
    bool awaited : 1 = false;  // by its parent
    bool again : 1 = false;    // to be asked once more: its children have ended
    bool has_hook : 1 = false; // `post_stop`
    std::uint32_t children = 0; // that it waits for
    shared_value<clock::time_point> since = {};
    clock::time_point asked_at{}; // to end; never before it was
    // Probably runs soon when this actor ends. Maybe gone: only its address is
    // used.
    shared_value<const caf::scheduled_actor*> next_up = {};
    // The actor, while it is asked to end and others may come that it has to
    // wait for: else CAF would end it once nobody has a handle of it.
    caf::strong_actor_ptr held = {};
    std::uint32_t parent = nobody;
    std::uint32_t unanswered = 0; // requests, when it was last asked
    std::uint32_t unread = 0;     // messages that it has left
    application_part* app = nullptr;
    std::string name = {};
    std::function<void()> post_stop = {};
  };

  /// A guard that was dropped in the shutdown.
  struct dropped_guard {
    std::string name;
    kind what;
    clock::time_point at;
  };

  /// Something of the program that has failed.
  struct failure {
    kind what;
    std::string name;
    std::string phase;
    std::string error;
  };

  /// What an actor leaves behind if the exit that it handles ends it.
  struct leftover {
    std::size_t unread;
    std::vector<letter> letters;
  };

  struct thread_record {
    std::thread thread;
    std::shared_ptr<std::atomic<bool>> done;
  };

  static constexpr std::uint32_t nobody = ~std::uint32_t{0};

  using lock = std::unique_lock<std::mutex>;

  shutdown_core(caf::actor_system& sys, shutdown_options opts);

  ~shutdown_core();

  /// Nobody shares it any more.
  void abandon() noexcept;

  /// CAF has nothing of some parts any more. The last one frees this.
  void let_go_of(std::size_t parts) noexcept;

  /// Who is asked to end once the lock is free.
  struct outbox {
    std::vector<exit_target> actors;
    std::vector<participant*> apps;
  };

  // -- phases -----------------------------------------------------------------

  std::size_t find_phase(const std::string& name) const;

  /// Renders a cycle, "a after b after a"; empty if there is none.
  std::string find_cycle() const;

  /// The next phase whose predecessors are over.
  std::optional<std::size_t> next_phase() const;

  void run_phase(std::size_t index);

  /// Begins it. @returns its tasks.
  std::vector<task*> enter_phase(std::size_t index);

  /// Waits until it is over. @returns false if it was not in time.
  bool await_phase(std::size_t index);

  /// Spares those who wait for the lock, later, that it is held for as long as
  /// the memory takes.
  void prefetch_actors(const phase& of, std::size_t first);

  /// Notifies the workers, and awaits them.
  void run_workers();

  bool is_done(std::size_t index) const;

  void name_late(std::size_t index);

  // -- parts; what has a lock lets go of it while it runs code of others ------

  /// For what all actors do at their end, at the same time: to sleep and to be
  /// woken would take them longer than all else.
  lock lock_shortly();

  /// @param actor null if it is an application.
  participant& add(const caf::strong_actor_ptr& actor,
                   std::shared_ptr<adopted_program> program, std::string name,
                   part_options opts);

  /// An application is over.
  void over(participant& x, const adopted_program::outcome& how);

  /// Asks an application to end, and not to start if it has not.
  /// @param by_force the status; none if it is only asked.
  void end_application(participant& x,
                       std::optional<int> by_force = std::nullopt);

  /// A part that comes when its phase has begun ends with the others; if that
  /// is over, at once.
  void admit(participant& x);

  /// The phase of a part has begun.
  void ask(participant& x, outbox& mail, clock::time_point now);

  /// Asks an actor to handle its backlog and end.
  void drain(participant& x, outbox& mail, clock::time_point now);

  void send(outbox& mail, lock& held);

  /// Whether an actor that has handled its backlog has to wait; if so, it does.
  bool has_to_wait(participant& x);

  /// Lets the actors of a phase end.
  void release(phase& here, lock& held);

  /// The actor of a part; nobody if it has ended.
  /// @pre It is not left to the actor.
  static exit_target target_of(participant& x);

  void force_part(participant& x, lock& held);

  /// @param of_phase null stands for all.
  void force_parts(const phase* of_phase);

  /// Whether there is nobody left that it has to wait for.
  bool may_proceed(const participant& x) const;

  void note_drained(participant& x);

  void publish(const std::string& name, const leftover& what, lock& held);

  // -- what is looked at again after a while ----------------------------------

  void look_later_at(participant& x);

  void look_again();

  clock::time_point next_look() const;

  // -- what parts hear of their actors ----------------------------------------

  /// What `observed_actor::may_end` says if there may be somebody to wait for.
  bool may_end(participant& x, const participant::progress& so_far,
               caf::strong_actor_ptr& linked);

  void meets_exit(participant& x, leftover what);

  void handled_exit(participant& x);

  void failed(participant& x, const std::string& error);

  /// A part has ended.
  void ended(participant& x);

  // -- threads ----------------------------------------------------------------

  /// Calls `fun`. @returns what went wrong, or nothing.
  template <class Fun>
  std::string run_guarded(const char* what, const std::string& name, Fun&& fun,
                          bool fatal);

  /// @throws std::system_error if there are too many.
  template <class Fun>
  void start_thread(Fun fun);

  /// The same. @returns what went wrong, or nothing.
  template <class Fun>
  std::string try_thread(const char* what, const std::string& name, Fun fun);

  /// Notes what has become of a task, or of a worker.
  template <class T>
  void set(T& x, state now, const std::string& error);

  // -- the shutdown's own thread ----------------------------------------------

  /// @pre The lock is held.
  bool begin_locked(shutdown_reason why, bool by_signal);

  /// Waits for something to happen.
  void pause_until(clock::time_point end) const;

  /// The same, and looks after signals.
  void wait_until(clock::time_point end);

  bool begun() const;

  bool forced() const;

  clock::time_point last_moment() const;

  /// Forces the shutdown once its deadline has passed.
  void watch_deadline();

  /// Runs something of the program on a thread of its own.
  /// @returns false if it fails, or has not returned after `on_signal_timeout`.
  bool run_in_time(const char* name, const std::function<void()>& what);

  void run_on_signal();

  void finish();

  void log_unread() const;

  /// Ends the process if nobody waits for the shutdown, which is over.
  void await_somebody();

  void await_others();

  /// What the program makes of a status. Sets `refused` if no process can end
  /// with that.
  int mapped(int status, bool* refused = nullptr) const;

  /// Ends the process, unless the options say otherwise: something cannot be
  /// stopped.
  void end_process(int status);

  /// The process ends in the end even if the shutdown's own thread does not
  /// come to it, because a log that nobody reads holds it up. @pre The lock is
  /// held.
  void set_last_resort();

  void end_process_at(clock::time_point deadline);

  // -- reports ----------------------------------------------------------------

  std::vector<std::string> find_others() const;

  caf::actor_system* system_;
  shutdown_options options_;
  log_context log_;
  std::shared_ptr<spdlog::logger> logger_;
  event_descriptor wake_;
  std::optional<signal_watch> watch_;
  std::stop_source stop_;
  std::optional<last_resort> last_resort_; // if it may end the process
  int signals_ = 0; // that came; of the shutdown's own thread
  std::atomic<bool> has_subscribers_ = false;

  mutable std::mutex mutex_; // protects what follows
  std::condition_variable changed_;
  std::deque<phase> phases_; // the address of one stays, as that of a part
  std::list<task> tasks_;
  std::map<std::uint64_t, guard_record> guards_;
  std::vector<dropped_guard> dropped_;
  std::deque<worker> workers_;
  std::pmr::unsynchronized_pool_resource participants_memory_;
  mutable std::pmr::deque<participant>
    participants_;                            // the address of one stays
  std::deque<application_part> applications_; // the same
  std::unordered_map<std::string_view, std::uint32_t> by_name_;
  std::vector<participant*> looks_; // parts to look at again
  clock::time_point next_look_{};
  clock::duration look_pause_{};
  std::unordered_map<participant*, leftover> leftovers_;
  std::deque<std::function<void(const dead_letter&)>> subscribers_;
  std::size_t dead_letters_ = 0;
  std::vector<thread_record> threads_;
  std::vector<failure> failures_;
  std::atomic<std::size_t> kept_by_caf_ = 0; // parts, once nobody shares this
  std::uint64_t numbers_ = 0;
  shutdown_reason reason_;
  std::optional<clock::time_point> begun_at_;
  clock::time_point forced_at_{};
  bool by_signal_ = false;
  bool forced_ = false;
  bool over_ = false;
  bool awaited_ = false; // by somebody, who learns that it is over
  bool closed_ = false;  // no threads are started any more
  int status_ = 0;
  int worst_ = 0; // of what happened, if it is not forced
  std::string stage_ = "running";
};

} // namespace caf::rosia::detail
