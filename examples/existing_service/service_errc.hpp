// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/error.hpp>

#include <cstdint>
#include <string>

namespace existing_service {

/// What the service answers if it does not store.
enum class service_errc : std::uint8_t {
  /// The service shuts down, and takes no more requests.
  shutting_down = 1,

  /// The request makes no sense.
  malformed,

  /// The database did not take it.
  not_stored,
};

/// Makes an answer.
/// @param text For people, see `text_of`.
caf::error make_error(service_errc code, const std::string& text);

/// Tells whether an answer is this one.
bool is(const caf::error& x, service_errc code);

/// Renders an answer, of the service or of CAF, for people.
std::string text_of(const caf::error& x);

} // namespace existing_service
