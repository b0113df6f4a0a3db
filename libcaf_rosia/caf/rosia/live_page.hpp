// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/fwd.hpp"
#include "caf/rosia/options.hpp"

#include <memory>
#include <string>

namespace caf::rosia {

/// Shows a shutdown in a browser while the program runs: its phases, its
/// participants, and who holds it up. An application needs none of this: it
/// has a page of its own with the option `watch`, which also shows the shutdown
/// that it takes part in. A page and applications with the same address share
/// one page.
///
/// ~~~
/// rosia::shutdown down{sys};
/// rosia::live_page page{down, rosia::options_from(sys.config())};
/// ~~~
class live_page {
public:
  /// Begins to serve the page at `opts.watch`; without an address, does
  /// nothing. The page's threads end with this object.
  /// @param opts of which `watch...` and `tls...` count.
  /// @throws std::invalid_argument for options that do not fit together, such
  ///         as an address that others reach without TLS and a token.
  /// @throws std::system_error if the address is in use, or if there are no
  ///         threads left.
  live_page(shutdown& x, const options& opts);

  live_page(const live_page&) = delete;

  live_page& operator=(const live_page&) = delete;

  /// Takes the shutdown off the page. Open connections are closed, and do not
  /// delay this.
  ~live_page();

  /// Such as `http://127.0.0.1:8080/`; empty if there is no page.
  std::string url() const;

private:
  struct impl;

  std::unique_ptr<impl> impl_; // null without an address
};

} // namespace caf::rosia
