// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/io/frame_checker.hpp"
#include "compat/io/stream_guard.hpp"

#include <caf/fwd.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// The data shared by the guards of all connections of a process. May be used
/// from any thread. Tests: test/compat/io/frame_guard_test.cpp.
class frame_rules {
public:
  /// @param max_message maximum number of bytes in a message of another
  ///        process.
  frame_rules(caf::actor_system& sys, std::size_t max_message);

  caf::actor_system& system() const noexcept {
    return system_;
  }

  std::size_t max_message() const noexcept {
    return max_message_;
  }

  /// Returns the name of this process in CAF's protocol.
  const std::string& self() const noexcept {
    return self_;
  }

  /// Returns the number of the actor for Rosia's protocol; 0 if there is none
  /// yet.
  std::uint64_t actor() const noexcept {
    return actor_.load();
  }

  void actor(std::uint64_t x) noexcept {
    actor_.store(x);
  }

  /// Claims a name for a process that connected. @returns false if another
  /// process has this name.
  bool claim(std::string_view name);

  /// Releases a name when the connection of its process ends.
  void release(std::string_view name);

  bool is_known(std::string_view name) const;

private:
  caf::actor_system& system_;
  std::size_t max_message_;
  std::string self_;
  std::atomic<std::uint64_t> actor_{0};
  mutable std::mutex mutex_; // protects the members below
  std::set<std::string, std::less<>> names_;
};

/// Checks all data received over one connection with a `frame_checker`. Tests:
/// test/compat/io/frame_guard_test.cpp.
class frame_guard : public stream_guard {
public:
  explicit frame_guard(std::shared_ptr<frame_rules> rules);

  frame_guard(const frame_guard&) = delete;

  frame_guard& operator=(const frame_guard&) = delete;

  ~frame_guard() override;

  std::string check(std::span<const std::byte> piece) override;

  bool at_boundary() const override;

  std::string check_frame(std::size_t size) const override;

  std::string_view peer() const override;

private:
  std::shared_ptr<frame_rules> rules_;
  frame_checker checker_;
  std::string name_; // claimed by the other process
  bool awaits_payload_ = false;
};

/// Returns a factory that makes a guard for each connection.
stream_guard_factory make_frame_guards(std::shared_ptr<frame_rules> rules);

} // namespace caf::rosia::detail
