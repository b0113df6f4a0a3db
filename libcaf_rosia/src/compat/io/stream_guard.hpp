// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Looks at what another process sends over one connection before others do,
/// whatever carries it: TCP, TLS or a socket of this machine. All members are
/// called by who runs the network's loop, one after the other.
///
/// There is one only for a peer that has shown that it has the application's
/// token: what strangers send is not CAF's protocol (BASP), and never gets
/// here. Where no token is set, a certificate of the CA is enough to get here.
class stream_guard {
public:
  virtual ~stream_guard() = default;

  /// Called with each piece as CAF is about to get it: the header of a frame,
  /// with all of its bytes and no more (`caf::io::basp::header_size`), or the
  /// whole payload that the last header has announced. CAF makes room for a
  /// payload after its header has passed.
  /// @returns why the connection is to be closed, which is logged; empty if CAF
  ///          may have it.
  virtual std::string check(std::span<const std::byte> piece) = 0;

  /// Whether the next piece is the header of a frame, so that a frame which is
  /// not of CAF's protocol may come in its place.
  virtual bool at_boundary() const = 0;

  /// Called when such a frame is announced, perhaps several times.
  /// @param size that of what follows its head.
  /// @returns why the connection is to be closed; empty if it may come.
  virtual std::string check_frame(std::size_t size) const = 0;

  /// The name of the other process as CAF writes it; empty before it has said
  /// it.
  virtual std::string_view peer() const = 0;
};

/// Makes the guard of a connection that has come about; may return null. From
/// any thread.
using stream_guard_factory = std::function<std::unique_ptr<stream_guard>()>;

} // namespace caf::rosia::detail
