// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/engine/connection.hpp"
#include "caf/rosia/engine/loop_view.hpp"

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

/// How far the receiver of a connection has come, for its sender in another
/// process.
struct link_news {
  std::uint32_t connection = 0; // by declaration

  /// How many messages were executed, or dropped, so far.
  std::uint64_t executed = 0;

  /// Nothing that is sent matters any more.
  bool gone = false;
};

/// What travels from one process to another at once: what one activation of a
/// node sends to one node, and what there is to say beside it.
struct parcel {
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

  /// `batch` as it travels, if it was written already: what describes its
  /// envelopes, and their payloads.
  struct written {
    std::size_t size = 0; // envelopes; 0 if nothing was written
    std::string heads;
    std::vector<char> contents;
  };

  written ahead;

  /// The loop that `view` is of, see `engine::loop_view`.
  std::uint32_t loop = none;
  engine::loop_view::parts view;

  std::vector<link_news> news;

  /// What was wrong with it when it arrived.
  std::string problem;
};

/// Writes the batch ahead of the rest, and leaves it empty, if it is large
/// enough: many payloads are better destroyed by the thread that made them than
/// by that of the network, and it has less to do. Else does nothing.
/// A batch that cannot be written is lost, and the application ends by force.
void write_ahead(parcel& x, caf::actor_system& sys, detail::gateway& self);

/// Writes payloads as CAF does.
caf::error inspect(caf::serializer& to, parcel& x);

/// Reads what is for a process that the gateway of that process knows how to
/// read. Never fails: see `parcel::problem`.
caf::error inspect(caf::deserializer& from, parcel& x);

std::string to_string(const parcel& x);

} // namespace caf::rosia
