// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/event_queue.hpp"

#include <functional>
#include <utility>

namespace caf::rosia::engine {

void event_queue::push(std::vector<in_connection>& in, std::uint32_t connection,
                       event message) {
  auto& queue = in[connection].queue;
  if (queue.empty()) {
    heads_.push_back({message.tag, connection});
    std::push_heap(heads_.begin(), heads_.end(), std::greater<>{});
  }
  queue.push(std::move(message));
}

value_ptr event_queue::pop(std::vector<in_connection>& in) {
  std::pop_heap(heads_.begin(), heads_.end(), std::greater<>{});
  auto& queue = in[heads_.back().connection].queue;
  auto content = queue.pop().content;
  if (queue.empty()) {
    heads_.pop_back();
  } else {
    heads_.back().tag = queue.front().tag;
    std::push_heap(heads_.begin(), heads_.end(), std::greater<>{});
  }
  return content;
}

void event_queue::clear_messages(std::vector<in_connection>& in) noexcept {
  for (auto& connection : in)
    connection.queue.clear();
  std::vector<head>{}.swap(heads_);
}

} // namespace caf::rosia::engine
