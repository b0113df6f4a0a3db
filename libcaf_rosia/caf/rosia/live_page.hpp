// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/options.hpp"

#include <memory>
#include <string>

namespace caf::rosia {

/// Shows a running shutdown in a browser: its phases, its participants, and the
/// participants that delay it. An application does not need this: with the
/// option `watch` it serves its own page, which also shows its shutdown. A page
/// and applications with the same address share one page.
/// one page.
///
/// ~~~
/// rosia::shutdown down{sys};
/// rosia::live_page page{down, rosia::options_from(sys.config())};
/// ~~~
class live_page {
public:
  /// Starts to serve the page at `opts.watch.address`. Does nothing if that is
  /// empty. The page's threads end with this object.
  /// @param opts only `watch` and `tls` are used.
  /// @throws std::invalid_argument for options that do not fit together, such
  /// as a public address without TLS and a token.
  /// @throws std::system_error if the address is in use, or if no thread can be
  /// started.
  live_page(shutdown& x, const options& opts);

  live_page(const live_page&) = delete;

  live_page& operator=(const live_page&) = delete;

  /// Removes the shutdown from the page. Open connections are closed and do not
  /// delay this.
  ~live_page();

  /// Returns the page's address, such as `http://127.0.0.1:8080/`; empty if
  /// there is no page.
  std::string url() const;

private:
  struct impl;

  std::unique_ptr<impl> impl_; // null without an address
};

} // namespace caf::rosia
