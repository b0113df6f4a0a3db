// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/io/connection_handle.hpp>
#include <caf/io/network/default_multiplexer.hpp>
#include <caf/io/scribe.hpp>

namespace caf::rosia {

class multiplexer;

namespace detail {

/// A broker's connection that writes when the loop tells it to, if that is
/// Rosia's: what a broker sends in one pass goes at once. For the thread that
/// runs the loop.
class deferred_scribe : public caf::io::scribe {
public:
  deferred_scribe(caf::io::network::default_multiplexer& home,
                  caf::io::connection_handle handle);

  // -- for the loop -----------------------------------------------------------

  /// Writes what the socket takes.
  virtual void write() = 0;

  /// The loop knows now whether there is more to write.
  virtual void written() = 0;

protected:
  /// Has the loop call `write` soon. @returns false if the loop is another one,
  /// which does not.
  bool defer();

  /// There is no need for it any more. @returns whether there was.
  bool take_back() noexcept;

private:
  multiplexer* home_;    // null if the loop is another one
  bool pending_ = false; // is among what is unwritten
};

} // namespace detail

} // namespace caf::rosia
