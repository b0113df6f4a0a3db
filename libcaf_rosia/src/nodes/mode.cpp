// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/mode.hpp"

#include "caf/rosia/graph_error.hpp"
#include "engine/modes.hpp"
#include "nodes/node_access.hpp"

#include <mutex>
#include <stdexcept>
#include <unordered_set>

namespace caf::rosia {

using detail::node_access;

namespace {

/// The modes that are constructed. A member that is declared before its mode
/// refers to memory without a mode.
struct constructed_modes {
  std::mutex mutex;
  std::unordered_set<const mode*> all;
};

constructed_modes& constructed() {
  // Never destroyed, because a node may be destroyed after static objects.
  static auto& result = *new constructed_modes;
  return result;
}

bool is_constructed(const mode& x) {
  auto& modes = constructed();
  std::lock_guard guard{modes.mutex};
  return modes.all.contains(&x);
}

} // namespace

namespace detail {

member_parent::member_parent(rosia::mode& x)
  : parent(is_constructed(x) ? x.parent() : nullptr), in_mode(&x) {
  // nop
}

} // namespace detail

mode::mode(const detail::member_parent& parent_node, std::string name)
  : action_base(parent_node, std::move(name),
                engine::payload_type_of<engine::mode_event>()) {
  auto& state = detail::member_access::state(*this);
  auto& engine = node_access::engine(*parent());
  auto& modes = engine.make_modes();
  number_ = static_cast<std::uint32_t>(modes.size());
  modes.add(state, index());
  if (number_ == 0)
    engine.restore(
      state, index(), {}, engine::make_value<engine::mode_event>());
  auto& known = constructed();
  std::lock_guard guard{known.mutex};
  known.all.insert(this);
}

mode::~mode() {
  auto& known = constructed();
  std::lock_guard guard{known.mutex};
  known.all.erase(this);
}

void mode::enter() {
  enter_by(false);
}

void mode::enter(history_t) {
  enter_by(true);
}

void mode::enter_by(bool by_its_history) {
  // The engine cannot name the mode before it is wired.
  if (!node_access::runs(*parent()))
    throw std::logic_error(
      "mode '" + name()
      + "' was entered outside of the node's reactions; its node enters it, in "
        "reactions or start()");
  node_access::engine(*parent()).enter(number_, by_its_history);
}

bool mode::is_active() const noexcept {
  return node_access::engine(*parent()).modes()->active() == number_;
}

std::uint64_t mode::entries() const noexcept {
  return (*node_access::engine(*parent()).modes())[number_].entries.value();
}

bool mode::by_history() const noexcept {
  return (*node_access::engine(*parent()).modes())[number_].by_history;
}

} // namespace caf::rosia
