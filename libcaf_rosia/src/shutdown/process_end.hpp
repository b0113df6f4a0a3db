// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "shutdown/last_resort.hpp"
#include "shutdown/shutdown_state.hpp"

#include <chrono>
#include <optional>

namespace caf::rosia::detail {

/// Ends the process if a participant cannot be stopped, or if the program does
/// not wait for the shutdown; see `shutdown_options::end_process`. That happens
/// even if the shutdown's own thread does not come to it, because a log that
/// nobody reads holds it up.
class process_end {
public:
  using clock = std::chrono::steady_clock;

  /// @throws std::system_error without threads left.
  explicit process_end(shutdown_state& state);

  /// Sets the time by what is known about the shutdown. @pre The lock is held.
  void schedule();

  /// Sets it to a bit later than this, with the status of a missed deadline.
  void schedule(clock::time_point deadline);

  /// The same with another status, which is not mapped any more.
  void schedule(clock::time_point deadline, int status);

  void cancel();

  /// It is never needed again.
  void close();

  /// Ends the process now, unless the options say otherwise.
  void end(int status);

  /// What the program makes of a status.
  /// @param refused set if no process can end with that.
  int map(int status, bool* refused = nullptr) const;

private:
  shutdown_state& state_;
  std::optional<last_resort> last_resort_; // if it may end the process
};

} // namespace caf::rosia::detail
