// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/limit_advice.hpp"

#include <cerrno>

namespace caf::rosia::detail {

std::string_view limit_advice(const std::error_code& error) noexcept {
  if (error.category() != std::generic_category()
      && error.category() != std::system_category())
    return {};
  switch (error.value()) {
    case EMFILE:
      return "; raise the limit for open files (ulimit -n, or LimitNOFILE of a "
             "service)";
    case ENFILE:
      return "; raise the system's limit for open files (sysctl fs.file-max)";
    case EAGAIN:
      // Sockets report this as well.
      return "; if this is about a thread, raise the limits for threads "
             "(ulimit -u, or pids.max of the control group) and for memory "
             "(ulimit -v)";
    case ENOMEM:
      return "; raise the limit for memory (ulimit -v, or memory.max of the "
             "control group)";
    default:
      return {};
  }
}

std::string_view file_advice(const std::error_code& error) noexcept {
  switch (error.value()) {
    case EFBIG:
      return "; the process may not write larger files: raise its limit "
             "(ulimit -f, or LimitFSIZE of a service)";
    case ENOSPC:
    case EDQUOT:
      return "; free some space, or name a file on another disk";
    case EBADF:
      return "; the program closed the file: close only what the program "
             "opened itself";
    default:
      return limit_advice(error);
  }
}

} // namespace caf::rosia::detail
