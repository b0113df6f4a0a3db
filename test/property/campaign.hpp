// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace property {

/// Returns a number from the environment.
std::uint64_t from_environment(const char* name, std::uint64_t otherwise);

/// Calls `fun` with numbers from 0 on, in several threads, until all are done
/// or `fun` returns false.
template <class Fun>
void in_parallel(std::uint64_t count, Fun&& fun) {
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> threads;
  for (auto n = from_environment("ROSIA_PROPERTY_JOBS", 2); n > 0; --n)
    threads.emplace_back([&] {
      for (;;) {
        auto i = next++;
        if (i >= count || !fun(i))
          break;
      }
    });
  for (auto& x : threads)
    x.join();
}

/// The errors of many runs. May be used from any thread.
class findings {
public:
  /// Adds the problems of `what`, and prints the first ones.
  void add(const std::string& label, const std::vector<std::string>& problems);

  std::size_t size() const;

private:
  mutable std::mutex mutex_;
  std::size_t size_ = 0;
};

/// Returns the differences between traces of two runs of one graph, up to the
/// lesser of both final tags.
std::vector<std::string> differences(
  const std::string& left, const std::string& right);

} // namespace property
