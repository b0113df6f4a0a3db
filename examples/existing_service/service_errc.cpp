// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "service_errc.hpp"

#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace existing_service {

namespace {

/// The CAF error code that carries the service's errors.
constexpr auto kind = caf::sec::runtime_error;

bool is_ours(const caf::error& x) {
  return x == kind && x.context().match_elements<std::uint8_t, std::string>();
}

} // namespace

caf::error make_error(service_errc code, const std::string& text) {
  return caf::make_error(kind, static_cast<std::uint8_t>(code), text);
}

bool is(const caf::error& x, service_errc code) {
  return is_ours(x)
         && x.context().get_as<std::uint8_t>(0)
              == static_cast<std::uint8_t>(code);
}

std::string text_of(const caf::error& x) {
  if (is_ours(x))
    return x.context().get_as<std::string>(1);
  auto code = static_cast<caf::sec>(x.code());
  return x == code ? to_string(code) : to_string(x);
}

} // namespace existing_service
