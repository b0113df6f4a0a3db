// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "config/process_options.hpp"

#include "base/text.hpp"

#include <algorithm>
#include <charconv>
#include <system_error>

#include <arpa/inet.h>

namespace caf::rosia::detail {

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> result;
  if (trim(text).empty())
    return result;
  for (;;) {
    auto comma = text.find(',');
    result.emplace_back(trim(text.substr(0, comma)));
    if (comma == std::string_view::npos)
      return result;
    text.remove_prefix(comma + 1);
  }
}

bool is_process_name(std::string_view x) noexcept {
  return !x.empty() && std::all_of(x.begin(), x.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')
           || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool are_process_names(std::vector<std::string> names) {
  std::sort(names.begin(), names.end());
  return std::all_of(names.begin(), names.end(), is_process_name)
         && std::adjacent_find(names.begin(), names.end()) == names.end();
}

std::optional<std::size_t> process_count(std::string_view text) {
  std::size_t result = 0;
  auto* last = text.data() + text.size();
  auto [end, code] = std::from_chars(text.data(), last, result);
  if (end != last || text.empty() || code == std::errc::invalid_argument)
    return std::nullopt;
  return result;
}

std::optional<std::pair<std::string, std::uint16_t>> parse_address(
  std::string_view text) {
  auto colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0)
    return std::nullopt;
  auto host = text.substr(0, colon);
  auto digits = text.substr(colon + 1);
  if (host.front() == '[') {
    if (host.back() != ']')
      return std::nullopt;
    host = host.substr(1, host.size() - 2);
  } else if (host.find(':') != std::string_view::npos) {
    return std::nullopt;
  }
  std::uint16_t port = 0;
  auto* last = digits.data() + digits.size();
  auto [end, code] = std::from_chars(digits.data(), last, port);
  if (code != std::errc{} || end != last || digits.empty() || host.empty())
    return std::nullopt;
  return std::pair{std::string{host}, port};
}

bool is_loopback_host(const std::string& host) noexcept {
  if (host == "localhost" || host == "::1")
    return true;
  in_addr v4{};
  return inet_pton(AF_INET, host.c_str(), &v4) == 1
         && (ntohl(v4.s_addr) >> 24) == 127;
}

std::optional<std::vector<placement_rule>> parse_placement(
  std::string_view text) {
  std::vector<placement_rule> result;
  for (auto& entry : split_list(text)) {
    auto sign = entry.find('=');
    if (sign == std::string::npos)
      return std::nullopt;
    placement_rule rule{std::string{trim(entry.substr(0, sign))},
                        std::string{trim(entry.substr(sign + 1))}};
    if (rule.nodes.empty() || !is_process_name(rule.process))
      return std::nullopt;
    result.push_back(std::move(rule));
  }
  return result;
}

std::string process_of(std::string_view placement, std::string_view node) {
  if (auto rules = parse_placement(placement))
    for (auto& rule : *rules)
      if (matches_node(rule.nodes, node))
        return rule.process;
  return {};
}

bool matches_node(std::string_view pattern, std::string_view node) noexcept {
  for (auto dot = node.find('.'); dot != std::string_view::npos;
       dot = node.find('.', dot + 1))
    if (matches(pattern, node.substr(0, dot)))
      return true;
  return matches(pattern, node);
}

bool matches(std::string_view pattern, std::string_view name) noexcept {
  // The positions to continue from if the text after the last star does not
  // fit.
  auto retry_pattern = std::string_view::npos;
  std::size_t retry_name = 0;
  std::size_t p = 0;
  std::size_t n = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      retry_pattern = ++p;
      retry_name = n;
    } else if (p < pattern.size()
               && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (retry_pattern != std::string_view::npos) {
      p = retry_pattern;
      n = ++retry_name;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

} // namespace caf::rosia::detail
