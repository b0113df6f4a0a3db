// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace drill_test {

/// A folder for a test's files, which the destructor removes.
class scratch {
public:
  scratch() {
    auto name
      = (std::filesystem::temp_directory_path() / "rosia-drill-test-XXXXXX")
          .string();
    if (::mkdtemp(name.data()) != nullptr)
      path_ = name;
  }

  scratch(const scratch&) = delete;

  scratch& operator=(const scratch&) = delete;

  ~scratch() {
    std::filesystem::remove_all(path_);
  }

  const std::filesystem::path& path() const {
    return path_;
  }

  std::filesystem::path write(
    const std::string& name, const std::string& text) const {
    auto result = path_ / name;
    std::ofstream{result, std::ios::binary} << text;
    return result;
  }

  /// Creates a program that `sh` runs.
  std::filesystem::path script(
    const std::string& name, const std::string& text) const {
    auto result = write(name, "#!/bin/sh\n" + text);
    std::filesystem::permissions(
      result, std::filesystem::perms::owner_all,
      std::filesystem::perm_options::replace);
    return result;
  }

private:
  std::filesystem::path path_;
};

} // namespace drill_test
