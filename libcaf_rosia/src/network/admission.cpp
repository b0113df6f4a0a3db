// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "network/admission.hpp"

#include "base/secret.hpp"
#include "security/openssl_support.hpp"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <utility>

namespace caf::rosia::detail {

namespace {

/// The name of this exchange, and its version.
constexpr std::string_view greeting = "rosia/1\n";

/// The first bytes of a process that uses TLS.
constexpr std::string_view tls_handshake = "\x16\x03";

constexpr std::size_t number_size = 32;
constexpr std::size_t proof_size = 32; // of SHA-256

/// The prefix of the proof with which the accepting process admits the other
/// one.
constexpr char agreed = 'y';
constexpr char disagreed = 'n';

} // namespace

admission::admission(side self, std::string token, std::string binding)
  : self_(self), token_(std::move(token)), binding_(std::move(binding)),
    own_(random_bytes(number_size)), output_(std::string{greeting} + own_) {
  // nop
}

std::string admission::output() {
  return std::exchange(output_, {});
}

std::size_t admission::wanted() const noexcept {
  if (state_ != state::open)
    return 0;
  if (other_.empty())
    return greeting.size() + number_size;
  return self_ == side::accepts ? proof_size : 1 + proof_size;
}

admission::state admission::take(std::string_view bytes) {
  if (state_ != state::open || bytes.size() != wanted())
    return refuse("it sent data at the wrong time");
  if (other_.empty()) {
    if (bytes.starts_with(tls_handshake))
      return refuse("it uses TLS, and this process does not (rosia.tls)");
    if (!bytes.starts_with(greeting))
      return refuse(
        "it does not use the protocol of this version of libcaf_rosia");
    other_ = bytes.substr(greeting.size());
    // A side must not get its own messages back.
    if (other_ == own_)
      return refuse("it echoes what this process sends");
    if (self_ == side::connects)
      output_ += proof_of(self_);
    return state_;
  }
  auto proof = bytes.substr(bytes.size() - proof_size);
  auto agrees = self_ == side::accepts || bytes.front() == agreed;
  auto expected
    = proof_of(self_ == side::accepts ? side::connects : side::accepts);
  auto right = agrees && same_secret(proof, expected);
  if (self_ == side::accepts) {
    output_ += right ? agreed : disagreed;
    output_ += right ? proof_of(self_) : std::string(proof_size, '\0');
  }
  if (!right) {
    other_token_ = true;
    return refuse("the tokens differ (rosia.network.token)");
  }
  return state_ = state::admitted;
}

std::string admission::proof_of(side party) const {
  auto is_self = party == self_;
  std::string text{party == side::accepts ? "accepts" : "connects"};
  text += is_self ? own_ + other_ : other_ + own_;
  text += binding_;
  unsigned char result[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  openssl_need(HMAC(
    EVP_sha256(), token_.data(), static_cast<int>(token_.size()),
    reinterpret_cast<const unsigned char*>(text.data()), text.size(), result,
    &size));
  return {reinterpret_cast<const char*>(result), size};
}

admission::state admission::refuse(std::string problem) {
  if (problem_.empty())
    problem_ = std::move(problem);
  return state_ = state::refused;
}

} // namespace caf::rosia::detail
