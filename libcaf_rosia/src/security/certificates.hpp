// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace caf::rosia::detail {

/// Files in PEM format with which a process authenticates itself.
struct tls_files {
  /// The process's certificate. Those of intermediate CAs may follow.
  std::string certificate;
  /// The certificate's private key, not encrypted.
  std::string key;
  /// The certificates of the CAs that issue accepted certificates.
  std::string ca;
};

/// Checks the files for all problems that would make connections fail. Any
/// thread may call this.
/// @throws std::invalid_argument that names the option (`rosia.tls.key`), the
/// file, the problem, and what to do.
void check(const tls_files& files);

/// The content of a certificate.
struct certificate_info {
  /// Its name, of the form `CN=alpha`.
  std::string subject;
  std::string issuer;
  std::chrono::sys_seconds not_before;
  std::chrono::sys_seconds not_after;
};

/// Returns the contents of the certificates in a file, at least one. Verifies
/// nothing.
/// @throws std::invalid_argument if the file cannot be read.
std::vector<certificate_info> describe_certificates(const std::string& file);

/// Returns a text such as "2030-01-31 12:00:00 UTC".
std::string utc_text(std::chrono::sys_seconds x);

} // namespace caf::rosia::detail
