// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "catch.hpp"

#include <array>
#include <csignal>
#include <cstddef>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace test {

/// A pipe that is read when the test says so.
class slow_pipe {
public:
  slow_pipe() {
    // A delayed thread may detect the end later than this test.
    std::signal(SIGPIPE, SIG_IGN);
    REQUIRE(::pipe(ends_.data()) == 0);
  }

  ~slow_pipe() {
    close_reader();
    ::close(ends_[1]);
  }

  int writer() const noexcept {
    return ends_[1];
  }

  void close_reader() {
    if (ends_[0] >= 0)
      ::close(ends_[0]);
    ends_[0] = -1;
  }

  std::string read(std::size_t size) {
    std::string result(size, ' ');
    for (std::size_t at = 0; at < size;) {
      auto count = ::read(ends_[0], result.data() + at, size - at);
      REQUIRE(count > 0);
      at += static_cast<std::size_t>(count);
    }
    return result;
  }

  /// Writes until the pipe is full. @returns the number of bytes.
  std::size_t fill() {
    ::fcntl(ends_[1], F_SETFL, O_NONBLOCK);
    std::string text(4096, '.');
    std::size_t result = 0;
    for (auto size : {text.size(), std::size_t{1}})
      for (ssize_t n; (n = ::write(ends_[1], text.data(), size)) > 0;)
        result += static_cast<std::size_t>(n);
    ::fcntl(ends_[1], F_SETFL, 0);
    return result;
  }

  /// Reads until the text has arrived.
  std::string read_to(const std::string& end) {
    std::string result;
    std::array<char, 4096> buffer;
    while (result.find(end) == std::string::npos) {
      auto n = ::read(ends_[0], buffer.data(), buffer.size());
      REQUIRE(n > 0);
      result.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return result;
  }

private:
  std::array<int, 2> ends_{};
};

} // namespace test
