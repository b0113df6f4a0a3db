// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/actor_names.hpp"

#include "base/type_name.hpp"

#include <caf/actor_control_block.hpp>
#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/local_actor.hpp>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <typeinfo>
#include <unordered_map>
#include <utility>

#if CAF_MAJOR_VERSION >= 1
#  include <caf/blocking_actor.hpp>
#  include <caf/detail/actor_system_config_access.hpp>
#  include <caf/detail/default_mailbox.hpp>
#  include <caf/detail/mailbox_factory.hpp>
#  include <caf/scheduled_actor.hpp>
#endif

namespace caf::rosia {

namespace {

/// The record of an actor, made when it is spawned.
struct entry {
  caf::actor_id id;
  caf::actor_id parent;
  bool hidden;
  std::string name;
  // Converted to a readable name on demand.
  const std::type_info* type;
  caf::actor_addr address;
};

entry entry_of(const caf::local_actor& self, const caf::local_actor* parent) {
  auto name = self.name();
  return {
    self.id(),
    parent != nullptr ? parent->id() : caf::invalid_actor_id,
    self.getf(caf::abstract_actor::is_hidden_flag),
    name != nullptr ? name : "",
    &typeid(self),
    self.address()};
}

named_actor named(entry x) {
  return {x.id,     std::move(x.name), detail::type_name(*x.type),
          x.parent, x.hidden,          std::move(x.address)};
}

} // namespace

// -- registry -----------------------------------------------------------------

/// The entries of living actors, numbered in the order of their additions.
class actor_names::registry {
public:
  std::uint64_t add(entry x) {
    std::lock_guard guard{mutex_};
    entries_.emplace(++last_, std::move(x));
    return last_;
  }

  void remove(std::uint64_t number) noexcept {
    std::lock_guard guard{mutex_};
    entries_.erase(number);
  }

  std::uint64_t subscribe(std::function<void(const named_actor&)> subscriber) {
    auto shared
      = std::make_shared<const std::function<void(const named_actor&)>>(
        std::move(subscriber));
    std::lock_guard guard{mutex_};
    subscribers_.emplace(++last_, std::move(shared));
    has_subscribers_ = true;
    return last_;
  }

  void unsubscribe(std::uint64_t number) {
    // Destroyed without the lock.
    decltype(subscribers_)::node_type removed;
    std::lock_guard guard{mutex_};
    removed = subscribers_.extract(number);
    has_subscribers_ = !subscribers_.empty();
  }

  void tell(const entry& x) const {
    if (!has_subscribers_)
      return;
    std::unique_lock guard{mutex_};
    auto subscribers = subscribers_;
    guard.unlock();
    auto spawned = named(x);
    for (auto& [number, subscriber] : subscribers)
      (*subscriber)(spawned);
  }

  std::vector<entry> in_order() const {
    std::vector<std::pair<std::uint64_t, entry>> found;
    {
      std::lock_guard guard{mutex_};
      found.assign(entries_.begin(), entries_.end());
    }
    std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
      return x.first < y.first;
    });
    std::vector<entry> result;
    result.reserve(found.size());
    for (auto& [number, x] : found)
      result.push_back(std::move(x));
    return result;
  }

private:
  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, entry> entries_;
  std::map<std::uint64_t,
           std::shared_ptr<const std::function<void(const named_actor&)>>>
    subscribers_;
  std::atomic<bool> has_subscribers_ = false;
};

// -- constructors, destructors, and assignment operators ----------------------

actor_names::actor_names() : registry_(std::make_shared<registry>()) {
  // nop
}

actor_names::~actor_names() {
  // nop
}

// -- properties ---------------------------------------------------------------

std::vector<named_actor> actor_names::living() const {
  std::vector<named_actor> result;
  for (auto& x : registry_->in_order())
    result.push_back(named(std::move(x)));
  return result;
}

// -- subscribers --------------------------------------------------------------

std::uint64_t actor_names::subscribe(
  std::function<void(const named_actor&)> subscriber) const {
  return registry_->subscribe(std::move(subscriber));
}

void actor_names::unsubscribe(std::uint64_t number) const {
  registry_->unsubscribe(number);
}

#if CAF_MAJOR_VERSION >= 1

// -- mailboxes ----------------------------------------------------------------

/// Registers its actor when the actor first looks for a message.
class actor_names::mailbox : public caf::detail::default_mailbox {
public:
  mailbox(caf::local_actor& owner, std::weak_ptr<registry> where)
    : owner_(owner), where_(std::move(where)) {
    // nop
  }

  caf::mailbox_element_ptr pop_front() override {
    note();
    return default_mailbox::pop_front();
  }

  bool try_block() override {
    note();
    return default_mailbox::try_block();
  }

private:
  // Called by the thread that runs the actor, or launches it.
  void note() {
    if (std::exchange(is_noted_, true))
      return;
    auto registry = where_.lock();
    if (!registry)
      return;
    auto added = entry_of(owner_, nullptr);
    auto number = registry->add(added);
    // After the entry: if the actor ended already, the functor is called at
    // once.
    owner_.attach_functor([where = where_, number] {
      if (auto x = where.lock())
        x->remove(number);
    });
    registry->tell(added);
  }

  caf::local_actor& owner_;
  std::weak_ptr<registry> where_;
  bool is_noted_ = false;
};

class actor_names::mailbox_factory : public caf::detail::mailbox_factory {
public:
  explicit mailbox_factory(std::weak_ptr<registry> where)
    : where_(std::move(where)) {
    // nop
  }

  caf::abstract_mailbox* make(caf::scheduled_actor* owner) override {
    return new mailbox{*owner, where_};
  }

  caf::abstract_mailbox* make(caf::blocking_actor* owner) override {
    return new mailbox{*owner, where_};
  }

private:
  std::weak_ptr<registry> where_;
};

void actor_names::attach_to(caf::actor_system_config& cfg) {
  caf::detail::actor_system_config_access{cfg}.mailbox_factory(
    std::make_unique<mailbox_factory>(registry_));
}

#else

void actor_names::attach_to(caf::actor_system_config& cfg) {
  cfg.profiler = this;
}

// -- events of CAF ------------------------------------------------------------

void actor_names::add_actor(
  const caf::local_actor& self, const caf::local_actor* parent) {
  auto added = entry_of(self, parent);
  auto number = registry_->add(added);
  // After the entry: if the actor ended already, the functor is called at once.
  self.ctrl()->get()->attach_functor([where = registry_, number] {
    where->remove(number);
  });
  registry_->tell(added);
}

void actor_names::remove_actor(const caf::local_actor&) {
  // nop
}

void actor_names::before_processing(
  const caf::local_actor&, const caf::mailbox_element&) {
  // nop
}

void actor_names::after_processing(
  const caf::local_actor&, caf::invoke_message_result) {
  // nop
}

void actor_names::before_sending(
  const caf::local_actor&, caf::mailbox_element&) {
  // nop
}

void actor_names::before_sending_scheduled(
  const caf::local_actor&, caf::actor_clock::time_point,
  caf::mailbox_element&) {
  // nop
}

#endif

} // namespace caf::rosia
