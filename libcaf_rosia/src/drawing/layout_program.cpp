// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drawing/layout_program.hpp"

#include "base/awaitable_children.hpp"
#include "base/write_all.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>
#include <system_error>

#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace caf::rosia::detail {

namespace {

constexpr const char* program = "dot";

/// The maximal length of the program's error message in a message.
constexpr std::size_t longest_complaint = 1000;

void check(int error) {
  if (error != 0)
    throw std::system_error(
      error, std::generic_category(), "Graphviz cannot be started");
}

/// A file in memory. Unlike a pipe, it does not block.
class memory_file {
public:
  explicit memory_file(const char* name)
    : fd_(::memfd_create(name, MFD_CLOEXEC)) {
    check(fd_ < 0 ? errno : 0);
  }

  memory_file(const memory_file&) = delete;

  memory_file& operator=(const memory_file&) = delete;

  ~memory_file() {
    ::close(fd_);
  }

  int fd() const noexcept {
    return fd_;
  }

  /// Writes a text, and moves to the start for reading.
  void write(const std::string& text) {
    if (!write_all(fd_, text) || ::lseek(fd_, 0, SEEK_SET) < 0)
      check(errno);
  }

  std::string content() const {
    std::string result;
    std::array<char, 1 << 16> block;
    for (;;) {
      auto count = ::pread(
        fd_, block.data(), block.size(), static_cast<off_t>(result.size()));
      if (count <= 0)
        return result;
      result.append(block.data(), static_cast<std::size_t>(count));
    }
  }

private:
  int fd_;
};

/// The settings for starting the program: these files as its standard streams,
/// and the usual signals, whatever this process has changed.
class spawn_settings {
public:
  spawn_settings(int in, int out, int err) {
    check(::posix_spawn_file_actions_init(&files_));
    check(::posix_spawnattr_init(&attributes_));
    check(::posix_spawn_file_actions_adddup2(&files_, in, STDIN_FILENO));
    check(::posix_spawn_file_actions_adddup2(&files_, out, STDOUT_FILENO));
    check(::posix_spawn_file_actions_adddup2(&files_, err, STDERR_FILENO));
    sigset_t none;
    sigset_t defaults;
    sigemptyset(&none);
    sigemptyset(&defaults);
    for (auto signal : {SIGCHLD, SIGHUP, SIGINT, SIGPIPE, SIGTERM})
      sigaddset(&defaults, signal);
    check(::posix_spawnattr_setsigmask(&attributes_, &none));
    check(::posix_spawnattr_setsigdefault(&attributes_, &defaults));
    check(::posix_spawnattr_setflags(
      &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF));
  }

  spawn_settings(const spawn_settings&) = delete;

  spawn_settings& operator=(const spawn_settings&) = delete;

  ~spawn_settings() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }

  /// @returns 0, or the error.
  int start(pid_t& pid) const {
    std::string name = program;
    std::string format = "-Tsvg";
    char* arguments[] = {name.data(), format.data(), nullptr};
    return ::posix_spawnp(
      &pid, program, &files_, &attributes_, arguments, environ);
  }

private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

/// @returns whether the program succeeded. If another part of the process has
///   already waited for it, its output decides.
bool ends_well(pid_t pid) {
  auto status = 0;
  while (::waitpid(pid, &status, 0) < 0)
    if (errno != EINTR)
      return true;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

} // namespace

std::string run_layout_program(const std::string& dot) {
  memory_file in{"graph"};
  memory_file out{"picture"};
  memory_file err{"complaints"};
  in.write(dot);
  awaitable_children awaitable;
  pid_t pid = 0;
  auto error = spawn_settings{in.fd(), out.fd(), err.fd()}.start(pid);
  if (error == ENOENT)
    throw std::runtime_error(
      "the program 'dot' of Graphviz, which a picture needs, is not installed "
      "(Debian: apt-get install graphviz); files that end with .dot or .mmd "
      "do not need it");
  check(error);
  auto good = ends_well(pid);
  auto result = out.content();
  if (!good || result.find("</svg>") == std::string::npos)
    throw std::runtime_error(
      "the program 'dot' of Graphviz failed: "
      + err.content().substr(0, longest_complaint));
  return result;
}

} // namespace caf::rosia::detail
