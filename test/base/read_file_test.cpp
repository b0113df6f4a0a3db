// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/read_file.hpp"

#include "catch.hpp"
#include "temporary_folder.hpp"

#include <csignal>
#include <string>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace read_file_test {

using namespace std::literals;

using caf::rosia::detail::file_error;
using caf::rosia::detail::file_limits;
using caf::rosia::detail::read_file;
using caf::rosia::detail::read_first_line;

namespace {

std::string problem(const std::string& path, const file_limits& limits = {}) {
  try {
    read_file(path, limits);
    return {};
  } catch (const file_error& x) {
    return x.what();
  }
}

} // namespace

TEST_CASE("a file named by a user is read") {
  test::temporary_folder folder;
  auto text = "a\0b\n"s + std::string(100'000, 'x');
  auto file = folder.write("file", text);
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  auto content = read_file(file);
  CHECK(content.text == text);
  CHECK((content.mode & 0777) == 0640);
  CHECK(read_file("/dev/null").text.empty());
  CHECK(read_first_line(folder.write("token", "secret\nrest\n")) == "secret");
  CHECK(read_first_line(folder.write("token", "\xef\xbb\xbfsecret\r\nrest"))
        == "secret");
  for (auto* line : {"\nrest\n", "\r\nrest\n", "\xef\xbb\xbf"})
    CHECK_THROWS_WITH(
      read_first_line(folder.write("token", line)), "its first line is empty");
}

TEST_CASE("endless and too large files are refused") {
  test::temporary_folder folder;
  for (auto* device : {"/dev/zero", "/dev/urandom"})
    CHECK(problem(device) == "it is neither a regular file nor a pipe");
  CHECK(problem(folder.path()) == "it is a folder");
  CHECK(problem(folder.file("none")) == "No such file or directory");
  auto file = folder.write("file", std::string((1 << 20) + 1, 'x'));
  CHECK(problem(file, {.bytes = 1 << 20})
        == "it has more than 1 MiB, the most that is read of such a file");
  CHECK(problem(file, {.bytes = (1 << 20) + 1}).empty());
}

TEST_CASE("a pipe is read up to a limit, and not waited for endlessly") {
  test::temporary_folder folder;
  auto pipe = folder.file("pipe");
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  CHECK(problem(pipe, {.may_be_pipe = false}) == "it is not a regular file");
  CHECK(problem(pipe, {.patience = 20ms})
        == "nothing was written to the pipe for 20ms");
  auto write_to_pipe = [&](std::size_t size) {
    return std::thread{[&pipe, size] {
      auto fd = open(pipe.c_str(), O_WRONLY);
      std::string text(size, 'x');
      for (std::size_t done = 0; done < text.size();) {
        auto n = write(fd, text.data() + done, text.size() - done);
        if (n < 0)
          break; // the reader has closed the pipe
        done += static_cast<std::size_t>(n);
      }
      close(fd);
    }};
  };
  signal(SIGPIPE, SIG_IGN);
  auto writer = write_to_pipe(500'000);
  CHECK(read_file(pipe).text.size() == 500'000);
  writer.join();
  writer = write_to_pipe(2 << 20);
  CHECK(problem(pipe, {.bytes = 1 << 20})
        == "it has more than 1 MiB, the most that is read of such a file");
  writer.join();
  signal(SIGPIPE, SIG_DFL);
}

} // namespace read_file_test
