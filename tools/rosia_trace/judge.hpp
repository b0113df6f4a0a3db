// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/rule.hpp"

#include <string>
#include <utility>

namespace rosia_trace {

/// Thrown when a rule is broken; `checker` catches it and adds the line.
struct broken_rule {
  rule broken;
  std::string text;
};

/// Applies rules and counts the checks, so that a rule that was never applied
/// does not seem to hold.
class judge {
public:
  /// @param describe called if the rule is broken; returns a description.
  template <class Describe>
  void require(rule which, bool holds, Describe&& describe) {
    ++tally_[static_cast<std::size_t>(which)];
    if (!holds) [[unlikely]]
      throw broken_rule{which, std::forward<Describe>(describe)()};
  }

  const rule_tally& tally() const {
    return tally_;
  }

private:
  rule_tally tally_{};
};

} // namespace rosia_trace
