// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/activity.hpp"
#include "engine/connection.hpp"
#include "engine/host.hpp"
#include "engine/least.hpp"
#include "engine/loop_time_table.hpp"
#include "engine/snapshot.hpp"
#include "engine/tracer.hpp"

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::engine {

/// What the user wrote: the code that a node runs.
class body {
public:
  virtual ~body();

  static constexpr std::uint32_t no_startup = ~std::uint32_t{0};

  /// Runs `start()`.
  virtual void start() = 0;

  /// The first reaction from `from` on that runs after `start()`, at the same
  /// tag, and never again; `no_startup` if there is none.
  virtual std::uint32_t next_startup(std::uint32_t from) const noexcept;

  /// Runs a reaction.
  virtual void react(std::uint32_t reaction) = 0;

  /// Runs a trigger's reaction with its value.
  virtual void react(std::uint32_t reaction, const value_ptr& content) = 0;

  /// Continues what called `node::wait` with this token.
  virtual void resume(void* token) = 0;

  /// Will never continue it.
  virtual void discard(void* token) noexcept = 0;

  /// A value from outside of the application waits no longer: it is executed,
  /// or dropped. `index` is that of a trigger's reaction, or of an input.
  virtual void consumed(bool trigger, std::uint32_t index) noexcept = 0;

  /// Runs `shutdown()`.
  virtual void shutdown() = 0;

  /// The name of a reaction, for errors.
  virtual std::string_view reaction_name(std::uint32_t reaction) const = 0;

  /// The name of an output, for errors.
  virtual std::string_view output_name(std::uint32_t output) const = 0;
};

/// How a node is wired and set.
struct node_config {
  node_id id = 0;

  /// A tag runs no earlier than this much physical time after the start.
  bool realtime = false;

  /// Values can come from outside of the application: there are triggers, or
  /// physical inputs.
  bool external = false;

  /// Report a lag of more than this many nanoseconds.
  std::optional<std::int64_t> lag_warn;

  /// Messages that a connection holds before its sender pauses.
  std::uint32_t max_in_flight = 1024;

  std::vector<input*> inputs;
  std::vector<output*> outputs;
  std::vector<in_connection> in;   // in the order of declaration
  std::vector<out_connection> out; // by output, each's in that order
  std::vector<node_id> peers;      // the receivers

  /// The loop that the node is in, if any.
  engine::loop_time_table* loop_time_table = nullptr;
  loop_time_table::member member = 0;

  /// Tells whether what the node does can depend on physical time.
  bool follows_clock() const noexcept;
};

/// A node without threads, clocks or actors: sections 3 to 5 of the semantics.
/// It is driven by calls, all of them from one thread at a time, and acts
/// through its host. The host calls `advance` after `start`, `ask_shutdown` and
/// `take_final`, and whenever the node was woken, a value from outside has
/// arrived, or elapsed time has reached `wake_at()`.
class node {
public:
  // -- member types -----------------------------------------------------------

  enum class state {
    /// Nothing to do before mail, a wake, or `wake_at()`.
    idle,
    /// The budget is used up: call again.
    more,
    /// The node is gone; it must not be called any more.
    left,
  };

  static constexpr std::int64_t no_wake
    = std::numeric_limits<std::int64_t>::max();

  // -- constructors, destructors ----------------------------------------------

  node() = default;

  node(const node&) = delete;

  node& operator=(const node&) = delete;

  ~node();

  /// Wires the node. Called once, before everything else.
  void init(node_config&& config, engine::body& code, engine::host& env,
            engine::tracer* trace);

  // -- driving ----------------------------------------------------------------

  /// Runs `start()`: the first part of tag (0, 0).
  void start();

  /// Takes in what has arrived and executes at most `budget` tags.
  state advance(std::size_t budget);

  /// When to call `advance` even if nothing else happens: nanoseconds of
  /// physical time since the start. `no_wake` if never.
  std::int64_t wake_at() const noexcept {
    return wake_at_;
  }

  // -- ending -----------------------------------------------------------------

  /// The coordinator's question: answers, and sets the barrier past the answer.
  void ask_shutdown(logical_time proposal);

  /// The coordinator's decision. @param requested the tag that was asked for.
  void take_final(logical_time final, logical_time requested);

  /// Ends at once: drops what is queued and leaves.
  void force();

  /// How the node ended, once it has left.
  ending how() const noexcept {
    return how_;
  }

  // -- called by the user's code ----------------------------------------------

  /// The current tag. The reference is good for as long as the node.
  const logical_time& now() const noexcept {
    return logical_;
  }

  /// Writes an output. @throws std::logic_error if that is an error of the
  /// node: outside of a reaction, a second time at one tag, against a promise.
  void write(std::uint32_t port, value_ptr content);

  /// Promises that nothing is written to an output before `now() + d`.
  void promise(std::uint32_t port, const delay& d);

  /// Has `body::resume(token)` called at `now() + d`; or, where an instance of
  /// the same reaction is resumed then, at the first microstep without one.
  void wait(const delay& d, void* token);

  /// Asks for an end at `now() + d`, and executes nothing later until it is
  /// decided.
  void request_shutdown(const delay& d, int status);

  /// Tells whether user code is running that may write, wait and request.
  bool executing() const noexcept {
    return phase_ == phase::executing;
  }

  // -- for observers ----------------------------------------------------------

  /// What the node's code does. From any thread, at any time.
  activity doing() const noexcept {
    return activity_.read();
  }

  /// Its state. Only while nobody else calls the node.
  snapshot look() const;

  /// How many pieces of its code have begun. From any thread, at any time.
  std::uint64_t progress() const noexcept {
    return activity_.count();
  }

  // -- properties -------------------------------------------------------------

  node_id id() const noexcept {
    return config_.id;
  }

  /// The last tag that was executed; (0, 0) before the first.
  logical_time logical() const noexcept {
    return logical_;
  }

  /// The final tag; `forever` until it is known.
  logical_time final() const noexcept {
    return final_;
  }

  /// Safe to advance to, as last computed.
  logical_time stat() const noexcept;

  /// The earliest tag that is queued; (0, 0) before `start()`.
  logical_time next_tag() const noexcept;

  bool realtime() const noexcept {
    return config_.realtime;
  }

  const node_config& config() const noexcept {
    return config_;
  }

private:
  // -- member types -----------------------------------------------------------

  enum class phase : std::uint8_t {
    idle,
    executing,
    failed,
    ending, // in `shutdown()`
    left,
  };

  /// An incoming connection whose first queued message is due at `tag`.
  struct due_input {
    logical_time tag;
    std::uint32_t connection;
    friend auto operator<=>(const due_input&, const due_input&) = default;
  };

  /// When a reaction that has yielded goes on. One instance of it at a tag, but
  /// for `forever`.
  struct moment {
    logical_time tag;
    std::uint32_t reaction;
    friend auto operator<=>(const moment&, const moment&) = default;
  };

  /// An instance of it.
  struct resumption {
    std::uint64_t number; // in the order in which they were scheduled
    void* token;
    // Up to there each microstep has one, as far as somebody has looked.
    logical_time row_end;
  };

  /// A value that was stamped by this node.
  struct physical_event {
    logical_time tag = never;
    envelope::kind what = envelope::kind::physical;
    std::uint32_t index = 0; // of the connection, input or reaction
    value_ptr content;
  };

  /// What bounds the promises of all outputs.
  struct bounds {
    logical_time base;     // by what is queued, and by STAT
    logical_time bound;    // by elapsed time, too
    bool physical = false; // does elapsed time count?
  };

  /// A node that this one sends to.
  struct peer {
    node_id id;
    bool intra_loop;
    std::vector<envelope> batch;
  };

  /// Whom a node asks for promises, and for what.
  struct requester {
    std::vector<std::uint32_t> connections;
    std::vector<logical_time> requested_bounds; // the last time
  };

  // -- taking in --------------------------------------------------------------

  void take_in();

  void receive(envelope& x);

  void stamp(envelope& x);

  void drop(const envelope& x, drop_reason why);

  // -- executing --------------------------------------------------------------

  bool may_execute(logical_time tag);

  void execute(logical_time tag);

  /// @returns whether the node goes on.
  bool resume_instances(logical_time tag);

  /// The tag at which an instance of the reaction that runs may be resumed, at
  /// or after the one that it wants.
  logical_time free_moment(logical_time wanted);

  void set_inputs(logical_time tag);

  void set_input(std::uint32_t port, std::uint32_t connection,
                 value_ptr content);

  void run_reactions();

  template <class Fun>
  bool guarded(std::uint32_t reaction, Fun&& fun);

  void fail(std::string what);

  std::string code_name(std::uint32_t reaction) const;

  /// What went wrong when the output is written again at the same tag.
  std::string second_write(std::uint32_t port) const;

  // -- bounds -----------------------------------------------------------------

  /// Nothing later is executed, whatever may still arrive.
  logical_time barrier() const noexcept {
    return std::min(barrier_, own_barrier_);
  }

  /// Recomputes the bound without the barrier. @returns whether it has grown.
  bool refresh_stat();

  logical_time entry() const noexcept;

  logical_time clock_bound() const noexcept;

  bool takes_physical() const noexcept;

  bounds promise_bounds() const noexcept;

  logical_time promise_of(const out_connection& x, const bounds& y) const;

  // -- back-pressure ----------------------------------------------------------

  bool paused(logical_time tag);

  bool holds_too_many(out_connection& x, logical_time tag);

  /// Forgets what was executed: what the receiver has counted, and the first
  /// messages with arrivals below `done`.
  void update_in_flight(out_connection& x, logical_time done = never);

  /// Has the receiver in another process tell what it executes, up to what is
  /// about to leave, if this node may not know otherwise.
  void request_ack(out_connection& x);

  void report_executed();

  // -- sending ----------------------------------------------------------------

  void flush();

  /// @returns whether this node has sent something to itself.
  bool flush_intra_loop();

  void flush_outside();

  void announce(out_connection& x, const bounds& y);

  void send(peer& x);

  void post(node_id receiver, envelope x);

  void wake_all();

  // -- waiting ----------------------------------------------------------------

  /// Does what a node does before it goes idle. @returns false if there is more
  /// to execute after all.
  bool settle();

  void collect_requested_bounds();

  void wait_for_clock();

  void request_bounds();

  /// Tells whether what others of its loop ask for concerns the node.
  bool relays() const noexcept {
    return clocked_ || requester_ != nullptr;
  }

  void wake_no_later_than(std::int64_t ns) noexcept;

  // -- observing --------------------------------------------------------------

  void begin_code(std::uint32_t code);

  blocker find_blocker() const;

  /// The connection over which a member of the loop holds the node back; null
  /// if that is not clear without a search.
  const in_connection* input_towards(node_id holder) const;

  // -- leaving ----------------------------------------------------------------

  /// Closes the node to physical values once they cannot matter any more.
  /// @returns whether it did so just now, and there may be new events.
  bool close_physical();

  bool past_final();

  bool done() const;

  void leave(ending how);

  // -- member variables -------------------------------------------------------

  node_config config_;
  engine::body* body_ = nullptr;
  engine::host* host_ = nullptr;
  engine::tracer* trace_ = nullptr;

  phase phase_ = phase::idle;
  ending how_ = ending::done;
  bool started_ = false;
  bool clocked_ = false; // has external or physical inputs
  bool closed_ = false;  // takes no physical values any more
  bool executed_any_ = false;
  bool loop_ended_ = false;
  bool waits_in_loop_ = false; // is registered so in the loop time table

  logical_time logical_{};
  logical_time stat0_{};               // without the barrier
  logical_time loop_bound_ = forever;  // the loop time table's part of it
  logical_time barrier_ = forever;     // set by the coordinator
  logical_time own_barrier_ = forever; // by a request that is not decided
  logical_time final_ = forever;       // `forever` until it is known
  logical_time requested_ = forever;
  logical_time published_{}; // the clock's part of the loop time table's entry
  logical_time last_stamp_ = never;

  activity_cell activity_;
  std::int64_t looked_at_ = 0;  // by the observers' clock
  std::uint32_t next_look_ = 0; // in so many pieces of code

  std::int64_t elapsed_ = 0; // as of the current activation
  std::int64_t wake_at_ = no_wake;
  std::uint32_t current_ = tracer::start_reaction; // the reaction that runs
  std::uint32_t open_ = 0; // upstreams outside of the loop that may send
  std::uint32_t open_physical_ = 0;
  std::uint32_t saturated_ = 0; // connections that hold `max_in_flight`
  std::uint32_t unsent_ = 0;    // messages since the last `flush`
  std::uint64_t scheduled_ = 0;

  least outside_;              // the promises to this node
  std::vector<due_input> due_; // a heap
  std::multimap<moment, resumption> waiting_;
  fifo<physical_event> physical_;

  std::vector<peer> peers_;
  std::unique_ptr<requester> requester_; // none if there is nobody to ask
  scratch* scratch_ = nullptr;           // while the node is called
};

} // namespace caf::rosia::engine
