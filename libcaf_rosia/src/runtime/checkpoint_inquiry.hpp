// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace caf::rosia::detail {

/// The question to the nodes of a process where they can stop for a checkpoint,
/// and the notices to them. Tests: test/application/checkpoint_test.cpp.
class checkpoint_inquiry {
public:
  /// A notice to all nodes. They read all notices in the same order.
  struct notice {
    bool asks = false;          // asks for a possible tag; if not set:
    logical_time tag = forever; // takes a checkpoint here; `forever`: nowhere
  };

  /// @param nodes the number of nodes.
  explicit checkpoint_inquiry(std::size_t nodes);

  // -- notices ----------------------------------------------------------------

  /// Returns the number of notices. From any thread.
  std::uint64_t notices() const noexcept {
    return notices_.load(std::memory_order_seq_cst);
  }

  /// Returns the notices after the first `known`, and sets `known` to their
  /// total. Superseded notices are omitted.
  std::vector<notice> notices_after(std::uint64_t& known) const;

  /// Adds a notice. Nodes see it when their executors are called.
  void notify(notice x);

  // -- the question -----------------------------------------------------------

  /// Asks all nodes, except for those that left.
  /// @param least the least answer.
  /// @returns the highest answer, if it is complete; so do the next functions.
  std::optional<logical_time> begin(logical_time least);

  std::optional<logical_time> answer(std::size_t node, logical_time tag);

  /// @param last the tag that the node saved last.
  std::optional<logical_time> note_exit(std::size_t node, logical_time last);

  /// Notes that the coordinator has sent the agreed tag.
  void end() noexcept {
    is_open_ = false;
  }

  bool is_open() const noexcept {
    return is_open_;
  }

  bool has_left(std::size_t node) const {
    return left_[node];
  }

private:
  std::atomic<std::uint64_t> notices_{0};
  std::vector<notice> latest_; // from the last question on
  std::vector<bool> left_;     // by node
  std::vector<bool> asked_;    // by node
  bool is_open_ = false;
  std::size_t unanswered_ = 0;
  logical_time highest_ = never;
  logical_time last_of_left_ = never;
};

} // namespace caf::rosia::detail
