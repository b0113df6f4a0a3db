// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/run.hpp"

#include <string>

namespace rosia_trace {

/// Checks the life of the application and of each node: the order of lines in
/// the trace, and the complete end.
class life {
public:
  explicit life(run& state) : run_{state} {
    // nop
  }

  /// Checks the place of a line: the application first, `end` last, the graph
  /// before all other events.
  void require_place(const event& x);

  /// Checks that `node` has started and not ended, as far as `x` requires it.
  void require_alive(index node, const event& x);

  void drop(index node, const event& x);

  void error(index node, const event& x);

  /// Checks that the node may wait for the final tag: it is done [10.6.4].
  void done(index node, const event& x);

  /// Returns how the node ends; checks that it ends once, with its last tag.
  ending require_ending(index node, const event& x);

  /// Checks that the node may end in this way.
  void shutdown(index node, ending outcome);

  void exit(index node);

  /// Called when the application is aborted before its start in any
  /// process. Its nodes need not have events.
  void forgo_start();

  /// Checks that every node started, shut down and exited, if the application
  /// started.
  void require_all_ended();

  /// Ends the trace.
  void end() {
    over_ = true;
  }

  bool over() const {
    return over_;
  }

  /// Lists the nodes that did not exit.
  std::string describe_unfinished() const;

private:
  void require_unstarted(index node);

  std::string describe_lost(index node, const pending_message& x) const;

  void require_none_pending(index node);

  void require_none_scheduled(index node, ending outcome);

  void require_done(index node);

  void require_aborted(index node);

  run& run_;
  bool begun_ = false;
  bool over_ = false;
  /// Line of a node's error that must abort the application.
  std::size_t error_line_ = 0;
};

} // namespace rosia_trace
