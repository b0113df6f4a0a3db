// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/stray_actors.hpp"

#include "base/exception_text.hpp"
#include "base/text.hpp"
#include "shutdown/shutdown_core.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

namespace caf::rosia::detail {

namespace {

/// CAF's own actors are hidden. Rosia's actors end with their application.
bool belongs_to_program(const named_actor& x) {
  return !x.hidden && !x.type.starts_with("caf::rosia::");
}

} // namespace

std::string shown_name(const named_actor& x) {
  // Names of actors without an explicit name.
  auto is_default
    = x.name.empty() || x.name == "scheduled_actor"
      || x.name == "blocking_actor"
      || x.name == "broker"
      // These are names in CAF 1.
      || x.name == "user.scheduled-actor" || x.name == "user.blocking-actor";
  return fmt::format("{}#{}", is_default ? x.type : x.name, x.id);
}

void stray_actors::want(const std::string& phase) {
  if (core_.state.options().names == nullptr)
    throw std::logic_error(
      "adopt_all() does not know the system's actors, because CAF has no list "
      "of them: give shutdown_options::names a rosia::actor_names "
      "(actor_names.hpp)");
  std::unique_lock guard{mutex_};
  {
    auto held = core_.state.acquire();
    phase_ = &core_.phases.find(phase);
  }
  auto has_begun = has_begun_;
  guard.unlock();
  if (has_begun)
    adopt_living(true);
}

void stray_actors::begin() {
  std::unique_lock guard{mutex_};
  has_begun_ = true;
  auto is_wanted = phase_ != nullptr;
  guard.unlock();
  if (!is_wanted)
    return;
  log_unseen();
  adopt_living(true);
}

void stray_actors::enter(shutdown_phase& phase) {
  auto held = core_.state.acquire();
  // Set before the list is read, so that no actor is missed.
  phase.takes_strays = true;
  held.unlock();
  adopt_living(false);
}

void stray_actors::close() {
  std::unique_lock guard{mutex_};
  phase_ = nullptr;
  auto subscription = std::exchange(subscription_, std::nullopt);
  guard.unlock();
  if (subscription)
    core_.state.options().names->unsubscribe(*subscription);
}

std::size_t stray_actors::count_unseen(std::size_t alive) const {
  auto* names = core_.state.options().names;
  if (names == nullptr)
    return 0;
  auto known = names->living();
  auto counted = static_cast<std::size_t>(std::count_if(
    known.begin(), known.end(), [](auto& x) { return !x.hidden; }));
  return alive - std::min(alive, counted);
}

void stray_actors::subscribe() {
  std::lock_guard guard{mutex_};
  if (subscription_ || phase_ == nullptr)
    return;
  subscription_ = core_.state.options().names->subscribe(
    [weak = core_.weak_from_this()](const named_actor& x) {
      if (auto core = weak.lock())
        core->strays.note_spawned(x);
    });
}

void stray_actors::note_spawned(const named_actor& x) {
  std::unique_lock guard{mutex_};
  auto* phase = phase_;
  guard.unlock();
  if (phase != nullptr)
    adopt(x, *phase, false);
}

void stray_actors::adopt_living(bool at_once) {
  // Subscribes before the list is read, so that no actor is missed.
  subscribe();
  std::unique_lock guard{mutex_};
  auto* phase = phase_;
  guard.unlock();
  if (phase == nullptr)
    return;
  // An actor has its id before it spawns actors, even in its constructor. So
  // parents precede their children.
  auto living = core_.state.options().names->living();
  std::sort(living.begin(), living.end(), [](auto& x, auto& y) {
    return x.id < y.id;
  });
  for (auto& x : living)
    adopt(x, *phase, at_once);
}

void stray_actors::adopt(const named_actor& x, shutdown_phase& phase,
                         bool at_once) {
  if (!belongs_to_program(x))
    return;
  try {
    core_.adopt_stray(x, phase, at_once);
  } catch (const std::exception& e) {
    core_.state.log().error(
      "actor '{}' cannot be adopted: {}", shown_name(x), exception_text(e));
  }
}

void stray_actors::log_unseen() const {
  auto unseen = count_unseen(core_.count_actors());
  if (unseen == 0)
    return;
  // Most of them end with their application or program. The rest is named at
  // the end.
  core_.state.log().debug(
    "adopt_all() does not see {} of the system: {}",
    plural(unseen, "actor", "actors"), unseen_actors);
}

} // namespace caf::rosia::detail
