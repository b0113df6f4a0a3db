// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

namespace rosia_trace {

/// Section 5 of the semantics, by request: requests, questions, answers and the
/// final tag. Breaks no rule once the application is aborted.
class negotiation {
public:
  explicit negotiation(run& state) : run_{state} {
    // nop
  }

  /// The application was told before the start to end at `tag`.
  void stop_after(logical_time tag);

  /// The end is a checkpoint: it is not before what nodes have executed that
  /// ended by themselves, as nothing earlier is known of them.
  void save_final() {
    saves_final_ = true;
  }

  /// A request of a node, or from outside if `node` is empty.
  void request(std::optional<index> node, const event& x);

  void asked(index node, const event& x);

  void answer(index node, const event& x);

  void fix_final(const event& x);

  void take_final(index node, const event& x);

  /// A node shuts down because of the final tag.
  void require_agreed(index node);

  /// The status with which the application ended.
  void require_status(std::int64_t status);

private:
  void require_asked_all(const event& x);

  void require_final_bounds(const event& x);

  /// The next final tag that `node` takes is `tag`.
  void require_final_known(index node, logical_time tag);

  run& run_;
  std::set<logical_time> proposals_;
  std::optional<logical_time> stop_after_;
  bool saves_final_ = false;
  /// The rounds so far; the last one is open until its final tag is fixed.
  std::size_t rounds_ = 0;
  bool open_ = false;
  logical_time proposal_ = never;
  std::vector<logical_time> finals_;
  std::vector<logical_time> decided_; // the proposals that led to them
  std::size_t final_line_ = 0;
  std::size_t first_final_line_ = 0;
  /// What requests gave as status, if not 0.
  std::set<std::int64_t> statuses_;
  bool zero_status_ = false;
};

} // namespace rosia_trace
