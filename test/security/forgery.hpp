// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_certs/certificate_authority.hpp"
#include "security/openssl_support.hpp"
#include "temporary_folder.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace security_test {

namespace detail = caf::rosia::detail;

using change = std::function<void(X509*)>;

/// A CA with one certificate, in a separate folder.
class fixture {
public:
  explicit fixture(const std::string& ca_name = "Test CA");

  const detail::tls_files& files() const noexcept {
    return files_;
  }

  const test::temporary_folder& folder() const noexcept {
    return folder_;
  }

  const rosia_certs::certificate_authority& ca() const noexcept {
    return ca_;
  }

  detail::key_ptr ca_key() const;

  /// Changes the process's certificate, and signs it with the CA's key, or with
  /// `key`.
  void forge(const change& edit, EVP_PKEY* key = nullptr) const;

  /// Changes the CA's certificate, and signs it with the CA's key, or with
  /// `key`.
  void forge_ca(const change& edit, EVP_PKEY* key = nullptr) const;

private:
  void forge(const std::string& file, const change& edit, EVP_PKEY* key) const;

  test::temporary_folder folder_;
  std::string ca_key_file_;
  rosia_certs::certificate_authority ca_;
  detail::tls_files files_;
};

/// Returns a change of the dates, relative to now.
change dates(std::chrono::seconds begin, std::chrono::seconds end);

/// Returns a change that removes an extension, if it exists, and adds it with
/// this value, if given.
change extension(int id, const std::string& value);

/// Returns a change of the issuer.
change issuer(const std::string& common_name);

/// Returns a change of the subject's key, which is written to `file`.
change weak_key(const std::string& file);

/// Encrypts a key.
void encrypt(const std::string& file);

/// Writes the file in DER format.
void convert_to_der(const std::string& certificate);

/// Connects a client and a server in memory.
/// @returns whether they accepted each other, and exchanged a byte in each
/// direction.
bool connect(const detail::tls_files& client, const detail::tls_files& server);

} // namespace security_test
