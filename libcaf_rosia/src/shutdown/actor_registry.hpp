// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/shutdown/actor_names.hpp"

#include <caf/actor_addr.hpp>
#include <caf/fwd.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <typeinfo>
#include <unordered_map>
#include <vector>

namespace caf::rosia::detail {

/// The living actors, numbered in the order of their additions. Actors may
/// outlive this object. Tests: test/shutdown.
class actor_registry : public std::enable_shared_from_this<actor_registry> {
public:
  using subscriber = std::function<void(const named_actor&)>;

  /// Adds the actors of systems that are constructed with this config.
  void attach_to(caf::actor_system_config& cfg);

  /// Adds an actor until its end, and calls the subscribers.
  /// @param self must not run in another thread.
  /// @param parent may be null.
  void add(const caf::local_actor& self, const caf::local_actor* parent);

  std::vector<named_actor> living() const;

  /// Returns a number for `unsubscribe`.
  std::uint64_t subscribe(subscriber x);

  void unsubscribe(std::uint64_t number);

private:
  /// The record of an actor.
  struct entry {
    caf::actor_id id;
    caf::actor_id parent;
    bool hidden;
    std::string name;
    // Converted to a readable name on demand.
    const std::type_info* type;
    caf::actor_addr address;
  };

  static named_actor named(entry x);

  void remove(std::uint64_t number) noexcept;

  void tell(const entry& x) const;

  mutable std::mutex mutex_;
  std::uint64_t last_ = 0;
  std::unordered_map<std::uint64_t, entry> entries_;
  std::map<std::uint64_t, std::shared_ptr<const subscriber>> subscribers_;
  std::atomic<bool> has_subscribers_ = false;

  // The object that CAF calls, if no config owns it.
  std::shared_ptr<void> observer_;
};

} // namespace caf::rosia::detail
