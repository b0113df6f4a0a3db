// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "files_in.hpp"

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>

#include <stdlib.h>

namespace test {

/// Returns a folder in memory, if it has enough space. Durable writes there do
/// not wait for a disk, which may be slow.
inline std::filesystem::path parent_in_memory() {
  constexpr std::uintmax_t enough = 1024 * 1024 * 1024;
  std::filesystem::path memory{"/dev/shm"};
  std::error_code problem;
  auto space = std::filesystem::space(memory, problem);
  return !problem && space.available >= enough
           ? memory
           : std::filesystem::temp_directory_path();
}

/// An empty folder, which is removed with its content.
class temporary_folder {
public:
  explicit temporary_folder(const std::filesystem::path& parent
                            = parent_in_memory())
    : path_((parent / "rosia-XXXXXX").string()) {
    if (mkdtemp(path_.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), path_);
  }

  temporary_folder(const temporary_folder&) = delete;

  temporary_folder& operator=(const temporary_folder&) = delete;

  ~temporary_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  const std::string& path() const noexcept {
    return path_;
  }

  /// Returns the full name of a file in it.
  std::string file(const std::string& name) const {
    return (std::filesystem::path{path_} / name).string();
  }

  /// Writes a file.
  /// @returns its full name.
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream{file(name), std::ios::binary} << text;
    return file(name);
  }

  /// Returns the number of files in it.
  std::size_t files() const {
    return files_in(path_);
  }

private:
  std::string path_;
};

} // namespace test
