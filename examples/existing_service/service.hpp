// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown.hpp"

#include <caf/actor_system.hpp>
#include <caf/typed_actor.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "caf_api.hpp"
#include "database.hpp"

namespace existing_service {

/// Accepts requests of the form "key=value". The answer is the row of the
/// entry, or a `service_errc`.
using acceptor_handle
  = caf::typed_actor<examples::signature<std::int64_t, std::string>>;

/// Checks requests. The interface is the acceptor's, which delegates to it.
using worker_handle = acceptor_handle;

/// Stores an entry: key, value, checksum.
using store_handle = caf::typed_actor<
  examples::signature<std::int64_t, std::string, std::string, std::uint32_t>>;

/// The acceptor's counters, readable from any thread.
struct door_figures {
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
};

struct service_options {
  std::size_t workers = 4;

  /// Additional time that the store takes for an entry.
  std::chrono::nanoseconds slowness{0};

  /// Deadline of the shutdown. The store's phase may use all of it; earlier
  /// phases end sooner.
  std::chrono::nanoseconds deadline = std::chrono::seconds{30};
};

/// Starts the service and registers it with the shutdown, in the phases
/// "accept", "work" and "store". Only the shutdown ends it.
/// @returns the actor that accepts requests.
acceptor_handle start_service(
  caf::actor_system& sys, caf::rosia::shutdown& shutdown, database data,
  const service_options& wanted, std::shared_ptr<door_figures> figures);

} // namespace existing_service
