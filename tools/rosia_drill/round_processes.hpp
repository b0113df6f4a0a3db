// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"
#include "rosia_drill/round_process.hpp"

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace rosia_drill {

/// All processes of a round, the coordinator first.
class round_processes {
public:
  /// Creates a working folder for each process.
  /// @param folder the folder of the round.
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

  /// Returns whether all running processes are stopped permanently, so that
  /// only the tool can end them.
  bool only_stopped_are_left() const;

  // -- finding ----------------------------------------------------------------

  /// Finds a process by its name. @param name empty for the coordinator.
  /// @returns null if there is none.
  round_process* find(const std::string& name);

  /// Finds a process by its name or by the name of one of its nodes.
  round_process* find_by_node(const std::string& name);

  /// @pre The process exists.
  std::size_t index_of(const std::string& name) const;

  // -- ending -----------------------------------------------------------------

  void kill_all() const;

private:
  std::vector<round_process> all_; // its size does not change after the
                                   // constructor
};

} // namespace rosia_drill
