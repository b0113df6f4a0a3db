// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/worker.hpp"
#include "distributed/unsent_bounds.hpp"
#include "distributed/value_frame.hpp"
#include "engine/envelope.hpp"
#include "engine/remote_loop_table.hpp"
#include "engine/topology.hpp"
#include "runtime/node_directory.hpp"

#include <caf/fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// An ack: the progress of a connection's receiver, for its sender in another
/// process.
struct link_ack {
  std::uint32_t connection = 0; // by declaration

  /// Number of messages executed or dropped.
  std::uint64_t executed = 0;

  /// The receiver left: further messages have no effect.
  bool gone = false;
};

/// The source and the destination of a frame.
struct frame_address {
  /// The run of an application. A later run may use the same port.
  std::uint64_t session = 0;

  engine::process_id from = 0;
  engine::process_id to = 0;
};

/// The data of a frame in addition to its batch, or without one.
struct frame_news {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The loop of `view`, see `engine::remote_loop_table`.
  std::uint32_t loop = none;
  engine::remote_loop_table::parts view = {};

  std::vector<link_ack> acks = {};

  /// Null messages, for connections from the sender to the receiver.
  std::vector<bound_range> promises = {};

  /// Bound requests, for connections from the receiver to the sender.
  std::vector<bound_range> requests = {};
};

/// The content of a frame: the messages of one activation of a node to one
/// node, and news. Reading replaces the previous content. Tests:
/// test/distributed/frame_codec_test.cpp.
struct frame_content {
  static constexpr engine::node_id none = ~engine::node_id{0};

  /// The receiver of `batch`; `none` if that is empty.
  engine::node_id node = none;
  std::vector<engine::envelope> batch;

  frame_news news;

  /// Number of the frame among those from one process to another: 1, 2, 3...
  std::uint64_t number = 0;
};

/// Writes and reads frames. Values are serialised in the thread of the node
/// that sends them, which also destroys them. They are deserialised in the
/// thread that reads from the network. All members may be called from any
/// thread. Tests: test/distributed/frame_codec_test.cpp.
class frame_codec {
public:
  /// @param nodes,graph must outlive this object.
  frame_codec(caf::actor_system& sys, const node_directory& nodes,
              const engine::topology& graph);

  // -- writing ----------------------------------------------------------------

  /// Starts a frame, which replaces the previous one.
  /// @param receiver the receiver of `batch`, in another process; `none` if
  ///        that is empty.
  /// @returns why a value of the batch cannot be written, and for which
  ///          connection; empty if all can.
  std::string begin(
    value_frame& frame, const frame_address& address, engine::node_id receiver,
    const std::vector<engine::envelope>& batch) const;

  /// Completes a frame.
  static void finish(value_frame& frame, const frame_news& news,
                     std::uint64_t number);

  // -- reading ----------------------------------------------------------------

  /// @returns nothing if the frame has no address.
  static std::optional<frame_address> address_of(const arrived_frame& frame);

  /// @param unit knows CAF's proxies, for handles of actors inside of values.
  /// @returns what cannot be read, such as "a value for no connection"; empty
  ///          if everything can.
  std::string read(const arrived_frame& frame, worker& unit,
                   frame_content& into) const;

private:
  class envelope_reader;
  class envelope_writer;

  /// Returns the type of the payloads of a connection to a node of this
  /// process. Returns null if there is no such connection, or if its payloads
  /// cannot be deserialised.
  /// @param index the number of the connection at the receiver.
  const engine::payload_type* payload_of(
    engine::node_id to, std::uint32_t index) const noexcept;

  /// Returns a number for the type of a connection's payloads, equal in all
  /// processes.
  std::uint32_t type_mark(engine::node_id to,
                          std::uint32_t index) const noexcept;

  /// Describes a connection, and the type of its payloads.
  std::string describe(engine::node_id to, std::uint32_t index) const;

  caf::actor_system& system_;
  const node_directory& nodes_;
  const engine::topology& graph_;
  std::vector<std::uint32_t> type_marks_; // by connection
};

} // namespace caf::rosia::detail
