// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/action_spacing.hpp"

#include <algorithm>

namespace caf::rosia::engine {

action_spacing& action_spacing::inactive() noexcept {
  static action_spacing result{spacing{}};
  return result;
}

logical_time action_spacing::last_present(logical_time now) const noexcept {
  if (last_ <= now)
    return last_;
  return previous_ <= now ? std::max(previous_, present_) : present_;
}

std::optional<action_spacing::placement> action_spacing::place(
  logical_time wanted, logical_time now) const {
  if (last_ == never || wanted >= saturating_add(last_, distance()))
    return placement{wanted};
  auto pending = last_ > now;
  switch (option_.policy) {
    case spacing_policy::drop:
      return std::nullopt;
    case spacing_policy::replace:
      if (pending)
        return placement{last_, true};
      break;
    case spacing_policy::update:
      if (pending)
        return placement{
          std::max(wanted, saturating_add(previous_, distance())), true};
      break;
    case spacing_policy::defer:
      break;
  }
  return placement{last_ + distance()};
}

void action_spacing::restore(logical_time tag) noexcept {
  if (tag > last_) {
    previous_ = last_;
    last_ = tag;
  } else if (tag < last_) {
    previous_ = std::max(previous_, tag);
  }
}

} // namespace caf::rosia::engine
