// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/claimable.hpp"

#include <caf/resumable.hpp>

#include <cstdint>

namespace caf::rosia::detail {

/// What a worker runs at a time: a node on its own, or a group of nodes. It has
/// a token: who takes it runs the executor, or hands it to CAF's scheduler.
class executor : public claimable {
public:
  using outcome = caf::resumable::resume_result;

  // -- scheduling -------------------------------------------------------------

  void signal() override;

  void run_claimed(caf::execution_unit& unit) override;

  void schedule_claimed() override;

  /// Hands the token, and its reference, to CAF's scheduler.
  /// @param unit the worker that this is called on; may be null.
  virtual void schedule(caf::execution_unit* unit) = 0;

  /// Gives the reference back that came with the token. The executor may be
  /// gone then.
  virtual void drop_reference() = 0;

  /// Does what there is to do, within bounds. Does not begin with more of it
  /// after `turn` nanoseconds. @returns what CAF's scheduler wants to know; the
  /// token is given back unless it is `resume_later`.
  virtual outcome activate_once(caf::execution_unit* unit, std::int64_t turn)
    = 0;

  // -- for who runs one -------------------------------------------------------

  /// Runs one for CAF's scheduler, and then those that were woken.
  static outcome run(executor& x, caf::execution_unit* unit);

  /// Whoever runs on this thread has something for `x`. It is woken when that
  /// is done, so that it finds locks free and messages complete.
  static void to_wake(executor& x);

  /// Wakes them. The caller has its token still, because from then on who was
  /// woken may end the application.
  static void wake_others(caf::execution_unit* unit);

  /// Leaves the one that is to run next to other workers.
  static void schedule_next(caf::execution_unit* unit);
};

} // namespace caf::rosia::detail
