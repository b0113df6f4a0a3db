// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Lines of standard input, interrupted by a shutdown.

#include "caf/rosia/shutdown/line_reader.hpp"

#include "shutdown/shutdown_support.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace line_reader_test {

namespace {

using rosia::line_reader;

/// A pipe or a terminal: text that is written to one end is read from the
/// other.
class channel {
public:
  /// @param terminal whether to read from a terminal, not from a pipe.
  explicit channel(bool terminal) {
    if (terminal) {
      to_ = ::posix_openpt(O_RDWR | O_NOCTTY);
      if (to_ < 0 || ::grantpt(to_) != 0 || ::unlockpt(to_) != 0)
        throw std::runtime_error("there is no terminal");
      from_ = ::open(::ptsname(to_), O_RDWR | O_NOCTTY);
    } else {
      std::array<int, 2> ends{};
      if (::pipe(ends.data()) != 0)
        throw std::runtime_error("there is no pipe");
      from_ = ends[0];
      to_ = ends[1];
    }
  }

  ~channel() {
    ::close(from_);
    hang_up();
  }

  int from() const {
    return from_;
  }

  void write(std::string_view x) {
    while (!x.empty()) {
      auto n = ::write(to_, x.data(), x.size());
      if (n < 0)
        throw std::runtime_error("cannot write");
      x.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void hang_up() {
    if (to_ >= 0)
      ::close(to_);
    to_ = -1;
  }

private:
  int from_ = -1;
  int to_ = -1;
};

using line = std::optional<std::string>;

/// A token without a source.
const std::stop_token never_stop;

} // namespace

TEST_CASE("lines are read one by one, the last one without its end",
          "[line_reader]") {
  channel c{false};
  line_reader x{c.from()};
  c.write("one\n\nthr");
  CHECK(x.next(never_stop) == line{"one"});
  CHECK(x.next(never_stop) == line{""});
  c.write("ee\n four\r\nfi");
  c.write("ve");
  CHECK(x.next(never_stop) == line{"three"});
  CHECK(x.next(never_stop) == line{" four\r"});
  CHECK_FALSE(x.at_end());
  c.hang_up();
  CHECK(x.next(never_stop) == line{"five"});
  CHECK(x.at_end());
  CHECK(x.next(never_stop) == line{});
  CHECK(x.next(never_stop) == line{});
}

TEST_CASE("lines may be long, and may have any bytes", "[line_reader]") {
  channel c{false};
  line_reader x{c.from()};
  std::string first(100'000, 'x');
  std::string second("a\0b", 3);
  std::thread writer{[&] {
    c.write(first + '\n' + second + '\n');
    c.hang_up();
  }};
  CHECK(x.next(never_stop) == line{first});
  CHECK(x.next(never_stop) == line{second});
  CHECK(x.next(never_stop) == line{});
  writer.join();
}

TEST_CASE("a non-blocking descriptor is waited for", "[line_reader]") {
  channel c{false};
  ::fcntl(c.from(), F_SETFL, O_NONBLOCK);
  line_reader x{c.from()};
  std::thread writer{[&] { c.write("late\n"); }};
  CHECK(x.next(never_stop) == line{"late"});
  writer.join();
}

TEST_CASE("a stop interrupts the wait for a line, and loses nothing of it",
          "[line_reader]") {
  channel c{GENERATE(false, true)};
  line_reader x{c.from()};
  std::stop_source first;
  std::thread stopper{[&] { first.request_stop(); }};
  CHECK(x.next(first.get_token()) == line{});
  stopper.join();
  CHECK_FALSE(x.at_end());
  // A stopped call does not even read.
  c.write("one\ntwo\n");
  CHECK(x.next(first.get_token()) == line{});
  CHECK(x.next(never_stop) == line{"one"});
  std::stop_source second;
  CHECK(x.next(second.get_token()) == line{"two"});
  second.request_stop();
  CHECK(x.next(second.get_token()) == line{});
  c.write("three\n");
  CHECK(x.next(never_stop) == line{"three"});
}

TEST_CASE("half a line is kept when the wait for the rest is interrupted",
          "[line_reader]") {
  channel c{false};
  line_reader x{c.from()};
  std::stop_source stop;
  c.write("ha");
  std::thread stopper{[&] {
    // Wait until the reader takes the text.
    eventually([&] {
      auto left = 1;
      ::ioctl(c.from(), FIONREAD, &left);
      return left == 0;
    });
    stop.request_stop();
  }};
  CHECK(x.next(stop.get_token()) == line{});
  stopper.join();
  c.write("lf\n");
  CHECK(x.next(never_stop) == line{"half"});
}

TEST_CASE("the end of a terminal's input is the end", "[line_reader]") {
  channel c{true};
  line_reader x{c.from()};
  c.write("one\n\x04"); // Ctrl-D
  CHECK(x.next(never_stop) == line{"one"});
  CHECK(x.next(never_stop) == line{});
  CHECK(x.at_end());
}

TEST_CASE("a descriptor that cannot be read is an error that names it",
          "[line_reader]") {
  auto fd = ::open("/", O_RDONLY);
  REQUIRE(fd >= 0);
  line_reader folder{fd};
  CHECK_THAT(error_of<std::system_error>([&] { folder.next(never_stop); }),
             ContainsSubstring(
               "cannot read lines from descriptor " + std::to_string(fd)));
  line_reader closed{fd}; // constructed before its number is reused
  ::close(fd);
  CHECK_THAT(error_of<std::system_error>([&] { closed.next(never_stop); }),
             ContainsSubstring(
               "cannot read lines from descriptor " + std::to_string(fd)));
}

TEST_CASE("standard input that is closed is at its end", "[line_reader]") {
  auto status = status_in_child([] {
    ::close(STDIN_FILENO);
    line_reader input;
    return input.next(never_stop) == line{} && input.at_end() ? 7 : 8;
  });
  CHECK(status == 7);
}

TEST_CASE("a terminal that has hung up is at its end", "[line_reader]") {
  channel c{true};
  line_reader x{c.from()};
  c.write("one\n");
  CHECK(x.next(never_stop) == line{"one"});
  c.hang_up();
  CHECK(x.next(never_stop) == line{});
  CHECK(x.at_end());
}

TEST_CASE("a signal ends a program that reads lines", "[line_reader]") {
  auto terminal = GENERATE(false, true);
  auto status = status_in_child([terminal] {
    test_system sys;
    auto opts = quiet();
    opts.signals = rosia::signal_behavior::handle;
    rosia::shutdown x{sys, opts};
    channel c{terminal};
    ::dup2(c.from(), 0);
    line_reader input;
    c.write("first\n");
    while (auto text = input.next(x.token())) {
      if (*text != "first")
        return 9;
      ::kill(::getpid(), SIGTERM);
    }
    if (input.at_end())
      return 8;
    return x.wait_for_shutdown() == 0 ? 7 : 6;
  });
  CHECK(status == 7);
}

} // namespace line_reader_test
