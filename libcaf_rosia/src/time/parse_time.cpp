// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "time/parse_time.hpp"

#include "base/duration.hpp"

#include <charconv>
#include <cstdint>
#include <system_error>

namespace caf::rosia::detail {

std::optional<logical_time> parse_logical_time(std::string_view text) {
  if (text == "never")
    return never;
  if (text == "forever")
    return forever;
  auto plus = text.find('+');
  auto span = parse_timespan(text.substr(0, plus));
  if (!span)
    return std::nullopt;
  if (plus == std::string_view::npos)
    return logical_time{span->count(), 0};
  auto digits = text.substr(plus + 1);
  std::uint32_t microstep = 0;
  auto last = digits.data() + digits.size();
  auto [end, code] = std::from_chars(digits.data(), last, microstep);
  if (code != std::errc{} || end != last)
    return std::nullopt;
  return logical_time{span->count(), microstep};
}

} // namespace caf::rosia::detail
