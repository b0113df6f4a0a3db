// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "shutdown/backup_step.hpp"

namespace caf::rosia::detail {

void backup_step::begin() {
  run_.begin();
  step_.began = true;
  step_.began_at = run_.began_at;
}

void backup_step::end(const std::string& failure) {
  run_.end(failure);
  step_.over = true;
  step_.late = given_up_;
  step_.over_at = run_.since;
}

bool backup_step::give_up() {
  if (given_up_ || !is_running())
    return false;
  given_up_ = true;
  return true;
}

void backup_step::add_to(report_builder& builder) const {
  if (step_.began && run_.state != part_report::state::ended)
    builder.add(name, part_report::kind::action, run_.state, step_, run_.since)
      .error
      = run_.error;
}

void backup_step::add_to(timeline_builder& builder) const {
  if (!step_.began)
    return;
  builder.enter(step_);
  builder.add(name, "action", run_.began_at, run_.over_at(),
              given_up_ || run_.state == part_report::state::failed);
}

} // namespace caf::rosia::detail
