// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_trace/logical_time.hpp"

#include "time/parse_time.hpp"

#include "caf/rosia/logical_time.hpp"

#include <string>

namespace rosia_trace {

std::string to_string(logical_time x) {
  if (x == never)
    return "never";
  if (x == forever)
    return "forever";
  return to_string(
    caf::rosia::logical_time{x.ns, static_cast<std::uint32_t>(x.microstep)});
}

std::string to_string(time_delay x) {
  return to_string(caf::rosia::delay::from_parts(
    x.ns, static_cast<std::uint32_t>(x.microsteps)));
}

std::string to_json(logical_time x) {
  return is_tag(x)
           ? '[' + std::to_string(x.ns) + ',' + std::to_string(x.microstep)
               + ']'
           : '"' + to_string(x) + '"';
}

std::optional<logical_time> parse_logical_time(std::string_view text) {
  std::string plain{text};
  if (auto comma = text.find(',');
      comma != text.npos && text.starts_with('[') && text.ends_with(']'))
    plain = std::string{text.substr(1, comma - 1)} + "ns+"
            + std::string{text.substr(comma + 1, text.size() - comma - 2)};
  auto tag = caf::rosia::detail::parse_logical_time(plain);
  if (!tag)
    return std::nullopt;
  return *tag == caf::rosia::never ? never
         : *tag == caf::rosia::forever
           ? forever
           : logical_time{tag->ns, tag->microstep};
}

} // namespace rosia_trace
