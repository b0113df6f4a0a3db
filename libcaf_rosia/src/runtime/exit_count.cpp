// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/exit_count.hpp"

namespace caf::rosia::detail {

void exit_count::note_exit() {
  if (alive_.fetch_sub(1) == 1 && orphaned_)
    time_->finish();
}

void exit_count::finish_orphan() {
  if (orphaned_ && alive_ == 0)
    time_->finish();
}

} // namespace caf::rosia::detail
