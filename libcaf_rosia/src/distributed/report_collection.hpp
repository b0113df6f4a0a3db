// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/report.hpp"
#include "engine/remote_loop_table.hpp"
#include "runtime/session.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace caf::rosia::detail {

/// The answers of other processes for a report, as they come in. There is one
/// collection at a time: whoever requests a report meanwhile gets that one.
class report_collection {
public:
  using answers = session::answers;

  using listener = std::function<void(const report&)>;

  /// Adds who requests a report. @returns whether a collection has to begin.
  bool add(listener fun);

  /// Begins a collection, which is not complete before this process has
  /// answered, too.
  /// @param processes how many there are.
  void begin(std::size_t processes);

  /// Another process was requested to answer.
  void note_request() noexcept {
    ++missing_;
  }

  void put(engine::process_id process, process_report_reply&& answer);

  /// A process has answered, or will not. @returns whether the collection is
  /// complete.
  bool note_answer() noexcept {
    return --missing_ == 0;
  }

  /// By process; nothing of those that have not answered.
  const answers& all() const noexcept {
    return answers_;
  }

  /// Hands the report to all who have requested one.
  void publish(const report& result);

private:
  answers answers_;
  std::size_t missing_ = 0; // answers
  std::vector<listener> listeners_;
};

} // namespace caf::rosia::detail
