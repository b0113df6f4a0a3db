// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace test {

/// How many files and folders are in a folder. In `/proc/self/fd` that is how
/// many descriptors this process has, and one for looking; in
/// `/proc/self/task`, its threads.
inline std::size_t files_in(const std::filesystem::path& folder) {
  std::filesystem::directory_iterator all{folder};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace test
