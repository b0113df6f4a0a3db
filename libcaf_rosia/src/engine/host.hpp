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
#include <vector>

namespace caf::rosia::engine {

/// Why a physical value was not taken.
enum class drop_reason {
  queue_full,
  past_final_tag,
  refused,
  /// The connection keeps the latest values, and further ones have come.
  replaced,
};

/// What carries out a node's decisions. The engine calls it from within the
/// node's own calls only, and expects nothing from it but what is said here.
class host {
public:
  virtual ~host();

  /// Physical time since the common start, in nanoseconds; never decreases.
  virtual std::int64_t elapsed() = 0;

  /// The same for observers, when a piece of the node's code begins: cheaper,
  /// and up to some milliseconds behind.
  /// @param executes whether that is `start()` or a reaction.
  virtual std::int64_t coarse_elapsed(bool executes) = 0;

  /// Tells whether `drain` would bring anything.
  virtual bool has_mail() = 0;

  /// Moves what has arrived into `into`, which is empty and has no memory.
  virtual void drain(std::vector<envelope>& into) = 0;

  /// Hands over `batch`, in order, and leaves it empty. Does not wake the
  /// receiver.
  virtual void send(node_id receiver, std::vector<envelope>& batch) = 0;

  /// Lets a node look again at what it can do.
  virtual void wake(node_id node) = 0;

  /// Refuses values from outside of the application from now on.
  virtual void close() = 0;

  /// Asks the coordinator for an end at `proposal`.
  virtual void request(logical_time proposal, int status) = 0;

  /// Answers the coordinator's question.
  virtual void answer(logical_time tag) = 0;

  /// Answers the coordinator's question where to take a checkpoint.
  virtual void answer_checkpoint(logical_time tag);

  /// Takes the node's part of checkpoints, with what the node keeps as data:
  /// see `saved_data`.
  virtual void save(saved_node part);

  /// Reports an error; the coordinator aborts the application.
  virtual void failed(const failure& reason) = 0;

  /// Reports an error in `shutdown()`, which stops nothing.
  virtual void shutdown_failed(const failure& reason) = 0;

  /// Logical time lags behind physical time, by `ns`, when `tag` begins; or, if
  /// `ended`, when its reactions have returned. Called once for a tag at most.
  virtual void lagging(logical_time tag, std::int64_t ns, bool ended) = 0;

  /// A physical value was dropped. `trigger` tells whether `index` is that of a
  /// reaction, or of an input: the receiver's, also if the sender drops it.
  virtual void dropped(bool trigger, std::uint32_t index, drop_reason why) = 0;

  /// Reports that `receiver` leaves, or has left, at the final tag without
  /// executing `values` values for later tags.
  virtual void unexecuted(node_id receiver, std::size_t values);
};

} // namespace caf::rosia::engine
