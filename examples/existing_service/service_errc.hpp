// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/error.hpp>

#include <cstdint>
#include <string>

namespace existing_service {

/// Error codes of the service.
enum class service_errc : std::uint8_t {
  /// The service is shutting down and accepts no requests.
  shutting_down = 1,

  /// The request is invalid.
  malformed,

  /// The database reported an error.
  not_stored,
};

/// Makes an error from a code.
/// @param text a description, see `text_of`.
caf::error make_error(service_errc code, const std::string& text);

/// Returns whether an error has the given code.
bool is(const caf::error& x, service_errc code);

/// Renders an error of the service or of CAF as text.
std::string text_of(const caf::error& x);

} // namespace existing_service
