// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/envelope.hpp"
#include "engine/remote_loop_table.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace caf::rosia::detail {

class gateway;

} // namespace caf::rosia::detail

namespace caf::rosia {

/// An ack: the progress of a connection's receiver, for its sender in another
/// process.
struct link_ack {
  std::uint32_t connection = 0; // by declaration

  /// How many messages were executed, or dropped, so far.
  std::uint64_t executed = 0;

  /// The receiver has left: further messages have no effect.
  bool gone = false;
};

/// A frame from one process to another: the messages of one activation of a
/// node to one node, together with acks and entries of loops. (CAF's own
/// frames, which carry it, are in `network/`.)
struct value_frame {
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// The run of an application. Others may use the same port one day.
  std::uint64_t session = 0;

  engine::process_id from = 0;
  engine::process_id to = 0;

  /// Counts what goes from one process to the other: 1, 2, 3...
  std::uint64_t number = 0;

  /// The receiver of `batch`; `none` if that is empty.
  engine::node_id node = none;
  std::vector<engine::envelope> batch;

  /// `batch` in serialised form, if it was written already: the heads of its
  /// envelopes, and their payloads.
  struct written {
    std::size_t size = 0; // envelopes; 0 if nothing was written
    std::string heads;
    std::vector<char> contents;
  };

  written ahead;

  /// The loop of `view`, see `engine::remote_loop_table`.
  std::uint32_t loop = none;
  engine::remote_loop_table::parts view;

  std::vector<link_ack> acks;

  /// The error, if the frame could not be read.
  std::string problem;
};

/// Serialises a large batch ahead of the rest, and leaves it empty: so the
/// thread that made the payloads also destroys them, and the thread of the
/// network has less work. Does nothing for a small batch. If a batch cannot be
/// written, it is lost, and the application is aborted.
void write_ahead(value_frame& x, caf::actor_system& sys, detail::gateway& self);

/// Writes payloads as CAF does.
caf::error inspect(caf::serializer& to, value_frame& x);

/// Reads a frame by means of the gateway of its receiving process. Never fails:
/// see `value_frame::problem`.
caf::error inspect(caf::deserializer& from, value_frame& x);

std::string to_string(const value_frame& x);

} // namespace caf::rosia
