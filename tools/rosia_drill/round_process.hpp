// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"
#include "rosia_drill/started_process.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace rosia_drill {

/// One process of a round: its port, the process after its start, and its log,
/// which is read line by line and written to a file.
class round_process {
public:
  using line_function = std::function<void(const std::string& line)>;

  // -- constructors, destructors ----------------------------------------------

  /// @param log file of its log.
  round_process(std::string name, std::filesystem::path log);

  // -- before the start -------------------------------------------------------

  /// Reserves a port.
  /// @throws std::system_error if none is available.
  void reserve_port();

  /// Lets the process write its log file directly, so that a full disk affects
  /// it. Its lines are not read in this case.
  void let_it_write_log() noexcept {
    writes_log_ = true;
  }

  /// @param command this function sets its log.
  /// @throws std::system_error with the name of the program.
  void start(process_command command);

  // -- properties -------------------------------------------------------------

  const std::string& name() const noexcept {
    return name_;
  }

  const std::filesystem::path& log() const noexcept {
    return log_path_;
  }

  /// @pre A port is reserved.
  std::uint16_t port() const noexcept {
    return port_->number();
  }

  /// Returns whether a process listens on its port. An unused port is released.
  bool is_port_in_use() {
    return port_ && port_->is_in_use();
  }

  bool is_running() const noexcept {
    return process_ && process_->running();
  }

  bool has_node(const std::string& name) const {
    return nodes_.contains(name);
  }

  /// Returns whether the process was stopped permanently.
  bool is_stopped_for_ever() const noexcept {
    return stopped_for_ever_;
  }

  // -- events -----------------------------------------------------------------

  /// Stores the names of the nodes that the process runs.
  void take_nodes(std::set<std::string> names) noexcept {
    nodes_ = std::move(names);
  }

  void note_stopped_for_ever() noexcept {
    stopped_for_ever_ = true;
  }

  // -- actions; false if the process does not run -----------------------------

  bool signal(int number) const {
    return process_ && process_->signal(number);
  }

  /// See `started_process::limit_files`.
  bool limit_files(std::int64_t size) const {
    return process_ && process_->limit_files(size);
  }

  void kill_group() const {
    if (is_running())
      process_->kill_group();
  }

  // -- output and end ---------------------------------------------------------

  /// Returns a descriptor that is readable after the process has exited. @pre
  /// It was started.
  int handle() const noexcept {
    return process_->handle();
  }

  /// Returns a descriptor that is readable when the process has printed
  /// something; negative if its lines are not read. @pre It was started.
  int output() const noexcept {
    return process_->output();
  }

  /// Reads some of its output.
  /// @param on_line called with each complete line.
  /// @returns false at the end of the output.
  bool read_output(const line_function& on_line);

  /// Collects the exit status, after the remaining output.
  /// @returns the status as in a shell.
  int end(const line_function& on_line);

private:
  std::string name_;
  std::filesystem::path log_path_;
  bool writes_log_ = false;
  std::optional<reserved_port> port_;
  std::optional<started_process> process_;
  std::ofstream log_;
  std::string line_; // an incomplete line
  std::set<std::string> nodes_;
  bool stopped_for_ever_ = false;
};

} // namespace rosia_drill
