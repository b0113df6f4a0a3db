// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/round_process.hpp"

#include <cerrno>
#include <utility>

#include <unistd.h>

namespace rosia_drill {

namespace {

/// The capacity of a pipe.
constexpr std::size_t read_size = 1 << 16;

} // namespace

round_process::round_process(std::string name, std::filesystem::path log)
  : name_{std::move(name)}, log_path_{std::move(log)} {
  // nop
}

void round_process::reserve_port() {
  port_.emplace();
}

void round_process::start(process_command command) {
  if (writes_log_)
    command.log = log_path_;
  else
    log_.open(log_path_, std::ios::binary);
  process_.emplace(command);
}

bool round_process::read_output(const line_function& on_line) {
  char block[read_size];
  auto count = ::read(output(), block, sizeof block);
  if (count < 0 && (errno == EAGAIN || errno == EINTR))
    return true;
  if (count <= 0)
    return false;
  log_.write(block, count);
  line_.append(block, static_cast<std::size_t>(count));
  std::size_t begin = 0;
  for (auto end = line_.find('\n'); end != std::string::npos;
       end = line_.find('\n', begin)) {
    on_line(line_.substr(begin, end - begin));
    begin = end + 1;
  }
  line_.erase(0, begin);
  return true;
}

int round_process::end(const line_function& on_line) {
  if (!writes_log_) {
    // The pipe has all output of the process. Descendants may continue to
    // print, but that is not waited for.
    read_output(on_line);
    if (!line_.empty())
      on_line(std::exchange(line_, {}));
    log_.close();
  }
  return process_->reap();
}

} // namespace rosia_drill
