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

/// Tells whether an application with these options is one of several processes.
bool is_distributed(const options& x) noexcept;

/// A process that a coordinator has started finds in its environment what it
/// is, in place of what its options say.
void take_role(options& x);

/// Checks what the options about processes say together.
/// @throws std::invalid_argument naming the options, and what to do.
void check_role(const options& x);

/// What tells a process that is started from here what it is.
local_processes::inheritance inheritance_of(
  const std::string& coordinator, const std::string& name,
  const std::string& token);

/// How this program was called, its path first.
std::vector<std::string> own_arguments();

/// The names of the processes that `opts.processes` asks for.
std::vector<std::string> process_names(const options& opts);

/// The names of all processes, that of the coordinator first.
/// @pre This process is the coordinator's.
std::vector<std::string> all_process_names(const options& opts);

/// Makes a config ready for a program that is one of several processes, or for
/// one that is not: loads what carries messages between processes.
/// @throws std::invalid_argument if the options, or files that they name, are
///         wrong.
void prepare(caf::actor_system_config& cfg, options opts);

/// The files for connections with other hosts: those of the options, or those
/// that CAF's own options for OpenSSL name.
tls_files tls_files_of(const options& opts,
                       const caf::actor_system_config& cfg);

/// The token of this application; empty if there is none.
/// @throws std::invalid_argument if its file cannot be read.
std::string token_of(const options& opts);

} // namespace caf::rosia::detail
