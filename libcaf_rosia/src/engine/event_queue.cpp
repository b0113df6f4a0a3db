// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "engine/event_queue.hpp"

#include <functional>
#include <utility>

namespace caf::rosia::engine {

logical_time event_queue::next_other() const noexcept {
  auto result = stamped_ ? stamped_->next_tag() : forever;
  return scheduled_ ? std::min(result, scheduled_->next_tag()) : result;
}

logical_time event_queue::next_besides_lane() const noexcept {
  auto result = heads_.empty() ? forever : heads_.front().tag;
  return stamped_ || scheduled_ ? std::min(result, next_other()) : result;
}

logical_time event_queue::next_of_all() const noexcept {
  return std::min({lane_tag_, resumptions_.next_tag(), next_besides_lane()});
}

void event_queue::push_behind(in_connection& from, std::uint32_t connection,
                              logical_time tag, const value& content) {
  if (from.queue.empty()) {
    heads_.push_back({tag, connection});
    std::push_heap(heads_.begin(), heads_.end(), std::greater<>{});
    besides_lane_ |= behind_lane;
  }
  from.queue.push({tag, content});
}

void event_queue::push_besides_direct(
  std::vector<in_connection>& in, std::uint32_t connection, input& port,
  logical_time tag, const value& content) {
  auto& from = in[connection];
  if (!from.queue.empty() || (!no_lane() && lane_tag_ != tag)) {
    push_behind(from, connection, tag, content);
  } else if (no_lane()) {
    push_direct(connection, port, tag, content);
  } else {
    keep_none_apart();
    push_into_lane(connection, &port, tag, content);
  }
}

void event_queue::put_into_lane() {
  lane_port_ = direct_.port;
  lane_.emplace_back(direct_.connection, std::exchange(direct_.port, nullptr),
                     std::exchange(direct_.content, {}));
}

void event_queue::forget_senders() {
  keep_none_apart();
  lane_port_ = nullptr;
  for (auto& message : lane_)
    message.port = nullptr;
}

bool event_queue::is_in_lane(std::uint32_t number) const noexcept {
  if (direct_.port != nullptr)
    return direct_.connection == number;
  return std::any_of(
    lane_.begin() + lane_begin_, lane_.end(),
    [&](auto& message) { return message.connection == number; });
}

void event_queue::sort_lane() noexcept {
  std::sort(lane_.begin() + lane_begin_, lane_.end(), [](auto& x, auto& y) {
    return x.connection < y.connection;
  });
  lane_sorted_ = true;
}

value event_queue::pop_queue(std::vector<in_connection>& in) {
  auto& queue = in[heads_.front().connection].queue;
  auto content = queue.pop().content;
  if (heads_.size() == 1 && !queue.empty()) {
    heads_.front().tag = queue.front().tag;
    return content;
  }
  std::pop_heap(heads_.begin(), heads_.end(), std::greater<>{});
  if (queue.empty()) {
    heads_.pop_back();
    look_besides_lane();
  } else {
    heads_.back().tag = queue.front().tag;
    std::push_heap(heads_.begin(), heads_.end(), std::greater<>{});
  }
  return content;
}

void event_queue::clear_messages(std::vector<in_connection>& in) noexcept {
  for (auto& connection : in)
    connection.queue.clear();
  direct_ = {};
  std::vector<arrival>{}.swap(lane_);
  lane_begin_ = 0;
  lane_sorted_ = true;
  lane_tag_ = forever;
  std::vector<head>{}.swap(heads_);
  look_besides_lane();
}

} // namespace caf::rosia::engine
