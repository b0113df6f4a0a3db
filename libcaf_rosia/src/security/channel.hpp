// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/certificates.hpp"
#include "security/openssl_support.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <string>

namespace caf::rosia::detail {

/// Makes the common context of all TLS connections of a process, with its
/// certificates and settings. Reads the files only once. Both sides show a
/// certificate.
/// @throws std::runtime_error if OpenSSL does not accept the files.
ssl_context_ptr make_tls_context(const tls_files& files);

/// Reads from and writes to a connected socket without blocking, through TLS if
/// it has a session. One thread at a time may use it; without TLS one thread
/// may read while another writes. Tests: test/network/introduction_test.cpp,
/// test/compat/io/process_network_test.cpp.
class channel {
public:
  // -- member types -----------------------------------------------------------

  enum class state { done, wants_read, wants_write, failed };

  // -- constructors, destructors ----------------------------------------------

  /// @param fd a non-blocking socket, which the caller closes.
  explicit channel(int fd) noexcept : fd_(fd) {
    // nop
  }

  /// Makes a channel with TLS.
  /// @param accepts whether the other side connected to this one.
  /// @throws std::runtime_error without memory.
  channel(int fd, SSL_CTX* context, bool accepts);

  // -- properties -------------------------------------------------------------

  int fd() const noexcept {
    return fd_;
  }

  /// Returns whether it has a TLS session.
  bool protects() const noexcept {
    return session_ != nullptr;
  }

  /// Returns the reason of a failure.
  const std::string& problem() const noexcept {
    return problem_.empty() ? write_problem_ : problem_;
  }

  /// Returns whether bytes that were received are not returned yet.
  bool pending() const noexcept;

  /// Returns a secret that only the two ends of this TLS session share; empty
  /// without TLS.
  /// @pre `shake_hands` is done.
  std::string binding() const;

  // -- bytes ------------------------------------------------------------------

  /// Performs the TLS handshake, if the channel uses TLS.
  state shake_hands();

  /// @param n the number of bytes that were read, if done: at least one.
  state read(void* to, std::size_t size, std::size_t& n);

  /// @param n the number of bytes that were written, if done.
  state write(const void* from, std::size_t size, std::size_t& n);

private:
  state state_of(int result);

  state fail(std::string problem);

  int fd_;
  ssl_ptr session_;
  std::string problem_;
  std::string write_problem_; // without TLS
};

} // namespace caf::rosia::detail
