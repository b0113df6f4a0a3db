// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/log_ring.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

namespace caf::rosia::detail {

namespace {

std::string to_text(spdlog::string_view_t x) {
  return {x.data(), x.size()};
}

} // namespace

std::vector<log_ring::line> log_ring::since(std::uint64_t number) {
  std::lock_guard guard{mutex_};
  auto first = std::upper_bound(
    lines_.begin(), lines_.end(), number,
    [](std::uint64_t n, const line& x) { return n < x.number; });
  return {first, lines_.end()};
}

void log_ring::sink_it_(const spdlog::details::log_msg& x) {
  using std::chrono::milliseconds;
  auto time
    = std::chrono::duration_cast<milliseconds>(x.time.time_since_epoch());
  auto text = x.payload;
  keep({0, time.count(), to_text(spdlog::level::to_string_view(x.level)),
        to_text(x.logger_name),
        std::string{text.data(), std::min(text.size(), longest_line)}});
}

void log_ring::add(line x) {
  std::lock_guard guard{mutex_};
  keep(std::move(x));
}

void log_ring::keep(line x) {
  if (lines_.size() == capacity)
    lines_.pop_front();
  x.number = ++count_;
  lines_.push_back(std::move(x));
}

} // namespace caf::rosia::detail
