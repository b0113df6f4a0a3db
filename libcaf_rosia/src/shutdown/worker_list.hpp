// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/report_builder.hpp"
#include "shutdown/run_record.hpp"
#include "shutdown/shutdown_state.hpp"
#include "shutdown/timeline_builder.hpp"

#include <deque>
#include <functional>
#include <string>

namespace caf::rosia::detail {

/// The program's workers, which run until they are notified. The shutdown's
/// lock protects the list. Tests: test/shutdown/rooms_test.cpp.
class worker_list {
public:
  /// @param phase the phase in which `run` is called.
  /// @param notify,await not moved from if this throws: they must not be
  ///        destroyed while the lock is held.
  /// @throws std::logic_error if the phase began already.
  void add(const shutdown_phase& phase, const std::string& name,
           std::function<void()>&& notify, std::function<void()>&& await);

  bool empty() const noexcept {
    return workers_.empty();
  }

  /// Notifies all workers in order, and awaits them in the opposite order.
  /// @pre The lock is not held, and no worker is added during the call.
  void run(shutdown_state& state);

  /// Notes that `run` cannot be called. @pre As of `run`.
  void fail(shutdown_state& state, const std::string& error);

  bool are_over() const;

  void add_to(report_builder& builder, const shutdown_phase& phase) const;

  void add_to(timeline_builder& builder) const;

private:
  struct entry {
    std::string name;
    std::function<void()> notify;
    std::function<void()> await;
    run_record run = {};
  };

  std::deque<entry> workers_;
};

} // namespace caf::rosia::detail
