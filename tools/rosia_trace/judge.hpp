// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_trace/rule.hpp"

#include <string>
#include <utility>

namespace rosia_trace {

/// Thrown where a rule is broken; `checker` catches it and adds the line.
struct broken_rule {
  rule broken;
  std::string what;
};

/// Applies rules and counts how often, so that a rule that was never put to the
/// test does not look as if it held.
class judge {
public:
  /// @param describe called if the rule is broken: says what is wrong.
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
