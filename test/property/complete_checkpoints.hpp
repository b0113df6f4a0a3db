// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/checkpoints.hpp"
#include "run_file/database.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace property {

/// Returns the complete checkpoints in a file; none if the file does not exist.
inline std::vector<caf::rosia::run_file::checkpoint> complete_checkpoints(
  const std::string& file) {
  namespace run_file = caf::rosia::run_file;
  if (!std::filesystem::exists(file))
    return {};
  run_file::database opened{file, run_file::database::access::read};
  auto result = run_file::checkpoints_of(opened);
  std::erase_if(result, [](auto& x) { return !x.complete; });
  return result;
}

} // namespace property
