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

/// What the guards of all connections of a process have in common. May be used
/// from any thread.
class frame_rules {
public:
  /// @param max_message the most bytes that a message of another process may
  ///        have.
  frame_rules(caf::actor_system& sys, std::size_t max_message);

  caf::actor_system& system() const noexcept {
    return system_;
  }

  std::size_t max_message() const noexcept {
    return max_message_;
  }

  /// The name of this process in CAF's protocol.
  const std::string& self() const noexcept {
    return self_;
  }

  /// The actor that speaks Rosia's protocol, by its number; 0 if there is none
  /// yet.
  std::uint64_t actor() const noexcept {
    return actor_.load();
  }

  void actor(std::uint64_t x) noexcept {
    actor_.store(x);
  }

  /// A process that has connected says that this is its name. @returns false if
  /// another one has it.
  bool claim(std::string_view name);

  /// It has gone.
  void release(std::string_view name);

  bool is_known(std::string_view name) const;

private:
  caf::actor_system& system_;
  std::size_t max_message_;
  std::string self_;
  std::atomic<std::uint64_t> actor_{0};
  mutable std::mutex mutex_; // protects what follows
  std::set<std::string, std::less<>> names_;
};

/// Has a `frame_checker` look at all that comes in over one connection.
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
  std::string name_; // that the other process has claimed
  bool awaits_payload_ = false;
};

/// Makes one for each connection.
stream_guard_factory make_frame_guards(std::shared_ptr<frame_rules> rules);

} // namespace caf::rosia::detail
