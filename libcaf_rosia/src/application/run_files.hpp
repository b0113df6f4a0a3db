// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "application/output_locks.hpp"
#include "caf/rosia/options.hpp"
#include "run_file/checkpoints.hpp"
#include "run_file/recording.hpp"
#include "runtime/checkpoint_parts.hpp"
#include "runtime/replay.hpp"
#include "runtime/starting_point.hpp"
#include "runtime/trace_writer.hpp"

#include <spdlog/logger.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

class run_context;

/// The files that a run of an application reads and writes. Tests:
/// test/recording, test/application/output_locks_test.cpp.
class run_files {
public:
  /// @param opts must outlive this. A replay limits its `stop_after`.
  run_files(options& opts, std::shared_ptr<spdlog::logger> logger);

  /// Passes the trace to `sink` instead of writing it to a file.
  void trace(std::function<void(std::string_view)> sink) {
    trace_sink_ = std::move(sink);
  }

  /// Sets how much of a recorded run is read at a time.
  void replay_piece(std::size_t bytes) noexcept {
    replay_piece_ = bytes;
  }

  /// Returns this process's suffix for the names of its files.
  std::string suffix() const;

  output_locks& outputs() noexcept {
    return outputs_;
  }

  /// Locks the files that this process writes.
  void lock();

  // -- before the run ---------------------------------------------------------

  /// Reads the run to be replayed. Limits this run to the end of that run.
  void load_replay();

  /// @param run the run that the coordinator replays; empty if none.
  /// @throws std::runtime_error if this process replays another one.
  void require_same_replay(const std::string& run) const;

  /// Returns the point at which all processes start.
  starting_point choose_start() const;

  /// Reads the checkpoint to resume from. Called before this process writes any
  /// file, because the run may be refused.
  /// @returns null if the run starts from the beginning.
  std::unique_ptr<resumption> load_checkpoint(
    const starting_point& start, const run_file::graph_lines& lines) const;

  /// Returns null if there is no trace.
  std::unique_ptr<trace_writer> make_trace() const;

  /// Sets up the replay, the recording and the checkpoints of a run.
  /// @param session a random number that all processes share.
  void attach_to(run_context& context, std::uint64_t session,
                 const starting_point& start, std::unique_ptr<resumption> from,
                 run_file::graph_lines lines);

private:
  /// Returns the run to be replayed; empty if there is none.
  std::string replayed_run() const;

  /// @param name differs from the names of all other runs. All processes share
  ///   it.
  void save_to(run_context& context, const starting_point& start,
               const std::string& name, run_file::graph_lines lines) const;

  const options& opts() const noexcept {
    return *options_;
  }

  options* options_;
  std::shared_ptr<spdlog::logger> logger_;
  std::function<void(std::string_view)> trace_sink_;
  std::optional<run_file::recorded_run> replayed_; // until the run
  std::size_t replay_piece_ = replay::usual_piece;
  output_locks outputs_;
};

} // namespace caf::rosia::detail
