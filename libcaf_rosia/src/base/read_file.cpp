// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/read_file.hpp"

#include "base/descriptor.hpp"
#include "base/duration.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw file_error(reason, 0);
}

[[noreturn]] void refuse_errno() {
  auto number = errno;
  throw file_error(std::strerror(number), number);
}

bool is_null_device(const struct stat& file) {
  struct stat device;
  return S_ISCHR(file.st_mode) && stat("/dev/null", &device) == 0
         && file.st_rdev == device.st_rdev;
}

void check_kind(const struct stat& file, const file_limits& limits) {
  if (S_ISDIR(file.st_mode))
    refuse("it is a folder");
  if (S_ISREG(file.st_mode) || is_null_device(file)
      || (limits.may_be_pipe && S_ISFIFO(file.st_mode)))
    return;
  refuse(limits.may_be_pipe ? "it is neither a regular file nor a pipe"
                            : "it is not a regular file");
}

/// Waits until a pipe has data, or its end.
void await(int pipe, std::chrono::milliseconds patience) {
  pollfd x{pipe, POLLIN, 0};
  auto ready = poll(&x, 1, static_cast<int>(patience.count()));
  if (ready < 0 && errno != EINTR)
    refuse_errno();
  if (ready == 0)
    refuse("nothing was written to the pipe for " + time_text(patience));
}

} // namespace

file_content read_file(const std::string& path, const file_limits& limits) {
  // Without O_NONBLOCK, opening a pipe would wait for a process that writes to
  // it.
  descriptor file{
    open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)};
  struct stat status;
  if (!file || fstat(file.get(), &status) != 0)
    refuse_errno();
  check_kind(status, limits);
  file_content result;
  result.mode = status.st_mode;
  std::array<char, 4096> buffer;
  for (;;) {
    if (S_ISFIFO(status.st_mode))
      await(file.get(), limits.patience);
    auto size = read(file.get(), buffer.data(), buffer.size());
    if (size == 0)
      return result;
    if (size < 0 && errno != EINTR && errno != EAGAIN)
      refuse_errno();
    if (size > 0)
      result.text.append(buffer.data(), static_cast<std::size_t>(size));
    if (result.text.size() > limits.bytes)
      refuse("it has more than " + std::to_string(limits.bytes >> 20)
             + " MiB, the most that is read of such a file");
  }
}

std::string read_first_line(const std::string& path) {
  auto text = read_file(path).text;
  text.erase(std::find(text.begin(), text.end(), '\n'), text.end());
  // Editors of other systems begin a file with a byte order mark, and end lines
  // with a carriage return.
  if (constexpr std::string_view mark = "\xef\xbb\xbf"; text.starts_with(mark))
    text.erase(0, mark.size());
  if (text.ends_with('\r'))
    text.pop_back();
  if (text.empty())
    refuse("its first line is empty");
  return text;
}

} // namespace caf::rosia::detail
