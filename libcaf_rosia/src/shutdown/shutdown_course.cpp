// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/shutdown_course.hpp"

#include "base/duration.hpp"
#include "base/exit_status.hpp"
#include "shutdown/phase_list.hpp"
#include "shutdown/report_builder.hpp"

#include <algorithm>
#include <utility>

namespace caf::rosia::detail {

// -- beginning and end --------------------------------------------------------

bool shutdown_course::begin(shutdown_reason reason) {
  if (begun_at_)
    return false;
  begun_at_ = deadline_since_ = clock::now();
  reason_ = std::move(reason);
  worsen_status(reason_.status);
  return true;
}

bool shutdown_course::abort(int status, const std::string& reason) {
  if (aborted_at_ || over_)
    return false;
  begin({reason});
  aborted_at_ = clock::now();
  status_ = status;
  return true;
}

void shutdown_course::finish() {
  over_ = true;
  stage_ = "over";
}

// -- deadline -----------------------------------------------------------------

shutdown_course::clock::time_point shutdown_course::deadline_at() const {
  return add_saturated(deadline_since_, deadline_);
}

// -- failures and status ------------------------------------------------------

void shutdown_course::add_failure(failure entry) {
  failures_.push_back(std::move(entry));
}

void shutdown_course::worsen_status(int status) noexcept {
  worst_status_ = std::max(worst_status_, status);
}

int shutdown_course::abort_status() const noexcept {
  return status_ != 0 ? status_ : status_deadline;
}

int shutdown_course::result(bool clean) const noexcept {
  if (!clean)
    return status_deadline;
  return aborted_at_ ? status_ : worst_status_;
}

// -- reports ------------------------------------------------------------------

void shutdown_course::add_to(report_builder& builder) const {
  auto& report = builder.report();
  report.stage = stage_;
  report.reason = reason_;
}

void shutdown_course::add_failures_to(
  report_builder& builder, phase_list& phases) const {
  for (auto& failed : failures_)
    builder
      .add(failed.name, failed.kind, part_report::state::failed,
           phases.find(failed.phase), builder.now())
      .error
      = failed.error;
}

} // namespace caf::rosia::detail
