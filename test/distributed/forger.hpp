// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Data that another process may have sent.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <random>

namespace test {

/// Returns the number in an environment variable; `otherwise` if there is none.
inline std::uint64_t fuzz_variable(const char* name, std::uint64_t otherwise) {
  auto* text = std::getenv(name);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class forger {
public:
  explicit forger(std::uint64_t seed) : random_(seed) {
    // nop
  }

  /// Changes or removes some bytes.
  /// @tparam Bytes a container of `char`.
  template <class Bytes>
  Bytes forge(Bytes bytes) {
    constexpr char extremes[] = {'\0', '\1', '\x7f', '\x80', '\xff'};
    for (auto n = 1 + random_() % 4; n > 0 && !bytes.empty(); --n) {
      auto at = random_() % bytes.size();
      switch (random_() % 8) {
        case 0:
          bytes.resize(at);
          break;
        case 1:
          bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at),
                       static_cast<char>(random_()));
          break;
        case 2:
          for (auto i = at; i < std::min(at + 4, bytes.size()); ++i)
            bytes[i] = '\xff';
          break;
        case 3:
        case 4:
          bytes[at] = extremes[random_() % std::size(extremes)];
          break;
        default:
          bytes[at] = static_cast<char>(bytes[at] ^ (1 << random_() % 8));
      }
    }
    return bytes;
  }

private:
  std::mt19937_64 random_;
};

} // namespace test
