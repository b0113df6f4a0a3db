// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/expectation.hpp"
#include "rosia_drill/fault.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rosia_drill {

/// The content of a drill file.
struct drill {
  /// The file's name without extension.
  std::string name;
  std::filesystem::path file;
  /// The comment at the top, as one paragraph.
  std::string purpose;
  /// As written in the file.
  std::string program;
  std::vector<std::string> arguments;
  /// Names of the processes besides the coordinator; empty: one process.
  std::vector<std::string> processes;
  /// Pairs of node and process.
  std::vector<std::pair<std::string, std::string>> placement;
  /// Whether the program is an application of nodes, with the library's options
  /// and steps.
  bool nodes = true;
  /// Whether the processes use TLS with certificates.
  bool certificates = false;
  std::uint64_t rounds = 1;
  std::uint64_t seed = 1;
  /// Number of threads that only keep processors busy.
  std::uint64_t load = 0;
  /// Maximum duration of a round.
  std::chrono::nanoseconds limit = std::chrono::seconds{30};
  std::vector<fault> faults;
  /// Additional arguments for a second run without faults after the first;
  /// empty for none.
  std::vector<std::string> resume;
  /// Program of the second run; empty for the same program.
  std::string resume_program;
  /// Shell command between the two runs.
  std::string spoil;
  std::vector<expectation> expectations;
  /// The lines in the file, by key: one for each value, or for each word of
  /// arguments.
  std::map<std::string, std::vector<std::size_t>> lines;

  /// Returns "FILE:LINE: KEY" for the `index`-th value of a key, or the file if
  /// the value is not in it.
  std::string place_of(const std::string& key, std::size_t index) const;

  /// Returns the names of all processes, the coordinator's first.
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

/// Parses the text of a drill file; `file` is for messages.
drill parse_drill(const std::string& text, const std::filesystem::path& file);

} // namespace rosia_drill
