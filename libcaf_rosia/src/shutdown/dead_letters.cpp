// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/dead_letters.hpp"

#include <utility>

namespace caf::rosia::detail {

void dead_letters::subscribe(
  std::function<void(const dead_letter&)> subscriber) {
  subscribers_.push_back(std::move(subscriber));
  are_wanted_ = true;
}

dead_letters::leftover dead_letters::expect(
  const observed_actor& actor, leftover messages) {
  return std::exchange(expected_[&actor], std::move(messages));
}

dead_letters::leftover dead_letters::take(const observed_actor& actor) {
  auto node = expected_.extract(&actor);
  return node ? std::move(node.mapped()) : leftover{};
}

void dead_letters::publish(const std::string& name, const leftover& messages,
                           shutdown_state::lock& held) {
  count_ += messages.unread;
  // The addresses of subscribers do not change.
  auto n = messages.letters.empty() ? 0 : subscribers_.size();
  for (std::size_t i = 0; i < n; ++i) {
    auto& subscriber = subscribers_[i];
    held.unlock();
    for (auto& x : messages.letters)
      state_.run("a subscriber to dead letters of part", name, [&] {
        subscriber({name, x.sender, x.content});
      });
    held.lock();
  }
}

} // namespace caf::rosia::detail
