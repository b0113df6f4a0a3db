// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace caf::rosia::detail {

/// What the server of the live page asks for. Called from the server's thread:
/// returns at once.
class page_content {
public:
  enum class document { graph, state, log, metrics };

  enum class action { request_end, give_report };

  virtual ~page_content();

  /// Has `reply` called with a document, from any thread; or never, if the page
  /// ends.
  virtual void request(document what, std::function<void(std::string)> reply)
    = 0;

  virtual void perform(action what) = 0;

  /// So many want to be told of each change.
  virtual void viewers(std::size_t count) = 0;
};

} // namespace caf::rosia::detail
