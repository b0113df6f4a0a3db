// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/shutdown/actor_names.hpp"

#include "shutdown/actor_registry.hpp"

#include <utility>

namespace caf::rosia {

actor_names::actor_names()
  : registry_(std::make_shared<detail::actor_registry>()) {
  // nop
}

actor_names::~actor_names() {
  // nop
}

void actor_names::attach_to(caf::actor_system_config& cfg) {
  registry_->attach_to(cfg);
}

std::vector<named_actor> actor_names::living() const {
  return registry_->living();
}

std::uint64_t actor_names::subscribe(
  std::function<void(const named_actor&)> subscriber) const {
  return registry_->subscribe(std::move(subscriber));
}

void actor_names::unsubscribe(std::uint64_t number) const {
  registry_->unsubscribe(number);
}

} // namespace caf::rosia
