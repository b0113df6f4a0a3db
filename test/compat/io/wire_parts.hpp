// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Parts of CAF's protocol that are equal in each version of CAF.

#pragma once

#include "caf/rosia/detail/compat.hpp"
#include "compat/io/loop_buffer.hpp"

#include "catch.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_serializer.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace test::wire {

// Operations
constexpr std::uint8_t answer = 0;
constexpr std::uint8_t handshake = 1;
constexpr std::uint8_t direct = 2;
constexpr std::uint8_t routed = 3;
constexpr std::uint8_t monitor = 4;
constexpr std::uint8_t down = 5;
constexpr std::uint8_t heartbeat = 6;

// Kinds of messages
constexpr std::uint64_t async = 1ull << 60;
constexpr std::uint64_t response = 1ull << 63 | async | 5;

template <class T>
std::string number(T x) {
  std::string result;
  for (auto i = sizeof(T); i-- > 0;)
    result += static_cast<char>(x >> (8 * i));
  return result;
}

/// Serialises the size of a list.
inline std::string size(std::size_t n) {
  std::string result;
  for (; n > 0x7f; n >>= 7)
    result += static_cast<char>(n | 0x80);
  return result + static_cast<char>(n);
}

inline std::string text(std::string_view x) {
  return size(x.size()) + std::string{x};
}

/// The operation, and the content after the header.
struct frame {
  std::uint8_t operation;
  std::string payload;
  std::uint64_t data = 0;
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  std::uint8_t flags = 0;

  std::string header(std::uint32_t payload_size) const {
    return number(operation) + std::string(2, '\0') + number(flags)
           + number(payload_size) + number(data) + number(source)
           + number(target);
  }
};

/// Serialises the handle of an actor.
inline std::string actor(std::uint64_t id, const std::string& node) {
  return number(id) + node;
}

/// Returns CAF's serialised form of a value.
template <class T>
std::string written(caf::actor_system& sys, const T& x) {
  caf::rosia::detail::loop_buffer bytes;
  caf::binary_serializer sink{sys, bytes};
  REQUIRE_FALSE(caf::rosia::detail::save_content(sink, x));
  return std::string{caf::rosia::detail::text_of(bytes)};
}

} // namespace test::wire
