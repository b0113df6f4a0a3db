// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace caf::rosia::engine {

/// The state of a node that executes the last tag, the microstep after the
/// final tag [10.6.1]: a node with a reaction to `at_shutdown`, or one that
/// such a reaction reaches without delay. Tests:
/// test/engine/last_tag_rules_test.cpp.
class last_tag {
public:
  /// A value that is present at the last tag.
  struct message {
    std::uint32_t connection; // the node's incoming connection
    value content;
  };

  /// Keeps a message until the node executes the last tag. Earlier messages for
  /// the same tag are in the event queue, and are not executed.
  void add(std::uint32_t connection, value content) {
    messages_.push_back({connection, std::move(content)});
  }

  /// Returns the messages in the order of their connections.
  std::vector<message> take_messages();

  bool has_messages() const noexcept {
    return !messages_.empty();
  }

  /// Returns whether the node has reported that it is done [10.6.4].
  bool reported() const noexcept {
    return reported_;
  }

  void set_reported() noexcept {
    reported_ = true;
  }

private:
  std::vector<message> messages_;
  bool reported_ = false;
};

} // namespace caf::rosia::engine
