// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/options.hpp"
#include "distributed/local_processes.hpp"
#include "security/certificates.hpp"

#include <caf/fwd.hpp>

#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Returns whether these options are for a distributed application.
bool is_distributed(const options& x) noexcept;

/// Sets the options to the role that this process got in its environment, if a
/// coordinator started it.
void take_role(options& x);

/// Checks the options about processes for contradictions.
/// @throws std::invalid_argument naming the options, with advice.
void check_role(const options& x);

/// Returns the environment that defines the role of a process started from
/// here.
local_processes::inheritance inheritance_of(
  const std::string& coordinator, const std::string& name,
  const std::string& token);

/// Returns the path and the arguments of this program.
std::vector<std::string> own_arguments();

/// Returns the name of this process.
std::string process_name(const options& opts);

/// Returns the names of the processes in the option `processes`.
std::vector<std::string> process_names(const options& opts);

/// Returns the names of all processes, that of the coordinator first.
/// @pre This process is the coordinator's.
std::vector<std::string> all_process_names(const options& opts);

/// Prepares a config for a program that may be distributed: loads the
/// middleman, and sets its options. Removes the role of this process from its
/// environment, so this must be called before there are other threads.
/// @throws std::invalid_argument if the options, or files that they name, are
///         wrong.
void prepare(caf::actor_system_config& cfg, options opts);

/// Returns the files for connections with other hosts, from the options, or
/// from CAF's own options for OpenSSL.
tls_files tls_files_of(const options& opts,
                       const caf::actor_system_config& cfg);

/// Returns the token of this application; empty if there is none.
/// @throws std::invalid_argument if its file cannot be read.
std::string token_of(const options& opts);

} // namespace caf::rosia::detail
