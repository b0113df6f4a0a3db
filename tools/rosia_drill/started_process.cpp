// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/started_process.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>
#include <tuple>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace rosia_drill {

namespace {

using strings = std::vector<std::string>;

void check(int error) {
  if (error != 0)
    throw std::system_error(error, std::generic_category());
}

/// Settings that apply between fork and exec.
class spawn_settings {
public:
  spawn_settings() {
    check(::posix_spawn_file_actions_init(&actions_));
    check(::posix_spawnattr_init(&attributes_));
    auto flags
      = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
    check(::posix_spawnattr_setflags(&attributes_, static_cast<short>(flags)));
    check(::posix_spawnattr_setpgroup(&attributes_, 0));
    sigset_t signals;
    sigemptyset(&signals);
    check(::posix_spawnattr_setsigmask(&attributes_, &signals));
    sigfillset(&signals);
    sigdelset(&signals, SIGXFSZ);
    check(::posix_spawnattr_setsigdefault(&attributes_, &signals));
  }

  spawn_settings(const spawn_settings&) = delete;

  spawn_settings& operator=(const spawn_settings&) = delete;

  ~spawn_settings() {
    ::posix_spawnattr_destroy(&attributes_);
    ::posix_spawn_file_actions_destroy(&actions_);
  }

  void open(int fd, const std::string& path, int flags) {
    check(::posix_spawn_file_actions_addopen(
      &actions_, fd, path.c_str(), flags, 0666));
  }

  void duplicate(int from, int to) {
    check(::posix_spawn_file_actions_adddup2(&actions_, from, to));
  }

  void enter(const std::string& folder) {
    check(::posix_spawn_file_actions_addchdir_np(&actions_, folder.c_str()));
  }

  pid_t spawn(const strings& arguments, const strings& environment) {
    check(
      ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1));
    auto pointers = [](const strings& from, std::vector<char*> result) {
      for (auto& x : from)
        result.push_back(const_cast<char*>(x.c_str()));
      result.push_back(nullptr);
      return result;
    };
    auto argv = pointers(arguments, {});
    auto envp = pointers(environment, {});
    pid_t result = 0;
    check(::posix_spawn(
      &result, argv[0], &actions_, &attributes_, argv.data(), envp.data()));
    return result;
  }

private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
};

/// Returns this process's variables, except for those that are replaced.
strings environment_with(const strings& given) {
  auto name_of = [](const std::string& x) { return x.substr(0, x.find('=')); };
  strings result = given;
  for (auto i = environ; *i != nullptr; ++i)
    if (std::none_of(given.begin(), given.end(), [&](auto& x) {
          return name_of(x) == name_of(*i);
        }))
      result.emplace_back(*i);
  return result;
}

std::pair<descriptor, descriptor> make_pipe() {
  int ends[2];
  checked(::pipe2(ends, O_CLOEXEC), "cannot make a pipe");
  std::pair result{descriptor{ends[0]}, descriptor{ends[1]}};
  checked(::fcntl(ends[0], F_SETFL, O_NONBLOCK), "cannot make a pipe");
  return result;
}

} // namespace

started_process::started_process(const process_command& command) try {
  spawn_settings settings;
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
  pid_
    = settings.spawn(command.arguments, environment_with(command.environment));
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
