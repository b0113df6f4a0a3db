// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "security/openssl_support.hpp"

#include "base/read_file.hpp"
#include "security/certificates.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <ctime>
#include <utility>

#include <sys/stat.h>

namespace caf::rosia::detail {

namespace {

/// Replaces OpenSSL's callback, which would ask on the terminal.
int refuse_password(char*, int, int, void* asked) {
  if (asked != nullptr)
    *static_cast<bool*>(asked) = true;
  return -1;
}

bool nothing_more() {
  auto last = ERR_peek_last_error();
  return ERR_GET_LIB(last) == ERR_LIB_PEM
         && ERR_GET_REASON(last) == PEM_R_NO_START_LINE;
}

/// Returns whether a file starts like DER: with an ASN.1 sequence of more than
/// 127 bytes.
bool looks_like_der(const std::string& content) {
  return content.size() > 2 && content[0] == '\x30'
         && (content[1] == '\x81' || content[1] == '\x82');
}

} // namespace

std::string openssl_reason() {
  auto reason = ERR_reason_error_string(ERR_peek_error());
  ERR_clear_error();
  return reason == nullptr ? "unknown error" : reason;
}

std::string to_text(const X509_NAME* x) {
  bio_ptr out{openssl_need(BIO_new(BIO_s_mem()))};
  X509_NAME_print_ex(
    out.get(), x, 0, XN_FLAG_RFC2253 & ~unsigned{ASN1_STRFLGS_ESC_MSB});
  char* text = nullptr;
  auto size = BIO_get_mem_data(out.get(), &text);
  return size > 0 ? std::string(text, static_cast<std::size_t>(size)) : "";
}

std::chrono::sys_seconds to_time(const ASN1_TIME* x) {
  std::tm parts{};
  openssl_need(ASN1_TIME_to_tm(x, &parts));
  return std::chrono::sys_seconds{std::chrono::seconds{timegm(&parts)}};
}

// -- files --------------------------------------------------------------------

pem_file::pem_file(std::string option, std::string path)
  : option_(std::move(option)), path_(std::move(path)) {
  if (path_.empty())
    throw std::invalid_argument(
      option_
      + ": no file is given; rosia.tls.certificate, rosia.tls.key and "
        "rosia.tls.ca belong together, and rosia-certs makes the files; on "
        "the loopback device, rosia.network.insecure=true needs none");
  read();
}

void pem_file::refuse(const std::string& reason) const {
  throw std::invalid_argument(
    (option_.empty() ? "" : option_ + ": ") + path_ + ": " + reason);
}

void pem_file::read() {
  try {
    // The file is read several times.
    auto file = read_file(path_, {.may_be_pipe = false});
    content_ = std::move(file.text);
    mode_ = file.mode;
  } catch (const file_error& problem) {
    refuse(std::string{"cannot be read: "} + problem.what()
           + (problem.number() != 0 ? "; check its name and its permissions"
                                    : "; name a file in PEM format"));
  }
  if (content_.empty())
    refuse("is empty; copy it again, or make it with rosia-certs");
}

bio_ptr pem_file::open() const {
  ERR_clear_error();
  return bio_ptr{openssl_need(
    BIO_new_mem_buf(content_.data(), static_cast<int>(content_.size())))};
}

void pem_file::refuse_content(const std::string& expected) const {
  ERR_clear_error();
  refuse("contains no " + expected + " in PEM format; "
         + (looks_like_der(content_)
              ? "the file seems to be in DER format, which openssl can convert"
              : "name the right file, or copy it again"));
}

x509_list pem_file::certificates() const {
  auto in = open();
  x509_list result;
  for (;;) {
    // Like SSL_CTX_use_certificate_chain_file, with which CAF reads the file.
    x509_ptr x{
      PEM_read_bio_X509_AUX(in.get(), nullptr, refuse_password, nullptr)};
    if (!x)
      break;
    result.push_back(std::move(x));
  }
  if (!nothing_more())
    refuse(fmt::format(
      "certificate {} is damaged (OpenSSL: {}); copy the file again",
      result.size() + 1, openssl_reason()));
  ERR_clear_error();
  if (result.empty())
    refuse_content("certificate");
  return result;
}

key_ptr pem_file::key() const {
  if ((mode_ & (S_IRWXG | S_IRWXO)) != 0)
    refuse(fmt::format(
      "the mode {:04o} lets users other than its owner use the key; run: chmod "
      "600 "
      "{}",
      mode_ & 07777, path_));
  auto in = open();
  bool encrypted = false;
  key_ptr result{
    PEM_read_bio_PrivateKey(in.get(), nullptr, refuse_password, &encrypted)};
  if (encrypted)
    refuse("the key is encrypted, and there is no option for its password; "
           "name a file with the decrypted key, which openssl pkey writes");
  if (!result && content_.find("PRIVATE KEY-----") != std::string::npos)
    refuse(fmt::format("the key is damaged (OpenSSL: {}); copy the file again",
                       openssl_reason()));
  if (!result)
    refuse_content("private key");
  return result;
}

// -- rules --------------------------------------------------------------------

void require_valid_now(const pem_file& file, const X509* x) {
  auto subject = to_text(X509_get_subject_name(x));
  auto begin = X509_get0_notBefore(x);
  auto end = X509_get0_notAfter(x);
  if (X509_cmp_current_time(begin) > 0)
    file.refuse(fmt::format(
      "the certificate {} is not valid before {}; set this machine's clock, or "
      "wait until then",
      subject, utc_text(to_time(begin))));
  if (X509_cmp_current_time(end) < 0)
    file.refuse(fmt::format(
      "the certificate {} expired at {}; make a new one with rosia-certs",
      subject, utc_text(to_time(end))));
}

void require_ca(const pem_file& file, X509* x) {
  // Other results are for certificates that do not state their kind.
  if (X509_check_ca(x) != 1)
    file.refuse(fmt::format(
      "the certificate {} is not that of a CA (basicConstraints CA:TRUE, "
      "keyUsage keyCertSign); name the file with the certificate of the CA "
      "that issued the "
      "other certificates",
      to_text(X509_get_subject_name(x))));
}

void require_match(const pem_file& key_file, const EVP_PKEY* key,
                   const pem_file& certificate_file, const X509* certificate) {
  auto matches = EVP_PKEY_eq(X509_get0_pubkey(certificate), key) == 1;
  ERR_clear_error();
  if (!matches)
    key_file.refuse(fmt::format(
      "is not the key of the certificate {} in {}; name the two files that "
      "were made together",
      to_text(X509_get_subject_name(certificate)), certificate_file.path()));
}

} // namespace caf::rosia::detail
