// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"

#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// The address of a live page, and its access control. Tests:
/// test/watch/live_page_test.cpp.
struct page_config {
  std::string host = {};
  std::uint16_t port = 0;

  /// Whether viewers may request an end.
  bool control = false;

  /// Files in PEM format. Empty: no TLS, because only this machine can reach
  /// the address.
  std::string certificate = {};
  std::string key = {};

  /// The token that viewers need; empty if none.
  std::string token = {};

  bool protects() const noexcept {
    return !certificate.empty();
  }
};

/// Returns the page's config from the options.
/// @pre `opts.watch.address` is not empty.
/// @throws std::invalid_argument that names the option, and what to do.
page_config page_config_of(const options& opts);

} // namespace caf::rosia::detail
