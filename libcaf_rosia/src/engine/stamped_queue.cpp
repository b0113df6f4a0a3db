// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/stamped_queue.hpp"

#include <stdexcept>

namespace caf::rosia::engine {

void stamped_queue::set_lead(const delay& d) {
  make_rare().lead = d;
}

stamped_queue::spaced_action* stamped_queue::find(
  std::uint32_t input) noexcept {
  if (!rare_)
    return nullptr;
  auto& all = rare_->actions;
  auto i = std::find_if(all.begin(), all.end(), [input](auto& x) {
    return x.options.input == input;
  });
  return i == all.end() ? nullptr : &*i;
}

logical_time stamped_queue::free_tag(logical_time tag) const {
  for (auto i = index_from(tag); i < size() && values_[i].tag == tag; ++i)
    tag = next_microstep(tag);
  return tag;
}

logical_time stamped_queue::next_free_stamp(
  logical_time elapsed, logical_time executed) const {
  auto tag = next_stamp(elapsed, executed);
  if (!tag)
    throw std::overflow_error("no microstep");
  return free_tag(*tag);
}

void stamped_queue::insert(stamped_value x, bool is_plain) {
  if (is_plain)
    last_stamp_ = x.tag;
  auto index = index_from(x.tag);
  values_.insert(index, std::move(x));
}

stamped_value stamped_queue::withdraw(logical_time tag) {
  return values_.remove(index_from(tag));
}

void stamped_queue::note_present(const stamped_value& x) noexcept {
  if (x.kind != envelope_kind::action)
    return;
  if (auto* action = find(x.index))
    action->spacing.note_present(x.tag);
}

std::size_t stamped_queue::index_from(logical_time tag) const noexcept {
  auto result = size();
  while (result > 0 && values_[result - 1].tag >= tag)
    --result;
  return result;
}

} // namespace caf::rosia::engine
