// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "security/certificates.hpp"

#include "security/channel.hpp"
#include "security/openssl_support.hpp"

#include <openssl/err.h>
#include <spdlog/fmt/chrono.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>

namespace caf::rosia::detail {

namespace {

// -- verifying ----------------------------------------------------------------

struct verifier {
  const pem_file& certificate_file;
  const x509_list& chain;
  const pem_file& ca_file;
  const x509_list& authorities;

  /// Verifies the chain for a role.
  /// @param role `ssl_client` or `ssl_server`, OpenSSL's name for the verified
  ///   side.
  void verify(const char* role) const {
    store_ptr store{openssl_need(X509_STORE_new())};
    for (auto& x : authorities)
      openssl_need(X509_STORE_add_cert(store.get(), x.get()));
    x509_stack_ptr others{openssl_need(sk_X509_new_null())};
    for (auto& x : chain)
      openssl_need(sk_X509_push(others.get(), x.get()));
    store_context_ptr context{openssl_need(X509_STORE_CTX_new())};
    openssl_need(X509_STORE_CTX_init(
      context.get(), store.get(), chain.front().get(), others.get()));
    openssl_need(X509_STORE_CTX_set_default(context.get(), role));
    if (X509_verify_cert(context.get()) != 1)
      refuse(context.get());
    ERR_clear_error();
  }

  [[noreturn]] void refuse(X509_STORE_CTX* context) const {
    auto reason = X509_STORE_CTX_get_error(context);
    auto current = X509_STORE_CTX_get_current_cert(context);
    if (current == nullptr)
      current = chain.front().get();
    ERR_clear_error();
    auto& file = is_authority(current) ? ca_file : certificate_file;
    switch (reason) {
      case X509_V_ERR_CERT_NOT_YET_VALID:
      case X509_V_ERR_CERT_HAS_EXPIRED:
        require_valid_now(file, current);
        break;
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
      case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
      case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
      case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
      case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
      case X509_V_ERR_CERT_SIGNATURE_FAILURE:
        refuse_issuer(current);
      case X509_V_ERR_INVALID_PURPOSE:
        file.refuse(fmt::format(
          "the certificate {} may not be used by both clients and servers "
          "(keyUsage digitalSignature, extendedKeyUsage serverAuth and "
          "clientAuth); make a new one with rosia-certs",
          to_text(X509_get_subject_name(current))));
      default:
        break;
    }
    file.refuse(fmt::format(
      "the certificate {} cannot be verified (OpenSSL: {}); make a new one "
      "with rosia-certs",
      to_text(X509_get_subject_name(current)),
      X509_verify_cert_error_string(reason)));
  }

  [[noreturn]] void refuse_issuer(const X509* current) const {
    auto subject = to_text(X509_get_subject_name(current));
    auto issuer = to_text(X509_get_issuer_name(current));
    if (is_authority(current))
      ca_file.refuse(fmt::format(
        "the CA {} is not a root CA: append the certificate of {}, which "
        "issued this one",
        subject, issuer));
    certificate_file.refuse(fmt::format(
      "the certificate {} was not issued by a CA in {}, but by {}; name the "
      "files of one CA",
      subject, ca_file.path(),
      subject == issuer ? "itself"
      : is_known_name(issuer)
        ? "another CA named " + issuer
        : issuer));
  }

  bool is_known_name(const std::string& x) const {
    return std::any_of(authorities.begin(), authorities.end(), [&x](auto& y) {
      return to_text(X509_get_subject_name(y.get())) == x;
    });
  }

  bool is_authority(const X509* x) const {
    return std::any_of(authorities.begin(), authorities.end(), [x](auto& y) {
      return X509_cmp(x, y.get()) == 0;
    });
  }
};

// -- connecting ---------------------------------------------------------------

/// Connects a client and a server in memory, with the settings of all
/// connections.
class trial {
public:
  trial(const tls_files& files, const pem_file& certificate_file)
    : files_(files), file_(certificate_file) {
    // nop
  }

  void run() {
    auto context = make_context();
    ssl_ptr client{need(SSL_new(context.get()))};
    ssl_ptr server{need(SSL_new(context.get()))};
    SSL_set_connect_state(client.get());
    SSL_set_accept_state(server.get());
    join(client.get(), server.get());
    bool done = false;
    while (!done) {
      done = step(client.get());
      done = step(server.get()) && done;
    }
  }

private:
  ssl_context_ptr make_context() {
    try {
      return make_tls_context(files_);
    } catch (const std::runtime_error& e) {
      refuse(e.what());
    }
  }

  static void join(SSL* left, SSL* right) {
    BIO* left_end = nullptr;
    BIO* right_end = nullptr;
    openssl_need(BIO_new_bio_pair(&left_end, 0, &right_end, 0));
    SSL_set_bio(left, left_end, left_end);
    SSL_set_bio(right, right_end, right_end);
  }

  /// Continues the handshake as far as possible without the peer.
  /// @returns whether this side is done.
  bool step(SSL* x) {
    ERR_clear_error();
    auto result = SSL_do_handshake(x);
    if (result == 1)
      return true;
    auto error = SSL_get_error(x, result);
    need(error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE);
    return false;
  }

  template <class T>
  T need(T x) {
    if (!x)
      refuse("OpenSSL failed: " + openssl_reason());
    return x;
  }

  [[noreturn]] void refuse(const std::string& problem) {
    file_.refuse(fmt::format(
      "a connection between two processes with this file, {} and {} fails "
      "({}); make new ones with rosia-certs",
      files_.key, files_.ca, problem));
  }

  const tls_files& files_;
  const pem_file& file_;
};

} // namespace

// -- functions ----------------------------------------------------------------

void check(const tls_files& files) {
  pem_file certificate_file{"rosia.tls.certificate", files.certificate};
  pem_file key_file{"rosia.tls.key", files.key};
  pem_file ca_file{"rosia.tls.ca", files.ca};
  auto chain = certificate_file.certificates();
  auto key = key_file.key();
  auto authorities = ca_file.certificates();
  require_match(key_file, key.get(), certificate_file, chain.front().get());
  for (auto& x : authorities)
    require_ca(ca_file, x.get());
  verifier v{certificate_file, chain, ca_file, authorities};
  v.verify("ssl_client");
  v.verify("ssl_server");
  // Find other problems, such as keys that the system's policy refuses as too
  // short.
  trial{files, certificate_file}.run();
}

std::vector<certificate_info> describe_certificates(const std::string& file) {
  std::vector<certificate_info> result;
  for (auto& x : pem_file{"", file}.certificates())
    result.push_back(
      {to_text(X509_get_subject_name(x.get())),
       to_text(X509_get_issuer_name(x.get())),
       to_time(X509_get0_notBefore(x.get())),
       to_time(X509_get0_notAfter(x.get()))});
  return result;
}

std::string utc_text(std::chrono::sys_seconds x) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(x)));
}

} // namespace caf::rosia::detail
