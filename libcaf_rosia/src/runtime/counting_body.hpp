// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/body.hpp"
#include "engine/node.hpp"
#include "runtime/node_counters.hpp"
#include "runtime/timekeeper.hpp"

#include <cstdint>
#include <string_view>

namespace caf::rosia::detail {

/// A node's code, whose runs are counted. Takes some nanoseconds for each of
/// them. The clock is read no more often than the node's activity is, which is
/// once in some milliseconds, so that the lags of a fast node are a sample.
class counting_body final : public engine::body {
public:
  /// All of these outlive it.
  counting_body(engine::body& code, const engine::node& node,
                const timekeeper& time, node_counters& to) noexcept
    : code_(&code), node_(&node), time_(&time), counters_(&to) {
    // nop
  }

  void start() override;

  std::uint32_t next_startup(std::uint32_t from) const noexcept override;

  void resumed() override;

  void react(std::uint32_t reaction) override;

  void react(std::uint32_t reaction, const engine::value& content) override;

  void resume(void* token) override;

  void discard(void* token) noexcept override;

  void consumed(bool trigger, std::uint32_t index) noexcept override;

  void shutdown() override;

  std::string_view reaction_name(std::uint32_t reaction) const override;

  std::string_view action_name(std::uint32_t action) const override;

  std::string_view output_name(std::uint32_t output) const override;

private:
  /// A piece of code is about to run.
  void begin() noexcept;

  /// It has run.
  void end() noexcept;

  engine::body* code_;
  const engine::node* node_;
  const timekeeper* time_;
  node_counters* counters_;
  std::int64_t last_begin_ = -1; // by the clock of activities
};

} // namespace caf::rosia::detail
