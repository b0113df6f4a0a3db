// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "entry.hpp"

#include <tuple>

#include <boost/crc.hpp>

#include "service_errc.hpp"

namespace existing_service {

bool operator==(const entry& x, const entry& y) {
  return std::tie(x.key, x.value, x.checksum)
         == std::tie(y.key, y.value, y.checksum);
}

std::uint32_t checksum_of(const std::string& key, const std::string& value) {
  boost::crc_32_type result;
  result.process_bytes(key.data(), key.size());
  result.process_byte('=');
  result.process_bytes(value.data(), value.size());
  return result.checksum();
}

caf::expected<entry> parse_request(const std::string& text) {
  const auto split = text.find('=');
  if (split == std::string::npos)
    return make_error(
      service_errc::malformed, "a request is key=value, not '" + text + "'");
  if (split == 0)
    return make_error(
      service_errc::malformed, "there is no key in '" + text + "'");
  entry result{text.substr(0, split), text.substr(split + 1)};
  result.checksum = checksum_of(result.key, result.value);
  return result;
}

} // namespace existing_service
