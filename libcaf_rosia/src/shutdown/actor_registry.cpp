// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/actor_registry.hpp"

#include "base/type_name.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/local_actor.hpp>

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

// -- actors -------------------------------------------------------------------

void actor_registry::add(const caf::local_actor& self,
                         const caf::local_actor* parent) {
  auto name = self.name();
  entry added{
    self.id(),
    parent != nullptr ? parent->id() : caf::invalid_actor_id,
    self.getf(caf::abstract_actor::is_hidden_flag),
    name != nullptr ? name : "",
    &typeid(self),
    self.address()};
  std::unique_lock guard{mutex_};
  auto number = ++last_;
  entries_.emplace(number, added);
  guard.unlock();
  // After the entry: if the actor ended already, the functor is called at once.
  self.ctrl()->get()->attach_functor([where = weak_from_this(), number] {
    if (auto registry = where.lock())
      registry->remove(number);
  });
  tell(added);
}

void actor_registry::remove(std::uint64_t number) noexcept {
  std::lock_guard guard{mutex_};
  entries_.erase(number);
}

std::vector<named_actor> actor_registry::living() const {
  std::vector<std::pair<std::uint64_t, entry>> found;
  {
    std::lock_guard guard{mutex_};
    found.assign(entries_.begin(), entries_.end());
  }
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
    return x.first < y.first;
  });
  std::vector<named_actor> result;
  result.reserve(found.size());
  for (auto& [number, x] : found)
    result.push_back(named(std::move(x)));
  return result;
}

named_actor actor_registry::named(entry x) {
  return {x.id,     std::move(x.name), type_name(*x.type),
          x.parent, x.hidden,          std::move(x.address)};
}

// -- subscribers --------------------------------------------------------------

std::uint64_t actor_registry::subscribe(subscriber x) {
  auto shared = std::make_shared<const subscriber>(std::move(x));
  std::lock_guard guard{mutex_};
  subscribers_.emplace(++last_, std::move(shared));
  has_subscribers_ = true;
  return last_;
}

void actor_registry::unsubscribe(std::uint64_t number) {
  // Destroyed without the lock.
  decltype(subscribers_)::node_type removed;
  std::lock_guard guard{mutex_};
  removed = subscribers_.extract(number);
  has_subscribers_ = !subscribers_.empty();
}

void actor_registry::tell(const entry& x) const {
  if (!has_subscribers_)
    return;
  std::unique_lock guard{mutex_};
  auto subscribers = subscribers_;
  guard.unlock();
  auto spawned = named(x);
  for (auto& [number, receiver] : subscribers)
    (*receiver)(spawned);
}

} // namespace caf::rosia::detail
