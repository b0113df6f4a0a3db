// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/calendar.hpp"
#include "engine/index_set.hpp"
#include "engine/loop_division.hpp"
#include "engine/node.hpp"
#include "engine/scratch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// Where a connection without delay leads to within a group.
struct direct_route {
  node* to;                 // the receiver
  input* port;              // its port
  std::uint32_t connection; // its incoming connection
  std::uint32_t seat;       // its place in the group
};

/// Nodes of one process that are executed as one: by one thread at a time, in
/// the order of their tags and, at one tag, in the order of the graph [3.13].
/// What one of them sends to another is in that one's event queue at once: no
/// envelope, no promise, no wake. Who is in which group can change between any
/// two calls, and nothing that a node does depends on it.
///
/// Driven by calls, all of them from one thread at a time. The host calls
/// `advance` after a member's `start`, `ask_shutdown` and `take_final`, and
/// whenever a member was woken, a value from outside has arrived for it, or
/// elapsed time has reached the `wake_at()` of one.
class group {
public:
  // -- constructors, destructors ----------------------------------------------

  group() = default;

  group(const group&) = delete;

  group& operator=(const group&) = delete;

  // -- members ----------------------------------------------------------------

  /// Adds nodes that are in no group, between two calls of them.
  void add(std::span<node* const> xs);

  /// Takes over the members of others, which have none afterwards. To take them
  /// one after the other would cost as often as much.
  /// @pre What the members have sent to each other is in their inboxes.
  void fuse(std::span<group* const> others);

  /// Hands some members over to `apart`, which has none.
  /// @pre Those in `leaving` are members that have not left.
  void split(std::span<node* const> leaving, group& apart);

  /// How many members have not left.
  std::size_t size() {
    remove_left();
    return seats_.size();
  }

  /// The members that have not left, in the order in which they are executed at
  /// one tag.
  /// @pre `size()` was called after the last of them has left.
  node& member(std::size_t index) const noexcept {
    return *seats_[index].member;
  }

  // -- newcomers --------------------------------------------------------------

  /// Keeps a member that has executed nothing so far from doing so: it has to
  /// leave the group for its first tag, which may block.
  void add_newcomer(node& x) noexcept;

  /// Returns whether there are newcomers that could execute their first tag.
  bool has_due_newcomers() const noexcept {
    return newcomers_due_;
  }

  /// Returns these.
  std::vector<node*> due_newcomers() const;

  // -- parts of a loop --------------------------------------------------------

  /// Makes a loop time table, which outlives the groups: with one node of each
  /// part, the distances between parts, and whether a part is clocked.
  using table_maker = std::function<loop_time_table&(
    std::vector<node_id>, std::vector<delay>, const std::vector<bool>&)>;

  /// Returns whether the members are all members of one loop, and nobody else,
  /// and all of them run.
  bool is_loop() const;

  /// Returns whether the group is a part of a loop that was divided.
  bool is_part() const noexcept {
    return entry_.has_value();
  }

  /// Returns how to divide the loop into at most `parts` parts, if it can be.
  /// @pre `is_loop()`
  std::optional<loop_division> find_division(std::size_t parts) const;

  /// Divides a loop into parts. The group keeps the first part; others, which
  /// have no members, get the rest. From now on the groups stay as they are.
  /// Each of them is one member of a new loop time table: what its members send
  /// to each other needs no table, and one search finds a bound for all of them
  /// [4.13].
  /// @param how what `find_division` returned; for one group more than
  ///   `others`.
  void divide(const loop_division& division, std::span<group* const> others,
              const table_maker& make);

  // -- leaving out ------------------------------------------------------------

  /// Gives up a member that nobody calls any more.
  void abandon(node& x);

  // -- driving ----------------------------------------------------------------

  /// Takes in what has arrived and executes at most `budget` tags, each of one
  /// member, or until `timer` wants a hand-over.
  /// @returns `left` if no member is left.
  node::state advance(std::size_t budget, hand_over_timer& timer);

  /// How many tags the members have executed so far.
  std::uint64_t executed() const noexcept {
    return executed_;
  }

  // -- measuring --------------------------------------------------------------

  /// What a message costs between nodes that are executed apart, in
  /// nanoseconds. Who handles many at a tag is no less light for that.
  static constexpr std::int64_t message_cost = 400;

  /// What the tags of a member take, in nanoseconds, while they are measured;
  /// without what its messages would cost if it were executed on its own.
  struct member_load {
    /// Of so many samples the mean says something, and of so few the least.
    static constexpr std::uint32_t enough_samples = 16;
    static constexpr std::uint32_t few_samples = 4;

    /// The mean of the last samples. One of them counts as no more than this.
    static constexpr std::uint32_t most_in_mean = 20'000;
    std::uint32_t mean = 0;
    std::uint32_t least = most_in_mean;
    std::uint32_t samples = 0;

    /// Whether the samples are times of the thread. Elapsed time is cheap to
    /// read, but includes the time of other programs: it only raises a
    /// suspicion.
    bool precise = false;

    /// For whoever looks: the longest sample since the last look, and how many
    /// of the precise ones were long.
    std::int64_t longest = 0;
    std::uint32_t long_ones = 0;

    void add(std::int64_t ns) noexcept {
      longest = std::max(longest, ns);
      samples = std::min(samples + 1, enough_samples);
      auto sample = std::min<std::int64_t>(ns, most_in_mean);
      least = std::min(least, static_cast<std::uint32_t>(sample));
      mean = static_cast<std::uint32_t>(
        mean + (sample - std::int64_t{mean}) / std::int64_t{samples});
    }

    /// Begins with other samples.
    void begin(bool precisely) noexcept {
      precise = precisely;
      mean = samples = 0;
      least = most_in_mean;
    }
  };

  /// Begins to measure each member, or ends it.
  void measure(bool each) noexcept;

  bool measures() const noexcept {
    return measures_;
  }

  /// What a member takes; the index is that of `member`.
  /// @pre Members are measured.
  member_load& load(std::size_t index) noexcept {
    return loads_[index];
  }

  // -- observing --------------------------------------------------------------

  /// Updates the bounds that members get from each other, for an observer.
  /// Takes no time if nothing has changed since the last call.
  void settle_for_observer();

  // -- called by members ------------------------------------------------------

  /// A member has got an event from another one.
  [[gnu::always_inline]] void expect(std::uint32_t index, logical_time tag) {
    auto& x = seats_[index];
    if (!held_.empty() && tag >= x.held)
      return;
    if (tag == now_) {
      due_.insert(index);
    } else if (tag < x.queued) {
      x.queued = tag;
      calendar_.push(tag, index);
    }
  }

  /// Tells whether members execute the current tag, all in order: nobody is
  /// held.
  bool executes_in_order() const noexcept {
    return in_order_;
  }

  /// Queues what a member has sent at the current tag.
  /// @pre `executes_in_order()`
  [[gnu::always_inline]] void deliver(
    const direct_route& route, const logical_time& tag, const value& content) {
    auto& events = route.to->parts_.events;
    if (due_.known_empty() && events.takes_direct()) {
      due_.insert_only(route.seat);
      events.push_direct(route.connection, *route.port, tag, content);
    } else {
      deliver_besides(route, tag, content);
    }
  }

  /// The same over all connections of an output.
  void deliver_to_all(const output& out, const logical_time& tag,
                      const value& content);

  /// An event of a member was withdrawn, perhaps its next one.
  void forget_next_tag(std::uint32_t seat) noexcept;

  /// A limit of a member may have decreased.
  void limit(std::uint32_t index) noexcept {
    seats_[index].free_below = never;
    is_settled_ = false;
  }

  /// A member is about to leave: the others have to do without it.
  void part_with(node& x, bool aborted);

private:
  // -- member types -----------------------------------------------------------

  /// A member, and what the group keeps of it.
  struct seat {
    node* member;

    /// For which later tag the calendar has it; `forever` if for none.
    logical_time queued = forever;

    /// It executes nothing from this tag on, for now; `forever` if that does
    /// not hold.
    logical_time held = forever;

    /// It may execute what is below this, as long as nobody is held.
    logical_time free_below = never;

    /// Something connects it to nodes outside of the group, or to the outside
    /// of the application.
    bool outer = true;

    /// Other members send to it.
    bool inner = false;

    /// Nobody looks on when it executes a tag: no trace, no warnings of a lag.
    bool plain = false;

    /// That holds, it is not measured or recorded, and only members send to it.
    bool quick = false;

    /// Nobody calls it any more.
    bool abandoned = false;

    /// It executes nothing in the group, and whether it could.
    bool newcomer = false;
    bool newcomer_due = false;

    /// It has left, and the seat is about to be removed.
    bool left = false;
  };

  /// The entry in a loop time table that the members have together, because
  /// they are a part of a loop. It is the least tag that any of them has
  /// queued, that is promised to it from outside of the loop, or that is in
  /// transit to it.
  struct loop_entry {
    loop_time_table* table;
    loop_time_table::member member;

    /// No message of another part arrives below this tag, as last read.
    logical_time bound{};

    /// What members have sent at tags below this, other parts have got: the
    /// rest is lost if a member fails.
    logical_time sent_below{};

    /// The least of the last tags of the members that were aborted, and of
    /// those of their messages that are lost. Nobody may conclude anything from
    /// their silence.
    logical_time aborted = forever;

    /// By seat: how long what arrives from other parts takes to a member at
    /// least; none if it cannot reach it.
    std::vector<std::optional<delay>> distances = {};
  };

  /// A connection between two members.
  struct inner_connection {
    out_connection* out;
    std::uint32_t target; // the receiver's seat
  };

  // -- members ----------------------------------------------------------------

  /// Puts the members in order, and tells them where they are.
  void seat_members();

  /// Removes the seats of members that have left. Once for many of them,
  /// because it looks at all members.
  void remove_left();

  std::size_t count_members(const loop_time_table* loop) const;

  void take_in_before_fusing();

  /// Connects the members with each other, as far as they are not.
  void fuse_connections();

  static void fuse_connection(node& from, out_connection& out, node& to);

  /// Undoes that for what a member gets from other groups, or in a loop that is
  /// not all in the group any more.
  static void split_connections(node& x, std::span<node* const> resumed);

  /// Has the tables of loops asked again.
  static void resume_loops(std::span<node* const> members);

  /// Tells which members are concerned by what is outside, and what connects
  /// them with each other.
  void find_outer();

  /// Returns whether only members of its loop concern a member, and it does not
  /// follow elapsed time.
  static bool connects_only_loop(const seat& x);

  /// Finds the outputs whose messages can be queued at once.
  void find_routes();

  /// Tells who can be executed without a look at anything but its events.
  void find_quick() noexcept;

  /// What a member sends to others.
  std::span<const inner_connection> inner_connections(
    std::uint32_t index) const {
    return std::span{inner_connections_}.subspan(
      inner_begin_[index], inner_begin_[index + 1] - inner_begin_[index]);
  }

  /// Tells whether a member goes on at all.
  static bool runs(const seat& x) noexcept;

  static bool runs(const node& x) noexcept;

  /// Tells whether a member runs and has started.
  static bool executes(const seat& x) noexcept;

  // -- advancing --------------------------------------------------------------

  void begin_call();

  void end_call();

  /// Lets senders elsewhere see what the last member has executed.
  void report_executed() {
    auto* x = std::exchange(last_, nullptr);
    if (x != nullptr && !scratch_->unreported.empty())
      flow_control::report_executed(x->parts_);
  }

  node::state run(std::size_t budget, hand_over_timer& timer);

  void take_in();

  /// Executes as long as there is something that may be. @returns false if the
  /// group has to be called again, because the budget is used up, a hand-over
  /// is due, or there is a lot to send.
  /// @param total the budget, which is reduced.
  bool execute_some(std::size_t& total, hand_over_timer& timer);

  /// Tells whether a member may execute a tag, without a look at anything.
  bool is_free(const seat& x, logical_time tag) const noexcept {
    return tag < x.free_below && held_.empty()
           && !(x.outer && x.member->parts_.flow.saturated());
  }

  /// Finds out for which tags that holds. @pre Nobody is held.
  logical_time free_below(const seat& x) const noexcept;

  bool may_execute(std::uint32_t index, logical_time tag);

  /// Executes the current tag of a member that is plain and not measured, if
  /// one event is all that is due. @returns whether it is.
  template <bool Recorded>
  bool execute_only(node& x);

  /// Executes the current tag of members as long as one event is all that is
  /// due for each, and nothing has to be looked at: what most messages need.
  /// @returns who is due next, out of `due_`; `none` if nobody is.
  std::uint32_t execute_quickly(std::size_t& budget);

  void execute(std::uint32_t index, logical_time tag, hand_over_timer& timer);

  /// A member has failed at `tag`.
  void fail(std::uint32_t index, logical_time tag);

  /// Puts a member into the calendar if its next tag is not there.
  void enter(std::uint32_t index);

  /// Returns the calendar's first tag; `forever` if it is empty.
  logical_time first_tag();

  /// Makes the calendar's first tag the current one, with all members that are
  /// due then. @returns false if the calendar is empty.
  bool advance_to_next_tag();

  /// Puts those who are still due back into the calendar.
  void end_tag();

  /// A member executes nothing from `tag` on, for now.
  void hold(std::uint32_t index, logical_time tag);

  /// The same as `deliver`, where others are due, too.
  void deliver_besides(const direct_route& route, const logical_time& tag,
                       const value& content);

  /// Exchanges messages within loops that are only partly in the group.
  /// @returns whether a member may go on because of it.
  bool exchange_in_loops();

  // -- being a part of a loop -------------------------------------------------

  /// Returns the connections of the loop; members are seats.
  std::vector<loop_time_table::edge> loop_edges() const;

  /// Finds the distances from other parts.
  void find_distances();

  /// Returns what the members have in the loop time table.
  logical_time least_tag() const;

  /// Exchanges messages with other parts, and updates the entry.
  /// @returns whether a member may go on because of it.
  bool exchange_with_parts();

  /// Returns whether the part can do nothing before other parts have got
  /// further.
  bool waits_for_parts_only();

  /// Returns the tag that the bound of the part has to exceed so that a member
  /// can go on, if any waits for that.
  std::optional<logical_time> find_awaited();

  /// Waits for the other parts. @returns false if a member may go on after all.
  bool wait_for_parts();

  /// Takes over what the loop time table says.
  void take_bound(logical_time bound, bool ended);

  /// A member is about to leave. The last one removes the entry, unless members
  /// were aborted: then others are kept from being done.
  void leave_part(node& x, bool aborted);

  /// Does what nodes do before they go idle. @returns false if there is more to
  /// execute after all.
  bool go_idle();

  void flush();

  // -- leaving ----------------------------------------------------------------

  /// @param budget set to 0 if a node saves.
  /// @returns whether somebody has left, or may go on, and not all are gone.
  bool leave_some(std::size_t& budget);

  void leave(node& x, ending outcome);

  /// Tells whether all members of a loop that is within the group are through.
  bool loop_is_over(const loop_time_table* loop) const;

  /// Updates whether the loops within the group are done [5.2].
  void end_loops();

  // -- bounds -----------------------------------------------------------------

  /// Updates the bounds that members get from each other.
  void settle();

  /// What may arrive from outside of the group.
  logical_time outside(const seat& x) const;

  void find_safe();

  logical_time inner_limit(std::uint32_t index);

  /// Finds the limits, with what is held and without what is still executed.
  void find_limits();

  /// Lowers the limits of the receivers of a member's messages. Lists those of
  /// them that are visited again, because their own receivers may be concerned.
  /// @param visited all members up to this one are already visited.
  void lower_downstream(std::uint32_t index, std::uint32_t visited);

  /// Lowers the limits of further receivers, in the order of the limits, so
  /// that each member is visited once.
  void lower_further();

  /// What bounds a member's promises, as far as its limit is known.
  promise_basis basis_of(std::uint32_t index) const;

  // -- requests ---------------------------------------------------------------

  /// Finds the bounds that members need and only others can get for them.
  void find_inherited_requests();

  /// Requests a bound greater than `bound` of the members before a member.
  /// Those whose inherited bound falls are added to `lowered`.
  void request_upstream(std::uint32_t index, logical_time bound,
                        std::vector<std::uint32_t>& lowered);

  void add_inherited_requests(std::uint32_t index);

  std::vector<seat> seats_;
  std::vector<inner_connection> inner_connections_; // by member
  std::vector<std::uint32_t> inner_begin_; // of each member, and the end
  std::vector<direct_route> routes_;       // by member and output
  std::vector<member_load> loads_;         // while members are measured
  calendar calendar_;                      // entries may be out of date
  logical_time now_ = never; // the tag that is being executed, or none
  index_set due_;            // who is due then, and has not executed it
  std::vector<calendar::entry> held_; // taken out of the calendar in this pass
  /// For each member, the lowest bound that members after it need, while the
  /// group goes idle. Each path between two members has a bound of its own, and
  /// what cannot pass the lowest of these bounds cannot pass the rest.
  std::vector<logical_time> inherited_;
  logical_time safe_ = forever;         // nothing arrives below it from outside
  logical_time in_order_up_to_ = never; // all members have executed the tags
                                        // below; `never` if some are held
  node* last_ = nullptr;                // who was executed last in this call
  scratch* scratch_ = nullptr;          // while the group is called
  bool in_order_ = false;               // see `executes_in_order`
  bool all_run_ = false;
  bool some_left_ = false;  // seats have to be removed
  bool is_settled_ = false; // for observers, since the last call
  bool limits_known_ = false;
  bool goes_on_ = false;     // somebody may execute what it could not before
  bool entry_rises_ = false; // so may that of a member in a table of a loop
  bool outer_ = false;       // there are members that are
  bool newcomers_due_ = false;
  std::optional<loop_entry> entry_; // only of a part of a loop
  bool connects_only_loop_ = false; // a part, with no more than other parts
  bool only_loop_ = false;          // the same, and all members run
  bool measures_ = false;
  std::uint64_t executed_ = 0;
};

// -- members of a group -------------------------------------------------------

[[gnu::always_inline]] inline void node::expect(
  const out_connection& from, logical_time tag, const value& content) {
  parts_.events.push_inside(
    parts_.config.in, from.target_index, *from.port, tag, content);
  parts_.group->expect(parts_.seat, tag);
}

// -- writing ------------------------------------------------------------------

[[gnu::always_inline]] inline void execution::write(
  node_parts& parts, output& out, const value& content) {
  if (!executing() || out.written == logical_ || logical_ < out.promised)
    return refuse_write(parts, out.index);
  copy_tag(out.written, logical_);
  out.writer = recorder_.code();
  out.piece = piece();
  auto connections = out.last - out.first;
  messages_ += connections;
  if (parts.config.counts)
    parts.config.counts->written[out.index].add();
  if (out.routes == nullptr || !parts.group->executes_in_order())
    send(parts, out, content);
  else if (connections == 1)
    parts.group->deliver(*out.routes, logical_, content);
  else
    parts.group->deliver_to_all(out, logical_, content);
}

[[gnu::always_inline]] inline void node::write(
  output& port, const value& content) {
  execution_.write(parts_, port, content);
}

} // namespace caf::rosia::engine
