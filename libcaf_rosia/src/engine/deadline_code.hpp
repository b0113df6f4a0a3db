// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/deadline_limit.hpp"
#include "caf/rosia/detail/reaction_code.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/code_counts.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace caf::rosia::engine {

/// A deadline that has passed: an external event of a reaction [10.3.3]. Tests:
/// test/nodes/deadline_test.cpp.
struct passed_deadline {
  /// The point at which the deadline was checked.
  enum class point : std::uint8_t {
    /// The reaction was about to run, and missed its deadline.
    start,
    /// Code of the reaction called `deadline_missed()` after it was triggered.
    reaction,
    /// It called `deadline_missed()` after it had yielded.
    resumption,
  };

  logical_time tag{};
  point where = point::start;

  /// The number of calls that returned false before.
  std::uint64_t calls = 0;
};

/// A reader of the deadlines of one reaction that had passed in an earlier run.
/// Tests: test/nodes/deadline_test.cpp.
class deadline_source {
public:
  virtual ~deadline_source() {
    // nop
  }

  /// Returns the next ones, in the order of their tags; none at the end.
  /// @throws std::runtime_error if they cannot be read.
  virtual std::vector<passed_deadline> next() = 0;

  /// Returns the tag below which the earlier run is known. Beyond it, the run
  /// may have been killed before a passed deadline was recorded.
  virtual logical_time known_below() const noexcept = 0;
};

/// The code of a reaction with a deadline: section 10.3 of the semantics. It
/// runs the reaction or the handler, when it is the turn of the reaction
/// [10.3.5]. Tests: test/nodes/deadline_test.cpp.
class deadline_code final : public reaction_code {
public:
  using code_ptr = std::unique_ptr<reaction_code>;

  /// @param handler null if there is none.
  deadline_code(code_ptr code, code_ptr handler, deadline_limit limit) noexcept;

  void run(node& owner) override;

  deadline_code* deadline() noexcept override {
    return this;
  }

  /// Returns whether the deadline of the running reaction has passed [10.3.2].
  bool has_passed(node& owner);

  /// Takes what passed from an earlier run, and reads no clock. Called before
  /// the start.
  void replay(std::unique_ptr<deadline_source> from) noexcept {
    source_ = std::move(from);
  }

  const deadline_limit& limit() const noexcept {
    return limit_;
  }

  /// Returns how often the reaction missed its deadline. Any thread may call
  /// this at any time.
  std::uint64_t misses() const noexcept {
    return misses_.value();
  }

private:
  using point = passed_deadline::point;

  /// The piece of code that runs.
  struct piece {
    std::uint64_t version = 0; // that of the node
    point where = point::start;
    bool passed = false;
    std::int64_t began = 0;  // physical time, unless this is a replay
    std::uint64_t calls = 0; // that returned false

    /// In a replay, the number of calls that return false; none before the
    /// first call, or if all of them do.
    std::optional<std::uint64_t> known_calls = {};
    bool is_known = false;
  };

  /// Returns the current duration, in nanoseconds.
  std::int64_t duration() const;

  /// Begins a piece of code of the reaction.
  void begin(const node& owner, point where);

  bool misses(node& owner, std::int64_t ns);

  /// Returns the answer of an earlier run.
  bool replay_call(logical_time tag);

  void note_miss(node& owner, std::int64_t ns);

  /// Logs a warning, unless the last one is less than a second old.
  void warn(node& owner, std::int64_t ns);

  /// Tells the recording that the deadline has passed.
  void record(const node& owner, point where) const;

  /// Removes what passed at this tag and point of the earlier run. None if
  /// nothing did.
  std::optional<passed_deadline> take(logical_time tag, point where);

  code_ptr code_;
  code_ptr handler_;
  deadline_limit limit_;
  piece piece_;
  counter misses_;
  std::uint64_t unnamed_misses_ = 0; // since the last warning
  std::optional<std::int64_t> warned_at_;
  std::unique_ptr<deadline_source> source_; // null unless this is a replay
  std::deque<passed_deadline> recorded_;    // read ahead, in a replay
};

} // namespace caf::rosia::engine
