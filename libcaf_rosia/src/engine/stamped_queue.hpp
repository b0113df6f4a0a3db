// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/envelope.hpp"
#include "engine/fifo.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>

namespace caf::rosia::engine {

/// A value from outside of the application, or of a physical connection, with
/// the tag that its receiver gave it.
struct stamped_value {
  logical_time tag = never;
  envelope_kind kind = envelope_kind::physical;
  std::uint32_t index = 0; // of the connection, input or reaction
  value content;
};

/// The stamped values of a node. Each has a tag of its own, and they ascend.
class stamped_queue {
public:
  // -- properties -------------------------------------------------------------

  bool empty() const noexcept {
    return values_.empty();
  }

  std::size_t size() const noexcept {
    return values_.size();
  }

  /// The earliest tag; `forever` if there is none.
  logical_time next_tag() const noexcept {
    return values_.empty() ? forever : values_[0].tag;
  }

  /// @pre `!empty()`
  stamped_value& front() noexcept {
    return values_.front();
  }

  // -- modifiers --------------------------------------------------------------

  /// The tag of the next value, at `earliest` or later.
  logical_time next_stamp(logical_time earliest) const {
    return earliest <= last_stamp_ ? next_microstep(last_stamp_) : earliest;
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

  /// Gives the memory back. @pre `empty()`
  void release() noexcept {
    values_.clear();
  }

private:
  fifo<stamped_value> values_;
  logical_time last_stamp_ = never;
};

} // namespace caf::rosia::engine
