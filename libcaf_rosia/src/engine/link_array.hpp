// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/link.hpp"

#include <cstddef>
#include <memory>

namespace caf::rosia::engine {

/// The links of a graph. One cache line per link avoids false sharing; large
/// graphs pack them to save memory. Tests: test/engine.
class link_array {
public:
  explicit link_array(std::size_t size = 0)
    : distance_(size > many ? 1 : links_in_line),
      links_(std::make_unique<link[]>(size * distance_)) {
    // nop
  }

  link& operator[](std::size_t index) const noexcept {
    return links_[index * distance_];
  }

private:
  static constexpr std::size_t many = 4096;
  static constexpr std::size_t links_in_line = 64 / sizeof(link);

  std::size_t distance_;
  std::unique_ptr<link[]> links_;
};

} // namespace caf::rosia::engine
