// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Decides whether a request to the live page is answered: pages of others must
/// not read it through the browser of somebody who may. From one thread at a
/// time.
class request_guard {
public:
  /// What a request says of who sends it; what it does not say is empty.
  struct credentials {
    std::string_view host = {};          // the header Host
    std::string_view origin = {};        // Origin
    std::string_view site = {};          // Sec-Fetch-Site
    std::string_view authorization = {}; // Authorization
    std::string_view cookie = {};        // Cookie
    std::string_view token = {};         // of the address, behind `?token=`
  };

  enum class verdict {
    allowed,
    /// The header Host or Origin is that of another page.
    foreign,
    /// The token is missing or wrong.
    unknown,
  };

  /// @param token empty if nobody has to know one.
  /// @param protects whether connections use TLS, so that the certificate
  ///        proves the name.
  /// @throws std::runtime_error if there are no random numbers.
  request_guard(std::string token, bool protects);

  /// @param changes whether the request asks for more than a look.
  verdict check(const credentials& x, bool changes) const;

  /// Tells whether it shows the token itself, not the cookie in its place.
  bool shows_token(const credentials& x) const;

  /// What a browser is given, so that the token leaves its address line: the
  /// value of the header Set-Cookie.
  std::string cookie() const;

private:
  bool is_own_host(std::string_view host) const;

  bool knows_token(const credentials& x) const;

  std::string token_;
  bool protects_;
  std::string session_; // the cookie's value
};

/// The host of `host:port`, without brackets; empty if that is no host.
std::string_view host_without_port(std::string_view x) noexcept;

/// A parameter of the part of an address behind the question mark; empty if
/// there is none.
std::string query_parameter(std::string_view target, std::string_view name);

} // namespace caf::rosia::detail
