// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/certificates.hpp"

#include <chrono>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

namespace rosia_certs {

struct ca_options {
  /// The folder of the CA's two files; created if necessary.
  std::filesystem::path directory;
  std::string name;
  std::chrono::seconds lifetime;
  /// Whether to replace existing files.
  bool force = false;
};

/// Creates a CA, and prints its place on `out`.
/// @throws std::exception
void make_ca(const ca_options& options, std::ostream& out);

struct host_options {
  /// The folder of the CA, in which each host gets a folder.
  std::filesystem::path directory;
  /// The names for which certificates are issued.
  std::vector<std::string> names;
  /// Additional names and addresses in each certificate.
  std::vector<std::string> hosts;
  std::chrono::seconds lifetime;
  bool force = false;
};

/// Issues certificates, and prints instructions on `out`.
/// @throws std::exception
void issue_certificates(const host_options& options, std::ostream& out);

/// Checks files in the same way as a process that uses them, and prints their
/// validity on `out`.
/// @throws std::exception
void check_files(const caf::rosia::detail::tls_files& files, std::ostream& out);

} // namespace rosia_certs
