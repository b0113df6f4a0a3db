// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Returns unpredictable bytes, from the system.
/// @throws std::system_error
std::string random_bytes(std::size_t size);

/// Returns such bytes as hexadecimal digits, two for each byte.
std::string random_text(std::size_t size);

/// Returns an unpredictable number.
std::uint64_t random_number();

/// Compares in constant time, so that the time does not reveal the secret.
bool same_secret(std::string_view x, std::string_view y) noexcept;

} // namespace caf::rosia::detail
