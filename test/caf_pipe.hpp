// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace test {

/// Returns the descriptor that is opened next.
inline int next_descriptor() {
  auto result = ::dup(STDERR_FILENO);
  ::close(result);
  return result;
}

/// Closes an end of the pipe of CAF's middleman.
/// @param first the descriptor that was next before the system was created.
/// @param mode O_RDONLY or O_WRONLY.
inline void close_caf_pipe(int first, int mode) {
  for (auto fd = first; fd < first + 10; ++fd) {
    struct stat x = {};
    if (::fstat(fd, &x) == 0 && S_ISFIFO(x.st_mode)
        && (::fcntl(fd, F_GETFL) & O_ACCMODE) == mode)
      ::close(fd);
  }
}

} // namespace test
