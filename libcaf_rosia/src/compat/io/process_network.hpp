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
class unique_socket;
struct connection_terms;

/// The connections of this process with the others of its application: over
/// TCP with TLS or without, or locally (see `is_local_name`). They carry CAF's
/// protocol, and belong to its broker once they are there; in between, they
/// carry frames. From one thread, unless said otherwise.
class process_network {
public:
  // -- member types -----------------------------------------------------------

  struct settings {
    /// None for connections without TLS.
    std::optional<tls_files> tls;

    /// All processes of the application have it.
    std::string token;

    /// The time that a new connection has to authenticate.
    std::chrono::nanoseconds patience{};

    /// The most bytes that a message of another process may have.
    std::size_t max_message = 0;

    /// How many processes there may be.
    std::size_t processes = 0;

    std::shared_ptr<spdlog::logger> log;

    /// Takes the frames of other processes that are not of CAF's protocol. May
    /// be null.
    std::shared_ptr<frame_receiver> frames;
  };

  /// The result of an attempt to connect.
  struct attempt {
    /// The actor that others find there; null if the attempt failed.
    caf::strong_actor_ptr who;

    std::string problem;

    /// Whether somebody was there.
    bool answered = false;

    /// Whether it was a local name at which nobody listens.
    bool refused = false;

    /// Whether that one has another token: trying again would not help.
    bool other_token = false;
  };

  // -- constructors, destructors ----------------------------------------------

  /// Reads the certificates.
  /// @throws std::invalid_argument about their files.
  /// @throws std::runtime_error if the system's loop over sockets is not CAF's
  ///         own, or derived from it.
  process_network(caf::actor_system& sys, settings init);

  process_network(const process_network&) = delete;

  process_network& operator=(const process_network&) = delete;

  /// Sends what is left to be sent, and ends all connections: CAF could not end
  /// as long as others do not read. Waits for a few seconds, or for `patience`
  /// if that is less.
  ~process_network();

  // -- connections ------------------------------------------------------------

  /// Lets others find an actor.
  /// @param host an address of this machine; empty for all of them.
  /// @param port 0 for any.
  /// @returns the port at which they find it.
  /// @throws std::system_error if that is not possible.
  std::uint16_t open(const caf::strong_actor_ptr& whom, const std::string& host,
                     std::uint16_t port);

  /// The same, for processes of the same user on the same machine.
  /// @returns the local name at which they find it.
  std::string open_locally(const caf::strong_actor_ptr& whom);

  /// Nobody finds it any more, if it could be found.
  void close(const caf::strong_actor_ptr& whom);

  /// Waits until there is a connection, but not longer than that.
  attempt connect(const std::string& host, std::uint16_t port,
                  std::chrono::steady_clock::time_point deadline);

  /// The connection with the process that has this name in CAF's protocol. From
  /// any thread. @returns null if there is none, or it is over.
  process_link_ptr link_to(const caf::node_id& process);

private:
  /// Waits until the broker has written what it was told to send before.
  void await_broker(std::chrono::steady_clock::time_point deadline);

  void publish(unique_socket socket, const caf::strong_actor_ptr& whom,
               std::uint16_t port);

  caf::actor_system& system_;
  caf::io::network::default_multiplexer& loop_;
  caf::actor broker_;
  std::shared_ptr<frame_rules> frames_;
  std::shared_ptr<connection_terms> terms_;
  std::optional<std::uint16_t> port_; // what others find, if they do
};

} // namespace caf::rosia::detail
