// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "watch/request_guard.hpp"

#include "base/secret.hpp"
#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>

namespace caf::rosia::detail {

namespace {

constexpr std::string_view cookie_name = "rosia_page";

bool is_address(const std::string& host) noexcept {
  in6_addr any{};
  return ::inet_pton(AF_INET, host.c_str(), &any) == 1
         || ::inet_pton(AF_INET6, host.c_str(), &any) == 1;
}

/// Returns the text without escapes such as `%2B`.
std::string unescaped(std::string_view x) {
  std::string result;
  for (std::size_t i = 0; i < x.size(); ++i) {
    unsigned value = 0;
    if (x[i] == '%' && i + 2 < x.size()
        && std::from_chars(x.data() + i + 1, x.data() + i + 3, value, 16).ptr
             == x.data() + i + 3) {
      result += static_cast<char>(value);
      i += 2;
    } else {
      result += x[i];
    }
  }
  return result;
}

/// Returns the value of a cookie; empty if there is none.
std::string_view find_cookie(std::string_view all, std::string_view name) {
  while (!all.empty()) {
    auto end = std::min(all.find(';'), all.size());
    auto entry = trim(all.substr(0, end));
    if (entry.size() > name.size() && entry.starts_with(name)
        && entry[name.size()] == '=')
      return entry.substr(name.size() + 1);
    all.remove_prefix(std::min(end + 1, all.size()));
  }
  return {};
}

} // namespace

request_guard::request_guard(std::string token, bool protects)
  : token_(std::move(token)), protects_(protects), session_(random_text(32)) {
  // nop
}

request_guard::verdict request_guard::check(
  const credentials& x, bool changes) const {
  if (!is_own_host(x.host))
    return verdict::foreign;
  auto own_origin = (protects_ ? "https://" : "http://") + std::string{x.host};
  if (!x.origin.empty() && x.origin != own_origin)
    return verdict::foreign;
  if (changes && !x.site.empty() && x.site != "same-origin")
    return verdict::foreign;
  return knows_token(x) ? verdict::allowed : verdict::unknown;
}

bool request_guard::shows_token(const credentials& x) const {
  return !token_.empty() && same_secret(x.token, token_);
}

std::string request_guard::cookie() const {
  return std::string{cookie_name} + '=' + session_
         + "; HttpOnly; SameSite=Strict; Path=/"
         + (protects_ ? "; Secure" : "");
}

bool request_guard::is_own_host(std::string_view host) const {
  auto name = std::string{host_without_port(host)};
  if (name.empty())
    return false;
  // A host name may lead here because of an attacker; an address was typed by
  // the user. With TLS, the certificate proves the name.
  return protects_ || name == "localhost" || is_address(name);
}

bool request_guard::knows_token(const credentials& x) const {
  constexpr std::string_view scheme = "Bearer ";
  if (token_.empty() || shows_token(x))
    return true;
  if (x.authorization.starts_with(scheme)
      && same_secret(x.authorization.substr(scheme.size()), token_))
    return true;
  return same_secret(find_cookie(x.cookie, cookie_name), session_);
}

std::string_view host_without_port(std::string_view x) noexcept {
  auto is_port = [](std::string_view text) {
    return text.empty()
           || (text.front() == ':'
               && text.find_first_not_of("0123456789", 1)
                    == std::string_view::npos);
  };
  if (x.starts_with('[')) {
    auto end = x.find(']');
    if (end == std::string_view::npos || !is_port(x.substr(end + 1)))
      return {};
    return x.substr(1, end - 1);
  }
  auto colon = x.find(':');
  if (colon == std::string_view::npos)
    return x;
  return is_port(x.substr(colon)) ? x.substr(0, colon) : std::string_view{};
}

std::string query_parameter(std::string_view target, std::string_view name) {
  auto begin = target.find('?');
  if (begin == std::string_view::npos)
    return {};
  auto rest = target.substr(begin + 1);
  while (!rest.empty()) {
    auto end = std::min(rest.find('&'), rest.size());
    auto entry = rest.substr(0, end);
    if (entry.size() > name.size() && entry.starts_with(name)
        && entry[name.size()] == '=')
      return unescaped(entry.substr(name.size() + 1));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

} // namespace caf::rosia::detail
