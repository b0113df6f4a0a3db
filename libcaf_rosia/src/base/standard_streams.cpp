// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/standard_streams.hpp"

#include <initializer_list>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail {

void open_standard_streams() noexcept {
  // In ascending order, because a file gets the lowest free number.
  for (auto fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(fd, F_GETFD) >= 0)
      continue;
    auto way = fd == STDIN_FILENO ? O_RDONLY : O_WRONLY;
    // Without /dev, open a descriptor that can neither be read nor written.
    if (::open("/dev/null", way) < 0)
      static_cast<void>(::open("/", O_PATH));
  }
}

bool is_standard_stream(const std::string& file) noexcept {
  struct stat named;
  if (::stat(file.c_str(), &named) != 0 || !S_ISREG(named.st_mode))
    return false;
  for (auto fd : {STDOUT_FILENO, STDERR_FILENO}) {
    struct stat stream;
    if (::fstat(fd, &stream) == 0 && stream.st_dev == named.st_dev
        && stream.st_ino == named.st_ino)
      return true;
  }
  return false;
}

} // namespace caf::rosia::detail
