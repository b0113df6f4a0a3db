// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "forgery.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>
#include <memory>

namespace security_test {

namespace {

constexpr auto day = std::chrono::hours{24};

using name_ptr
  = std::unique_ptr<X509_NAME, detail::openssl_deleter<X509_NAME_free>>;

detail::bio_ptr writer(const std::string& file) {
  return detail::bio_ptr{detail::openssl_need(BIO_new_file(file.c_str(), "w"))};
}

detail::ssl_ptr make_end(const detail::tls_files& files) {
  detail::ssl_context_ptr context{
    detail::openssl_need(SSL_CTX_new(TLS_method()))};
  auto x = context.get();
  detail::openssl_need(
    SSL_CTX_use_certificate_chain_file(x, files.certificate.c_str()));
  detail::openssl_need(
    SSL_CTX_use_PrivateKey_file(x, files.key.c_str(), SSL_FILETYPE_PEM));
  detail::openssl_need(
    SSL_CTX_load_verify_locations(x, files.ca.c_str(), nullptr));
  SSL_CTX_set_verify(
    x, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  return detail::ssl_ptr{detail::openssl_need(SSL_new(x))};
}

/// Proceeds as far as possible without the peer.
/// @returns whether there was no error.
bool step(SSL* x) {
  ERR_clear_error();
  auto result = SSL_do_handshake(x);
  auto error = SSL_get_error(x, result);
  return result == 1 || error == SSL_ERROR_WANT_READ
         || error == SSL_ERROR_WANT_WRITE;
}

bool pass_byte(SSL* from, SSL* to) {
  char sent = 'x';
  char received = 0;
  return SSL_write(from, &sent, 1) == 1 && SSL_read(to, &received, 1) == 1
         && received == sent;
}

} // namespace

fixture::fixture(const std::string& ca_name)
  : ca_key_file_(folder_.file("ca-key.pem")),
    ca_(rosia_certs::certificate_authority::create(ca_name, 10 * day)),
    files_{folder_.file("certificate.pem"), folder_.file("key.pem"),
           folder_.file("ca.pem")} {
  ca_.write(files_.ca, ca_key_file_);
  ca_.issue(
    {"alpha", {"localhost"}, day}, files_, detail::existing_files::replace);
}

void fixture::forge(const change& edit, EVP_PKEY* key) const {
  forge(files_.certificate, edit, key);
}

void fixture::forge_ca(const change& edit, EVP_PKEY* key) const {
  forge(files_.ca, edit, key);
}

detail::key_ptr fixture::ca_key() const {
  return detail::pem_file{"", ca_key_file_}.key();
}

void fixture::forge(const std::string& file, const change& edit,
                    EVP_PKEY* key) const {
  auto certificates = detail::pem_file{"", file}.certificates();
  auto own_key = ca_key();
  auto x = certificates.front().get();
  edit(x);
  detail::openssl_need(
    X509_sign(x, key == nullptr ? own_key.get() : key, EVP_sha256()));
  detail::openssl_need(PEM_write_bio_X509(writer(file).get(), x));
}

change dates(std::chrono::seconds begin, std::chrono::seconds end) {
  return [begin, end](X509* x) {
    auto now = std::time(nullptr);
    ASN1_TIME_set(X509_getm_notBefore(x), now + begin.count());
    ASN1_TIME_set(X509_getm_notAfter(x), now + end.count());
  };
}

change extension(int id, const std::string& value) {
  return [id, value](X509* x) {
    if (auto i = X509_get_ext_by_NID(x, id, -1); i >= 0)
      detail::extension_ptr{X509_delete_ext(x, i)};
    if (value.empty())
      return;
    detail::extension_ptr added{detail::openssl_need(
      X509V3_EXT_nconf_nid(nullptr, nullptr, id, value.c_str()))};
    detail::openssl_need(X509_add_ext(x, added.get(), -1));
  };
}

change issuer(const std::string& common_name) {
  return [common_name](X509* x) {
    name_ptr name{detail::openssl_need(X509_NAME_new())};
    detail::openssl_need(X509_NAME_add_entry_by_txt(
      name.get(), "CN", MBSTRING_ASC,
      reinterpret_cast<const unsigned char*>(common_name.c_str()), -1, -1, 0));
    detail::openssl_need(X509_set_issuer_name(x, name.get()));
    extension(NID_authority_key_identifier, "")(x);
  };
}

change weak_key(const std::string& file) {
  return [file](X509* x) {
    detail::key_ptr key{detail::openssl_need(EVP_RSA_gen(1024))};
    detail::openssl_need(X509_set_pubkey(x, key.get()));
    detail::openssl_need(PEM_write_bio_PKCS8PrivateKey(
      writer(file).get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr));
  };
}

void encrypt(const std::string& file) {
  auto key = detail::pem_file{"", file}.key();
  char password[] = "secret";
  detail::openssl_need(PEM_write_bio_PKCS8PrivateKey(
    writer(file).get(), key.get(), EVP_aes_128_cbc(), password,
    sizeof(password) - 1, nullptr, nullptr));
}

void convert_to_der(const std::string& certificate) {
  auto x = detail::pem_file{"", certificate}.certificates();
  detail::openssl_need(
    i2d_X509_bio(writer(certificate).get(), x.front().get()));
}

bool connect(const detail::tls_files& client, const detail::tls_files& server) {
  auto left = make_end(client);
  auto right = make_end(server);
  SSL_set_connect_state(left.get());
  SSL_set_accept_state(right.get());
  BIO* left_bio = nullptr;
  BIO* right_bio = nullptr;
  detail::openssl_need(BIO_new_bio_pair(&left_bio, 0, &right_bio, 0));
  SSL_set_bio(left.get(), left_bio, left_bio);
  SSL_set_bio(right.get(), right_bio, right_bio);
  while (
    !SSL_is_init_finished(left.get()) || !SSL_is_init_finished(right.get()))
    if (!step(left.get()) || !step(right.get()))
      return false;
  return pass_byte(left.get(), right.get())
         && pass_byte(right.get(), left.get());
}

} // namespace security_test
