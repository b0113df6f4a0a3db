// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/multiplexer_base.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/resumable.hpp>

#include <cstddef>
#include <deque>
#include <vector>

namespace caf::rosia::detail {

class deferred_scribe;

/// CAF's multiplexer with fewer system calls, see `load_multiplexer`.
/// Connections of CAF's OpenSSL module are written as in CAF. Tests:
/// test/compat/io/multiplexer_test.cpp.
class multiplexer : public multiplexer_base {
public:
  // -- constructors, destructors ----------------------------------------------

  explicit multiplexer(system_handle sys);

  ~multiplexer() override;

  // -- overridden functions of multiplexer ------------------------------------

  caf::io::scribe_ptr new_scribe(caf::io::network::native_socket fd) override;

  bool try_run_once() override;

  void run_once() override;

  void run() override;

private:
  friend class deferred_scribe;

  using scribe_ptr = caf::intrusive_ptr<deferred_scribe>;

  bool take(caf::resumable* job) override;

  /// Waits for a socket, unless there is other work. Then does all pending
  /// work.
  /// @returns whether there was any.
  bool pass(bool may_wait);

  /// Does the pending work.
  /// @returns the number of jobs that were run.
  std::size_t run_posted();

  /// @returns whether there was any work.
  bool write();

  // The members below are for the thread of the loop.
  std::vector<scribe_ptr> unwritten_;
  std::vector<scribe_ptr> writing_; // empty between passes; keeps its capacity
  std::deque<caf::intrusive_ptr<caf::resumable>> posted_;
};

} // namespace caf::rosia::detail
