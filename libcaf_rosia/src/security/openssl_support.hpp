// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>

#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace caf::rosia::detail {

template <auto Free>
struct openssl_deleter {
  template <class T>
  void operator()(T* x) const noexcept {
    Free(x);
  }
};

using bignum_ptr = std::unique_ptr<BIGNUM, openssl_deleter<BN_free>>;
using bio_ptr = std::unique_ptr<BIO, openssl_deleter<BIO_free_all>>;
using extension_ptr
  = std::unique_ptr<X509_EXTENSION, openssl_deleter<X509_EXTENSION_free>>;
using key_ptr = std::unique_ptr<EVP_PKEY, openssl_deleter<EVP_PKEY_free>>;
using ssl_context_ptr = std::unique_ptr<SSL_CTX, openssl_deleter<SSL_CTX_free>>;
using ssl_ptr = std::unique_ptr<SSL, openssl_deleter<SSL_free>>;
using store_ptr = std::unique_ptr<X509_STORE, openssl_deleter<X509_STORE_free>>;
using store_context_ptr
  = std::unique_ptr<X509_STORE_CTX, openssl_deleter<X509_STORE_CTX_free>>;
/// Certificates that the stack does not own.
using x509_stack_ptr = std::unique_ptr<
  STACK_OF(X509), decltype([](STACK_OF(X509) * x) { sk_X509_free(x); })>;
using x509_ptr = std::unique_ptr<X509, openssl_deleter<X509_free>>;

using x509_list = std::vector<x509_ptr>;

/// Returns the reason of OpenSSL's oldest error in this thread, and clears all
/// errors.
std::string openssl_reason();

/// Checks a result that is only null if OpenSSL has no memory or is broken.
/// @throws std::runtime_error if `x` is null or 0.
template <class T>
T openssl_need(T x) {
  if (!x)
    throw std::runtime_error("OpenSSL failed: " + openssl_reason());
  return x;
}

/// Returns a text of the form `CN=alpha`.
std::string to_text(const X509_NAME* x);

std::chrono::sys_seconds to_time(const ASN1_TIME* x);

/// A file in PEM format that the user named. Tests:
/// test/security/certificates_test.cpp.
class pem_file {
public:
  /// Reads the file.
  /// @param option the option with the path, or empty.
  /// @throws std::invalid_argument
  pem_file(std::string option, std::string path);

  // -- properties -------------------------------------------------------------

  const std::string& path() const noexcept {
    return path_;
  }

  /// Returns the certificates in it, at least one.
  /// @throws std::invalid_argument
  x509_list certificates() const;

  /// Returns the private key in it. Only its owner may have access to the file.
  /// @throws std::invalid_argument
  key_ptr key() const;

  /// @throws std::invalid_argument that starts with the option and the path.
  [[noreturn]] void refuse(const std::string& reason) const;

private:
  void read();

  bio_ptr open() const;

  [[noreturn]] void refuse_content(const std::string& expected) const;

  std::string option_;
  std::string path_;
  mode_t mode_ = 0;
  std::string content_;
};

/// @throws std::invalid_argument unless `x` is valid now.
void require_valid_now(const pem_file& file, const X509* x);

/// @throws std::invalid_argument unless `x` is a CA's certificate.
void require_ca(const pem_file& file, X509* x);

/// @throws std::invalid_argument unless the key matches the certificate.
void require_match(const pem_file& key_file, const EVP_PKEY* key,
                   const pem_file& certificate_file, const X509* certificate);

} // namespace caf::rosia::detail
