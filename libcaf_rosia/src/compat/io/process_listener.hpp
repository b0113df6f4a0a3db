// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/process_connection.hpp"
#include "network/sockets.hpp"

#include <caf/intrusive_ptr.hpp>
#include <caf/io/doorman.hpp>
#include <caf/io/network/acceptor.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/network/event_handler.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>

namespace caf::rosia::detail {

/// Accepts connections to this process: passes admitted ones to CAF's broker,
/// and closes all other connections. A connection that did not authenticate
/// costs one descriptor for a limited time, and nothing else. The number of
/// these is limited as well: the oldest one is closed. If there are no
/// descriptors left, the listener tries again a bit later.
///
/// Constructed by any thread. After this, for the thread that runs the loop.
/// Tests: test/compat/io/process_network_test.cpp.
class process_listener : public caf::io::doorman {
public:
  /// @param socket must be listening.
  /// @throws std::system_error if descriptors are exhausted.
  process_listener(caf::io::network::default_multiplexer& home,
                   descriptor socket, connection_terms_ptr terms);

  ~process_listener() override;

  // -- overridden functions of CAF --------------------------------------------

  bool new_connection() override;

  void graceful_shutdown() override;

  void launch() override;

  std::string addr() const override;

  /// Returns 0 for local sockets.
  std::uint16_t port() const override;

  void add_to_loop() override;

  void remove_from_loop() override;

private:
  using clock = std::chrono::steady_clock;

  class gate;
  class alarm;
  class stranger;

  using stranger_ptr = caf::intrusive_ptr<stranger>;

  /// A connection that was admitted, but sent nothing to CAF.
  struct silent {
    process_link_ptr connection;
    std::string peer;
    clock::time_point until;
  };

  /// @returns a socket, or -1.
  int accept();

  void take_in(descriptor socket);

  void admit(stranger& x);

  void send_away(stranger& x, const std::string& problem);

  /// Removes a stranger from the list and the loop.
  void forget(stranger& x);

  void look_at_time();

  /// Restarts the time limits of all peers.
  void excuse_others();

  void set_alarm();

  void note(const std::string& peer, const std::string& problem);

  caf::io::network::default_multiplexer& home_;
  connection_terms_ptr terms_;
  bool local_;
  std::unique_ptr<gate> gate_;
  std::unique_ptr<alarm> alarm_;
  bool closed_ = false;
  std::list<stranger_ptr> strangers_; // in the order of their arrivals
  std::list<silent> silent_;          // in the order of their arrivals
  clock::time_point open_again_ = clock::time_point::max();
  clock::time_point next_look_ = clock::time_point::max();
};

} // namespace caf::rosia::detail
