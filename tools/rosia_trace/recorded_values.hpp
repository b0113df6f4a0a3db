// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/logical_time.hpp"
#include "run_file/database.hpp"
#include "run_file/recording.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rosia_trace {

/// The recorded values of a port, or the external events of a node from one
/// source, in the order of their tags.
struct recorded_stream {
  enum class direction { input, output, event };

  struct entry {
    caf::rosia::logical_time tag;
    std::size_t hash = 0;
    std::int64_t row = 0;
  };

  /// "node.port", or for events "action 'press' of 'button'".
  std::string name;
  std::string node;
  direction kind = direction::output;
  std::vector<entry> entries;
  std::size_t file = 0; // file of the process that recorded it
};

/// The last run in a run file and in the files of its processes, in memory for
/// comparisons. The texts of values stay in the files.
class recorded_values {
public:
  /// @throws std::runtime_error if no run is recorded, or the file cannot be
  /// read.
  explicit recorded_values(const std::string& path);

  const std::string& file() const {
    return run_.path;
  }

  const caf::rosia::run_file::recorded_run& run() const {
    return run_;
  }

  /// By name.
  const std::map<std::string, recorded_stream>& streams() const {
    return streams_;
  }

  /// Returns null if nothing was recorded with this name.
  const recorded_stream* find(const std::string& name) const;

  /// Returns whether a node executed everything up to its end: the recording
  /// contains the end, and the node was not aborted.
  bool is_complete(const std::string& node) const;

  /// Returns whether the recording of a process has no end.
  bool is_cut_off() const {
    return cut_off_;
  }

  /// Returns the number of values that were lost because the disk was too slow.
  std::uint64_t lost_values() const {
    return lost_values_;
  }

  /// Reads the text of a value.
  std::string text(const recorded_stream& of,
                   const recorded_stream::entry& which) const;

private:
  using database = caf::rosia::run_file::database;

  void read_file(std::size_t file, std::int64_t run);

  void read_values(std::size_t file, std::int64_t run);

  void read_events(std::size_t file, std::int64_t run);

  caf::rosia::run_file::recorded_run run_;
  std::vector<std::unique_ptr<database>> files_;
  std::map<std::string, recorded_stream> streams_;
  std::map<std::string, bool> complete_; // by node
  bool cut_off_ = false;
  std::uint64_t lost_values_ = 0;
};

} // namespace rosia_trace
