// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/new_files.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

// -- checking -----------------------------------------------------------------

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

// -- making -------------------------------------------------------------------

struct certificate_request {
  /// The name of its owner: 1 to 64 bytes of UTF-8.
  std::string name;
  /// The DNS names and IP addresses of the owner.
  std::vector<std::string> hosts;
  /// The lifetime from now. A certificate expires with its CA's at the latest.
  std::chrono::seconds lifetime;
};

/// The content of a process's files, in PEM format.
struct tls_texts {
  std::string certificate;
  std::string key;
  std::string ca;

  /// Erases the key.
  ~tls_texts();
};

/// Makes keys, and signs their certificates. They are already valid some
/// minutes earlier, because other machines' clocks may be behind.
///
/// All keys are new keys of the curve P-256. Only their owner may read files
/// with keys. After an error there are no new files, and old files are
/// unchanged.
class certificate_authority {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Makes a CA with a self-signed certificate.
  /// @throws std::invalid_argument for invalid arguments.
  static certificate_authority create(
    const std::string& name, std::chrono::seconds lifetime);

  /// Reads a CA's certificate and key. Certificates of other CAs may follow the
  /// CA's own; they are included with all issued certificates.
  /// @throws std::invalid_argument that names the file and the problem.
  static certificate_authority load(
    const std::string& certificate, const std::string& key);

  certificate_authority(certificate_authority&&) noexcept;

  certificate_authority& operator=(certificate_authority&&) noexcept;

  ~certificate_authority();

  // -- files ------------------------------------------------------------------

  /// Writes its certificate and its key.
  /// @throws std::system_error if a file cannot be written, or exists.
  void write(const std::string& certificate, const std::string& key,
             existing_files old = existing_files::keep) const;

  /// Makes a key and a certificate for clients and servers, and writes them and
  /// the CA's certificate.
  /// @throws std::invalid_argument for an invalid request, or if the CA's
  /// certificate has expired.
  /// @throws std::system_error if a file cannot be written, or exists.
  void issue(const certificate_request& request, const tls_files& files,
             existing_files old = existing_files::keep) const;

  /// Makes a key and a certificate, in memory.
  tls_texts issue(const certificate_request& request) const;

private:
  struct state;

  explicit certificate_authority(std::unique_ptr<state> x);

  std::unique_ptr<state> state_;
};

} // namespace caf::rosia::detail
