// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"
#include "rosia_drill/event_loop.hpp"

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <string>

namespace rosia_drill {

/// Forwards between clients of a port of the loopback device and the server
/// behind it, and can simulate a bad network. All members must be called from
/// the loop's thread.
class link_proxy {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param loop must outlive this object.
  /// @param target port of the server, which may start later.
  link_proxy(event_loop& loop, std::uint16_t target);

  link_proxy(const link_proxy&) = delete;

  link_proxy& operator=(const link_proxy&) = delete;

  ~link_proxy();

  // -- properties -------------------------------------------------------------

  /// Returns the port to which clients connect.
  std::uint16_t port() const noexcept {
    return port_;
  }

  /// Returns the number of bytes forwarded in both directions.
  std::uint64_t passed() const noexcept {
    return passed_;
  }

  // -- disturbances -----------------------------------------------------------

  /// Closes all connections, and accepts none until `restore`.
  void cut();

  /// Holds back all data until `restore`.
  void hold();

  /// Delays all data by this time.
  void delay(std::chrono::nanoseconds by);

  /// Limits the bytes per second in each direction; 0 for no limit.
  void throttle(std::uint64_t rate);

  /// Ends all disturbances. Closed connections stay closed.
  void restore();

private:
  /// A piece of data in transit.
  struct piece {
    std::int64_t due; // time of the monotonic clock
    std::string bytes;
  };

  struct direction {
    descriptor* from;
    descriptor* to;
    std::deque<piece> pieces;
    std::size_t waiting = 0;  // bytes
    std::int64_t free_at = 0; // when the next byte may be sent
    std::int64_t timer = 0;   // time of the next check
    bool ended = false;       // end of the data
    bool closed = false;      // the end was forwarded
  };

  struct connection {
    descriptor near;
    descriptor far;
    direction there;
    direction back;
    bool broken = false;
  };

  void accept();

  void watch(connection& x, direction& way);

  void take(connection& x, direction& way);

  void pass(connection& x, direction& way);

  void pass_later(direction& way, std::int64_t when);

  void drop(connection& x);

  void pass_all();

  void end_broken();

  event_loop* loop_;
  std::uint16_t target_;
  descriptor listener_;
  std::uint16_t port_ = 0;
  std::list<connection> connections_;
  bool cut_ = false;
  bool held_ = false;
  std::int64_t delay_ = 0;
  std::uint64_t rate_ = 0;
  std::uint64_t passed_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

} // namespace rosia_drill
