// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "distributed/report_collection.hpp"

#include <optional>
#include <utility>

namespace caf::rosia::detail {

bool report_collection::add(listener fun) {
  listeners_.push_back(std::move(fun));
  return listeners_.size() == 1;
}

void report_collection::begin(std::size_t processes) {
  answers_.assign(processes, std::nullopt);
  missing_ = 1;
}

void report_collection::put(
  engine::process_id process, process_report_reply&& answer) {
  answers_[process] = std::move(answer);
}

void report_collection::publish(const application_report& result) {
  for (auto& fun : std::exchange(listeners_, {}))
    fun(result);
}

} // namespace caf::rosia::detail
