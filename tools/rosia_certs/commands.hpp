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
  /// Where the CA's two files are; it is made if it does not exist.
  std::filesystem::path directory;
  std::string name;
  std::chrono::seconds lifetime;
  /// Whether existing files are replaced.
  bool force = false;
};

/// Makes a CA, and says on `out` where it is.
/// @throws std::exception
void make_ca(const ca_options& options, std::ostream& out);

struct host_options {
  /// Where the CA is, and where each host gets a folder.
  std::filesystem::path directory;
  /// For each of them a certificate is issued.
  std::vector<std::string> names;
  /// Further names and addresses of each.
  std::vector<std::string> hosts;
  std::chrono::seconds lifetime;
  bool force = false;
};

/// Issues certificates, and says on `out` what to do with them.
/// @throws std::exception
void issue_certificates(const host_options& options, std::ostream& out);

/// Checks files as a process does that uses them, and says on `out` how long
/// they are valid.
/// @throws std::exception
void check_files(const caf::rosia::detail::tls_files& files, std::ostream& out);

} // namespace rosia_certs
