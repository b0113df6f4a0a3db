// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "runtime/run_records.hpp"

namespace caf::rosia::detail {

bool run_records::close(std::chrono::nanoseconds patience) {
  if (file) {
    // If the disk responds later, the file's thread exits then.
    auto stuck = recorder->is_stuck();
    // A run may be recorded in the file that it repeats. While that is open
    // twice, SQLite keeps its log beside it.
    if (replay && !stuck)
      replay->close();
    auto closed = file->close(stuck ? std::chrono::nanoseconds{0} : patience);
    if (stuck || !closed)
      return false;
    recorder.reset();
    file.reset();
  }
  if (replay)
    replay->close();
  return true;
}

} // namespace caf::rosia::detail
