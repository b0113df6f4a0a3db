// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "drawing/layout_program.hpp"

#include "base/awaitable_children.hpp"
#include "base/program_start.hpp"
#include "base/write_all.hpp"

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

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

/// Starts the program with these files as its standard streams.
pid_t start(int in, int out, int err) {
  program_start settings;
  settings.duplicate(in, STDIN_FILENO);
  settings.duplicate(out, STDOUT_FILENO);
  settings.duplicate(err, STDERR_FILENO);
  try {
    return settings.run({program, "-Tsvg"});
  } catch (const std::system_error& e) {
    if (e.code() != std::errc::no_such_file_or_directory)
      check(e.code().value());
    throw std::runtime_error(
      "the program 'dot' of Graphviz, which a picture needs, is not installed "
      "(Debian: apt-get install graphviz); files that end with .dot or .mmd "
      "do not need it");
  }
}

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
  auto pid = start(in.fd(), out.fd(), err.fd());
  auto good = ends_well(pid);
  auto result = out.content();
  if (!good || result.find("</svg>") == std::string::npos)
    throw std::runtime_error(
      "the program 'dot' of Graphviz failed: "
      + err.content().substr(0, longest_complaint));
  return result;
}

} // namespace caf::rosia::detail
