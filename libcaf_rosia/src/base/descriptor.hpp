// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <utility>

#include <unistd.h>

namespace caf::rosia::detail {

/// Owns an open file, pipe or socket, and closes it.
class descriptor {
public:
  descriptor() noexcept = default;

  explicit descriptor(int fd) noexcept : fd_(fd) {
    // nop
  }

  descriptor(descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {
    // nop
  }

  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }

  ~descriptor() {
    close();
  }

  /// Returns the number; negative, which `poll` ignores, if nothing is open.
  int get() const noexcept {
    return fd_;
  }

  explicit operator bool() const noexcept {
    return fd_ >= 0;
  }

  /// Gives up the ownership.
  int release() noexcept {
    return std::exchange(fd_, -1);
  }

  void close() noexcept {
    if (fd_ >= 0)
      ::close(release());
  }

private:
  int fd_ = -1;
};

} // namespace caf::rosia::detail
