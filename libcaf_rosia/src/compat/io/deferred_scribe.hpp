// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/io/connection_handle.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/scribe.hpp>

namespace caf::rosia::detail {

class multiplexer;

/// A broker's connection that writes when Rosia's loop tells it to, so that all
/// that a broker sends in one pass is written at once. For the thread that runs
/// the loop. Tests: test/compat/io/process_network_test.cpp.
class deferred_scribe : public caf::io::scribe {
public:
  deferred_scribe(caf::io::network::default_multiplexer& home,
                  caf::io::connection_handle handle);

  // -- for the loop -----------------------------------------------------------

  /// Writes as much as the socket accepts.
  virtual void write() = 0;

  /// Called when the loop knows whether there is more to write.
  virtual void written() = 0;

protected:
  /// Lets the loop call `write` soon.
  /// @returns false if this is another loop, which does not call it.
  bool defer();

  /// Cancels the call of `write`. @returns whether there was one.
  bool take_back() noexcept;

private:
  multiplexer* home_;    // null for another loop
  bool pending_ = false; // is in the loop's list of unwritten connections
};

} // namespace caf::rosia::detail
