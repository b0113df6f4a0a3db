// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

#include <string>

namespace rosia_trace {

/// The life of the application and of each node: what may stand where in the
/// trace, and that everything ends as it should.
class life {
public:
  explicit life(run& state) : run_{state} {
    // nop
  }

  /// The application comes first, `end` last, the graph before what happens.
  void require_place(const event& x);

  /// `node` has started and not ended, as far as `x` needs it.
  void require_alive(index node, const event& x);

  void drop(index node, const event& x);

  void error(index node, const event& x);

  /// How `x` says that the node ends; checks that it does so once, and with
  /// its last tag.
  ending require_ending(index node, const event& x);

  /// The node may end like that.
  void shutdown(index node, ending how);

  void exit(index node);

  /// The application is aborted before it has started in any process: its nodes
  /// need not have done anything.
  void forgo_start();

  /// Every node started, shut down and exited, if the application started.
  void require_all_ended();

  /// The trace is complete.
  void end() {
    over_ = true;
  }

  bool over() const {
    return over_;
  }

  /// Which nodes did not exit, for people.
  std::string describe_unfinished() const;

private:
  void require_unstarted(index node);

  void require_none_scheduled(index node, ending how);

  void require_done(index node);

  void require_forced(index node);

  run& run_;
  bool begun_ = false;
  bool over_ = false;
  /// A node's error that has to abort the application.
  std::size_t error_line_ = 0;
};

} // namespace rosia_trace
