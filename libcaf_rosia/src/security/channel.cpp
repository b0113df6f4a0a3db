// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "security/channel.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/x509_vfy.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <sys/socket.h>

namespace caf::rosia::detail {

namespace {

constexpr const char* hung_up = "it closed the connection";

bool would_block() noexcept {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

std::string errno_text() {
  return std::generic_category().message(errno);
}

// -- OpenSSL's access to a socket, without signals for a closed connection ----

int fd_of(BIO* x) noexcept {
  return static_cast<int>(reinterpret_cast<std::intptr_t>(BIO_get_data(x)));
}

int bio_write(BIO* x, const char* from, int size) {
  BIO_clear_retry_flags(x);
  auto n = send(fd_of(x), from, static_cast<std::size_t>(size), MSG_NOSIGNAL);
  if (n < 0 && would_block())
    BIO_set_retry_write(x);
  return static_cast<int>(n);
}

int bio_read(BIO* x, char* to, int size) {
  BIO_clear_retry_flags(x);
  auto n = recv(fd_of(x), to, static_cast<std::size_t>(size), 0);
  if (n == 0)
    errno = 0; // clear an earlier error: the other end hung up
  if (n < 0 && would_block())
    BIO_set_retry_read(x);
  return static_cast<int>(n);
}

long bio_control(BIO*, int command, long, void*) {
  return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* make_bio_method() {
  auto result = openssl_need(BIO_meth_new(
    BIO_get_new_index() | BIO_TYPE_SOURCE_SINK | BIO_TYPE_DESCRIPTOR,
    "rosia socket"));
  openssl_need(BIO_meth_set_write(result, bio_write));
  openssl_need(BIO_meth_set_read(result, bio_read));
  openssl_need(BIO_meth_set_ctrl(result, bio_control));
  return result;
}

BIO* make_bio(int fd) {
  // never freed
  static auto* method = make_bio_method();
  auto result = openssl_need(BIO_new(method));
  BIO_set_data(result, reinterpret_cast<void*>(std::intptr_t{fd}));
  BIO_set_init(result, 1);
  return result;
}

/// Returns whether the other process sent something that is not a TLS record.
bool is_no_tls(unsigned long error) noexcept {
  if (ERR_GET_LIB(error) != ERR_LIB_SSL)
    return false;
  auto reason = ERR_GET_REASON(error);
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST
         || reason == SSL_R_HTTPS_PROXY_REQUEST;
}

int limited(std::size_t size) noexcept {
  return static_cast<int>(
    std::min<std::size_t>(size, std::numeric_limits<int>::max()));
}

} // namespace

ssl_context_ptr make_tls_context(const tls_files& files) {
  ERR_clear_error();
  ssl_context_ptr result{openssl_need(SSL_CTX_new(TLS_method()))};
  auto x = result.get();
  openssl_need(SSL_CTX_set_min_proto_version(x, TLS1_3_VERSION) == 1);
  openssl_need(
    SSL_CTX_use_certificate_chain_file(x, files.certificate.c_str()) == 1);
  openssl_need(
    SSL_CTX_use_PrivateKey_file(x, files.key.c_str(), SSL_FILETYPE_PEM) == 1);
  openssl_need(
    SSL_CTX_load_verify_locations(x, files.ca.c_str(), nullptr) == 1);
  SSL_CTX_set_verify(
    x, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr);
  SSL_CTX_set_mode(
    x, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
  // Read the header and the body of a record in one call.
  SSL_CTX_set_read_ahead(x, 1);
  // Sessions are never resumed.
  SSL_CTX_set_session_cache_mode(x, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(x, 0);
  return result;
}

channel::channel(int fd, SSL_CTX* context, bool accepts)
  : fd_(fd), session_(openssl_need(SSL_new(context))) {
  auto* way = make_bio(fd);
  SSL_set_bio(session_.get(), way, way);
  if (accepts)
    SSL_set_accept_state(session_.get());
  else
    SSL_set_connect_state(session_.get());
}

bool channel::pending() const noexcept {
  return session_ && SSL_has_pending(session_.get()) == 1;
}

std::string channel::binding() const {
  if (!session_)
    return {};
  constexpr std::string_view label = "EXPORTER-caf-rosia";
  std::string result(32, '\0');
  openssl_need(
    SSL_export_keying_material(
      session_.get(), reinterpret_cast<unsigned char*>(result.data()),
      result.size(), label.data(), label.size(), nullptr, 0, 0)
    == 1);
  return result;
}

channel::state channel::shake_hands() {
  if (!session_)
    return state::done;
  ERR_clear_error();
  return state_of(SSL_do_handshake(session_.get()));
}

channel::state channel::read(void* to, std::size_t size, std::size_t& n) {
  if (session_) {
    ERR_clear_error();
    auto result = SSL_read(session_.get(), to, limited(size));
    n = result > 0 ? static_cast<std::size_t>(result) : 0;
    return state_of(result);
  }
  auto result = recv(fd_, to, size, 0);
  n = result > 0 ? static_cast<std::size_t>(result) : 0;
  if (result > 0)
    return state::done;
  if (result == 0)
    return fail(hung_up);
  return would_block() ? state::wants_read : fail(errno_text());
}

channel::state channel::write(
  const void* from, std::size_t size, std::size_t& n) {
  if (session_) {
    ERR_clear_error();
    auto result = SSL_write(session_.get(), from, limited(size));
    n = result > 0 ? static_cast<std::size_t>(result) : 0;
    return state_of(result);
  }
  auto result = send(fd_, from, size, MSG_NOSIGNAL);
  n = result > 0 ? static_cast<std::size_t>(result) : 0;
  if (result >= 0)
    return state::done;
  if (would_block())
    return state::wants_write;
  write_problem_ = errno_text();
  return state::failed;
}

channel::state channel::state_of(int result) {
  if (result > 0)
    return state::done;
  switch (SSL_get_error(session_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return state::wants_read;
    case SSL_ERROR_WANT_WRITE:
      return state::wants_write;
    case SSL_ERROR_ZERO_RETURN:
      return fail(hung_up);
    case SSL_ERROR_SYSCALL:
      ERR_clear_error();
      return fail(result == 0 || errno == 0 ? hung_up : errno_text());
    default:
      break;
  }
  if (is_no_tls(ERR_peek_error())) {
    ERR_clear_error();
    return fail("it does not use TLS, as this process does (rosia.tls)");
  }
  auto reason = openssl_reason();
  if (auto code = SSL_get_verify_result(session_.get()); code != X509_V_OK)
    (reason += ": ") += X509_verify_cert_error_string(code);
  return fail("TLS: " + reason);
}

channel::state channel::fail(std::string problem) {
  problem_ = std::move(problem);
  return state::failed;
}

} // namespace caf::rosia::detail
