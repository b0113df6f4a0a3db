// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "watch/page_config.hpp"

#include "base/read_file.hpp"
#include "config/process_options.hpp"

#include <stdexcept>

namespace caf::rosia::detail {

namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument(reason);
}

std::string read_token(const std::string& file) {
  try {
    return read_first_line(file);
  } catch (const file_error& problem) {
    refuse("rosia.watch.token_file: cannot read a token from '" + file
           + "': " + problem.what());
  }
}

} // namespace

page_config page_config_of(const options& opts) {
  auto address = parse_address(opts.watch.address);
  if (!address)
    refuse("rosia.watch.address: '" + opts.watch.address
           + "' is not an address with a port, such as 127.0.0.1:8080");
  page_config result{address->first, address->second, opts.watch.control};
  if (!opts.watch.token_file.empty())
    result.token = read_token(opts.watch.token_file);
  if (is_loopback_host(result.host))
    return result;
  if (opts.tls.certificate.empty() || opts.tls.key.empty()
      || result.token.empty())
    refuse(
      "rosia.watch.address: " + opts.watch.address
      + " is not an address of the loopback device, so other users could read "
        "the page; set rosia.tls.certificate, rosia.tls.key and "
        "rosia.watch.token_file, or use 127.0.0.1 and a tunnel by ssh");
  result.certificate = opts.tls.certificate;
  result.key = opts.tls.key;
  return result;
}

} // namespace caf::rosia::detail
