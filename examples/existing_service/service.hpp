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

/// Takes requests, "key=value". The answer is the row where it is stored, or an
/// error, see `service_errc`.
using acceptor_handle
  = caf::typed_actor<examples::signature<std::int64_t, std::string>>;

/// Checks requests. Has the acceptor's interface, because it does the rest.
using worker_handle = acceptor_handle;

/// Stores an entry: key, value, checksum.
using store_handle = caf::typed_actor<
  examples::signature<std::int64_t, std::string, std::string, std::uint32_t>>;

/// What happened at the door. May be read from any thread.
struct door_figures {
  std::atomic<std::uint64_t> accepted = 0;
  std::atomic<std::uint64_t> refused = 0;
};

struct service_options {
  std::size_t workers = 4;

  /// How long the store takes for an entry, in addition.
  std::chrono::nanoseconds slowness{0};

  /// Until what the shutdown has to be over. The phase of the store may take
  /// all of it; those before need less.
  std::chrono::nanoseconds deadline = std::chrono::seconds{30};
};

/// Starts the service, and makes it a part of the shutdown, in the phases
/// "accept", "work" and "store". It ends with the shutdown only.
/// @returns the actor that takes requests.
acceptor_handle start_service(
  caf::actor_system& sys, caf::rosia::shutdown& shutdown, database data,
  const service_options& wanted, std::shared_ptr<door_figures> figures);

} // namespace existing_service
