// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "security/certificates.hpp"
#include "security/openssl_support.hpp"

#include <openssl/ssl.h>

#include <cstddef>
#include <string>

namespace caf::rosia::detail {

/// What all TLS connections of a process share: its files, which are read here
/// and not again, and what it accepts. Both sides show a certificate.
/// @throws std::runtime_error if OpenSSL does not take the files.
ssl_context_ptr make_tls_context(const tls_files& files);

/// Reads from and writes to a connected socket without waiting, through TLS if
/// it has a session. From one thread at a time; without TLS one may read while
/// another one writes.
class channel {
public:
  // -- member types -----------------------------------------------------------

  enum class state { done, wants_read, wants_write, failed };

  // -- constructors, destructors ----------------------------------------------

  /// @param fd does not block; whoever made it closes it.
  explicit channel(int fd) noexcept : fd_(fd) {
    // nop
  }

  /// With TLS.
  /// @param accepts whether the other side has connected to this one.
  /// @throws std::runtime_error without memory.
  channel(int fd, SSL_CTX* context, bool accepts);

  // -- properties -------------------------------------------------------------

  int fd() const noexcept {
    return fd_;
  }

  /// Whether it has a session of TLS.
  bool protects() const noexcept {
    return session_ != nullptr;
  }

  /// Why something failed.
  const std::string& problem() const noexcept {
    return problem_.empty() ? write_problem_ : problem_;
  }

  /// Whether bytes were read from the socket that are not handed out yet.
  bool pending() const noexcept;

  /// What only the two ends of this TLS session know; empty without TLS.
  /// @pre `shake_hands` is done.
  std::string binding() const;

  // -- bytes ------------------------------------------------------------------

  /// Does the handshake of TLS, if the channel uses it.
  state shake_hands();

  /// @param n how much was read, if done: one byte at least.
  state read(void* to, std::size_t size, std::size_t& n);

  /// @param n how much was written, if done.
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
