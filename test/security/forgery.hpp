// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/certificates.hpp"
#include "security/openssl_support.hpp"
#include "temporary_folder.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace security_test {

namespace detail = caf::rosia::detail;

using change = std::function<void(X509*)>;

/// A CA with one certificate, in a folder of its own.
class fixture {
public:
  explicit fixture(const std::string& ca_name = "Test CA");

  const detail::tls_files& files() const noexcept {
    return files_;
  }

  const test::temporary_folder& folder() const noexcept {
    return folder_;
  }

  const detail::certificate_authority& ca() const noexcept {
    return ca_;
  }

  detail::key_ptr ca_key() const;

  /// Changes the process's certificate, and lets the CA sign it again, or who
  /// has the key.
  void forge(const change& what, EVP_PKEY* key = nullptr) const;

  /// Changes the CA's own certificate, and lets the CA sign it again, or who
  /// has the key.
  void forge_ca(const change& what, EVP_PKEY* key = nullptr) const;

private:
  void forge(const std::string& file, const change& what, EVP_PKEY* key) const;

  test::temporary_folder folder_;
  std::string ca_key_file_;
  detail::certificate_authority ca_;
  detail::tls_files files_;
};

/// A change of dates to so long from now.
change dates(std::chrono::seconds begin, std::chrono::seconds end);

/// A change that removes an extension, if it is there, and adds it with this
/// value, if there is one.
change extension(int what, const std::string& value);

/// A change of the issuer.
change issuer(const std::string& common_name);

/// Changes the subject's key, and writes it to `file`.
change weak_key(const std::string& file);

/// Encrypts a key.
void encrypt(const std::string& file);

/// Writes the file in DER format.
void convert_to_der(const std::string& certificate);

/// Connects a client and a server in memory.
/// @returns whether they accepted each other, and exchanged a byte each way.
bool connect(const detail::tls_files& client, const detail::tls_files& server);

} // namespace security_test
