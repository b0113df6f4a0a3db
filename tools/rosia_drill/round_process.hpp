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

/// One of a round's processes: its port, the started process once there is one,
/// and its log, which is written to a file and read line by line.
class round_process {
public:
  using line_function = std::function<void(const std::string& line)>;

  // -- constructors, destructors ----------------------------------------------

  /// @param log where its log goes.
  round_process(std::string name, std::filesystem::path log);

  // -- before the start -------------------------------------------------------

  /// Keeps a port for it.
  /// @throws std::system_error if there is none.
  void reserve_port();

  /// Lets the process itself write the file of its log, so that a full disk
  /// affects it. Nobody reads its lines then.
  void let_it_write_log() noexcept {
    writes_log_ = true;
  }

  /// @param command where its log goes is filled in.
  /// @throws std::system_error naming the program.
  void start(process_command command);

  // -- properties -------------------------------------------------------------

  const std::string& name() const noexcept {
    return name_;
  }

  const std::filesystem::path& log() const noexcept {
    return log_path_;
  }

  /// @pre There is one.
  std::uint16_t port() const noexcept {
    return port_->number();
  }

  /// Tells whether somebody listens on its port. The port is given up.
  bool is_port_in_use() {
    return port_ && port_->is_in_use();
  }

  bool is_running() const noexcept {
    return process_ && process_->running();
  }

  bool has_node(const std::string& name) const {
    return nodes_.contains(name);
  }

  /// Tells whether it was stopped, and nobody is going to continue it.
  bool is_stopped_for_ever() const noexcept {
    return stopped_for_ever_;
  }

  // -- what becomes known of it -----------------------------------------------

  /// It has told which nodes it runs.
  void take_nodes(std::set<std::string> names) noexcept {
    nodes_ = std::move(names);
  }

  void note_stopped_for_ever() noexcept {
    stopped_for_ever_ = true;
  }

  // -- what is done to it; false if it does not run ---------------------------

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

  /// Can be read once the process has ended. @pre It was started.
  int handle() const noexcept {
    return process_->handle();
  }

  /// Can be read when the process has printed something; negative if nobody
  /// reads its lines. @pre It was started.
  int output() const noexcept {
    return process_->output();
  }

  /// Reads some of its output.
  /// @param on_line called with each whole line.
  /// @returns false if there will be no more.
  bool read_output(const line_function& on_line);

  /// Takes notice of its end, and of what it has printed before.
  /// @returns its status, as a shell tells it.
  int end(const line_function& on_line);

private:
  std::string name_;
  std::filesystem::path log_path_;
  bool writes_log_ = false;
  std::optional<reserved_port> port_;
  std::optional<started_process> process_;
  std::ofstream log_;
  std::string line_; // the beginning of one
  std::set<std::string> nodes_;
  bool stopped_for_ever_ = false;
};

} // namespace rosia_drill
