// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "engine/code_counts.hpp"
#include "engine/fifo.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace caf::rosia::engine {

/// A value that arrived too late over a connection with a maximal wait. Tests:
/// test/engine/max_wait_rules_test.cpp.
struct tardy_value {
  /// Its arrival, as its sender meant it.
  logical_time intended = never;

  /// The tag that its receiver gave it; `forever` if it was dropped.
  logical_time tag = forever;
};

/// A reader of the tardy values of a connection in an earlier run. Tests:
/// test/engine/max_wait_rules_test.cpp.
class tardy_source {
public:
  virtual ~tardy_source() {
    // nop
  }

  /// Returns the next ones, in the order of their arrivals; none at the end.
  /// @throws std::runtime_error if they cannot be read.
  virtual std::vector<tardy_value> next() = 0;
};

/// A connection with a maximal wait, at its receiver. Tests:
/// test/engine/max_wait_rules_test.cpp.
struct max_wait {
  max_wait(std::uint32_t index, std::uint32_t port, std::int64_t ns) noexcept
    : connection(index), input(port), wait(ns) {
    // nop
  }

  /// Notes a promise of the sender.
  void take_promise(logical_time x) noexcept {
    if (promise < x)
      promise = x;
  }

  /// Returns whether a value that arrives at `arrival` is tardy in the earlier
  /// run, and its tag there.
  /// @throws std::runtime_error as the source does.
  std::optional<logical_time> tag_in_replay(logical_time arrival);

  std::uint32_t connection; // the receiver's index
  std::uint32_t input;      // the port's index
  std::int64_t wait;        // in nanoseconds

  /// The promise of the sender; `forever` after its end.
  logical_time promise{};

  /// The bound that the receiver has assumed.
  logical_time assumed = never;

  /// The intended tags of the tardy values that are not present yet.
  fifo<logical_time> intended;

  /// The tardy values, including those that were dropped.
  counter tardy;

  /// The tardy values of an earlier run. Null if this is no replay, or after
  /// the last one.
  std::unique_ptr<tardy_source> source;

private:
  std::vector<tardy_value> read_; // those of `source` that were read
  std::size_t next_ = 0;          // of `read_`
};

/// The connections of a node that have a maximal wait: section 10.10 of the
/// semantics. The receiver assumes that no value arrives there before elapsed
/// time - wait, if it cannot continue otherwise. Tests:
/// test/engine/max_wait_rules_test.cpp.
class max_waits {
public:
  /// Adds a connection. Called in the order of the node's connections.
  /// @param wait in nanoseconds.
  void add(std::uint32_t connection, std::uint32_t input, std::int64_t wait) {
    all_.emplace_back(connection, input, wait);
  }

  /// Returns the wait for this connection; null if it has none.
  max_wait* find(std::uint32_t connection) noexcept;

  /// Notes that all values that had arrived at `elapsed` are known, in
  /// nanoseconds.
  void hear(std::int64_t elapsed) noexcept {
    heard_ = elapsed;
  }

  /// Returns the bound that the receiver may assume for a connection.
  logical_time assumable(const max_wait& x) const noexcept {
    return {heard_ - x.wait, 0};
  }

  /// Returns the least promise of the senders.
  logical_time promise() const noexcept;

  /// Returns the first tag for which a value may still be found to be tardy;
  /// `forever` if nothing is assumed beyond the promises.
  logical_time uncertain_from() const noexcept;

  /// Notes that the next tardy value of a connection is present at `tag`.
  void note_present(std::uint32_t connection, logical_time tag) {
    auto& from = *find(connection);
    present_ = {from.intended.pop(), tag};
    input_ = from.input;
  }

  /// Returns the intended tag of the tardy value that is present at an input at
  /// `tag`; null if there is none.
  const logical_time* intended(
    std::uint32_t input, logical_time tag) const noexcept {
    return present_.tag == tag && input_ == input
             ? &present_.intended
             : nullptr;
  }

  auto begin() noexcept {
    return all_.begin();
  }

  auto end() noexcept {
    return all_.end();
  }

  /// The result of `uncertain_from` that the recording knows.
  logical_time awaited = forever;

private:
  std::deque<max_wait> all_; // they cannot be moved
  std::int64_t heard_ = 0;
  tardy_value present_; // the last one that was present
  std::uint32_t input_ = 0;
};

} // namespace caf::rosia::engine
