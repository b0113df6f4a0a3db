// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_receiver.hpp"
#include "compat/io/process_link.hpp"
#include "security/certificates.hpp"

#include <caf/actor.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

#include <spdlog/logger.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace caf::rosia::detail {

class frame_rules;
class descriptor;
struct connection_terms;

/// The connections of this process with other processes of its application:
/// over TCP with or without TLS, or locally (see `is_local_name`). They carry
/// CAF's protocol, and belong to its broker when established. They also carry
/// frames between those of CAF. From one thread, unless said otherwise. Tests:
/// test/compat/io/process_network_test.cpp.
class process_network {
public:
  // -- member types -----------------------------------------------------------

  struct settings {
    /// Nothing for connections without TLS.
    std::optional<tls_files> tls;

    /// The secret of all processes of the application.
    std::string token;

    /// Time limit of a new connection to authenticate.
    std::chrono::nanoseconds patience{};

    /// Maximum number of bytes in a message of another process.
    std::size_t max_message = 0;

    /// Maximum number of processes.
    std::size_t processes = 0;

    std::shared_ptr<spdlog::logger> log;

    /// Receives the frames that are not part of CAF's protocol. May be null.
    std::shared_ptr<frame_receiver> frames;
  };

  /// The result of an attempt to connect.
  struct attempt {
    /// The published actor of the other process; null if the attempt failed.
    caf::strong_actor_ptr actor;

    std::string problem;

    /// Whether the other side accepted the connection.
    bool answered = false;

    /// Whether it was a local name without a listener.
    bool refused = false;

    /// Whether the other side has another token, so that further attempts
    /// cannot succeed.
    bool other_token = false;
  };

  // -- constructors, destructors ----------------------------------------------

  /// Reads the certificates.
  /// @throws std::invalid_argument for errors in their files.
  /// @throws std::runtime_error if the system's loop over sockets is neither
  ///         CAF's own, nor derived from it.
  process_network(caf::actor_system& sys, settings init);

  process_network(const process_network&) = delete;

  process_network& operator=(const process_network&) = delete;

  /// Sends everything left, and ends all connections, because CAF could not
  /// stop while peers do not read. Waits for a few seconds, or for `patience`
  /// if that is less.
  ~process_network();

  // -- connections ------------------------------------------------------------

  /// Publishes an actor for other processes.
  /// @param host an address of this machine; empty for all of them.
  /// @param port 0 for any.
  /// @returns the port.
  /// @throws std::system_error if the port cannot be opened.
  std::uint16_t open(const caf::strong_actor_ptr& actor,
                     const std::string& host, std::uint16_t port);

  /// Publishes an actor for processes of the same user on the same machine.
  /// @returns the local name.
  std::string open_locally(const caf::strong_actor_ptr& actor);

  /// Undoes `open` or `open_locally`.
  void close(const caf::strong_actor_ptr& actor);

  /// Connects with another process, but waits no longer than until the
  /// deadline.
  attempt connect(const std::string& host, std::uint16_t port,
                  std::chrono::steady_clock::time_point deadline);

  /// Returns the connection with the process of this name in CAF's protocol;
  /// null if there is none, or it ended. From any thread.
  process_link_ptr link_to(const caf::node_id& process);

private:
  /// Waits until the broker has handled all earlier messages.
  void await_broker(std::chrono::steady_clock::time_point deadline);

  void publish(descriptor socket, const caf::strong_actor_ptr& actor,
               std::uint16_t port);

  caf::actor_system& system_;
  caf::io::network::default_multiplexer& loop_;
  caf::actor broker_;
  std::shared_ptr<frame_rules> frames_;
  std::shared_ptr<connection_terms> terms_;
  std::optional<std::uint16_t> port_; // of the published actor
};

} // namespace caf::rosia::detail
