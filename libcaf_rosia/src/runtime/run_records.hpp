// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/writer.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/recorder.hpp"
#include "runtime/replay.hpp"

#include <chrono>
#include <memory>

namespace caf::rosia::detail {

/// The recording of a run, and what it takes from earlier runs; null if it does
/// not. Tests: test/application.
struct run_records {
  /// Closes the recording, so that it is complete, and the replayed file.
  /// Called when no node is running. A file on a disk that does not respond
  /// within `patience` stays open.
  /// @returns whether all are closed.
  bool close(std::chrono::nanoseconds patience);

  std::unique_ptr<run_file::writer> file;

  /// Writes to the file.
  std::unique_ptr<detail::recorder> recorder;

  std::unique_ptr<detail::replay> replay;

  /// The checkpoint to resume from.
  std::unique_ptr<resumption> resumed;
};

} // namespace caf::rosia::detail
