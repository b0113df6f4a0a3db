// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/write_all.hpp"

#include <cerrno>
#include <cstddef>

#include <poll.h>
#include <unistd.h>

namespace caf::rosia::detail {

bool write_all(int fd, std::string_view text) noexcept {
  while (!text.empty()) {
    auto count = ::write(fd, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

} // namespace caf::rosia::detail
