// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/checkpoints.hpp"
#include "run_file/database.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace test {

/// Returns a complete checkpoint of a run, without nodes.
/// @param process empty if the run has one process.
inline caf::rosia::run_file::checkpoint checkpoint_of(
  std::string run, std::string process, std::int64_t processes,
  caf::rosia::logical_time tag) {
  caf::rosia::run_file::checkpoint result;
  result.run = std::move(run);
  result.number = 1;
  result.process = std::move(process);
  result.processes = processes;
  result.tag = tag;
  result.complete = true;
  return result;
}

/// Adds a checkpoint to the file of its process.
/// @param path the run's file: FILE of FILE.PROCESS.
inline void save(const std::string& path,
                 const caf::rosia::run_file::checkpoint& x) {
  namespace run_file = caf::rosia::run_file;
  run_file::database file{
    x.process.empty() ? path : path + '.' + x.process,
    run_file::database::access::write};
  run_file::make_checkpoint_tables(file);
  run_file::transaction unit{file};
  run_file::write(file, x, {}, {});
  unit.commit();
}

} // namespace test
