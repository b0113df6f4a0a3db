// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/expected.hpp>

#include <cstdint>
#include <string>

namespace existing_service {

/// The content of a request.
struct entry {
  std::string key;
  std::string value;

  /// The CRC-32 of key and value, see `checksum_of`.
  std::uint32_t checksum = 0;
};

/// Returns whether both entries are equal.
bool operator==(const entry& x, const entry& y);

/// Returns the CRC-32 of "key=value".
std::uint32_t checksum_of(const std::string& key, const std::string& value);

/// Reads a request, "key=value". Only the value may be empty, or contain '='.
/// @returns the entry with its checksum, or `service_errc::malformed`.
caf::expected<entry> parse_request(const std::string& text);

} // namespace existing_service
