// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_guard.hpp"

#include "compat/io/node_name.hpp"

#include <caf/actor_system.hpp>

#include <utility>

namespace caf::rosia::detail {

// -- rules --------------------------------------------------------------------

frame_rules::frame_rules(caf::actor_system& sys, std::size_t max_message)
  : system_(sys), max_message_(max_message),
    self_(write_node_name(sys, sys.node())) {
  // nop
}

bool frame_rules::claim(std::string_view name) {
  std::lock_guard guard{mutex_};
  return names_.emplace(name).second;
}

void frame_rules::release(std::string_view name) {
  std::lock_guard guard{mutex_};
  if (auto i = names_.find(name); i != names_.end())
    names_.erase(i);
}

bool frame_rules::is_known(std::string_view name) const {
  std::lock_guard guard{mutex_};
  return names_.contains(name);
}

// -- guards -------------------------------------------------------------------

frame_guard::frame_guard(std::shared_ptr<frame_rules> rules)
  : rules_(std::move(rules)),
    checker_(frame_checker::environment{
      rules_->max_message(), rules_->self(), [this] { return rules_->actor(); },
      [this](std::string_view name) {
        if (!rules_->claim(name))
          return false;
        name_ = name;
        return true;
      },
      [this](std::string_view name) { return rules_->is_known(name); },
      &rules_->system()}) {
  // nop
}

frame_guard::~frame_guard() {
  if (!name_.empty())
    rules_->release(name_);
}

std::string frame_guard::check(std::span<const std::byte> piece) {
  std::string_view bytes{
    reinterpret_cast<const char*>(piece.data()), piece.size()};
  if (std::exchange(awaits_payload_, false))
    return checker_.check_payload(bytes);
  auto problem = checker_.check_header(bytes);
  awaits_payload_ = problem.empty() && checker_.payload_size() > 0;
  return problem;
}

bool frame_guard::at_boundary() const {
  return !awaits_payload_;
}

std::string frame_guard::check_frame(std::size_t size) const {
  return checker_.check_frame(size);
}

std::string_view frame_guard::peer() const {
  return checker_.peer();
}

stream_guard_factory make_frame_guards(std::shared_ptr<frame_rules> rules) {
  return [rules = std::move(rules)]() -> std::unique_ptr<stream_guard> {
    return std::make_unique<frame_guard>(rules);
  };
}

} // namespace caf::rosia::detail
