// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/started_process.hpp"

#include "base/program_start.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <tuple>

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rosia_drill {

namespace {

std::pair<descriptor, descriptor> make_pipe() {
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC), "cannot make a pipe");
  std::pair result{descriptor{ends[0]}, descriptor{ends[1]}};
  checked(::fcntl(ends[0], F_SETFL, O_NONBLOCK), "cannot make a pipe");
  return result;
}

} // namespace

started_process::started_process(const process_command& command) try {
  caf::rosia::detail::program_start settings;
  descriptor writes;
  settings.open(STDIN_FILENO, "/dev/null", O_RDONLY);
  if (command.log.empty()) {
    std::tie(output_, writes) = make_pipe();
    settings.duplicate(writes.get(), STDOUT_FILENO);
  } else {
    settings.open(
      STDOUT_FILENO, command.log.string(), O_WRONLY | O_CREAT | O_APPEND);
  }
  settings.duplicate(STDOUT_FILENO, STDERR_FILENO);
  settings.enter(command.folder.string());
  settings.lead_group();
  settings.inherit(SIGXFSZ);
  pid_ = settings.run(command.arguments, command.environment);
  handle_ = descriptor{checked(
    static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0)), "cannot watch it")};
} catch (const std::system_error& e) {
  throw std::system_error(
    e.code(), "cannot start the program '" + command.arguments.front() + "'");
}

started_process::~started_process() {
  if (!handle_ || !running_)
    return;
  kill_group();
  reap();
}

int started_process::reap() {
  int status = 0;
  pid_t result = 0;
  do
    result = ::waitpid(pid_, &status, 0);
  while (result < 0 && errno == EINTR);
  running_ = false;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

bool started_process::signal(int number) const {
  if (!running_
      || ::syscall(SYS_pidfd_send_signal, handle_.get(), number, nullptr, 0)
           != 0)
    return false;
  if (number == SIGKILL || number == SIGSTOP)
    wait_until_still();
  return true;
}

void started_process::wait_until_still() const {
  // The threads react one after the other, in much less than a second. If the
  // system keeps a process busy for longer, do not wait for it.
  constexpr auto pause = std::chrono::microseconds{50};
  auto end = std::chrono::steady_clock::now() + std::chrono::seconds{1};
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(pid_), &info,
                  WSTOPPED | WEXITED | WNOHANG | WNOWAIT)
           == 0
         && info.si_pid == 0 && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(pause);
}

bool started_process::limit_files(std::int64_t size) const {
  rlimit limit{};
  if (!running_ || ::prlimit(pid_, RLIMIT_FSIZE, nullptr, &limit) != 0)
    return false;
  limit.rlim_cur = size < 0 ? limit.rlim_max : static_cast<rlim_t>(size);
  return ::prlimit(pid_, RLIMIT_FSIZE, &limit, nullptr) == 0;
}

void started_process::kill_group() const {
  ::kill(-pid_, SIGKILL);
}

std::vector<std::pair<pid_t, std::string>> processes_with(
  const std::string& variable) {
  std::vector<std::pair<pid_t, std::string>> result;
  std::error_code ignored;
  auto read = [](const std::filesystem::path& file) {
    std::ifstream in{file, std::ios::binary};
    return std::string{
      std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{}};
  };
  for (auto& x : std::filesystem::directory_iterator("/proc", ignored)) {
    auto name = x.path().filename().string();
    if (name.find_first_not_of("0123456789") != std::string::npos)
      continue;
    // Variables are terminated by a null byte.
    auto variables = '\0' + read(x.path() / "environ");
    if (variables.find('\0' + variable + '\0') == std::string::npos)
      continue;
    auto program = read(x.path() / "comm");
    result.emplace_back(std::stoi(name), program.substr(0, program.find('\n')));
  }
  return result;
}

} // namespace rosia_drill
