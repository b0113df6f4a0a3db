// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/envelope.hpp"
#include "engine/fifo.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// A value from outside of the application, or of a physical connection, with
/// the tag that its receiver gave it.
struct stamped_value {
  logical_time tag = never;
  envelope_kind kind = envelope_kind::physical;
  std::uint32_t index = 0; // of the connection, input or reaction
  value content;
};

/// A reader of the values that a node stamped in an earlier run.
class stamped_source {
public:
  virtual ~stamped_source() {
    // nop
  }

  /// Returns the next values, in the order of their tags; none at the end.
  /// @throws std::runtime_error if they cannot be read.
  virtual std::vector<stamped_value> next() = 0;
};

/// The stamped values of a node, in the strict order of their tags.
class stamped_queue {
public:
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

  /// @pre `!empty()`
  stamped_value& front() noexcept {
    return values_.front();
  }

  /// Returns the tag of the last pushed value; `never` if there was none.
  logical_time last_stamp() const noexcept {
    return last_stamp_;
  }

  // -- modifiers --------------------------------------------------------------

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
    source_ = std::move(x);
    read_on();
  }

  /// Reads more values before the last one is removed, so that the next tag is
  /// always known.
  /// @throws std::runtime_error as the source does.
  void read_on() {
    if (!source_ || values_.size() > 1)
      return;
    auto more = source_->next();
    if (more.empty())
      source_.reset();
    for (auto& x : more)
      push(std::move(x));
  }

  /// Stops reading from the source.
  void close() noexcept {
    source_.reset();
  }

  /// Frees the memory.
  /// @pre `empty()`
  void release() noexcept {
    values_.clear();
  }

private:
  fifo<stamped_value> values_;
  std::unique_ptr<stamped_source> source_; // null if there is none, or at its
                                           // end
  logical_time last_stamp_ = never;
};

} // namespace caf::rosia::engine
