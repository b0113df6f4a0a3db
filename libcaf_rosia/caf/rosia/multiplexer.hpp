// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/multiplexer_base.hpp"

#include <caf/fwd.hpp>
#include <caf/intrusive_ptr.hpp>
#include <caf/resumable.hpp>

#include <cstddef>
#include <deque>
#include <vector>

namespace caf::rosia {

namespace detail {

class deferred_scribe;

} // namespace detail

/// CAF's multiplexer with fewer system calls. Data for a TCP connection is
/// written in the same pass, and waits for the socket only if the socket does
/// not accept all of it. CAF itself always waits, which takes three more calls.
/// Pending work of brokers is done before the sockets are polled again.
/// Connections of CAF's OpenSSL module are written as in CAF. A broker must not
/// change data in `wr_buf` after it called `flush`.
///
/// `load_multiplexer` installs it in the middleman. `exec_main` does so for
/// applications with several processes.
class multiplexer : public detail::multiplexer_base {
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
  friend class detail::deferred_scribe;

  using scribe_ptr = caf::intrusive_ptr<detail::deferred_scribe>;

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

/// Loads the middleman with this multiplexer instead of CAF's own. Replaces a
/// middleman that was loaded before.
void load_multiplexer(caf::actor_system_config& cfg);

} // namespace caf::rosia
