// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "base/new_files.hpp"
#include "security/certificates.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

namespace rosia_certs {

struct certificate_request {
  /// The name of its owner: 1 to 64 bytes of UTF-8.
  std::string name;
  /// The DNS names and IP addresses of the owner.
  std::vector<std::string> hosts;
  /// The lifetime from now. A certificate expires with its CA's at the latest.
  std::chrono::seconds lifetime;
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
             caf::rosia::detail::existing_files old
             = caf::rosia::detail::existing_files::keep) const;

  /// Makes a key and a certificate for clients and servers, and writes them and
  /// the CA's certificate.
  /// @throws std::invalid_argument for an invalid request, or if the CA's
  /// certificate has expired.
  /// @throws std::system_error if a file cannot be written, or exists.
  void issue(const certificate_request& request,
             const caf::rosia::detail::tls_files& files,
             caf::rosia::detail::existing_files old
             = caf::rosia::detail::existing_files::keep) const;

private:
  struct state;

  explicit certificate_authority(std::unique_ptr<state> x);

  std::unique_ptr<state> state_;
};

} // namespace rosia_certs
