// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/link_target.hpp"

#include <filesystem>
#include <system_error>

namespace caf::rosia::detail {

namespace {

/// Number of links that the system follows for one name.
constexpr auto most_links = 40;

} // namespace

std::string link_target(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code problem;
  fs::path result = path;
  for (auto rest = most_links; rest > 0 && fs::is_symlink(result, problem);
       --rest)
    result = result.parent_path() / fs::read_symlink(result, problem);
  return result.string();
}

bool is_missing(const std::string& path) {
  std::error_code problem;
  return std::filesystem::status(path, problem).type()
         == std::filesystem::file_type::not_found;
}

} // namespace caf::rosia::detail
