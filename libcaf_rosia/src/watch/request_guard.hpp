// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Decides whether a request to the live page is allowed: other web pages must
/// not read it through the browser of an authorized user. One thread at a time
/// may use it. Tests: test/watch/request_guard_test.cpp.
class request_guard {
public:
  /// The credentials in a request. Missing ones are empty.
  struct credentials {
    std::string_view host = {};          // the header Host
    std::string_view origin = {};        // Origin
    std::string_view site = {};          // Sec-Fetch-Site
    std::string_view authorization = {}; // Authorization
    std::string_view cookie = {};        // Cookie
    std::string_view token = {};         // the address's `?token=`
  };

  enum class verdict {
    allowed,
    /// The header Host or Origin is that of another page.
    foreign,
    /// The token is missing or wrong.
    unknown,
  };

  /// @param token empty if no token is needed.
  /// @param protects whether connections use TLS, so that the certificate
  ///   proves the name.
  /// @throws std::runtime_error if there are no random numbers.
  request_guard(std::string token, bool protects);

  /// @param changes whether the request does more than read.
  verdict check(const credentials& x, bool changes) const;

  /// Returns whether the request has the token itself rather than the cookie.
  bool shows_token(const credentials& x) const;

  /// Returns the value of the header Set-Cookie, which lets a browser remove
  /// the token from its address line.
  std::string cookie() const;

private:
  bool is_own_host(std::string_view host) const;

  bool knows_token(const credentials& x) const;

  std::string token_;
  bool protects_;
  std::string session_; // the cookie's value
};

/// Returns the host of `host:port`, without brackets; empty if that is invalid.
std::string_view host_without_port(std::string_view x) noexcept;

/// Returns a parameter of an address's query; empty if there is none.
std::string query_parameter(std::string_view target, std::string_view name);

} // namespace caf::rosia::detail
