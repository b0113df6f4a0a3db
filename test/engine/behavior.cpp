// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "behavior.hpp"

#include <algorithm>
#include <chrono>

namespace engine_test {

using caf::rosia::microsteps;
using namespace std::chrono_literals;

environment::~environment() {
  // nop
}

behavior::behavior(const node_plan& plan)
  : plan_(&plan), state_(plan.seed), written_(plan.outputs, never),
    promised_(plan.outputs, logical_time{}), of_modes_(plan.modes) {
  for (std::uint32_t i = 0; i < plan.modes; ++i)
    reset(i);
}

void behavior::reset(std::uint32_t mode) {
  of_modes_[mode] = mix(plan_->seed, mode);
}

void behavior::use_modes(environment& env, std::uint32_t reaction) {
  if (plan_->modes == 0)
    return;
  if (auto mode = plan_->reactions[reaction].mode; mode != no_mode) {
    auto& state = of_modes_[mode];
    state = mix(state, env.now().ns, env.now().microstep, reaction);
    state_ = mix(state_, state);
  }
  if (!quiet() && (state_ >> 20) % 4 == 0)
    env.enter(static_cast<std::uint32_t>((state_ >> 22) % plan_->modes),
              (state_ >> 40) % 2 != 0);
}

void behavior::schedule(environment& env, std::uint32_t act, const delay& d,
                        std::uint64_t value) const {
  auto& modes = plan_->action_modes;
  auto mode = act < modes.size() ? modes[act] : no_mode;
  if (mode == no_mode || mode == env.active_mode())
    env.schedule(act, d, value);
}

void behavior::restore(const behavior& from) {
  auto* plan = plan_;
  *this = from;
  plan_ = plan;
}

void behavior::start(environment& env) {
  // Executions are counted from the first tag on, without `start()`.
  state_ = mix(state_, 1);
  if (auto& timer = plan_->timer) {
    if (!timer->offset) {
      tick(env);
    } else {
      if (plan_->promises)
        for (std::uint32_t i = 0; i < plan_->outputs; ++i)
          if ((timer->outputs & (1u << i)) != 0) {
            env.promise(i, *timer->offset);
            promised_[i] = env.now() + *timer->offset;
          }
      wait_for_tick(env, *timer->offset);
    }
  }
  if (plan_->start_outputs != 0)
    write(env, plan_->start_outputs, std::nullopt);
  env.note(state_);
}

void behavior::react(environment& env, std::uint32_t reaction) {
  count_execution(env);
  auto& planned = plan_->reactions[reaction];
  state_ = mix(state_, env.now().ns, env.now().microstep, reaction);
  for (std::uint32_t i = 0; i < plan_->inputs; ++i) {
    if (!planned.may_read(i))
      continue;
    state_ = mix(state_, env.present(i));
    for (auto value : env.values(i))
      state_ = mix(state_, value);
  }
  auto acts = false;
  for (std::uint32_t i = 0; i < plan_->actions; ++i)
    for (auto value : env.scheduled(i)) {
      state_ = mix(state_, i, value);
      acts = true;
    }
  use_modes(env, reaction);
  env.note(state_);
  if (planned.effect == action::tick) {
    tick(env);
    return;
  }
  if (quiet())
    return;
  using stage = continuation::stage;
  switch (planned.effect) {
    case action::nothing:
    case action::tick:
      break;
    case action::relay:
      write(env, planned.outputs, plan_->promised_gap);
      break;
    case action::filter:
      if (state_ % 3 == 0)
        write(env, planned.outputs, plan_->promised_gap);
      break;
    case action::yield:
      env.wait(planned.pause, {reaction, stage::last_write});
      break;
    case action::yield_twice:
      env.wait(planned.pause, {reaction, stage::first_write});
      break;
    case action::both:
      write(env, planned.outputs, plan_->promised_gap);
      if (state_ % 2 != 0)
        env.wait(planned.pause, {reaction, stage::last_write});
      break;
    case action::schedule:
      if (acts)
        write(env, planned.outputs, plan_->promised_gap);
      if (!acts || state_ % 3 != 0)
        schedule(env, planned.scheduled, planned.pause, state_ % 1000);
      break;
    case action::repeat:
      write(env, planned.outputs, plan_->promised_gap);
      if (acts && state_ % 2 != 0)
        break;
      schedule(env, planned.scheduled, planned.pause, state_ % 1000);
      schedule(env, 0, delay{microsteps(1)}, state_ % 10);
      break;
  }
}

void behavior::resume(environment& env, const continuation& where) {
  count_execution(env);
  state_ = mix(
    state_, env.now().ns, env.now().microstep, where.reaction, where.where);
  if (where.reaction != start_reaction)
    use_modes(env, where.reaction);
  env.note(state_);
  if (where.where == continuation::stage::tick) {
    tick(env);
    return;
  }
  if (quiet())
    return;
  auto& planned = plan_->reactions[where.reaction];
  write(env, planned.outputs, plan_->promised_gap);
  if (where.where == continuation::stage::first_write)
    env.wait(planned.pause, {where.reaction, continuation::stage::last_write});
}

void behavior::count_execution(environment& env) {
  if (last_ == env.now())
    return;
  last_ = env.now();
  ++executions_;
  for (auto& x : plan_->requests)
    if (x.at == executions_)
      env.request(x.after, x.status);
  if (plan_->fails_at == executions_)
    env.fail();
}

void behavior::tick(environment& env) {
  auto& timer = *plan_->timer;
  ++ticks_;
  auto more = ticks_ < timer.ticks;
  std::optional<delay> promised;
  if (plan_->promises)
    promised = more ? timer.period : delay{24h};
  if (!quiet())
    write(env, timer.outputs, promised);
  if (more)
    wait_for_tick(env, timer.period);
}

void behavior::wait_for_tick(environment& env, const delay& d) {
  if (auto& action = plan_->timer->action)
    env.schedule(*action, d, ticks_);
  else
    env.wait(d, {start_reaction, continuation::stage::tick});
}

void behavior::write(environment& env, std::uint32_t outputs,
                     const std::optional<delay>& promised) {
  auto now = env.now();
  auto several = (outputs & (outputs - 1)) != 0;
  for (std::uint32_t i = 0; i < plan_->outputs; ++i) {
    if ((outputs & (1u << i)) == 0 || written_[i] == now || now < promised_[i])
      continue;
    // If there are several outputs, some write nothing.
    if (several && (state_ >> (8 + 2 * i)) % 3 == 0)
      continue;
    written_[i] = now;
    env.write(i, mix(state_, i) % 1'000'000);
    if (promised) {
      env.promise(i, *promised);
      promised_[i] = std::max(promised_[i], now + *promised);
    }
  }
}

} // namespace engine_test
