// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "record.hpp"

#include "engine/group.hpp"
#include "engine/hand_over_timer.hpp"
#include "engine/node.hpp"
#include "engine/remote_loop_table.hpp"
#include "engine/stamp_log.hpp"
#include "engine/topology.hpp"

#include <cstdint>
#include <forward_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace engine_test {

namespace engine = caf::rosia::engine;

using engine::node_id;

/// Thrown if the engine broke a rule, or an action of the test is invalid.
class broken_rule : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

/// Returns a payload.
engine::value make_value(std::uint64_t x);

/// Returns the number in a payload.
std::uint64_t number_in(const engine::value& x);

/// The ports that a reaction accesses besides its triggers.
struct access {
  bool declared = false; // if not, it may access all
  std::vector<std::uint32_t> reads = {};
  std::vector<std::uint32_t> writes = {};
  std::vector<std::uint32_t> writes_later = {};
};

/// The definition of a node.
struct node_setup {
  std::uint32_t inputs = 0;
  std::uint32_t outputs = 0;

  /// Per reaction: the inputs that trigger it, and whether it is eager.
  std::vector<std::vector<std::uint32_t>> triggers;
  std::vector<bool> eager;

  /// The number of actions; per reaction, those that trigger it.
  std::uint32_t actions = 0;
  std::vector<std::vector<std::uint32_t>> acts;

  /// The reactions to the last tag.
  std::vector<std::uint32_t> at_shutdown;

  /// Per reaction. If it is empty, no reaction declares its ports.
  std::vector<access> accesses;

  /// The spacings of the first actions; none for the others.
  std::vector<std::optional<caf::rosia::spacing>> spacings;

  /// Physical actions with options, and the lead that follows from them.
  std::vector<engine::stamped_queue::action_options> spaced;
  delay lead;

  /// The timeouts of watchdogs, whose indices follow those of the actions.
  std::vector<std::int64_t> watchdogs;
  bool has_handlers = false;

  /// The number of modes, the indices of whose actions follow those of the
  /// watchdogs. By reaction and action, the mode; the rest are of no mode.
  std::uint32_t modes = 0;
  std::vector<std::uint32_t> reaction_modes;
  std::vector<std::uint32_t> action_modes;

  bool external = false;
  bool realtime = false;
  std::optional<std::int64_t> lag_warn;
  engine::body* code = nullptr;
};

/// A connection as it is declared.
struct wire {
  node_id source = 0;
  std::uint32_t output = 0;
  node_id target = 0;
  std::uint32_t input = 0;
  delay distance;
  bool physical = false;
  std::uint32_t keep_latest = 0;
  std::int64_t max_wait = -1;
};

struct network_options {
  std::uint32_t max_in_flight = 1024;

  /// Loop time tables with more members search for distances instead of storing
  /// a matrix.
  std::size_t matrix_up_to = engine::loop_time_table::small_loop;

  /// Per node, the process that runs it. Empty for one process. Members of a
  /// loop exchange their entries by messages; everything else is shared.
  std::vector<engine::process_id> processes = {};

  /// Whether the network traces its nodes. Without, it neither records nor
  /// checks their actions.
  bool traces = true;

  /// Whether the nodes repeat an earlier run, and read no clock.
  bool replays = false;

  /// Records the tags of physical values. Null if the run is not recorded.
  engine::stamp_log* stamps = nullptr;
};

/// A message of the coordinator to a node.
struct notice {
  enum class kind : std::uint8_t {
    ask,
    final,
    abort,
    ask_checkpoint,
    take_checkpoint
  };
  kind type = kind::ask;
  logical_time tag;
  logical_time requested;
};

/// A message of a node to the coordinator.
struct report {
  enum class kind : std::uint8_t {
    request,
    answer,
    failed,
    exit,
    vanished, // sent in place of the node
    checkpoint,
    done
  };
  kind type = kind::request;
  logical_time tag;
  int status = 0;
  engine::ending outcome = engine::ending::done;
};

/// Nodes of the engine with their host, and a clock that is set by hand.
/// Messages arrive when the channel to their receiver is served. A node is
/// activated only after a wake, or at its `wake_at()`. So a missing wake leaves
/// a node asleep.
///
/// Checks invariants and throws `broken_rule`.
class network : public engine::tracer {
public:
  // -- member types -----------------------------------------------------------

  struct ask {
    std::uint32_t connection; // in the order of declaration
    logical_time tag;
  };

  struct sent {
    std::uint32_t connection;
    logical_time tag;
    logical_time arrival; // `never` if physical
    std::uint64_t value;
  };

  struct lone_promise {
    std::uint32_t connection;
    logical_time tag;
  };

  /// The ack of a receiver for a sender in another process.
  struct link_ack {
    std::uint32_t connection;
    std::uint64_t executed;
    bool gone;
  };

  /// The content of one delivery.
  struct value_frame {
    std::vector<engine::envelope> batch;

    /// Entries of the loop of both nodes, between processes.
    std::optional<engine::remote_loop_table::parts> view;

    std::optional<link_ack> ack;

    /// Whether the batch has null messages or bound requests of a channel
    /// between processes. They may arrive after later values.
    bool has_bounds = false;

    bool is_wake() const noexcept {
      return batch.empty() && !view && !ack;
    }
  };

  /// A node's part of checkpoints.
  struct node_part {
    engine::saved_node kept;
    std::vector<engine::scheduled_event> scheduled;

    /// By action: its last event that is not pending, if it has a spacing.
    std::vector<logical_time> last_events;

    /// The watchdogs that run, with their expiries, and those that have expired
    /// and are not present yet.
    std::vector<std::pair<std::uint32_t, std::int64_t>> watchdogs;
    std::vector<std::pair<std::uint32_t, logical_time>> expired;

    struct mode_part {
      bool is_active;
      bool was_active;
      bool by_history;
      std::uint64_t entries;
      std::vector<engine::suspended_event> events;
    };

    std::vector<mode_part> modes;

    /// Returns whether the part belongs to a checkpoint at this tag.
    bool covers(logical_time tag) const noexcept {
      return kept.logical <= tag && tag < kept.until;
    }
  };

  struct drop_event {
    node_id node;
    std::uint32_t input;
    engine::drop_reason reason;
  };

  struct tardy_event {
    std::uint32_t connection;
    logical_time arrival;
    logical_time due; // `forever` if it was dropped
  };

  struct request_event {
    node_id node;
    logical_time proposal;
    int status;
  };

  // -- constructors, destructors ----------------------------------------------

  network();

  network(const network&) = delete;

  network& operator=(const network&) = delete;

  ~network() override;

  /// Makes and connects the nodes. Call once, first.
  void build(const std::vector<node_setup>& nodes,
             const std::vector<wire>& wires,
             const network_options& options = {});

  // -- checkpoints ------------------------------------------------------------

  /// Enables checkpoints in all nodes. Call before `restore` and `start`.
  void take_checkpoints(std::int64_t period, logical_time after = {});

  /// Resumes at `tag` with a part of each node. Call before `start`.
  void restore(logical_time tag, const std::vector<node_part>& parts);

  void ask_checkpoint(node_id id);

  void take_checkpoint(node_id id, logical_time tag);

  // -- driving ----------------------------------------------------------------

  /// Puts the nodes of loops without delay, and those around them, into groups,
  /// unless that was done before.
  void join_loops();

  /// Joins the loops first, unless that was done before.
  void start(node_id id);

  /// Activates a node and the members of its group. Handles nodes that leave.
  engine::node::state activate(node_id id, std::size_t budget = 1000);

  /// Fuses the groups of two nodes.
  /// @pre They are in different groups, or alone.
  /// @param newcomer whether `y` executes its next tag outside of the group.
  void fuse(node_id x, node_id y, bool newcomer = false);

  /// Splits some members of a group off into a new group.
  void split(const std::vector<node_id>& leaving);

  /// Returns whether the node has to stay in a group, because it is in a loop
  /// that contains a loop without delay.
  bool is_inseparable(node_id id) const {
    return is_inseparable_[id];
  }

  /// Returns the members of the node's loop; the node alone without one.
  std::vector<node_id> loop_of(node_id id) const;

  /// Divides a loop, which is the node's group, into at most so many parts.
  /// @returns whether it can be divided.
  bool divide(node_id id, std::size_t parts);

  /// Returns the members of the node's group, without those that left.
  std::vector<node_id> group_of(node_id id) const;

  /// Returns whether the node was woken and not activated since.
  bool scheduled(node_id id) const {
    return cells_[id]->is_scheduled;
  }

  /// Returns whether messages are in transit between two nodes.
  bool in_transit(node_id from, node_id to) const;

  /// Serves a channel once. @returns false if nothing was in transit.
  bool deliver(node_id from, node_id to);

  /// Serves a channel until nothing is in transit.
  void deliver_all(node_id from, node_id to);

  void ask_shutdown(node_id id, logical_time proposal);

  void take_final(node_id id, logical_time final, logical_time requested);

  void abort(node_id id);

  /// Delivers a notice to a node, unless the node has left.
  virtual void inform(node_id id, const notice& x);

  // -- from outside -----------------------------------------------------------

  /// Schedules a physical action, given as an input.
  /// @returns whether the value was accepted.
  bool call(node_id id, std::uint32_t input, std::uint64_t value = 0);

  /// Adds an envelope to a node's inbox that no node sent, and that may be
  /// invalid.
  void forge(node_id id, engine::envelope x);

  // -- the clock --------------------------------------------------------------

  std::int64_t clock() const noexcept {
    return clock_;
  }

  /// Sets the clock, and schedules the nodes that are due.
  void set_clock(std::int64_t ns);

  /// Returns the least `wake_at()`.
  std::int64_t next_wake() const;

  // -- properties -------------------------------------------------------------

  std::size_t size() const noexcept {
    return cells_.size();
  }

  engine::node& at(node_id id) {
    return cells_[id]->node;
  }

  const engine::node& at(node_id id) const {
    return cells_[id]->node;
  }

  engine::input& input_of(node_id id, std::uint32_t port) {
    return cells_[id]->inputs[port];
  }

  engine::input& action_of(node_id id, std::uint32_t action) {
    return cells_[id]->actions[action];
  }

  const engine::topology& graph() const noexcept {
    return *graph_;
  }

  bool started(node_id id) const {
    return cells_[id]->started;
  }

  bool left(node_id id) const {
    return cells_[id]->left;
  }

  /// Returns whether the node had left when it was saved.
  bool had_left(node_id id) const {
    return cells_[id]->had_left;
  }

  /// Returns the saved parts of the node.
  const std::vector<node_part>& parts_of(node_id id) const {
    return cells_[id]->parts;
  }

  /// Returns whether the node refuses values from outside.
  bool closed(node_id id) const {
    return cells_[id]->closed;
  }

  /// Returns the executed tags of a node.
  const std::vector<logical_time>& tags(node_id id) const {
    return cells_[id]->tags;
  }

  const history& history_of(node_id id) const {
    return cells_[id]->trace;
  }

  history& history_of(node_id id) {
    return cells_[id]->trace;
  }

  /// Returns the number of messages of a logical connection that were sent and
  /// not executed.
  std::size_t unexecuted(std::uint32_t connection) const {
    return links_[connection].unexecuted.size();
  }

  // -- records ----------------------------------------------------------------

  std::vector<ask> asks;
  std::vector<sent> sends;
  std::vector<lone_promise> promises;
  std::vector<drop_event> drops;
  std::vector<tardy_event> tardy_values;
  std::vector<request_event> requests;
  std::vector<std::pair<node_id, logical_time>> answers;
  std::vector<std::pair<node_id, logical_time>> checkpoint_answers;
  std::vector<std::pair<node_id, engine::failure>> failures;
  std::map<node_id, std::size_t> beyond_final; // values
  std::vector<std::pair<node_id, engine::failure>> shutdown_failures;
  std::vector<std::pair<logical_time, std::int64_t>> lags;
  std::vector<std::pair<logical_time, std::int64_t>> lags_at_end;
  std::uint64_t activations = 0;
  std::uint64_t executed = 0;
  std::uint64_t saved = 0;
  std::uint64_t wakes = 0;
  std::uint64_t batches = 0;     // of messages, one receiver each
  std::uint64_t lone_views = 0;  // sent without a message
  std::uint64_t lone_counts = 0; // acks sent without a message
  std::uint64_t crossed = 0;     // messages of loops, between processes

protected:
  // -- for subclasses ---------------------------------------------------------

  /// Destroys the nodes before their code is destroyed.
  void clear();

  /// Returns whether messages from `from` are delivered late.
  virtual bool holds_back(node_id from, node_id to);

  /// Called at points where another thread might act.
  virtual void meanwhile();

  virtual void on_channel(node_id from, node_id to);

  virtual void on_scheduled(node_id id);

  virtual void on_report(node_id id, const report& x);

  virtual void on_saved(node_id id);

  /// Lets the node's actor vanish without a report.
  void vanish(node_id id);

  void schedule(node_id id);

  /// Returns whether a change of a loop time table is in progress.
  bool loop_time_table_locked() const noexcept {
    return locked_ > 0;
  }

  bool is_active(node_id id) const {
    return cells_[id]->active;
  }

  logical_time final_of(node_id id) const {
    return cells_[id]->final;
  }

  bool vanished(node_id id) const {
    return cells_[id]->vanished;
  }

  std::int64_t wake_of(node_id id) const {
    return cells_[id]->wake_at;
  }

  void move_clock(std::int64_t ns) noexcept {
    clock_ = ns;
  }

  /// Returns the received envelopes that the node did not handle yet.
  const std::vector<engine::envelope>& inbox_of(node_id id) const {
    return cells_[id]->inbox;
  }

  /// Returns the frames in transit from one node to another, in order.
  std::span<const value_frame> under_way(node_id from, node_id to) const {
    auto& x = channels_[from * cells_.size() + to];
    return std::span{x.frames}.subspan(x.served);
  }

  [[noreturn]] void broken(node_id id, const std::string& problem) const;

  // -- overridden functions of tracer -----------------------------------------

  void start(node_id node, std::int64_t elapsed) override;

  void execute(node_id node, logical_time tag, logical_time stat,
               std::int64_t elapsed) override;

  void execute_last(node_id node, logical_time tag,
                    std::int64_t elapsed) override;

  void done(node_id node, logical_time tag) override;

  void resume(node_id node, logical_time tag, std::uint32_t reaction) override;

  void input(node_id node, logical_time tag, std::uint32_t port,
             std::uint32_t connection, const engine::value& content) override;

  void schedule(node_id node, logical_time tag, std::uint32_t action,
                logical_time due, const engine::value& content) override;

  void withdraw(node_id node, logical_time tag, std::uint32_t action,
                logical_time due) override;

  void action(node_id node, logical_time tag, std::uint32_t action,
              const engine::value& content) override;

  void expire(node_id node, std::uint32_t action, logical_time due,
              std::int64_t elapsed) override;

  void tardy(node_id node, std::uint32_t port, std::uint32_t connection,
             logical_time arrival, logical_time due) override;

  void reaction(node_id node, logical_time tag,
                std::uint32_t reaction) override;

  void send(node_id node, logical_time tag, std::uint32_t connection,
            logical_time arrival, const engine::value& content) override;

  void promise(node_id node, std::uint32_t connection,
               logical_time promise) override;

  void mode(node_id node, logical_time tag, std::uint32_t action,
            bool by_history) override;

  void drop(node_id node, std::uint32_t input,
            engine::drop_reason reason) override;

  void proposal(node_id node, logical_time proposal) override;

  void answer(node_id node, logical_time tag) override;

  void final_taken(node_id node, logical_time tag) override;

  void error(node_id node, const engine::failure& failure) override;

  void shutdown(node_id node, logical_time tag,
                engine::ending outcome) override;

  void exit(node_id node) override;

private:
  class shared_loop_time_table;

  struct whole_loop;

  /// The part of a loop in one process.
  struct loop_share;

  /// An event of a mode that is not active.
  struct suspended {
    delay distance;
    std::uint32_t action;
    std::uint64_t value;
  };

  /// A node and its host.
  struct cell : engine::host {
    cell(network& net, node_id number, const node_setup& setup);

    std::int64_t elapsed() override;
    std::int64_t coarse_elapsed(bool executes) override;
    bool has_mail() override;
    void drain(std::vector<engine::envelope>& into) override;
    void send(node_id receiver, std::vector<engine::envelope>& batch) override;
    void wake(node_id node) override;
    void close() override;
    void request(logical_time proposal, int status) override;
    void answer(logical_time tag) override;
    void done(logical_time last) override;
    void answer_checkpoint(logical_time tag) override;
    void save(engine::saved_node part) override;
    void failed(const engine::failure& failure) override;
    void shutdown_failed(const engine::failure& failure) override;
    void lagging(logical_time tag, std::int64_t ns, bool ended) override;
    void unexecuted(node_id receiver, std::size_t values) override;
    void dropped(engine::drop_reason reason) override;

    network& net;
    node_id id;
    engine::node node;
    std::vector<engine::input> inputs;
    std::vector<engine::output> outputs;
    std::vector<engine::input> actions;
    std::forward_list<engine::action_spacing> spacings;
    std::multimap<logical_time, std::pair<std::uint32_t, std::uint64_t>>
      scheduled; // the action, and its value
    std::uint32_t active_mode = 0;
    std::map<std::uint32_t, std::vector<suspended>> suspended_in; // by mode
    std::map<logical_time, std::uint32_t> expired; // actions of watchdogs
    std::vector<engine::input*> input_states;
    std::vector<engine::output*> output_states;
    std::vector<engine::envelope> inbox;
    bool sent_bounds = false; // last, to another process
    std::vector<logical_time> tags;
    history trace;
    std::vector<node_part> parts;
    std::int64_t wake_at = engine::node::no_wake;
    engine::hand_over_timer hand_over;
    bool started = false;
    bool is_scheduled = false;
    bool active = false;
    bool closed = false;
    bool over = false;    // shutdown() was called
    bool is_done = false; // waits for the final tag
    bool at_last = false; // executes the last tag, or did
    bool forged = false;
    bool left = false;
    bool restored = false;
    logical_time requests_again = forever; // the requests before the checkpoint
    int status_again = 0;
    bool had_left = false;
    bool vanished = false;
    bool realtime = false;
    logical_time requested = forever;
    logical_time final = forever;
  };

  /// The frames from one node to another.
  struct channel {
    std::vector<value_frame> frames;
    std::size_t served = 0;
  };

  /// A connection as seen by an observer.
  struct observed_link {
    wire spec;
    delay distance;
    bool intra_loop = false;
    logical_time last = never;     // the last arrival
    logical_time promised = never; // promises that were sent
    logical_time received = never; // promises that arrived
    logical_time arrived = never;  // the last arrived tag
    std::vector<logical_time> unexecuted;
    std::vector<logical_time> tardy; // the tags of tardy values, ascending

    // Between processes, each end of a loop's connection has its own link.
    engine::link* near_end = nullptr; // the sender's
    std::unique_ptr<engine::link> far_end;
    std::uint64_t taken_in = 0; // at the receiver
    std::uint64_t ack_request
      = 0;                   // number of the message whose ack was requested
    std::uint64_t acked = 0; // number of acked messages, at the sender
  };

  /// Returns whether a connection between two nodes belongs to a channel
  /// between processes.
  bool in_channel(node_id from, node_id to) const {
    return process_of(from) != process_of(to)
           && !graph_->in_same_loop(from, to);
  }

  /// Sends null messages and bound requests to a node of another process.
  void post_bounds(node_id from, node_id to,
                   std::vector<engine::envelope> batch);

  /// Takes them in. The node is only scheduled if it awaits them.
  void take_in_bounds(node_id to, value_frame frame);

  static engine::topology make_graph(
    const std::vector<node_setup>& nodes, const std::vector<wire>& wires);

  /// Returns whether two nodes are in one loop without delay.
  bool in_instant_loop(node_id x, node_id y) const {
    return graph_->in_instant_loop(x) && graph_->in_instant_loop(y)
           && graph_->in_same_loop(x, y);
  }

  void restore(node_id id, const node_part& from);

  void restore_in_transit(logical_time tag,
                          const engine::saved_node::channel& from);

  bool offer(node_id id, engine::envelope&& x);

  void note_departure(node_id id);

  channel& channel_of(node_id from, node_id to) {
    return channels_[from * cells_.size() + to];
  }

  void post(node_id from, node_id to, std::vector<engine::envelope> batch);

  void put(node_id from, node_id to, value_frame x);

  /// Returns the node's group; makes one if necessary.
  engine::group& make_group(node_id id);

  /// Adds a node that is in no group.
  void add(node_id id, engine::group& to);

  /// Splits the newcomers that may execute their next tag.
  void split_newcomers();

  /// Changes who is in which group, and calls all concerned.
  template <class Fun>
  void regroup(const std::vector<node_id>& members, Fun&& change);

  engine::group& new_group();

  /// Called when a frame other than a wake arrives.
  void take_in(node_id to, value_frame frame);

  // -- loops over processes ---------------------------------------------------

  /// Divides a loop among the processes of its members.
  void split(const whole_loop& x);

  engine::process_id process_of(node_id id) const {
    return options_.processes.empty() ? 0 : options_.processes[id];
  }

  /// Returns whether two nodes are members of one loop, in different processes.
  bool apart(node_id x, node_id y) const;

  void send_apart(node_id from, node_id to,
                  std::vector<engine::envelope> batch);

  void post_letters(loop_share& x);

  /// Called when the nodes, which are in one process, become idle; informs the
  /// other processes.
  void tell_others(std::span<const node_id> nodes);

  /// Sends the acks that senders in other processes may wait for.
  void send_acks(node_id id);

  void tell_others(loop_share& x);

  void check_arrival(node_id at, const engine::envelope& x);

  network_options options_;
  std::optional<engine::topology> graph_;
  engine::topology::wiring wiring_;
  std::vector<std::unique_ptr<engine::group>> groups_; // some without members
  std::vector<std::unique_ptr<engine::loop_time_table>> tables_of_parts_;
  int calls_ = 0; // that have not returned
  std::vector<std::unique_ptr<cell>> cells_;
  std::vector<bool> is_inseparable_; // by node
  bool joined_loops_ = false;
  std::vector<observed_link> links_;
  std::vector<std::vector<std::uint32_t>> in_;  // per node: its connections
  std::vector<std::vector<std::uint32_t>> out_; // by output
  std::vector<channel> channels_;               // by sender, then by receiver
  std::vector<std::unique_ptr<loop_share>> shares_;
  std::vector<loop_share*> share_of_; // of the node's process; null if none
  std::int64_t clock_ = 0;
  int locked_ = 0;
};

} // namespace engine_test
