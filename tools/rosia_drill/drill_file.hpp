// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/expectation.hpp"
#include "rosia_drill/fault.hpp"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace rosia_drill {

/// What a drill file says.
struct drill {
  /// The file's, without its ending.
  std::string name;
  std::filesystem::path file;
  /// The comment on top, as one paragraph.
  std::string purpose;
  /// As it was written.
  std::string program;
  std::vector<std::string> arguments;
  /// Beside the coordinator; none: one process.
  std::vector<std::string> processes;
  /// Node and process.
  std::vector<std::pair<std::string, std::string>> placement;
  /// Whether the program is an application of nodes, which has the library's
  /// options and steps.
  bool nodes = true;
  /// Whether the processes use TLS with certificates.
  bool certificates = false;
  std::uint64_t rounds = 1;
  std::uint64_t seed = 1;
  /// How many threads do nothing but keep processors busy.
  std::uint64_t load = 0;
  /// How long a round may take at all.
  std::chrono::nanoseconds limit = std::chrono::seconds{30};
  std::vector<fault> faults;
  /// More arguments for a second run after the first, without faults; none if
  /// there is no second one.
  std::vector<std::string> resume;
  /// Its program; empty if it is the same.
  std::string resume_program;
  /// A command of the shell between both.
  std::string spoil;
  std::vector<expectation> expectations;

  /// All processes, the coordinator's first.
  std::vector<std::string> process_names() const;

  bool resumes() const noexcept {
    return !resume.empty();
  }

  const std::string& program_resumed() const noexcept {
    return resume_program.empty() ? program : resume_program;
  }
};

/// Reads a drill file.
/// @throws mistake with the file, the line and the key.
drill read_drill(const std::filesystem::path& file);

/// The same from a text; `file` is for messages.
drill parse_drill(const std::string& text, const std::filesystem::path& file);

} // namespace rosia_drill
