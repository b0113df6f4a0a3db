// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/failure.hpp"
#include "caf/rosia/detail/node_id.hpp"
#include "caf/rosia/logical_time.hpp"
#include "engine/checkpointing.hpp"
#include "engine/envelope.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::engine {

/// The reason why a physical value was dropped.
enum class drop_reason {
  queue_full,
  past_final_tag,
  refused,
  /// The connection keeps the latest values, and newer ones arrived.
  replaced,
  /// The spacing of the physical action omits it [10.5.2].
  spacing,
};

/// How far a thread has got: the difference of two says how long it kept its
/// worker from other nodes. All times in nanoseconds. Tests:
/// test/engine/hand_over_test.cpp.
struct thread_time {
  std::int64_t elapsed = 0;
  std::int64_t processor = 0; // that the thread has used
  std::int64_t waits = 0;     // how often it has given up the processor

  /// Returns elapsed time if the thread has waited, otherwise processor time: a
  /// thread that only other programs kept from its processor is not at fault.
  std::int64_t since(const thread_time& begin) const noexcept {
    return waits != begin.waits
             ? elapsed - begin.elapsed
             : processor - begin.processor;
  }
};

/// Carries out a node's decisions. The engine calls it only during calls of the
/// node, and relies only on what is documented here. Tests: test/engine.
class host {
public:
  virtual ~host();

  /// Returns physical time since the common start, in nanoseconds. It never
  /// decreases.
  virtual std::int64_t elapsed() = 0;

  /// Returns elapsed time for observers, at the start of a piece of the node's
  /// code. Cheaper than `elapsed`, and up to some milliseconds behind.
  /// @param executes whether the code is `start()` or a reaction.
  virtual std::int64_t coarse_elapsed(bool executes) = 0;

  /// Returns physical time as a reaction sees it whose deadline is checked.
  virtual std::int64_t elapsed_at_deadline();

  /// Returns the time of the calling thread; takes much longer than `elapsed`.
  virtual thread_time time_of_thread();

  /// Returns the same, or elapsed time as that of a thread that never waits.
  thread_time time(bool of_thread) {
    if (of_thread)
      return time_of_thread();
    auto now = elapsed();
    return {now, now, 0};
  }

  /// Returns whether `drain` would return messages.
  virtual bool has_mail() = 0;

  /// Moves the received messages into `into`, which is empty and has no memory.
  virtual void drain(std::vector<envelope>& into) = 0;

  /// Delivers `batch`, in order, and leaves it empty. Does not wake the
  /// receiver.
  virtual void send(node_id receiver, std::vector<envelope>& batch) = 0;

  /// Schedules a call of a node.
  virtual void wake(node_id node) = 0;

  /// Refuses values from outside of the application from now on.
  virtual void close() = 0;

  /// Requests an end at `proposal` from the coordinator.
  virtual void request(logical_time proposal, int status) = 0;

  /// Answers the coordinator's request for a final tag.
  virtual void answer(logical_time tag) = 0;

  /// Reports that the node is done, and waits for the final tag [10.6.4].
  /// @param last the last tag that the node executed.
  virtual void done(logical_time last);

  /// Answers the coordinator's request for the tag of a checkpoint.
  virtual void answer_checkpoint(logical_time tag);

  /// Saves the node's part of checkpoints, including its states: see
  /// `saved_data`.
  virtual void save(saved_node part);

  /// Reports an error. The coordinator aborts the application.
  virtual void failed(const failure& reason) = 0;

  /// Reports an error in `shutdown()`, which does not stop the application.
  virtual void shutdown_failed(const failure& reason) = 0;

  /// Reports that logical time lags behind physical time by `ns`, at the start
  /// of `tag`, or, if `ended`, after its reactions. Called at most once for a
  /// tag.
  virtual void lagging(logical_time tag, std::int64_t ns, bool ended) = 0;

  /// Logs a warning of the node.
  virtual void warn(const std::string& text);

  /// Reports a dropped physical value.
  virtual void dropped(drop_reason reason) = 0;

  /// Reports that `receiver` leaves, or has left, at the final tag without
  /// executing `values` values for later tags.
  virtual void unexecuted(node_id receiver, std::size_t values);
};

} // namespace caf::rosia::engine
