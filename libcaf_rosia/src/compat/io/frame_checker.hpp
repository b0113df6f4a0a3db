// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_message.hpp"
#include "compat/io/protocol_names.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Validates frames of CAF's protocol (BASP in the version of this CAF) before
/// CAF reads them. CAF trusts them: some make it read memory out of bounds,
/// some overflow its stack, and some let a process impersonate another.
/// Checks the frames of one connection in their order, and changes nothing.
/// Tests: test/compat/io/frame_checker_test.cpp.
class frame_checker {
public:
  /// Size of the name of a process in CAF's protocol.
  static constexpr std::size_t node_size = node_name_size;

  static constexpr std::size_t header_size = 32;

  /// The state of this process that the checker needs.
  struct environment {
    /// Maximum number of bytes of a frame without its header.
    std::size_t max_payload = 0;

    /// The name of this process.
    std::string self;

    /// Returns the number of the actor for Rosia's protocol; 0 if there is none
    /// yet.
    std::function<std::uint64_t()> actor;

    /// Claims a name for the other process. @returns false if another process
    /// has this name.
    std::function<bool(std::string_view)> claim;

    /// Returns whether another process of the application has this name.
    std::function<bool(std::string_view)> is_known;

    /// Needed to read messages with handles of this process's actors. May be
    /// null.
    caf::actor_system* system = nullptr;
  };

  explicit frame_checker(environment env);

  /// @param bytes `header_size` bytes. @returns the problem; empty if there is
  ///        none.
  std::string check_header(std::string_view bytes);

  /// Returns the number of bytes that follow the last header.
  std::size_t payload_size() const noexcept {
    return header_.payload_size;
  }

  /// Checks the payload of the last header. @returns the problem; empty if
  /// there is none.
  std::string check_payload(std::string_view bytes);

  /// Checks whether a frame of Rosia's protocol is allowed in place of a
  /// header.
  /// @param size the size of the frame without its head.
  /// @returns why not; empty if it is.
  std::string check_frame(std::size_t size) const;

  /// Returns the name of the other process; empty before its handshake.
  const std::string& peer() const noexcept {
    return peer_;
  }

private:
  enum class operation : std::uint8_t {
    server_handshake,
    client_handshake,
    direct_message,
    routed_message,
    monitor,
    down,
    heartbeat
  };

  struct header {
    operation kind;
    std::uint8_t flags;
    std::uint32_t payload_size;
    std::uint64_t data;
    std::uint64_t source;
    std::uint64_t target;
  };

  std::string check_size(std::size_t size) const;

  std::string check_fields() const;

  std::string check_handshake(std::string_view bytes);

  /// @param source the name of the sender.
  std::string check_source(std::string_view source) const;

  std::string check_message(std::string_view bytes) const;

  /// Checks a message to the actor for Rosia's protocol.
  std::string check_for_process(
    const frame_message& x, const message_origin& from) const;

  environment env_;
  header header_{};
  operation handshake_ = operation::heartbeat; // the first one, if any
  std::string peer_;                           // its name, after the handshake
};

} // namespace caf::rosia::detail
