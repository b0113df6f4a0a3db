// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// A library for LD_PRELOAD that makes the start of threads fail:
// FAILING_THREADS=5 from the fifth thread on, FAILING_THREADS=5-5 only that
// one. FAILING_PROCESS=left selects a process that a coordinator starts;
// without it, the coordinator is affected.

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
#include <pthread.h>

namespace {

/// Whether this process is meant. Read before the program removes its role from
/// the environment.
const bool is_meant = [] {
  auto* meant = std::getenv("FAILING_PROCESS");
  auto* name = std::getenv("ROSIA_PROCESS");
  return std::strcmp(meant == nullptr ? "" : meant, name == nullptr ? "" : name)
         == 0;
}();

bool fails() {
  static std::atomic<long> count{0};
  auto* range = std::getenv("FAILING_THREADS");
  if (range == nullptr || !is_meant)
    return false;
  auto number = ++count;
  auto* end = range;
  auto first = std::strtol(range, &end, 10);
  return number >= first
         && (*end != '-' || number <= std::strtol(end + 1, nullptr, 10));
}

} // namespace

extern "C" int pthread_create(
  pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
  void* argument) {
  using function = decltype(&pthread_create);
  static auto real
    = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  return fails() ? EAGAIN : real(thread, attributes, start, argument);
}
