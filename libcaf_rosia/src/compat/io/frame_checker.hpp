// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_message.hpp"

#include <caf/fwd.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Validates frames of CAF's protocol (BASP, as the CAF at hand speaks it)
/// before CAF reads them, because CAF trusts them: some make it read memory out
/// of bounds, some overflow its stack, some let one process speak for another.
/// Takes the frames of one connection, one after the other, and changes
/// nothing.
class frame_checker {
public:
  /// The name of a process in CAF's protocol, as it travels.
  static constexpr std::size_t node_size = node_name_size;

  static constexpr std::size_t header_size = 32;

  /// What it has to know of the process.
  struct environment {
    /// The most bytes a frame may have, but for its header.
    std::size_t max_payload = 0;

    /// The name of this process.
    std::string self;

    /// The actor that speaks Rosia's protocol, by its number; 0 if there is
    /// none yet.
    std::function<std::uint64_t()> actor;

    /// The other process says that this is its name. @returns false if another
    /// one has it.
    std::function<bool(std::string_view)> claim;

    /// Tells whether that name is the one of another process of the
    /// application.
    std::function<bool(std::string_view)> is_known;

    /// Knows the actors of this process, for messages with handles of them. May
    /// be null.
    caf::actor_system* system = nullptr;
  };

  explicit frame_checker(environment env);

  /// @param bytes `header_size` of them. @returns why not; empty if it is fine.
  std::string check_header(std::string_view bytes);

  /// How many bytes follow the last header.
  std::size_t payload_size() const noexcept {
    return header_.payload_size;
  }

  /// Checks what follows the last header. @returns why not; empty if it is
  /// fine.
  std::string check_payload(std::string_view bytes);

  /// Checks whether a frame of Rosia's may come in place of a header.
  /// @param size that of what follows its head.
  /// @returns why not; empty if it may.
  std::string check_frame(std::size_t size) const;

  /// The name that the other process has said; empty before.
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

  /// @param source in whose name it is.
  std::string check_source(std::string_view source) const;

  std::string check_message(std::string_view bytes) const;

  /// Checks a message to the actor that speaks Rosia's protocol.
  std::string check_for_process(
    const frame_message& x, const message_origin& from) const;

  environment env_;
  header header_{};
  operation handshake_ = operation::heartbeat; // the one it began with, if any
  std::string peer_;                           // name, from then on
};

} // namespace caf::rosia::detail
