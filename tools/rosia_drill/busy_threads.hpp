// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>
#include <thread>
#include <vector>

namespace rosia_drill {

/// Threads that keep processors busy until the destructor stops them.
class busy_threads {
public:
  explicit busy_threads(std::uint64_t count) {
    for (std::uint64_t i = 0; i < count; ++i)
      threads_.emplace_back([](const std::stop_token& token) {
        while (!token.stop_requested())
          continue;
      });
  }

private:
  std::vector<std::jthread> threads_;
};

} // namespace rosia_drill
