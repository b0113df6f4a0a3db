// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/action_spacing.hpp"
#include "engine/code_counts.hpp"
#include "engine/envelope.hpp"
#include "engine/fifo.hpp"
#include "engine/max_waits.hpp"
#include "engine/modes.hpp"
#include "engine/published_ptr.hpp"
#include "engine/watchdogs.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// A value from outside of the application, or of a physical connection, a
/// tardy value, or an expiry of a watchdog, with the tag that its receiver gave
/// it.
struct stamped_value {
  logical_time tag = never;
  envelope_kind kind = envelope_kind::physical;
  std::uint32_t index = 0; // of the connection, input or action
  value content;
};

/// A reader of the values that a node stamped in an earlier run. Tests:
/// test/engine/event_queue_test.cpp.
class stamped_source {
public:
  virtual ~stamped_source() {
    // nop
  }

  /// Returns the next values, in the order of their tags; none at the end.
  /// @throws std::runtime_error if they cannot be read.
  virtual std::vector<stamped_value> next() = 0;
};

/// The stamped values of a node, in the strict order of their tags. Tests:
/// test/engine/event_queue_test.cpp.
class stamped_queue {
public:
  /// The options of a physical action.
  struct action_options {
    std::uint32_t input = 0;
    std::optional<rosia::spacing> spacing = {};

    /// The least distance of stamps from elapsed time [10.5.1].
    delay after = {};
  };

  /// A physical action with options.
  struct spaced_action {
    explicit spaced_action(const action_options& x)
      : options(x), spacing(x.spacing.value_or(rosia::spacing{})) {
      // nop
    }

    action_options options;
    action_spacing spacing; // without the option, that of all stamps [3.15]
    counter dropped;        // values, by the spacing
  };

  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return values_.empty();
  }

  std::size_t size() const noexcept {
    return values_.size();
  }

  /// Returns the earliest tag; `forever` if there is none, and the source has
  /// ended.
  logical_time next_tag() const noexcept {
    return values_.empty() ? forever : values_[0].tag;
  }

  /// @pre `index < size()`
  const stamped_value& operator[](std::size_t index) const noexcept {
    return values_[index];
  }

  /// @pre `!empty()`
  stamped_value& front() noexcept {
    return values_.front();
  }

  /// Returns the tag of the last pushed value; `never` if there was none.
  logical_time last_stamp() const noexcept {
    return last_stamp_;
  }

  // -- actions with options ---------------------------------------------------

  /// Adds an action with options.
  void add(const action_options& x) {
    make_rare().actions.emplace_back(x);
  }

  /// Sets the result of `lead`.
  void set_lead(const delay& d);

  /// Returns whether actions have options. Values of different actions are then
  /// not stamped in the order of their tags.
  bool is_spaced() const noexcept {
    return rare_ && !rare_->actions.empty();
  }

  /// Returns the least distance of all stamps of values from outside from
  /// elapsed time.
  delay lead() const noexcept {
    return rare_ ? rare_->lead : delay{};
  }

  /// Returns the action with options that has this input; null if there is
  /// none.
  spaced_action* find(std::uint32_t input) noexcept;

  /// Returns the first tag from `tag` on that no value has.
  /// @throws std::overflow_error if the microstep overflows.
  logical_time free_tag(logical_time tag) const;

  /// Adds a value with a tag that no other value has.
  /// @param is_plain whether it is not of an action with options.
  void insert(stamped_value x, bool is_plain);

  /// Removes the value with this tag.
  /// @pre There is one.
  stamped_value withdraw(logical_time tag);

  /// Notes that a value is present.
  void note_present(const stamped_value& x) noexcept;

  /// Returns the watchdogs, whose expiries get stamps as well. Null if the node
  /// has none.
  engine::watchdogs* watchdogs() const noexcept {
    return rare_ ? rare_->watchdogs.get() : nullptr;
  }

  /// Returns the connections with a maximal wait. Null if the node has none.
  engine::max_waits* max_waits() const noexcept {
    return rare_ ? rare_->max_waits.get() : nullptr;
  }

  /// Returns the node's modes. They are here because few nodes have any, and so
  /// that a group takes no short path to a scheduled event of such a node. Null
  /// if there are none.
  engine::modes* modes() const noexcept {
    return rare_ ? rare_->modes.get() : nullptr;
  }

  // -- modifiers --------------------------------------------------------------

  /// Returns the modes to add one to.
  engine::modes& make_modes() {
    auto& result = make_rare().modes;
    if (!result)
      result = std::make_unique<engine::modes>();
    return *result;
  }

  /// Returns the connections with a maximal wait to add one to.
  engine::max_waits& make_max_waits() {
    auto& result = make_rare().max_waits;
    if (!result)
      result = std::make_unique<engine::max_waits>();
    return *result;
  }

  /// Returns the watchdogs to add one to.
  engine::watchdogs& make_watchdogs() {
    auto& result = make_rare().watchdogs;
    if (!result)
      result = std::make_unique<engine::watchdogs>();
    return *result;
  }

  /// Returns the tag of the next value: at `elapsed` or later, and later than
  /// `executed` and the last stamp [3.15]. None if the microstep overflows.
  std::optional<logical_time> next_stamp(
    logical_time elapsed, logical_time executed) const noexcept {
    auto last = std::max(executed, last_stamp_);
    if (elapsed > last)
      return elapsed;
    auto next = saturating_add(last, delay{microsteps(1)});
    return next.ns == last.ns ? std::optional{next} : std::nullopt;
  }

  /// Returns the first tag from `next_stamp` on that no value has.
  /// @throws std::overflow_error if the microstep overflows.
  logical_time next_free_stamp(
    logical_time elapsed, logical_time executed) const;

  /// @pre The tag is what `next_stamp` returned.
  void push(stamped_value x) {
    last_stamp_ = x.tag;
    values_.push(std::move(x));
  }

  /// @pre `!empty()`
  stamped_value pop() {
    return values_.pop();
  }

  /// Reads values from a source.
  /// @throws std::runtime_error as the source does.
  void read_from(std::unique_ptr<stamped_source> x) {
    make_rare().source = std::move(x);
    read_on();
  }

  /// Reads more values before the last one is removed, so that the next tag is
  /// always known.
  /// @throws std::runtime_error as the source does.
  void read_on() {
    // Tardy values are in the queue as well, but not from the source.
    if (!rare_ || !rare_->source || rare_->last_read > next_tag())
      return;
    auto more = rare_->source->next();
    if (more.empty())
      rare_->source.reset();
    else
      rare_->last_read = more.back().tag;
    for (auto& x : more)
      insert(std::move(x), true);
  }

  /// Stops reading from the source.
  void close() noexcept {
    if (rare_)
      rare_->source.reset();
  }

  /// Frees the memory.
  /// @pre `empty()`
  void release() noexcept {
    values_.clear();
  }

private:
  /// Members that few nodes need.
  struct rare_parts {
    std::deque<spaced_action> actions = {};
    delay lead = {};
    std::unique_ptr<engine::watchdogs> watchdogs = {}; // null if there are none
    std::unique_ptr<engine::max_waits> max_waits = {}; // null if there are none
    std::unique_ptr<engine::modes> modes = {};         // null if there are none
    logical_time last_read = never;                    // from the source
    std::unique_ptr<stamped_source> source = {}; // null if there is none, or at
                                                 // its end
  };

  /// Returns the index of the first value at `tag` or later.
  std::size_t index_from(logical_time tag) const noexcept;

  rare_parts& make_rare() {
    return rare_.make();
  }

  fifo<stamped_value> values_;
  published_ptr<rare_parts> rare_; // null if the node needs none of them
  logical_time last_stamp_ = never;
};

} // namespace caf::rosia::engine
