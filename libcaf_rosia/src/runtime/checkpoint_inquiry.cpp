// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/checkpoint_inquiry.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

checkpoint_inquiry::checkpoint_inquiry(std::size_t nodes)
  : left_(nodes), asked_(nodes) {
  // nop
}

std::vector<checkpoint_inquiry::notice> checkpoint_inquiry::notices_after(
  std::uint64_t& known) const {
  auto all = notices_.load(std::memory_order_relaxed);
  auto count = std::min<std::uint64_t>(all - known, latest_.size());
  known = all;
  return {latest_.end() - static_cast<std::ptrdiff_t>(count), latest_.end()};
}

void checkpoint_inquiry::notify(notice x) {
  latest_.push_back(x);
  notices_.fetch_add(1, std::memory_order_seq_cst);
}

std::optional<logical_time> checkpoint_inquiry::begin(logical_time least) {
  highest_ = std::max(least, last_of_left_);
  is_open_ = true;
  unanswered_ = 0;
  for (std::size_t i = 0; i < left_.size(); ++i) {
    asked_[i] = !left_[i];
    unanswered_ += asked_[i] ? 1 : 0;
  }
  // All nodes answered the last question, so they know all notices before it.
  auto last = std::find_if(latest_.rbegin(), latest_.rend(), [](auto& x) {
    return x.asks;
  });
  if (last != latest_.rend())
    latest_.erase(latest_.begin(), last.base() - 1);
  notify({.asks = true});
  return unanswered_ == 0 ? std::optional{highest_} : std::nullopt;
}

std::optional<logical_time> checkpoint_inquiry::answer(
  std::size_t node, logical_time tag) {
  if (!asked_[node])
    return std::nullopt;
  asked_[node] = false;
  highest_ = std::max(highest_, tag);
  return --unanswered_ == 0 ? std::optional{highest_} : std::nullopt;
}

std::optional<logical_time> checkpoint_inquiry::note_exit(
  std::size_t node, logical_time last) {
  left_[node] = true;
  last_of_left_ = std::max(last_of_left_, last);
  return answer(node, last);
}

} // namespace caf::rosia::detail
