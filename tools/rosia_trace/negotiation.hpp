// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace rosia_trace {

/// Checks section 5 of the semantics, the end by request: requests, questions,
/// answers and the final tag. After an abort, all rules hold.
class negotiation {
public:
  explicit negotiation(run& state) : run_{state} {
    // nop
  }

  /// Sets the tag of an end that was requested before the start.
  void stop_after(logical_time tag);

  /// Sets that the end is a checkpoint. Its tag is not before the tags of nodes
  /// that ended by themselves, because earlier states of them are not known.
  void save_final() {
    saves_final_ = true;
  }

  /// Handles a request of a node, or from outside if `node` is empty.
  void request(std::optional<index> node, const event& x);

  void asked(index node, const event& x);

  void answer(index node, const event& x);

  void fix_final(const event& x);

  void take_final(index node, const event& x);

  /// Checks that a node may shut down because of the final tag.
  void require_agreed(index node);

  /// Checks the status of the application.
  void require_status(std::int64_t status);

private:
  void fix_end(const event& x);

  void note_final(logical_time tag);

  void require_asked_all(const event& x);

  void require_final_bounds(const event& x);

  /// Checks that the next final tag of `node` is `tag`.
  void require_final_known(index node, logical_time tag);

  run& run_;
  std::set<logical_time> proposals_;
  std::optional<logical_time> stop_after_;
  bool saves_final_ = false;
  /// The number of rounds so far. The last one is open until its final tag is
  /// fixed.
  std::size_t rounds_ = 0;
  bool open_ = false;
  logical_time proposal_ = never;
  std::vector<logical_time> finals_;
  std::vector<logical_time> decided_; // the proposals of these rounds
  std::size_t final_line_ = 0;
  std::size_t first_final_line_ = 0;
  /// The statuses of requests, if not 0.
  std::set<std::int64_t> statuses_;
  bool zero_status_ = false;
};

} // namespace rosia_trace
