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

/// Stands between those who connect to a port of the loopback device and who
/// listens there, and can be made a bad network. All members are for the
/// thread of the loop.
class link_proxy {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param loop outlives it.
  /// @param target the port behind it; somebody may listen there later.
  link_proxy(event_loop& loop, std::uint16_t target);

  link_proxy(const link_proxy&) = delete;

  link_proxy& operator=(const link_proxy&) = delete;

  ~link_proxy();

  // -- properties -------------------------------------------------------------

  /// The port to connect to.
  std::uint16_t port() const noexcept {
    return port_;
  }

  /// How many bytes have come through, both ways.
  std::uint64_t passed() const noexcept {
    return passed_;
  }

  // -- what a network can be like ---------------------------------------------

  /// Closes all connections; none comes about until `restore`.
  void cut();

  /// Keeps everything back until `restore`.
  void hold();

  /// Everything comes this much later.
  void delay(std::chrono::nanoseconds by);

  /// No more bytes a second than that, each way; 0 for any number.
  void throttle(std::uint64_t rate);

  /// All is well again, but what was closed stays so.
  void restore();

private:
  /// What came from one side and goes to the other.
  struct piece {
    std::int64_t due; // by the monotonic clock
    std::string bytes;
  };

  struct direction {
    descriptor* from;
    descriptor* to;
    std::deque<piece> pieces;
    std::size_t waiting = 0;  // bytes
    std::int64_t free_at = 0; // when the next byte may go
    std::int64_t timer = 0;   // when it is looked at again
    bool ended = false;       // nothing more will come
    bool closed = false;      // and that was passed on
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
