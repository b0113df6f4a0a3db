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

/// Files in PEM format by which a process shows who it is.
struct tls_files {
  /// The process's certificate. Those of intermediate CAs may follow.
  std::string certificate;
  /// The certificate's private key, not encrypted.
  std::string key;
  /// The certificates of the CAs whose certificates are accepted from others.
  std::string ca;
};

/// Checks everything that would make connections fail. From any thread.
/// @throws std::invalid_argument which names the option (`rosia.tls.key`), the
/// file, what is wrong, and what to do.
void check(const tls_files& files);

/// What a certificate says.
struct certificate_info {
  /// Such as `CN=alpha`.
  std::string subject;
  std::string issuer;
  std::chrono::sys_seconds not_before;
  std::chrono::sys_seconds not_after;
};

/// Returns what the certificates in a file say, one at least. Verifies nothing.
/// @throws std::invalid_argument if it cannot be read.
std::vector<certificate_info> describe_certificates(const std::string& file);

/// Such as "2030-01-31 12:00:00 UTC".
std::string utc_text(std::chrono::sys_seconds x);

// -- making -------------------------------------------------------------------

struct certificate_request {
  /// Whom it is for: 1 to 64 bytes of UTF-8.
  std::string name;
  /// Names in the DNS and IP addresses, by which it may be reached.
  std::vector<std::string> hosts;
  /// From now on. A certificate ends with its CA's at the latest.
  std::chrono::seconds lifetime;
};

/// What the files of a process hold, in PEM format.
struct tls_texts {
  std::string certificate;
  std::string key;
  std::string ca;

  /// Erases the key.
  ~tls_texts();
};

/// Makes keys, and signs their certificates. They are valid from some minutes
/// ago on, because other machines' clocks may be behind.
///
/// All keys are new ones of the curve P-256. Files with keys are for their
/// owner only. After an error there are no new files, and the old ones are as
/// they were.
class certificate_authority {
public:
  // -- constructors, destructors ----------------------------------------------

  /// Makes a CA, with a certificate that it signs itself.
  /// @throws std::invalid_argument about the arguments.
  static certificate_authority create(
    const std::string& name, std::chrono::seconds lifetime);

  /// Reads a CA's certificate and key. Certificates of other CAs may follow the
  /// own one; they are passed on to whoever gets a certificate.
  /// @throws std::invalid_argument which names the file and what is wrong.
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

  /// Makes a key and a certificate that serves clients and servers, and writes
  /// them, and the CA's certificate.
  /// @throws std::invalid_argument about the request, or if the CA's own
  /// certificate has expired.
  /// @throws std::system_error if a file cannot be written, or exists.
  void issue(const certificate_request& request, const tls_files& files,
             existing_files old = existing_files::keep) const;

  /// The same, in memory.
  tls_texts issue(const certificate_request& request) const;

private:
  struct state;

  explicit certificate_authority(std::unique_ptr<state> x);

  std::unique_ptr<state> state_;
};

} // namespace caf::rosia::detail
