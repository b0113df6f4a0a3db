// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Shared code of tests with and without nodes: actor systems, log output, other
// threads, and processes. Depends only on the part of the library that the
// shutdown needs.

#pragma once

#include "caf/rosia/scheduler_defaults.hpp"

#include "caf_version.hpp"
#include "catch.hpp"
#include "files_in.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace rosia = caf::rosia;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;

// -- actor systems ------------------------------------------------------------

struct test_system_config : caf::actor_system_config {
  explicit test_system_config(std::size_t workers) {
    rosia::set_scheduler_defaults(*this);
    test::set_caf_option(*this, "scheduler.max-threads", workers);
  }
};

/// An actor system with this number of workers.
class test_system {
public:
  explicit test_system(std::size_t workers = 2)
    : config_(workers), system_(config_) {
    // nop
  }

  operator caf::actor_system&() {
    return system_;
  }

  caf::actor_system& get() {
    return system_;
  }

private:
  test_system_config config_;
  caf::actor_system system_;
};

// -- log ----------------------------------------------------------------------

/// Captures the process's stderr while this object exists.
class error_capture {
public:
  error_capture() : file_(std::tmpfile()), saved_(::dup(2)) {
    if (file_ == nullptr || saved_ < 0)
      throw std::runtime_error("cannot redirect stderr");
    std::fflush(stderr);
    ::dup2(::fileno(file_), 2);
  }

  error_capture(const error_capture&) = delete;

  error_capture& operator=(const error_capture&) = delete;

  ~error_capture() {
    restore();
    std::fclose(file_);
  }

  /// Waits until the output contains `part` that many times.
  bool sees(const std::string& part, int times = 1) const;

  /// Returns the captured output, and ends capturing.
  std::string text() {
    restore();
    std::string result;
    std::rewind(file_);
    char buffer[4096];
    for (std::size_t n = 0;
         (n = std::fread(buffer, 1, sizeof(buffer), file_)) > 0;)
      result.append(buffer, n);
    return result;
  }

private:
  void restore() {
    if (saved_ < 0)
      return;
    std::fflush(stderr);
    ::dup2(saved_, 2);
    ::close(saved_);
    saved_ = -1;
  }

  std::FILE* file_;
  int saved_;
};

/// Counts the occurrences of `part` in `text`.
inline int count_of(const std::string& text, const std::string& part) {
  auto result = 0;
  for (auto i = text.find(part); i != std::string::npos;
       i = text.find(part, i + part.size()))
    ++result;
  return result;
}

/// Returns the text of the exception that `fun` throws.
template <class Exception, class Fun>
std::string error_of(Fun&& fun) {
  try {
    fun();
  } catch (const Exception& e) {
    return e.what();
  }
  return "no exception";
}

/// Returns the current handler of a signal. An application handles signals from
/// some time in `run()` on.
inline auto handler_of(int signal) {
  struct sigaction result = {};
  ::sigaction(signal, nullptr, &result);
  return result.sa_handler;
}

// -- threads ------------------------------------------------------------------

/// Waits for an action of another thread. Gives up after a minute, so that a
/// test fails instead of hanging.
template <class Predicate>
bool eventually(Predicate&& condition) {
  auto end = std::chrono::steady_clock::now() + 10min;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

inline bool error_capture::sees(const std::string& part, int times) const {
  // Other descriptors write to the file and depend on its position.
  return eventually([&] {
    std::string all;
    char buffer[4096];
    ssize_t n = 0;
    while ((n = ::pread(::fileno(file_), buffer, sizeof(buffer),
                        static_cast<off_t>(all.size())))
           > 0)
      all.append(buffer, static_cast<std::size_t>(n));
    return count_of(all, part) >= times;
  });
}

// -- processes ----------------------------------------------------------------

#if defined(__SANITIZE_THREAD__)
constexpr auto threads_of_sanitizer = 1u;
#elif defined(__has_feature)
constexpr auto threads_of_sanitizer = __has_feature(thread_sanitizer) ? 1u : 0u;
#else
constexpr auto threads_of_sanitizer = 0u;
#endif

/// Runs `fun` in a child process. First waits until the threads of earlier
/// tests have ended. Detached threads, such as those of CAF's detached actors,
/// may still run after a test. A lock that one of them holds during the fork
/// would stay locked forever in the child. glibc handles its own locks,
/// AddressSanitizer's runtime does not.
/// @returns its exit status, or 1000 + the signal that killed it.
inline int status_in_child(const std::function<int()>& fun) {
  if (!eventually([] {
        return test::files_in("/proc/self/task") <= 1 + threads_of_sanitizer;
      }))
    throw std::runtime_error("cannot fork: this process has other threads");
  std::fflush(nullptr);
  auto child = ::fork();
  if (child < 0)
    throw std::runtime_error("cannot fork");
  if (child == 0)
    std::_Exit(fun());
  auto status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}
