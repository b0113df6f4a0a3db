// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/descriptor.hpp"
#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/started_process.hpp"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

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

  /// The nodes that it runs, as it has told.
  std::set<std::string> nodes;

  /// It was stopped, and nobody is going to continue it.
  bool is_stopped_for_ever = false;

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
};

/// All processes of a round, the coordinator first.
class round_processes {
public:
  /// Makes a folder for each to work in.
  /// @param folder the round's.
  round_processes(const drill& definition, const std::filesystem::path& folder);

  // -- properties -------------------------------------------------------------

  auto begin() noexcept {
    return all_.begin();
  }

  auto end() noexcept {
    return all_.end();
  }

  std::size_t size() const noexcept {
    return all_.size();
  }

  round_process& operator[](std::size_t i) noexcept {
    return all_[i];
  }

  const round_process& operator[](std::size_t i) const noexcept {
    return all_[i];
  }

  round_process& coordinator() noexcept {
    return all_.front();
  }

  std::vector<std::string> names() const;

  bool any_running() const;

  /// Tells whether nobody but the tool can end those that run.
  bool only_stopped_are_left() const;

  // -- finding ----------------------------------------------------------------

  /// @param name empty for the coordinator. @returns null if there is none.
  round_process* find(const std::string& name);

  /// The same by the process's name or that of one of its nodes.
  round_process* find_by_node(const std::string& name);

  /// @pre There is such a process.
  std::size_t index_of(const std::string& name) const;

  // -- ending -----------------------------------------------------------------

  void kill_all() const;

private:
  std::vector<round_process> all_; // never grows once it is made
};

} // namespace rosia_drill
