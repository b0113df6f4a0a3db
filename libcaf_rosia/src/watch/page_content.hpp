// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace caf::rosia::detail {

/// The content of the live page, for its server. Called from the server's
/// thread; must not block. Tests: test/watch/live_page_test.cpp.
class page_content {
public:
  enum class document { graph, state, log, metrics };

  enum class action { request_end, give_report };

  virtual ~page_content();

  /// Calls `reply` with a document, in any thread. Does not call it if the page
  /// ends first.
  virtual void request(document kind, std::function<void(std::string)> reply)
    = 0;

  virtual void perform(action kind) = 0;

  /// Sets the number of viewers, which receive each change.
  virtual void viewers(std::size_t count) = 0;
};

} // namespace caf::rosia::detail
