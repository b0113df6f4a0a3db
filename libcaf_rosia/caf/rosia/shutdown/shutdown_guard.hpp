// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/thread_result.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

namespace caf::rosia {

namespace detail {

class shutdown_core;

} // namespace detail

/// Prevents the shutdown from finishing while it exists. Movable; any thread
/// may drop it.
class shutdown_guard {
public:
  shutdown_guard() noexcept = default;

  shutdown_guard(shutdown_guard&&) noexcept = default;

  shutdown_guard& operator=(shutdown_guard&& other) noexcept;

  ~shutdown_guard();

  /// Adds a guard named "NAME/name".
  /// @throws std::logic_error if this guard was dropped.
  shutdown_guard child(const std::string& name) const;

  /// Like `shutdown::spawn_thread`, named "NAME/name".
  /// @throws std::logic_error if this guard was dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  thread_result_of<F> spawn_thread(const std::string& name, F fun) const {
    return spawn(name, false, std::move(fun));
  }

  /// Like `shutdown::spawn_temporary`, named "NAME/name", whether this guard is
  /// temporary or not.
  /// @throws std::logic_error if this guard was dropped.
  /// @throws std::system_error if there are too many threads.
  template <std::invocable<std::stop_token> F>
  thread_result_of<F> spawn_temporary(const std::string& name, F fun) const {
    return spawn(name, true, std::move(fun));
  }

  /// Returns a token that is cancelled when the shutdown begins.
  std::stop_token token() const;

  /// Drops the guard.
  void drop() noexcept;

  explicit operator bool() const noexcept {
    return core_ != nullptr;
  }

private:
  friend class shutdown;
  friend class detail::shutdown_core;

  shutdown_guard(std::shared_ptr<detail::shutdown_core> core,
                 std::uint64_t id) noexcept
    : core_(std::move(core)), id_(id) {
    // nop
  }

  template <class F>
  thread_result_of<F> spawn(const std::string& name, bool temporary,
                            F fun) const {
    auto thread = detail::make_thread<thread_result_of<F>>(std::move(fun));
    start(name, temporary, std::move(thread.start));
    return std::move(thread.result);
  }

  void start(const std::string& name, bool temporary,
             detail::thread_start thread) const;

  std::shared_ptr<detail::shutdown_core> core_;
  std::uint64_t id_ = 0;
};

} // namespace caf::rosia
