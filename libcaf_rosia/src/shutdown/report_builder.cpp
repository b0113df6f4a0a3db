// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/report_builder.hpp"

namespace caf::rosia::detail {

report_builder::report_builder(std::optional<clock::time_point> begun_at)
  : begun_at_(begun_at) {
  if (begun_at_)
    report_.elapsed = now_ - *begun_at_;
}

part_report& report_builder::add(
  std::string name, part_report::kind kind, part_report::state state,
  const shutdown_phase& phase, clock::time_point since) {
  auto& result = report_.parts.emplace_back();
  result.name = std::move(name);
  result.type = kind;
  result.now = state;
  result.phase = phase.name;
  result.since = now_ - since;
  return result;
}

void report_builder::inquire(std::function<void(part_report&)> inquiry) {
  inquiries_.emplace_back(report_.parts.size() - 1, std::move(inquiry));
}

shutdown_report report_builder::complete() && {
  for (auto& [index, inquiry] : std::exchange(inquiries_, {}))
    inquiry(report_.parts[index]);
  return std::move(report_);
}

} // namespace caf::rosia::detail
