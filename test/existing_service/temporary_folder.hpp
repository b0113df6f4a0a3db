// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

/// An empty folder, which is removed with all that is in it.
class temporary_folder {
public:
  temporary_folder() {
    auto name
      = (std::filesystem::temp_directory_path() / "service-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr)
      throw std::runtime_error("no temporary folder: " + name);
    path_ = name;
  }

  temporary_folder(const temporary_folder&) = delete;

  temporary_folder& operator=(const temporary_folder&) = delete;

  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  /// Returns the full name of a file in it.
  std::string file(const std::string& name) const {
    return (path_ / name).string();
  }

  /// Writes a file.
  /// @returns its full name.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream{path_ / name} << text;
    return file(name);
  }

private:
  std::filesystem::path path_;
};

/// Returns the lines of a file.
inline std::vector<std::string> lines_of(const std::string& file) {
  std::ifstream in{file};
  std::vector<std::string> result;
  for (std::string line; std::getline(in, line);)
    result.push_back(line);
  return result;
}
