// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "run_file/checkpoints.hpp"
#include "run_file/database.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace caf::rosia::run_file {

/// An open file, and the checkpoints in it that belong to its process.
struct checkpoint_file {
  std::unique_ptr<database> file;
  std::vector<checkpoint> all; // oldest first

  bool has_complete() const;
};

/// The files that cannot be read, and the reasons.
using unreadable_files = std::map<std::string, std::string>;

/// Opens the files of a run: FILE of one process, and FILE.PROCESS of each of
/// several processes. Omits empty files: the process that created the file was
/// killed before it wrote anything.
/// @param unreadable gets the files of processes that cannot be read. They are
///   only an error if they are needed.
/// @param mode the access for which they are opened; not `write`.
/// @param omitted the files that are not opened.
/// @throws std::runtime_error if FILE exists but cannot be read.
std::vector<checkpoint_file> open_checkpoint_files(
  const std::string& path, unreadable_files& unreadable,
  database::access mode = database::access::read,
  const std::set<std::string>& omitted = {});

/// Returns whether a file is empty.
bool is_blank(const std::string& file);

/// Returns the complete checkpoint from which the next run continues; null if
/// there is none.
/// @param at the tag that the checkpoint must have, if set.
const checkpoint* last_complete(const std::vector<checkpoint_file>& files,
                                std::optional<logical_time> at = {});

/// Returns the problem if complete checkpoints of different runs are in these
/// files, for example because one run had one process, and the other several.
/// Returns an empty text if all of them are of one run, with its continuations.
std::string mixture_in(const std::string& path,
                       const std::vector<checkpoint_file>& files);

/// Returns the names of files with complete checkpoints, and their origin:
/// "'run.db' (1 process, last checkpoint at tag 2s, 2026-11-23T22:30:14.610Z)".
std::string describe(const std::vector<const checkpoint_file*>& files);

} // namespace caf::rosia::run_file
