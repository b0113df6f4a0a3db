// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/port_state.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/connection.hpp"
#include "engine/resumption_queue.hpp"
#include "engine/scheduled_queue.hpp"
#include "engine/stamped_queue.hpp"
#include "engine/tag_copy.hpp"

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The events that a node must still execute, by tag: messages of its logical
/// connections, which arrive in order on each connection; stamped values;
/// resumptions of reactions; and events that the node scheduled for itself.
///
/// Messages of one tag are in the *lane*, in the order of execution. Usually
/// these are all messages. The rest are in the node's incoming connections,
/// which the caller passes to each function that needs them. A single message
/// in the lane from the node's group is usually kept apart, for the shortest
/// way to its port. It counts as in the lane. Tests:
/// test/engine/event_queue_test.cpp.
class event_queue {
public:
  /// A message that is kept apart. `port` is null if there is none.
  struct direct_message {
    input* port = nullptr;
    std::uint32_t connection = 0;
    value content;
  };

  /// Returns whether nothing is queued. Faster than `next_tag`.
  bool empty() const noexcept {
    return besides_lane_ == 0 && no_lane();
  }

  /// Returns the earliest tag; `forever` if nothing is queued.
  logical_time next_tag() const noexcept {
    if ((besides_lane_ & not_yielded) != 0)
      return next_of_all();
    return besides_lane_ == 0
             ? lane_tag_
             : std::min(lane_tag_, resumptions_.next_tag());
  }

  // -- messages ---------------------------------------------------------------

  /// Queues a message that arrived on a connection, after all earlier ones.
  void push(std::vector<in_connection>& in, std::uint32_t connection,
            logical_time tag, const value& content) {
    keep_none_apart();
    auto& from = in[connection];
    if (!from.queue.empty() || (!lane_.empty() && lane_tag_ != tag))
      push_behind(from, connection, tag, content);
    else
      push_into_lane(connection, nullptr, tag, content);
  }

  /// Queues a message from another member of the node's group.
  /// @param port the receiving port of the connection.
  [[gnu::always_inline]] void push_inside(
    std::vector<in_connection>& in, std::uint32_t connection, input& port,
    logical_time tag, const value& content) {
    if (takes_direct())
      push_direct(connection, port, tag, content);
    else if (takes_several(tag))
      push_several(connection, &port, content);
    else
      push_besides_direct(in, connection, port, tag, content);
  }

  /// Returns whether a message from the node's group can be kept apart.
  bool takes_direct() const noexcept {
    return no_lane() && (besides_lane_ & behind_lane) == 0;
  }

  /// Keeps a message apart. @pre `takes_direct()`
  [[gnu::always_inline]] void push_direct(
    std::uint32_t connection, input& port, const logical_time& tag,
    const value& content) {
    copy_tag(lane_tag_, tag);
    direct_.port = &port;
    direct_.connection = connection;
    direct_.content.fill(content);
  }

  /// Moves the message that is kept apart into the lane, if there is one. Must
  /// be called before the lane is read.
  void keep_none_apart() {
    if (direct_.port != nullptr)
      put_into_lane();
  }

  /// Treats all messages as if they were from outside of the node's group. Must
  /// be called before a sender leaves it.
  void forget_senders();

  /// Returns whether the earliest messages are due at `tag`.
  bool has_message(logical_time tag) const noexcept {
    return next_message() == tag;
  }

  /// Returns the connection of the next message. If several connections have
  /// messages at one tag, this is the one that was declared first [2.3]. @pre
  /// There is a message.
  std::uint32_t next_connection() noexcept {
    return lane_is_next() ? lane_[lane_begin_].connection
                          : heads_.front().connection;
  }

  /// Removes the next message. @pre There is one.
  value pop(std::vector<in_connection>& in) {
    return lane_is_next() ? pop_lane() : pop_queue(in);
  }

  /// Returns whether there may be events besides the lane.
  bool has_besides_lane() const noexcept {
    return besides_lane_ != 0;
  }

  /// Returns whether nothing but the lane and resumptions is due at `tag`. @pre
  /// Nothing is due before.
  bool only_lane(logical_time tag) const noexcept {
    return (besides_lane_ & not_yielded) == 0 || next_besides_lane() != tag;
  }

  /// Returns the number of messages in the lane that are due at `tag`.
  std::size_t lane_size(logical_time tag) const noexcept {
    return lane_tag_ != tag ? 0 : direct_.port != nullptr ? 1 : lane_.size();
  }

  /// Returns the message that is kept apart.
  const direct_message& direct() const noexcept {
    return direct_;
  }

  /// Returns whether the message that is kept apart is the only event at `tag`.
  /// @pre Nothing is due before.
  bool has_only_direct(const logical_time& tag) const noexcept {
    return direct_.port != nullptr && lane_tag_ == tag
           && (besides_lane_ == 0
               || (!resumptions_.is_due(tag) && only_lane(tag)));
  }

  /// Moves the message that is kept apart into its port. @returns the port.
  input& take_direct() noexcept {
    auto& result = *std::exchange(direct_.port, nullptr);
    result.values.make_only().take(direct_.content);
    copy_tag(lane_tag_, forever);
    return result;
  }

  /// Returns whether a single resumption is the only event at `tag`.
  /// @pre Nothing is due before.
  bool has_only_resumption(logical_time tag) const noexcept {
    return resumptions_.is_only(tag) && lane_tag_ != tag && only_lane(tag);
  }

  /// Returns whether a single scheduled event is the only event at `tag`. @pre
  /// Nothing is due before.
  bool has_only_scheduled(logical_time tag) const noexcept {
    return scheduled_ && scheduled_->is_only(tag) && lane_tag_ != tag
           && heads_.empty() && !stamped_ && !resumptions_.is_due(tag);
  }

  /// Makes the action of the only scheduled event present. @returns the action.
  /// @pre There is one.
  input& take_only_scheduled() {
    return scheduled_->take_only();
  }

  /// Returns whether a message that is not in the lane is the only event at
  /// `tag`. @pre Nothing is due before.
  bool has_only_behind_lane(const logical_time& tag) const noexcept {
    return (besides_lane_ & behind_lane) != 0 && heads_.front().tag == tag
           && lane_tag_ != tag && is_first_head_alone()
           && (besides_lane_ == behind_lane
               || (!resumptions_.is_due(tag) && next_other() != tag));
  }

  /// Returns the connection of the first message that is not in the lane.
  /// @pre There is one.
  std::uint32_t connection_behind_lane() const noexcept {
    return heads_.front().connection;
  }

  /// Removes the first message that is not in the lane.
  value pop_behind_lane(std::vector<in_connection>& in) {
    return pop_queue(in);
  }

  /// Removes the only message of the lane. @param take as for `take_lane`,
  /// without the port.
  /// @returns the result of `take`, a reference. @pre `lane_size` is 1
  template <class Fun>
  auto& take_single(Fun&& take) {
    auto& next = lane_.back();
    auto& result = take(next.connection, std::move(next.content));
    lane_.pop_back();
    lane_tag_ = forever;
    return result;
  }

  /// Returns the port to which all messages of the lane lead from inside the
  /// node's group; null if there is none.
  input* port_of_lane() const noexcept {
    return lane_port_;
  }

  /// Moves all messages of the lane into `port_of_lane()`, in order. @pre The
  /// port exists, and there are several messages.
  void take_lane_into_port() {
    if (!lane_sorted_)
      sort_lane();
    auto next = lane_.begin();
    lane_port_->values.assign_several(lane_.size(), [&](value& x) {
      x.take(next++->content);
    });
    clear_lane();
  }

  /// Removes all messages of the lane, and calls `take` for each, in order:
  /// with its connection, its content, and its port. The port is null if the
  /// message is from outside of the node's group. @pre No message was removed
  /// from the lane before.
  template <class Fun>
  void take_lane(Fun&& take) {
    if (!lane_sorted_)
      sort_lane();
    for (auto& next : lane_)
      take(next.connection, std::move(next.content), next.port);
    clear_lane();
  }

  /// Returns the number of queued messages of a connection. @param number its
  /// index.
  std::size_t size(const in_connection& connection,
                   std::uint32_t number) const noexcept {
    return connection.queue.size() + (is_in_lane(number) ? 1 : 0);
  }

  /// Returns the tag of a queued message of a connection, counted from the
  /// first one.
  /// @pre `index < size(connection, number)`
  logical_time tag_of(const in_connection& connection, std::uint32_t number,
                      std::size_t index) const noexcept {
    if (!is_in_lane(number))
      return connection.queue[index].tag;
    return index == 0 ? lane_tag_ : connection.queue[index - 1].tag;
  }

  /// Returns whether the first message of the connection with this index is in
  /// the lane.
  bool is_in_lane(std::uint32_t number) const noexcept;

  /// Drops all messages.
  void clear_messages(std::vector<in_connection>& in) noexcept;

  // -- other events -----------------------------------------------------------

  /// Returns the stamped values. Null before the first one: most nodes never
  /// get any.
  stamped_queue* stamped() noexcept {
    return stamped_.get();
  }

  const stamped_queue* stamped() const noexcept {
    return stamped_.get();
  }

  /// Returns the modes of the node; null if there are none.
  engine::modes* modes() const noexcept {
    return stamped_ ? stamped_->modes() : nullptr;
  }

  /// Returns the stamped values, to queue one.
  stamped_queue& make_stamped() {
    besides_lane_ |= other_kinds;
    return stamped_.make();
  }

  /// Returns the stamped values if the earliest one is due at `tag`; null
  /// otherwise.
  stamped_queue* stamped_at(logical_time tag) noexcept {
    return stamped_ && stamped_->next_tag() == tag ? stamped_.get() : nullptr;
  }

  /// Returns the scheduled events. Null before the first one: most nodes never
  /// schedule any.
  const scheduled_queue* scheduled() const noexcept {
    return scheduled_.get();
  }

  /// Returns the scheduled events, to queue one.
  scheduled_queue& make_scheduled() {
    if (!scheduled_)
      scheduled_ = std::make_unique<scheduled_queue>();
    besides_lane_ |= other_kinds;
    return *scheduled_;
  }

  /// Returns the scheduled events if the earliest one is due at `tag`; null
  /// otherwise.
  scheduled_queue* scheduled_at(logical_time tag) noexcept {
    return scheduled_ && scheduled_->next_tag() == tag
             ? scheduled_.get()
             : nullptr;
  }

  /// See `scheduled_queue::end_tag`.
  void end_tag() noexcept {
    if (scheduled_)
      scheduled_->end_tag();
  }

  /// See `scheduled_queue::begin_at`.
  void begin_ticks_at(logical_time tag) {
    if (scheduled_)
      scheduled_->begin_at(tag);
  }

  /// See `scheduled_queue::take`.
  template <class Fun>
  std::vector<scheduled_event> take_scheduled(Fun&& takes) {
    return scheduled_ ? scheduled_->take(std::forward<Fun>(takes))
                      : std::vector<scheduled_event>{};
  }

  /// Drops the scheduled events.
  void clear_scheduled() noexcept {
    scheduled_.reset();
    look_besides_lane();
  }

  // -- resumptions ------------------------------------------------------------

  /// See `resumption_queue::push`.
  void yield(logical_time wanted, std::uint32_t reaction, void* token) {
    resumptions_.push(wanted, reaction, token);
    besides_lane_ |= yielded;
  }

  /// See `resumption_queue::take_only`.
  std::pair<void*, std::uint32_t> take_only_resumption() noexcept {
    auto result = resumptions_.take_only();
    if (result.first != nullptr)
      besides_lane_ &= not_yielded;
    return result;
  }

  /// See `resumption_queue::pop`.
  void* pop_resumption(logical_time tag, std::uint32_t reaction) {
    auto* result = resumptions_.pop(tag, reaction);
    if (resumptions_.empty())
      besides_lane_ &= not_yielded;
    return result;
  }

  /// See `resumption_queue::take`.
  template <class Fun>
  auto take_resumptions(Fun&& takes) {
    auto result = resumptions_.take(std::forward<Fun>(takes));
    if (resumptions_.empty())
      besides_lane_ &= not_yielded;
    return result;
  }

  /// See `resumption_queue::clear`.
  template <class Fun>
  void clear_resumptions(Fun&& discard) {
    resumptions_.clear(std::forward<Fun>(discard));
    besides_lane_ &= not_yielded;
  }

  const resumption_queue& resumptions() const noexcept {
    return resumptions_;
  }

private:
  /// A message in the lane.
  struct arrival {
    std::uint32_t connection;
    input* port; // null if from outside of the group
    value content;

    arrival(std::uint32_t from, input* to, const value& x) noexcept
      : connection(from), port(to), content(x) {
      // nop
    }
  };

  /// A connection whose first message is due at `tag`.
  struct head {
    logical_time tag;
    std::uint32_t connection;
    friend auto operator<=>(const head&, const head&) = default;
  };

  logical_time next_message() const noexcept {
    return heads_.empty() ? lane_tag_ : std::min(heads_.front().tag, lane_tag_);
  }

  /// Returns the earliest tag of the stamped values and scheduled events.
  logical_time next_other() const noexcept;

  /// Returns the earliest tag of the stamped values, the scheduled events, and
  /// the messages that are not in the lane.
  logical_time next_besides_lane() const noexcept;

  /// Returns whether the first message in `heads_` is the only one with its
  /// tag.
  bool is_first_head_alone() const noexcept {
    auto& tag = heads_.front().tag;
    return (heads_.size() < 2 || heads_[1].tag != tag)
           && (heads_.size() < 3 || heads_[2].tag != tag);
  }

  /// Returns whether no message is in the lane, or kept apart.
  bool no_lane() const noexcept {
    return lane_tag_.ns == forever.ns;
  }

  /// Returns the earliest tag of all events.
  logical_time next_of_all() const noexcept;

  /// Updates which kinds of events there may be besides the lane.
  void look_besides_lane() noexcept {
    besides_lane_ = static_cast<std::uint8_t>(
      (heads_.empty() ? 0 : behind_lane)
      | (stamped_ || scheduled_ ? other_kinds : 0) | (besides_lane_ & yielded));
  }

  /// Returns whether the next message is in the lane. @pre There is a message.
  bool lane_is_next() noexcept {
    if (no_lane())
      return false;
    if (!lane_sorted_)
      sort_lane();
    return heads_.empty()
           || head{lane_tag_, lane_[lane_begin_].connection} < heads_.front();
  }

  /// Returns whether a message for this tag can be added to messages in the
  /// lane.
  bool takes_several(const logical_time& tag) const noexcept {
    return !lane_.empty() && lane_tag_ == tag
           && (besides_lane_ & behind_lane) == 0;
  }

  /// Adds a message to messages in the lane. @pre `takes_several(tag)`
  [[gnu::always_inline]] void push_several(
    std::uint32_t connection, input* port, const value& content) {
    if (lane_.back().connection > connection)
      lane_sorted_ = false;
    if (port != lane_port_)
      lane_port_ = nullptr;
    lane_.emplace_back(connection, port, content);
  }

  /// Handles the remaining cases of `push_inside`.
  void push_besides_direct(
    std::vector<in_connection>& in, std::uint32_t connection, input& port,
    logical_time tag, const value& content);

  /// Adds a message to the lane.
  /// @pre The lane has no messages for another tag.
  void push_into_lane(std::uint32_t connection, input* port, logical_time tag,
                      const value& content) {
    if (!lane_.empty()) {
      push_several(connection, port, content);
      return;
    }
    lane_tag_ = tag;
    lane_port_ = port;
    lane_.emplace_back(connection, port, content);
  }

  void put_into_lane();

  void sort_lane() noexcept;

  value pop_lane() {
    auto content = std::move(lane_[lane_begin_].content);
    if (++lane_begin_ == lane_.size())
      clear_lane();
    return content;
  }

  void clear_lane() noexcept {
    lane_.clear();
    lane_begin_ = 0;
    lane_sorted_ = true;
    lane_tag_ = forever;
    lane_port_ = nullptr;
  }

  void push_behind(in_connection& from, std::uint32_t connection,
                   logical_time tag, const value& content);

  value pop_queue(std::vector<in_connection>& in);

  // The kinds of events that there may be besides the lane: messages in
  // `heads_`; stamped values or scheduled events; resumptions.
  static constexpr std::uint8_t behind_lane = 1;
  static constexpr std::uint8_t other_kinds = 2;
  static constexpr std::uint8_t not_yielded = behind_lane | other_kinds;
  static constexpr std::uint8_t yielded = 4;

  // The tag of the messages in the lane, each the first of its connection;
  // `forever` if there is none. `lane_` is empty while a message is kept apart.
  logical_time lane_tag_ = forever;
  bool lane_sorted_ = true;       // by connection, from `lane_begin_` on
  std::uint8_t besides_lane_ = 0; // kinds of events that there may be
  std::uint32_t lane_begin_ = 0;  // earlier messages were removed
  direct_message direct_;
  resumption_queue resumptions_;
  std::unique_ptr<scheduled_queue> scheduled_;
  published_ptr<stamped_queue> stamped_; // observers look for its rare parts
  input* lane_port_ = nullptr;           // of all messages in the lane; or null
  std::vector<head> heads_; // a heap of the connections with other messages
  std::vector<arrival> lane_;
};

} // namespace caf::rosia::engine
