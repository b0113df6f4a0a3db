// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <vector>

namespace test {

/// Returns the descriptor that is opened next.
inline int next_descriptor() {
  auto result = ::dup(STDERR_FILENO);
  ::close(result);
  return result;
}

/// Returns the open ends of the pipe of CAF's middleman. Call it before any
/// other thread of the program opens pipes, as sanitizers do while they check.
/// @param first the descriptor that was next before the system was created.
/// @param mode O_RDONLY or O_WRONLY.
inline std::vector<int> caf_pipe_ends(int first, int mode) {
  std::vector<int> result;
  for (auto fd = first; fd < first + 10; ++fd) {
    struct stat x = {};
    if (::fstat(fd, &x) == 0 && S_ISFIFO(x.st_mode)
        && (::fcntl(fd, F_GETFL) & O_ACCMODE) == mode)
      result.push_back(fd);
  }
  return result;
}

} // namespace test
