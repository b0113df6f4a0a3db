// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown/line_reader.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

namespace caf::rosia {

namespace {

[[noreturn]] void fail(int error, int fd) {
  throw std::system_error(
    error, std::generic_category(),
    "cannot read lines from descriptor " + std::to_string(fd));
}

/// Returns whether the process inherited a closed standard input.
bool is_closed_input(int fd) {
  return fd == STDIN_FILENO && ::fcntl(fd, F_GETFD) < 0;
}

/// Returns whether a terminal has hung up, or now belongs to another session.
bool has_hung_up(int error, int fd) {
  return error == EIO && ::isatty(fd) == 1;
}

} // namespace

line_reader::line_reader(int fd) : fd_(fd), ended_(is_closed_input(fd)) {
  // nop
}

std::optional<std::string> line_reader::next(const std::stop_token& token) {
  std::stop_callback wake{token, [this] { wake_.notify(); }};
  while (!token.stop_requested()) {
    if (auto line = take_line())
      return line;
    if (ended_)
      return std::nullopt;
    if (wait())
      read_some();
  }
  return std::nullopt;
}

std::optional<std::string> line_reader::take_line() {
  auto end = buffer_.find('\n', searched_);
  searched_ = buffer_.size();
  if (end == std::string::npos) {
    if (!ended_ || buffer_.empty())
      return std::nullopt;
    searched_ = 0;
    return std::exchange(buffer_, {});
  }
  auto result = buffer_.substr(0, end);
  buffer_.erase(0, end + 1);
  searched_ = 0;
  return result;
}

bool line_reader::wait() const {
  std::array<pollfd, 2> fds{{{fd_, POLLIN, 0}, {wake_.get(), POLLIN, 0}}};
  if (::poll(fds.data(), fds.size(), -1) < 0) {
    if (errno == EINTR)
      return false;
    fail(errno, fd_);
  }
  if (fds[1].revents != 0) {
    // It may be for the token of an earlier call.
    wake_.wait(std::chrono::nanoseconds::zero());
    return false;
  }
  if ((fds[0].revents & POLLNVAL) != 0)
    fail(EBADF, fd_);
  return true;
}

void line_reader::read_some() {
  std::array<char, 4096> chunk;
  auto n = ::read(fd_, chunk.data(), chunk.size());
  auto error = n < 0 ? errno : 0;
  if (n > 0)
    buffer_.append(chunk.data(), static_cast<std::size_t>(n));
  else if (n == 0 || has_hung_up(error, fd_))
    ended_ = true;
  else if (error != EINTR && error != EAGAIN)
    fail(error, fd_);
}

} // namespace caf::rosia
