// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "service_errc.hpp"

#include <caf/atom.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>

namespace existing_service {

namespace {

const auto category = caf::atom("service");

} // namespace

caf::error make_error(service_errc code, const std::string& text) {
  return {static_cast<std::uint8_t>(code), category, caf::make_message(text)};
}

bool is(const caf::error& x, service_errc code) {
  return x.category() == category
         && x.code() == static_cast<std::uint8_t>(code);
}

std::string text_of(const caf::error& x) {
  if (x.category() == category)
    return x.context().get_as<std::string>(0);
  if (x.category() == caf::atom("system"))
    return caf::to_string(static_cast<caf::sec>(x.code()));
  return "error " + std::to_string(x.code());
}

} // namespace existing_service
