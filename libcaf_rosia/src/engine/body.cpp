// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/body.hpp"

namespace caf::rosia::engine {

body::~body() {
  // nop
}

reaction_code* body::code_of(std::uint32_t) const noexcept {
  return nullptr;
}

bool body::ends_early() const noexcept {
  return false;
}

void body::resumed() {
  // nop
}

void body::expire(std::uint32_t) {
  // nop
}

void body::reset(std::uint32_t) {
  // nop
}

std::string_view body::action_name(std::uint32_t) const {
  return {};
}

std::uint32_t body::next_startup(std::uint32_t) const noexcept {
  return no_startup;
}

std::uint32_t body::next_at_shutdown(std::uint32_t) const noexcept {
  return no_reaction;
}

} // namespace caf::rosia::engine
