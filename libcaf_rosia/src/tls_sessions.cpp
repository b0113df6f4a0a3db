// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "tls_sessions.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <charconv>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <string>
#include <system_error>

#include <netinet/in.h>
#include <sys/socket.h>

namespace caf::rosia::detail {

namespace {

long before_io(BIO*, int operation, const char*, size_t, int, long, int result,
               size_t*) {
  if (operation == BIO_CB_READ || operation == BIO_CB_WRITE)
    ERR_clear_error();
  return result;
}

void on_info(const SSL* session, int where, int) {
  if ((where & SSL_CB_HANDSHAKE_START) == 0)
    return;
  for (auto* x : {SSL_get_rbio(session), SSL_get_wbio(session)})
    if (x != nullptr)
      BIO_set_callback_ex(x, before_io);
}

void on_new_session(void* parent, void*, CRYPTO_EX_DATA*, int, long, void*) {
  auto* session = static_cast<SSL*>(parent);
  if (SSL_CTX_get_info_callback(SSL_get_SSL_CTX(session)) == nullptr)
    SSL_set_info_callback(session, on_info);
}

std::uint16_t local_port(int fd) noexcept {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return 0;
  if (address.ss_family == AF_INET)
    return ntohs(reinterpret_cast<sockaddr_in*>(&address)->sin_port);
  if (address.ss_family == AF_INET6)
    return ntohs(reinterpret_cast<sockaddr_in6*>(&address)->sin6_port);
  return 0;
}

bool listens(int fd) noexcept {
  auto result = 0;
  socklen_t size = sizeof(result);
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &result, &size) == 0
         && result != 0;
}

} // namespace

void separate_session_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    SSL_get_ex_new_index(0, nullptr, on_new_session, nullptr, nullptr);
  });
}

void hang_up(std::uint16_t port) noexcept {
  std::error_code problem;
  std::filesystem::directory_iterator all{"/proc/self/fd", problem};
  for (auto end = std::filesystem::directory_iterator{}; !problem && all != end;
       all.increment(problem)) {
    auto name = all->path().filename().string();
    auto fd = -1;
    std::from_chars(name.data(), name.data() + name.size(), fd);
    if (fd >= 0 && local_port(fd) == port && !listens(fd))
      shutdown(fd, SHUT_RDWR);
  }
}

} // namespace caf::rosia::detail
