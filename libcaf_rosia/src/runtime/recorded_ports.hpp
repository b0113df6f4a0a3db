// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "engine/port_log.hpp"
#include "run_file/recording.hpp"
#include "runtime/node_directory.hpp"
#include "runtime/value_columns.hpp"
#include "runtime/value_log.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace caf::rosia::detail {

/// The recorded ports of this process, with their values that are not in the
/// file yet. Tests: test/recording.
class recorded_ports {
public:
  // -- constructors, destructors ----------------------------------------------

  /// @param graph has marks at the recorded ports.
  /// @param rows the rows of the graph in the file.
  /// @param memory must outlive this object.
  recorded_ports(const node_directory& nodes, const graph_description& graph,
                 const run_file::run_rows& rows, log_memory& memory);

  recorded_ports(const recorded_ports&) = delete;

  recorded_ports& operator=(const recorded_ports&) = delete;

  ~recorded_ports();

  // -- properties -------------------------------------------------------------

  /// Returns the log of a node's ports, which the thread that runs the node
  /// calls; null if none of its ports is recorded. This object owns the log.
  engine::port_log* of(engine::node_id node) const noexcept;

  /// Returns the number of lost values. From any thread.
  std::uint64_t lost() const noexcept {
    return lost_.load(std::memory_order_relaxed);
  }

  // -- on the file's thread ---------------------------------------------------

  /// Takes all values, and writes them. If this fails, all of them are lost:
  /// kept in memory, they would wait for a disk that may never recover. A value
  /// that cannot be saved is written as null.
  /// @param taken increased by the number of values.
  /// @param steps increased with each row.
  /// @throws std::runtime_error if the file cannot be written.
  void write(run_file::database& to, std::uint64_t& taken,
             std::atomic<std::uint64_t>& steps);

  /// Counts values that could not be written.
  void note_lost(std::uint64_t number) noexcept {
    lost_.fetch_add(number, std::memory_order_relaxed);
  }

private:
  struct port {
    port(std::int64_t in_file, bool small, log_memory& memory) noexcept
      : row(in_file), log(small, memory) {
      // nop
    }

    std::int64_t row; // in the file
    value_log log;
  };

  /// Passes the values of a node's recorded ports to the logs of these ports.
  class node_log;

  std::deque<port> ports_;
  std::vector<std::unique_ptr<node_log>> node_logs_; // by node; null if none
  std::atomic<std::uint64_t> lost_ = 0;
  value_columns columns_;
};

} // namespace caf::rosia::detail
