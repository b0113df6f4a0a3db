// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_certs/certificate_authority.hpp"

#include "security/openssl_support.hpp"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include <arpa/inet.h>

namespace rosia_certs {

using namespace caf::rosia::detail;

namespace {

using std::chrono::sys_seconds;

constexpr auto clock_skew = std::chrono::minutes{5};

/// The limit of X.509's dates.
constexpr auto longest_lifetime = std::chrono::years{1000};

// -- requests -----------------------------------------------------------------

[[noreturn]] void refuse(const std::string& reason) {
  throw std::invalid_argument("certificate: " + reason);
}

bool is_address(const std::string& x) {
  std::array<unsigned char, sizeof(in6_addr)> ignored;
  return inet_pton(AF_INET, x.c_str(), ignored.data()) == 1
         || inet_pton(AF_INET6, x.c_str(), ignored.data()) == 1;
}

bool is_dns_label(std::string_view x) {
  auto allowed = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')
           || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
  };
  return !x.empty() && x.size() <= 63 && x.front() != '-' && x.back() != '-'
         && std::all_of(x.begin(), x.end(), allowed);
}

bool is_dns_name(std::string_view x) {
  if (x.size() > 253)
    return false;
  for (;;) {
    auto dot = x.find('.');
    if (!is_dns_label(x.substr(0, dot)))
      return false;
    if (dot == std::string_view::npos)
      return true;
    x.remove_prefix(dot + 1);
  }
}

/// Returns the extension subjectAltName, in OpenSSL's notation.
std::string alternative_names(const std::vector<std::string>& hosts) {
  std::string result;
  for (auto& x : hosts) {
    auto address = is_address(x);
    if (!address && !is_dns_name(x))
      refuse(fmt::format("'{}' is neither a host name nor an IP address", x));
    result += fmt::format(
      "{}{}:{}", result.empty() ? "" : ",", address ? "IP" : "DNS", x);
  }
  return result;
}

// -- certificates -------------------------------------------------------------

key_ptr make_key() {
  return key_ptr{openssl_need(EVP_EC_gen("P-256"))};
}

void set_serial(X509* x) {
  std::array<unsigned char, 16> bytes;
  openssl_need(RAND_bytes(bytes.data(), bytes.size()) == 1);
  bignum_ptr number{
    openssl_need(BN_bin2bn(bytes.data(), bytes.size(), nullptr))};
  openssl_need(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(x)));
}

void set_name(X509* x, const std::string& name) {
  constexpr std::size_t longest = 64;
  if (name.empty() || name.size() > longest)
    refuse(fmt::format(
      "the name '{}' does not have 1 to {} characters", name, longest));
  if (X509_NAME_add_entry_by_NID(
        X509_get_subject_name(x), NID_commonName, MBSTRING_UTF8,
        reinterpret_cast<const unsigned char*>(name.data()),
        static_cast<int>(name.size()), -1, 0)
      != 1)
    refuse(fmt::format(
      "the name '{}' is not in UTF-8 ({})", name, openssl_reason()));
}

void set_validity(X509* x, sys_seconds now, sys_seconds end) {
  auto time_t_of
    = [](sys_seconds t) { return std::chrono::system_clock::to_time_t(t); };
  openssl_need(
    ASN1_TIME_set(X509_getm_notBefore(x), time_t_of(now - clock_skew)));
  openssl_need(ASN1_TIME_set(X509_getm_notAfter(x), time_t_of(end)));
}

sys_seconds end_of(sys_seconds now, std::chrono::seconds lifetime) {
  if (lifetime <= std::chrono::seconds::zero() || lifetime > longest_lifetime)
    refuse(fmt::format("a lifetime of {} s is not between 1 s and 1000 years",
                       lifetime.count()));
  return now + lifetime;
}

sys_seconds this_second() {
  return std::chrono::floor<std::chrono::seconds>(
    std::chrono::system_clock::now());
}

x509_ptr make_unsigned(const std::string& name, EVP_PKEY* key) {
  x509_ptr result{openssl_need(X509_new())};
  openssl_need(X509_set_version(result.get(), X509_VERSION_3));
  set_serial(result.get());
  set_name(result.get(), name);
  openssl_need(X509_set_pubkey(result.get(), key));
  return result;
}

void extend(X509* x, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, x, nullptr, nullptr, 0);
  extension_ptr extension{
    openssl_need(X509V3_EXT_nconf_nid(nullptr, &context, nid, value.c_str()))};
  openssl_need(X509_add_ext(x, extension.get(), -1));
}

void sign(X509* x, EVP_PKEY* key) {
  // Algorithms such as Ed25519 determine the digest.
  int digest = NID_undef;
  auto fixed
    = EVP_PKEY_get_default_digest_nid(key, &digest) == 2 && digest == NID_undef;
  openssl_need(X509_sign(x, key, fixed ? nullptr : EVP_sha256()));
}

// -- files --------------------------------------------------------------------

/// A secret in memory, which is erased afterwards.
struct secret_text {
  explicit secret_text(std::string x) : value(std::move(x)) {
    // nop
  }

  secret_text(const secret_text&) = delete;

  secret_text& operator=(const secret_text&) = delete;

  ~secret_text() {
    OPENSSL_cleanse(value.data(), value.size());
  }

  std::string value;
};

std::string content_of(BIO* x) {
  char* text = nullptr;
  auto size = BIO_get_mem_data(x, &text);
  return {text, static_cast<std::size_t>(size)};
}

std::string to_pem(X509* x) {
  bio_ptr out{openssl_need(BIO_new(BIO_s_mem()))};
  openssl_need(PEM_write_bio_X509(out.get(), x));
  return content_of(out.get());
}

secret_text to_pem(EVP_PKEY* x) {
  bio_ptr out{openssl_need(BIO_new(BIO_s_secmem()))};
  openssl_need(PEM_write_bio_PKCS8PrivateKey(
    out.get(), x, nullptr, nullptr, 0, nullptr, nullptr));
  return secret_text{content_of(out.get())};
}

} // namespace

// -- certificate_authority ----------------------------------------------------

struct certificate_authority::state {
  key_ptr key;
  /// The CA's own certificate, then those of other CAs.
  x509_list certificates;

  X509* certificate() const {
    return certificates.front().get();
  }

  std::string pem() const {
    std::string result;
    for (auto& x : certificates)
      result += to_pem(x.get());
    return result;
  }

  x509_ptr issue(const certificate_request& request,
                 EVP_PKEY* subject_key) const;
};

x509_ptr certificate_authority::state::issue(
  const certificate_request& request, EVP_PKEY* subject_key) const {
  auto now = this_second();
  auto last = to_time(X509_get0_notAfter(certificate()));
  if (last <= now)
    refuse("that of the CA expired at " + utc_text(last));
  auto result = make_unsigned(request.name, subject_key);
  auto x = result.get();
  set_validity(x, now, std::min(end_of(now, request.lifetime), last));
  openssl_need(X509_set_issuer_name(x, X509_get_subject_name(certificate())));
  auto add = [&](int nid, const std::string& value) {
    extend(x, certificate(), nid, value);
  };
  add(NID_basic_constraints, "critical,CA:FALSE");
  add(NID_key_usage, "critical,digitalSignature");
  add(NID_ext_key_usage, "serverAuth,clientAuth");
  if (!request.hosts.empty())
    add(NID_subject_alt_name, alternative_names(request.hosts));
  add(NID_subject_key_identifier, "hash");
  add(NID_authority_key_identifier, "keyid:always");
  sign(x, key.get());
  return result;
}

certificate_authority::certificate_authority(std::unique_ptr<state> x)
  : state_(std::move(x)) {
  // nop
}

certificate_authority::certificate_authority(
  certificate_authority&&) noexcept = default;

certificate_authority& certificate_authority::operator=(
  certificate_authority&&) noexcept = default;

certificate_authority::~certificate_authority() = default;

certificate_authority certificate_authority::create(
  const std::string& name, std::chrono::seconds lifetime) {
  auto result = std::make_unique<state>();
  result->key = make_key();
  auto key = result->key.get();
  result->certificates.push_back(make_unsigned(name, key));
  auto x = result->certificate();
  auto now = this_second();
  set_validity(x, now, end_of(now, lifetime));
  openssl_need(X509_set_issuer_name(x, X509_get_subject_name(x)));
  extend(x, x, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  extend(x, x, NID_key_usage, "critical,keyCertSign,cRLSign");
  extend(x, x, NID_subject_key_identifier, "hash");
  extend(x, x, NID_authority_key_identifier, "keyid:always");
  sign(x, key);
  return certificate_authority{std::move(result)};
}

certificate_authority certificate_authority::load(
  const std::string& certificate, const std::string& key) {
  pem_file certificate_file{"", certificate};
  pem_file key_file{"", key};
  auto result = std::make_unique<state>();
  result->certificates = certificate_file.certificates();
  result->key = key_file.key();
  require_ca(certificate_file, result->certificate());
  require_valid_now(certificate_file, result->certificate());
  require_match(
    key_file, result->key.get(), certificate_file, result->certificate());
  return certificate_authority{std::move(result)};
}

void certificate_authority::write(
  const std::string& certificate, const std::string& key,
  existing_files old) const {
  new_files files{old};
  files.add(certificate, state_->pem());
  files.add_secret(key, to_pem(state_->key.get()).value);
  files.commit();
}

void certificate_authority::issue(
  const certificate_request& request, const tls_files& files,
  existing_files old) const {
  auto key = make_key();
  auto certificate = state_->issue(request, key.get());
  new_files written{old};
  written.add(files.certificate, to_pem(certificate.get()));
  written.add_secret(files.key, to_pem(key.get()).value);
  written.add(files.ca, state_->pem());
  written.commit();
}

} // namespace rosia_certs
