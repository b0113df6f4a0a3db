// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/intrusive_ptr.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/resumable.hpp>

#include <cstddef>
#include <deque>
#include <vector>

namespace caf::rosia {

/// CAF's loop over sockets and brokers with fewer calls of the system. What is
/// to be written over TCP is written in the same pass, and waits for the socket
/// only if that does not take it all: CAF itself waits each time, and so needs
/// three more calls. What brokers leave to do is done before the sockets are
/// looked at again. Connections with TLS are written as CAF does it.
/// A broker must not take back what it has put into `wr_buf` once it has called
/// `flush`.
///
/// For the middleman: `cfg.load<caf::io::middleman,
/// caf::rosia::multiplexer>()`. `exec_main` does so for applications over
/// several processes.
class multiplexer : public caf::io::network::default_multiplexer {
public:
  // -- constructors, destructors ----------------------------------------------

  explicit multiplexer(caf::actor_system* sys);

  ~multiplexer() override;

  // -- overridden functions of multiplexer ------------------------------------

  caf::io::scribe_ptr new_scribe(caf::io::network::native_socket fd) override;

  void exec_later(caf::resumable* what) override;

  bool try_run_once() override;

  void run_once() override;

  void run() override;

private:
  class scribe;

  using scribe_ptr = caf::intrusive_ptr<scribe>;

  /// Waits for a socket, unless there is something else to do. Then does all
  /// there is. @returns whether there was anything.
  bool pass(bool may_wait);

  /// Does what is left to do now. @returns how much that was.
  std::size_t run_posted();

  /// @returns whether there was anything.
  bool write();

  // What follows is for the thread of the loop.
  std::vector<scribe_ptr> unwritten_;
  std::vector<scribe_ptr> writing_; // empty but for its memory between passes
  std::deque<caf::intrusive_ptr<caf::resumable>> posted_;
};

} // namespace caf::rosia
