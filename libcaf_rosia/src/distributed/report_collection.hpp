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

/// Collects the answers of other processes for a report. Requests during a
/// collection share its result. Tests:
/// test/distributed/report_collection_test.cpp.
class report_collection {
public:
  using answers = session::answers;

  using listener = std::function<void(const application_report&)>;

  /// Adds a request for a report. @returns whether a collection must begin.
  bool add(listener fun);

  /// Begins a collection. It is not complete before this process answers.
  /// @param processes the number of processes.
  void begin(std::size_t processes);

  /// Notes that another process was asked.
  void note_request() noexcept {
    ++missing_;
  }

  void put(engine::process_id process, process_report_reply&& answer);

  /// Notes that a process answered, or will not answer.
  /// @returns whether the collection is complete.
  bool note_answer() noexcept {
    return --missing_ == 0;
  }

  /// Returns the answers by process; nothing for a missing one.
  const answers& all() const noexcept {
    return answers_;
  }

  /// Passes the report to all requests.
  void publish(const application_report& result);

private:
  answers answers_;
  std::size_t missing_ = 0; // answers
  std::vector<listener> listeners_;
};

} // namespace caf::rosia::detail
