// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/event_descriptor.hpp"

#include "base/closed_descriptor.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace caf::rosia::detail {

event_descriptor::event_descriptor()
  : fd_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (fd_ < 0)
    throw std::system_error(
      errno, std::generic_category(),
      "cannot create an event descriptor (eventfd)");
}

event_descriptor::~event_descriptor() {
  ::close(fd_);
}

void event_descriptor::notify(int fd) noexcept {
  std::uint64_t one = 1;
  if (::write(fd, &one, sizeof(one)) < 0 && errno == EBADF)
    end_without_descriptor();
}

void event_descriptor::require_open() const noexcept {
  if (::fcntl(fd_, F_GETFD) < 0)
    end_without_descriptor();
}

void event_descriptor::wait(std::chrono::nanoseconds limit) const {
  pollfd fd{fd_, POLLIN, 0};
  timespec rest{};
  auto forever = limit == std::chrono::nanoseconds::max();
  if (!forever) {
    auto ns = std::max<std::int64_t>(limit.count(), 0);
    rest.tv_sec = ns / 1'000'000'000;
    rest.tv_nsec = ns % 1'000'000'000;
  }
  if (::ppoll(&fd, 1, forever ? nullptr : &rest, nullptr) > 0) {
    std::uint64_t ignored = 0;
    if (::read(fd_, &ignored, sizeof(ignored)) < 0 && errno == EBADF)
      end_without_descriptor();
  }
}

} // namespace caf::rosia::detail
