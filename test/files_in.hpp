// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <filesystem>
#include <iterator>

namespace test {

/// Returns the number of files and folders in a folder. In `/proc/self/fd`,
/// this is the number of descriptors of this process, plus one for reading the
/// folder; in `/proc/self/task`, the number of its threads.
inline std::size_t files_in(const std::filesystem::path& folder) {
  std::filesystem::directory_iterator all{folder};
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

} // namespace test
