// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// For a test program without free threads. One of its files includes this.

#pragma once

#include <atomic>
#include <cerrno>

#include <dlfcn.h>
#include <pthread.h>

namespace test {

/// The number of threads that can still be started; negative: unlimited.
inline std::atomic<int> threads_left = -1;

} // namespace test

/// Replaces the function of the C library, for all libraries.
extern "C" int pthread_create(
  pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
  void* argument) {
  using function = decltype(&pthread_create);
  static auto real
    = reinterpret_cast<function>(dlsym(RTLD_NEXT, "pthread_create"));
  auto left = test::threads_left.load();
  while (left > 0 && !test::threads_left.compare_exchange_weak(left, left - 1))
    ;
  return left == 0 ? EAGAIN : real(thread, attributes, start, argument);
}
