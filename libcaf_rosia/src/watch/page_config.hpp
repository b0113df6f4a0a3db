// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// Where a live page is served, and to whom.
struct page_config {
  std::string host = {};
  std::uint16_t port = 0;

  /// Whether who looks may request an end.
  bool control = false;

  /// Files in PEM format. Empty: no TLS, because only this machine reaches the
  /// address.
  std::string certificate = {};
  std::string key = {};

  /// What who looks has to know; empty if nothing.
  std::string token = {};

  bool protects() const noexcept {
    return !certificate.empty();
  }
};

/// Tells what the options say of the page. @pre `opts.watch` is not empty.
/// @throws std::invalid_argument naming the option, and what to do.
page_config page_config_of(const options& opts);

} // namespace caf::rosia::detail
