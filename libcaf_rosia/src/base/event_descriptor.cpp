// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/detail/event_descriptor.hpp"

#include "base/exit_status.hpp"
#include "base/last_words.hpp"
#include "base/write_all.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
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

void event_descriptor::notify() const noexcept {
  std::uint64_t one = 1;
  static_cast<void>(!::write(fd_, &one, sizeof(one)));
}

void event_descriptor::require_open() const noexcept {
  if (::fcntl(fd_, F_GETFD) >= 0)
    return;
  limit_last_words(status_error);
  write_all(
    STDERR_FILENO,
    "the program has closed descriptors that it had not opened: the process "
    "ends, because CAF and Rosia cannot work without theirs; close only what "
    "the program has opened itself\n");
  std::_Exit(status_error);
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
      require_open();
  }
}

} // namespace caf::rosia::detail
