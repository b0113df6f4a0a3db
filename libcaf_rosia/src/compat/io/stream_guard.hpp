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

/// Checks the data that another process sends over one connection before CAF
/// and the nodes receive it. Independent of the transport: TCP, TLS or a local
/// socket. All members are called by the thread that runs the network's loop.
/// Calls do not overlap.
///
/// Guards exist only for peers that proved that they have the application's
/// token. Data of strangers is not CAF's protocol (BASP), and never reaches a
/// guard. Without a token, a certificate of the CA is sufficient. Tests:
/// test/compat/io/frame_guard_test.cpp.
class stream_guard {
public:
  virtual ~stream_guard() = default;

  /// Called with each piece before CAF receives it: the complete header of a
  /// frame (`caf::io::basp::header_size` bytes), or the complete payload that
  /// the last header announced. CAF allocates memory for a payload after its
  /// header was accepted.
  /// @returns why the connection must be closed, for the log; empty if CAF may
  ///          have the piece.
  virtual std::string check(std::span<const std::byte> piece) = 0;

  /// Returns whether the next piece is the header of a frame, so that a frame
  /// of Rosia's protocol is allowed in its place.
  virtual bool at_boundary() const = 0;

  /// Called when such a frame is announced, possibly several times.
  /// @param size the size of the frame without its head.
  /// @returns why the connection must be closed; empty if the frame is allowed.
  virtual std::string check_frame(std::size_t size) const = 0;

  /// Returns the name of the other process in CAF's format; empty before its
  /// handshake.
  virtual std::string_view peer() const = 0;
};

/// Makes the guard of a new connection; may return null. From any thread.
using stream_guard_factory = std::function<std::unique_ptr<stream_guard>()>;

} // namespace caf::rosia::detail
