// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "plan.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace engine_test {

/// The point where a yielded node continues.
struct continuation {
  enum class stage : std::uint8_t { tick, last_write, first_write };
  std::uint32_t reaction = 0;
  stage where = stage::tick;
};

/// The interface of a made-up node to its executor: the engine or the oracle.
class environment {
public:
  virtual ~environment();

  virtual logical_time now() const = 0;

  virtual bool present(std::uint32_t input) const = 0;

  virtual const std::vector<std::uint64_t>& values(std::uint32_t input) = 0;

  virtual void write(std::uint32_t output, std::uint64_t value) = 0;

  virtual void promise(std::uint32_t output, const delay& d) = 0;

  virtual void wait(const delay& d, const continuation& next) = 0;

  virtual void schedule(std::uint32_t action, const delay& d,
                        std::uint64_t value)
    = 0;

  /// Returns the action's values at the current tag.
  virtual const std::vector<std::uint64_t>& scheduled(std::uint32_t action) = 0;

  virtual void enter(std::uint32_t mode, bool by_history) = 0;

  /// Returns the active mode. @pre The node has modes.
  virtual std::uint32_t active_mode() const = 0;

  virtual void request(const std::optional<delay>& d, int status) = 0;

  virtual void fail() = 0;

  /// Records the state that the node computed.
  virtual void note(std::uint64_t state) = 0;
};

/// The code of a made-up node. It is deterministic, and every input affects all
/// later behavior.
class behavior {
public:
  explicit behavior(const node_plan& plan);

  /// Continues with the state of another object with the same plan.
  void restore(const behavior& from);

  void start(environment& env);

  void react(environment& env, std::uint32_t reaction);

  void resume(environment& env, const continuation& where);

  /// Gives the state of a mode its first value.
  void reset(std::uint32_t mode);

private:
  /// Computes the state of the mode of a reaction, and sometimes enters a mode.
  void use_modes(environment& env, std::uint32_t reaction);

  /// Schedules an action, unless its mode is not active.
  void schedule(environment& env, std::uint32_t action, const delay& d,
                std::uint64_t value) const;

  void count_execution(environment& env);

  bool quiet() const noexcept {
    return executions_ > plan_->limit;
  }

  void tick(environment& env);

  void wait_for_tick(environment& env, const delay& d);

  void write(environment& env, std::uint32_t outputs,
             const std::optional<delay>& promised);

  const node_plan* plan_;
  std::uint64_t state_;
  std::uint32_t executions_ = 0;
  std::uint64_t ticks_ = 0;
  logical_time last_ = never;
  std::vector<logical_time> written_;
  std::vector<logical_time> promised_;
  std::vector<std::uint64_t> of_modes_; // their states
};

} // namespace engine_test
