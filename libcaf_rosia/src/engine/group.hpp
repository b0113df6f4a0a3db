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
#include <unordered_map>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The destination of a connection without delay within a group.
struct direct_route {
  node* to;                 // the receiver
  input* port;              // its port
  std::uint32_t connection; // its incoming connection
  std::uint32_t seat;       // its seat in the group
};

/// Nodes of one process that are executed together: by one thread at a time, in
/// the order of their tags and, at one tag, in the order of the graph [3.13]. A
/// message from one member to another is put into the receiver's event queue at
/// once, without envelope, promise or wake-up. Group membership may change
/// between any two calls. No node's behavior depends on it.
///
/// Driven by calls from one thread at a time. The host calls `advance` after a
/// member's `start`, `ask_shutdown` and `take_final`, and whenever a member was
/// woken, a value from outside arrived for a member, or elapsed time reached
/// the `wake_at()` of a member. Tests: test/engine/group_test.cpp.
class group {
public:
  // -- constructors, destructors ----------------------------------------------

  group() = default;

  group(const group&) = delete;

  group& operator=(const group&) = delete;

  // -- members ----------------------------------------------------------------

  /// Adds nodes that are in no group, between two calls of these nodes.
  void add(std::span<node* const> xs);

  /// Takes over all members of `others`. Taking over one group after the other
  /// would multiply the cost.
  /// @pre All messages between the members are in their inboxes.
  void fuse(std::span<group* const> others);

  /// Moves some members to other groups.
  /// @param leaving remaining members.
  /// @param apart the new group of each; has no members yet.
  void split(std::span<node* const> leaving, std::span<group* const> apart);

  /// Returns the number of remaining members.
  std::size_t size() {
    remove_left();
    return seats_.size();
  }

  /// Returns a remaining member, by its index in the order of execution at one
  /// tag.
  /// @pre `size()` was called after the last exit of a member.
  node& member(std::size_t index) const noexcept {
    return *seats_[index].member;
  }

  // -- newcomers --------------------------------------------------------------

  /// Marks members that must leave the group to execute a tag, because it may
  /// block.
  void add_newcomers(std::span<node* const> xs) noexcept;

  /// Lets a newcomer stay, because the rest of the group leaves.
  void keep_newcomer(node& x) noexcept;

  /// Returns whether there are newcomers that could execute their first tag.
  bool has_due_newcomers() const noexcept {
    return newcomers_due_;
  }

  /// Returns the newcomers that could execute their first tag.
  std::vector<node*> due_newcomers() const;

  // -- parts of a loop --------------------------------------------------------

  /// Makes a loop time table, which outlives the groups. The arguments are one
  /// node of each part, the distances between parts, and whether each part is
  /// clocked.
  using table_maker = std::function<loop_time_table&(
    std::vector<node_id>, std::vector<delay>, const std::vector<bool>&)>;

  /// Returns whether the members are exactly the members of one loop, and all
  /// of them run.
  bool is_loop() const;

  /// Returns whether the group is a part of a loop that was divided.
  bool is_part() const noexcept {
    return entry_.has_value();
  }

  /// Returns a division of the loop into at most `parts` parts; none if there
  /// is none.
  /// @pre `is_loop()`
  std::optional<loop_division> find_division(std::size_t parts) const;

  /// Divides a loop into parts. The group keeps the first part. The groups in
  /// `others`, which have no members, get the rest. From now on, the groups
  /// keep their members. Each group is one member of a new loop time table:
  /// messages within a group need no table, and one search finds a bound for
  /// all members of a group [4.13].
  /// @param division a result of `find_division`, for one group more than
  ///        `others`.
  void divide(const loop_division& division, std::span<group* const> others,
              const table_maker& make);

  // -- leaving out ------------------------------------------------------------

  /// Gives up a member that is no longer called.
  void abandon(node& x);

  // -- driving ----------------------------------------------------------------

  /// Takes in what has arrived, and executes at most `budget` tags, each of one
  /// member, or until `timer` requires a hand-over.
  /// @returns `left` if no member remains.
  node::state advance(std::size_t budget, hand_over_timer& timer);

  /// Returns the number of tags that the members executed.
  std::uint64_t executed() const noexcept {
    return executed_;
  }

  /// Returns the number of messages that the members handled. See
  /// `node::messages`.
  std::uint64_t messages() const noexcept {
    return messages_;
  }

  /// Returns the least `wake_at()` of all members.
  std::int64_t wake_at() const noexcept {
    return wake_at_;
  }

  /// Returns the number of members that each call visits, even if they have
  /// nothing to do: all of them if members of other groups depend on promises
  /// of this group.
  std::size_t attended() const noexcept {
    return connected_ && !only_loop_ ? seats_.size() : attended_.size();
  }

  /// Returns whether members left since the last call of this function.
  bool take_departed() noexcept {
    return std::exchange(departed_, false);
  }

  /// Returns whether a promise from outside may change what the members do, see
  /// `node::awaits_promises`.
  bool awaits_promises() const noexcept;

  // -- measuring --------------------------------------------------------------

  /// The cost of a message between nodes that are executed separately, in
  /// nanoseconds. This cost is deducted, so that handling many messages at one
  /// tag does not make a node heavy.
  static constexpr std::int64_t message_cost = 400;

  /// The execution time of a member's tags, in nanoseconds, while measuring is
  /// on. It excludes what the member's messages would cost if it were executed
  /// alone.
  struct member_load {
    /// The numbers of samples after which the mean, and the least sample, are
    /// meaningful.
    static constexpr std::uint32_t enough_samples = 16;
    static constexpr std::uint32_t few_samples = 4;

    /// The mean of the last samples, each limited to this value.
    static constexpr std::uint32_t most_in_mean = 20'000;
    std::uint32_t mean = 0;
    std::uint32_t least = most_in_mean;
    std::uint32_t samples = 0;

    /// Whether the samples are times of the thread. Elapsed time is cheap to
    /// read, but includes the time of other programs. It only raises a
    /// suspicion.
    bool precise = false;

    /// For the executor: the longest sample since it last checked, and the
    /// number of checks that found a long precise sample.
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

    /// Starts again, with other samples.
    void begin(bool precisely) noexcept {
      precise = precisely;
      mean = samples = 0;
      least = most_in_mean;
    }
  };

  /// Starts or stops measuring each member.
  void measure(bool each) noexcept;

  bool measures() const noexcept {
    return measures_;
  }

  /// Returns the load of a member, by the index of `member`.
  /// @pre Members are measured.
  member_load& load(std::size_t index) noexcept {
    return loads_[index];
  }

  // -- observing --------------------------------------------------------------

  /// Updates the bounds that members get from each other, for an observer. Does
  /// nothing if nothing changed since the last call.
  void settle_for_observer();

  // -- called by members ------------------------------------------------------

  /// Schedules a member that got an event.
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

  /// Returns whether members execute the current tag, all in order: none is
  /// held.
  bool executes_in_order() const noexcept {
    return in_order_;
  }

  /// Queues a message that a member sends at the current tag.
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

  /// Queues such a message for all connections of an output.
  /// @pre `executes_in_order()`
  void deliver_to_all(const output& out, const logical_time& tag,
                      const value& content);

  /// Sends a message from one member to another member, for a later tag.
  void deliver_later(const out_connection& connection, logical_time tag,
                     const value& content) {
    if (carries_ && held_.empty())
      carry({.to = connection.fused,
             .port = connection.port,
             .connection = connection.target_index},
            tag, content);
    else
      connection.fused->expect(connection, tag, content);
  }

  /// Sends a message from a member to another part of a loop, at the next
  /// exchange.
  /// @pre `is_part()`
  void send_to_part(node_id receiver, const out_connection& connection,
                    logical_time arrival, const value& content) {
    entry_->unsent.push_back(
      {connection.target_member,
       {receiver,
        {.tag = arrival,
         .connection = connection.target_index,
         .content = content}}});
  }

  /// Queues the messages in the calendar at their receivers. Called before
  /// anything but the execution of tags in their order depends on the queues.
  void deliver_carried();

  /// Discards the next tag of a member, because an event was withdrawn.
  void forget_next_tag(std::uint32_t index) noexcept;

  /// Takes out the first member that must still execute the current tag, if its
  /// seat is below `end`. @returns the seat; `index_set::none` if there is
  /// none.
  std::uint32_t take_due(std::uint32_t end) noexcept {
    auto result = due_.take_first();
    if (result < end || result == index_set::none)
      return result;
    due_.insert(result);
    return index_set::none;
  }

  /// Notes that a member was called by itself: its limit may have decreased,
  /// and it may have events or an end.
  void limit(std::uint32_t index) noexcept {
    each_with(index, [this](auto i) { seats_[i].free_below = never; });
    is_settled_ = false;
    limits_changed_ = examines_all_ = true;
    all_wait_ = false;
  }

  /// Tells the members that receive from a member that it is done.
  static void note_done(node& x);

  /// Disconnects a member that is about to leave from the rest.
  void part_with(node& x, bool aborted);

private:
  // -- member types -----------------------------------------------------------

  /// A member, and the group's data about it.
  struct seat {
    node* member;

    /// The later tag for which the calendar has the member; `forever` if there
    /// is none.
    logical_time queued = forever;

    /// The tag from which on the member executes nothing, for now; `forever` if
    /// it is not held.
    logical_time held = forever;

    /// The tag below which the member may execute, while no member is held.
    [[no_unique_address]] logical_time free_below
      = never; // the flags use its padding: a seat is a cache line

    /// Whether the member is connected with nodes outside of the group, or with
    /// the outside of the application.
    bool outer = true;

    /// Whether members send to it.
    bool inner = false;

    /// Whether the group is a part of a loop, and the member is connected with
    /// nothing but this loop.
    bool only_loop = false;

    /// Whether it is unobserved: neither traced nor checked for lag.
    bool plain = false;

    /// Whether it is plain, not outer, no newcomer, and neither measured nor
    /// recorded.
    bool quick = false;

    /// Whether it is no longer called.
    bool abandoned = false;

    /// Whether it executes nothing in the group, and whether it could.
    bool newcomer = false;
    bool newcomer_due = false;

    /// Whether it left, and the seat must be removed.
    bool left = false;

    /// Whether it is in a loop without delay.
    bool in_instant_loop = false;
  };

  /// A message to another part.
  struct sent_message {
    loop_time_table::member part;
    loop_time_table::part_message message;
  };

  /// The entry that the members share in a loop time table, because they are a
  /// part of a loop. The entry is the least tag that is queued for any member,
  /// that is promised to a member from outside of the loop, or that is in
  /// transit to a member.
  struct loop_entry {
    loop_time_table* table;
    loop_time_table::member member;

    /// The tag below which no message of another part arrives, as last read.
    logical_time bound{};

    /// Whether the loop is done, as last read.
    bool ended = false;

    /// The tag below which other parts received all messages of members.
    /// Messages sent at later tags are lost if a member fails.
    logical_time sent_below{};

    /// The least of the last tags of aborted members, and of the tags of their
    /// lost messages. An aborted member's silence is no promise.
    logical_time aborted = forever;

    /// The least delay with which messages of other parts reach a member, by
    /// seat; none if they cannot.
    std::vector<std::optional<delay>> distances = {};

    /// The members that receive from other parts.
    std::unordered_map<node_id, node*> entrances = {};

    /// The messages from other parts, while they are taken in.
    std::vector<loop_time_table::part_message> mail = {};

    /// The unsent messages to other parts.
    std::vector<sent_message> unsent = {};
  };

  /// A message to a member that is due at a later tag. It is in the calendar
  /// until then, so that the memory of the receiver is read once: when the
  /// receiver executes the message.
  struct carried_message {
    node* to = nullptr;
    input* port = nullptr; // null if it is from another part of a loop
    value content = {};
    std::uint32_t connection = 0; // the receiver's; the next free slot if free
  };

  /// A loop whose members are all in the group: adjacent seats.
  struct whole_loop {
    const loop_time_table* table = nullptr;
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    bool visited = false;    // a member was, since the last check
    bool has_events = false; // one of these members has
  };

  /// A connection between two members.
  struct inner_connection {
    out_connection* out;
    std::uint32_t target; // the receiver's seat
  };

  // -- members ----------------------------------------------------------------

  /// Sorts the members, and assigns their seats.
  void seat_members();

  /// Removes the seats of members that left. Called once for many of them,
  /// because it scans all members.
  void remove_left();

  void take_in_before_fusing();

  /// Fuses the connections between members that are not fused.
  void fuse_connections();

  static void fuse_connection(node& from, out_connection& out, node& to);

  /// Splits the incoming connections of a member from other groups, and from
  /// members in `resumed`.
  /// @param resumed the members of loops that are no longer all in one group.
  static void split_connections(node& x, std::span<node* const> resumed);

  /// Resumes the use of loop time tables.
  static void resume_loops(std::span<node* const> members);

  /// Finds the members that are connected with the outside, and the connections
  /// between members.
  void find_outer();

  /// Returns whether a member is connected with members of its loop only, and
  /// does not follow elapsed time.
  static bool connects_only_loop(const node& x);

  /// Finds the outputs whose messages can be queued at once.
  void find_routes();

  /// Finds the members that can run on the fast path.
  void find_quick() noexcept;

  /// Returns the connections of a member to members.
  std::span<const inner_connection> inner_connections(
    std::uint32_t index) const {
    return std::span{inner_connections_}.subspan(
      inner_begin_[index], inner_begin_[index + 1] - inner_begin_[index]);
  }

  /// Returns whether a member is neither abandoned nor failed.
  static bool runs(const seat& x) noexcept;

  static bool runs(const node& x) noexcept;

  /// Returns whether a member runs and started.
  static bool executes(const seat& x) noexcept;

  // -- advancing --------------------------------------------------------------

  void begin_call();

  void end_call();

  /// Prepares a member for what it does in this call, unless it was visited in
  /// this call.
  [[gnu::always_inline]] void visit(std::uint32_t index) {
    if (seats_[index].member->parts_.scratch == nullptr) [[unlikely]]
      begin_visit(index);
  }

  void begin_visit(std::uint32_t index);

  /// Ends a call before members that may have to save or leave were examined.
  node::state end_early();

  /// Examines a member in this call, or in the next one, because it may be
  /// done.
  void revisit(std::uint32_t index);

  /// Visits a member in each call from now on, because it stopped.
  void attend(std::uint32_t index);

  void attend_all();

  /// Finds the members to visit in each call.
  void find_attended();

  /// Lets senders outside of the group see what the last member executed.
  void report_executed() {
    auto* x = std::exchange(last_, nullptr);
    if (x != nullptr && !scratch_->unreported.empty())
      flow_control::report_executed(x->parts_);
  }

  node::state run(std::size_t budget, hand_over_timer& timer);

  void take_in();

  /// Executes tags as long as any may be executed. @returns false if the group
  /// must be called again, because the budget is used up, a hand-over is due,
  /// or many messages wait to be sent.
  /// @param total the budget, which is reduced.
  bool execute_some(std::size_t& total, hand_over_timer& timer);

  /// Returns whether a member may execute a tag, without further checks.
  bool is_free(const seat& x, logical_time tag) const noexcept {
    return tag < x.free_below && held_.empty()
           && !(x.outer && x.member->parts_.flow.saturated());
  }

  /// Finds the tag below which a member is free. @pre No member is held.
  void find_free(std::uint32_t index) noexcept;

  logical_time free_below(const seat& x) const noexcept;

  bool may_execute(std::uint32_t index, logical_time tag);

  /// Returns whether a member must wait for physical time before it executes a
  /// tag.
  static bool waits_for_clock(node& x, logical_time tag);

  /// Returns whether the next tag must wait for physical time, and schedules a
  /// call for it. @pre `all_wait_`
  bool next_waits_for_clock();

  /// Executes the current tag of a member that is plain and not measured, if a
  /// single event is due.
  /// @returns false if nothing was executed.
  template <bool Recorded>
  bool execute_only(node& x);

  /// Executes tags of members as long as a single event is due for each, and no
  /// further checks are needed. This is the path of most messages.
  /// @returns the member that is due next, removed from `due_`; `none` if there
  ///          is none at this tag and at all later ones.
  std::uint32_t execute_quickly(std::size_t& budget);

  void execute(std::uint32_t index, logical_time tag, hand_over_timer& timer);

  // -- loops without delay ----------------------------------------------------

  /// Returns the loop without delay that a member is in; null if there is none.
  instant_loop* instant_loop_at(std::uint32_t index) const noexcept {
    return has_instant_loops_ && seats_[index].in_instant_loop
             ? seats_[index].member->config().instant_loop
             : nullptr;
  }

  std::span<const seat> seats_of(const instant_loop& x) const noexcept {
    return std::span{seats_}.subspan(
      x.first_seat(), x.end_of_seats() - x.first_seat());
  }

  /// Calls `fun` with each seat of a member's loop without delay; with its own
  /// if it is in none.
  template <class Fun>
  void each_with(std::uint32_t index, Fun&& fun) const {
    auto* loop = instant_loop_at(index);
    auto end = loop != nullptr ? loop->end_of_seats() : index + 1;
    for (auto i = loop != nullptr ? loop->first_seat() : index; i < end; ++i)
      fun(i);
  }

  /// Returns whether all members of a loop may execute a tag, which is the
  /// least one of them [10.1.6].
  bool may_execute(const instant_loop& x, logical_time tag);

  /// Returns whether a physical value may still get a stamp up to `tag`; if so,
  /// wakes the group when that has changed [10.1.8].
  bool may_stamp(const seat& x, logical_time tag);

  /// Wakes the group when all stamps of a member are later than `bound`.
  static void wait_for_stamps(const seat& x, logical_time bound);

  /// @param index the member that is due first.
  void execute(instant_loop& x, std::uint32_t index, logical_time tag);

  /// Returns whether the members may execute the last tag [10.6.2].
  bool is_ready_to_end(const instant_loop& x);

  /// Executes the last tag, and lets the members leave.
  void leave(instant_loop& x);

  /// Shares the bounds from outside of the group between the members of each
  /// loop.
  void share_limits();

  /// Lowers the limits of all members of a loop.
  /// @param target the seat of the member that the connection `via` leads to.
  void lower(const instant_loop& x, std::uint32_t target, std::uint32_t via,
             logical_time promise, std::uint32_t visited);

  /// Returns the bound of messages from other members for a member of a loop,
  /// which limits its promises [10.1.7].
  logical_time settle(instant_loop& x);

  /// Handles the failure of a member at `tag`.
  void fail(std::uint32_t index, logical_time tag);

  /// Puts a member into the calendar, unless its next tag is there.
  void enter(std::uint32_t index);

  // -- messages in the calendar -----------------------------------------------

  /// The bit that tells the slot of a carried message from a seat, in the
  /// entries of the calendar.
  static constexpr std::uint32_t carried_bit = 1u << 31;

  static constexpr std::uint32_t no_slot = carried_bit - 1;

  /// Keeps a message in the calendar until it is due. @pre `carries_`, and no
  /// member is held.
  /// @param empty the message without its content.
  void carry(const carried_message& empty, logical_time tag,
             const value& content);

  /// Queues a carried message at its receiver, and frees its slot.
  /// @returns the receiver's seat.
  std::uint32_t arrive(std::uint32_t slot, logical_time tag);

  /// Returns the carried message of an entry; null if the entry is a seat.
  const carried_message* carried(const calendar::entry& x) const noexcept {
    return (x.seat & carried_bit) != 0
             ? &carried_[x.seat & ~carried_bit]
             : nullptr;
  }

  /// Reads the memory that the next messages need into the processor's cache,
  /// which a large graph exceeds.
  void prefetch() const noexcept;

  // -- the calendar -----------------------------------------------------------

  /// Returns the calendar's first tag; `forever` if it is empty.
  logical_time first_tag();

  /// Makes the calendar's first tag the current one, with all members that are
  /// due then. @returns false if the calendar is empty.
  bool advance_to_next_tag();

  /// Puts the members that are still due back into the calendar.
  void end_tag();

  /// Keeps a member from executing `tag` and later tags, for now.
  void hold(std::uint32_t index, logical_time tag);

  /// Queues a message at the current tag, whatever else is due.
  void deliver_besides(const direct_route& route, const logical_time& tag,
                       const value& content);

  /// Exchanges messages within loops that are only partly in the group.
  /// @returns whether a member may continue because of it.
  bool exchange_in_loops();

  // -- being a part of a loop -------------------------------------------------

  /// Returns the connections of the loop between seats.
  std::vector<loop_time_table::edge> loop_edges() const;

  /// Finds the members that receive from other parts, and the distances from
  /// other parts to the members.
  void find_entrances();

  /// Returns the members' entry for the loop time table.
  logical_time least_tag();

  /// Exchanges messages with other parts, updates the entry, and reads the
  /// bound. If there were messages, their tags still limit this bound.
  /// @returns whether there were messages.
  bool exchange_with_parts();

  /// Takes in the messages from other parts. @returns whether there are any.
  bool take_mail();

  /// Lets an observer see the messages for which the part was not woken.
  void take_mail_for_observer();

  /// Sends what members have sent to other parts.
  /// @pre The table is locked.
  void send_to_parts(scratch& memory);

  /// Returns whether a member, or this part, has enough unsent messages for
  /// receivers to start on them.
  bool has_many_unsent(const seat& x) const noexcept {
    return x.outer
           && (x.member->parts_.outbox.full()
               || (entry_ && entry_->unsent.size() >= outbox::max_added));
  }

  /// Wakes the nodes that the loop time table has listed.
  void wake_listed();

  /// Returns whether the first of the members with the first tag may execute
  /// it.
  bool may_continue_in_part();

  /// Returns whether the part can do nothing before other parts advance.
  bool waits_for_parts_only();

  /// Returns the tag that the bound of the part must exceed so that a member
  /// can continue; none if no member waits for that.
  std::optional<logical_time> find_awaited();

  /// Waits for the other parts. @returns false if a member may continue after
  /// all.
  bool wait_for_parts();

  /// Takes over the bound of the loop time table, and whether the loop ended.
  /// Passes them to the members that are visited in each call.
  /// @returns whether that may be new to members.
  bool take_bound(logical_time bound, bool ended);

  /// Passes the bound of the loop time table to a member.
  void share_bound(std::uint32_t index) noexcept;

  /// Passes it to all members, if the group is a part of a loop.
  void share_bounds() noexcept;

  /// Handles the exit of a member. The last member removes the entry, unless
  /// members were aborted: then other parts must not become done.
  void leave_part(node& x, bool aborted);

  /// Sends promises and requests before the group becomes idle. @returns false
  /// if there is more to execute after all.
  bool go_idle();

  void flush();

  // -- leaving ----------------------------------------------------------------

  /// Lets members save, stop taking physical values, or leave, if they can.
  /// @param budget set to 0 if a member saves.
  /// @returns whether a member did so, and any member remains.
  bool leave_some(std::size_t& budget);

  void leave(node& x, ending outcome);

  /// Returns the loop of a member. @pre The loop is suspended.
  whole_loop& loop_at(std::uint32_t index);

  /// Adds a member to the last loop, or to a new one.
  void add_to_loop(const seat& x);

  /// Returns whether all members of a loop within the group are done.
  bool loop_is_over(const whole_loop& loop) const;

  /// Finds out whether loops within the group are done [5.2].
  void end_loops();

  // -- bounds -----------------------------------------------------------------

  /// Updates the bounds that members get from each other.
  void settle();

  /// Returns the tag below which nothing arrives at a member from outside of
  /// the group.
  logical_time outside(const seat& x) const;

  void find_safe();

  /// Discards the limits of all members, because some may have decreased.
  void forget_limits() noexcept;

  logical_time inner_limit(std::uint32_t index);

  /// Finds the limits of all members. Tags that are held count, and tags that
  /// can still be executed do not.
  void find_limits();

  /// Lowers the limits of the receivers of a member's messages. Lists the
  /// receivers that must be visited again, because their own receivers may be
  /// affected.
  /// @param visited all members up to this one were already visited.
  void lower_downstream(std::uint32_t index, std::uint32_t visited);

  /// Lowers the limits of further receivers, in the order of the limits, so
  /// that each member is visited once.
  void lower_further();

  /// Returns the basis of a member's promises, as far as its limit is known.
  promise_basis basis_of(std::uint32_t index) const;

  // -- requests ---------------------------------------------------------------

  /// Finds the bounds that members need and that only other members can obtain.
  void find_inherited_requests();

  /// Requests a bound greater than `bound` from the members before a member.
  /// Adds the members whose inherited bound falls to `lowered`.
  void request_upstream(std::uint32_t index, logical_time bound,
                        std::vector<std::uint32_t>& lowered);

  void add_inherited_requests(std::uint32_t index);

  std::vector<seat> seats_;
  std::vector<std::uint32_t> attended_; // visited in each call: outer members,
                                        // and those that do not execute
  std::vector<node*> visited_;          // in this call
  std::vector<node*> unexamined_;       // visited in calls that ended early
  std::vector<whole_loop> loops_;       // by seat
  std::vector<inner_connection> inner_connections_; // by member
  std::vector<std::uint32_t> inner_begin_; // of each member, and the end
  std::vector<direct_route> routes_;       // by member and output
  std::vector<member_load> loads_;         // while members are measured
  calendar calendar_;                      // entries may be outdated
  std::vector<carried_message> carried_;   // by slot
  std::uint32_t free_slot_ = no_slot;      // the first of a list
  std::uint32_t carried_count_ = 0;        // messages in `carried_`
  logical_time now_ = never;               // the current tag, if there is one
  index_set due_;                          // members that must still execute it
  std::vector<calendar::entry> held_; // taken out of the calendar in this pass
  /// For each member, the lowest bound that members after it need, while the
  /// group becomes idle. Each path between two members needs a different bound,
  /// but a tag that cannot pass the lowest of these bounds cannot pass the
  /// rest.
  std::vector<logical_time> inherited_;
  logical_time safe_ = forever;         // nothing arrives below it from outside
  logical_time in_order_up_to_ = never; // all members have executed the tags
                                        // below; `never` if some are held
  node* last_ = nullptr;                // executed last in this call
  scratch* scratch_ = nullptr;          // while the group is called
  bool in_order_ = false;               // see `executes_in_order`
  bool all_run_ = false;
  bool may_carry_ = false;
  bool carries_ = false;    // see `carried_message`
  bool some_left_ = false;  // seats must be removed
  bool is_settled_ = false; // for observers, since the last call
  bool limits_known_ = false;
  bool goes_on_ = false;        // a member may execute what it could not before
  bool entry_rises_ = false;    // a member's entry in a loop's table may rise
  bool outer_ = false;          // some members are
  bool connected_ = false;      // some are, logically, with other nodes
  bool promises_ = false;       // promises of some depend on inner bounds
  bool follows_clock_ = false;  // some members do
  bool all_realtime_ = false;   // all members are
  bool all_wait_ = false;       // all wait for physical time before each tag
  bool holds_ = false;          // a member was held in the last pass
  bool awaits_stop_ = false;    // a member waits to be past its last tag
  bool limits_changed_ = false; // since the last call
  bool examines_all_ = true;    // any member may leave, not only visited ones
  logical_time first_stop_ = forever; // the first tag at which a member may
                                      // have to stop, or no longer waits
  bool departed_ = false;             // see `take_departed`
  bool has_instant_loops_ = false;
  bool newcomers_due_ = false;
  std::optional<loop_entry> entry_; // only of a part of a loop
  bool only_loop_ = false; // a part: all members run, connected with it only
  bool measures_ = false;
  std::uint64_t executed_ = 0;
  std::uint64_t messages_ = 0; // without those of visited members
  std::int64_t elapsed_ = 0;   // as of this call
  std::int64_t wake_at_ = node::no_wake;
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
