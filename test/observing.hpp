// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// What tests with and without nodes share: actor systems, a look at what was
// logged and at other threads, and processes. Needs no more of the library than
// the shutdown does.

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

/// An actor system with so many workers.
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

// -- what is logged -----------------------------------------------------------

/// Collects what goes to the process's stderr, for as long as it lives.
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

  /// Waits until what has come contains `what` that many times.
  bool sees(const std::string& what, int times = 1) const;

  /// What was collected. Nothing is collected any more.
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

/// How often `what` occurs in `text`.
inline int count_of(const std::string& text, const std::string& what) {
  auto result = 0;
  for (auto i = text.find(what); i != std::string::npos;
       i = text.find(what, i + what.size()))
    ++result;
  return result;
}

/// The text of the exception that `fun` throws.
template <class Exception, class Fun>
std::string error_of(Fun&& fun) {
  try {
    fun();
  } catch (const Exception& e) {
    return e.what();
  }
  return "no exception";
}

/// What the process does about a signal at the moment. An application handles
/// signals from some moment in `run()` on.
inline auto handler_of(int signal) {
  struct sigaction result = {};
  ::sigaction(signal, nullptr, &result);
  return result.sa_handler;
}

// -- threads ------------------------------------------------------------------

/// Waits for something that another thread does. Gives up after a minute, so
/// that a test fails instead of hanging.
template <class Predicate>
bool eventually(Predicate&& what) {
  auto end = std::chrono::steady_clock::now() + 1min;
  while (!what()) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::yield();
  }
  return true;
}

inline bool error_capture::sees(const std::string& what, int times) const {
  // Others write to the file, and go by its position.
  return eventually([&] {
    std::string all;
    char buffer[4096];
    ssize_t n = 0;
    while ((n = ::pread(::fileno(file_), buffer, sizeof(buffer),
                        static_cast<off_t>(all.size())))
           > 0)
      all.append(buffer, static_cast<std::size_t>(n));
    return count_of(all, what) >= times;
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

/// Runs `fun` in a process of its own. Waits until the threads of former tests
/// have ended: whoever detached them, as CAF does with those of detached
/// actors, does not wait for the last that they do, and what one of them has
/// locked at that moment stays locked in the new process for ever. glibc takes
/// care of its own locks, AddressSanitizer's runtime does not.
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
