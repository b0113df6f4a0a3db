// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Mutual authentication before CAF's protocol: each process proves that it
/// knows the token, without sending it (challenge and response). Both start
/// with a nonce. The process that connects sends a MAC of both nonces, with the
/// token as its key; the accepting process answers with its own MAC, or
/// refuses. The first bytes name the version of this exchange. This class does
/// no I/O. Tests: test/network/admission_test.cpp.
class admission {
public:
  enum class side { accepts, connects };

  enum class state { open, admitted, refused };

  /// @param binding a secret of the connection, if it has one. It prevents
  ///   relaying the messages to another connection.
  /// @throws std::runtime_error if there are no random numbers.
  admission(side self, std::string token, std::string binding = {});

  /// Returns the bytes to send now, before any other data. Returns them only
  /// once.
  std::string output();

  /// Returns the number of bytes to read next; 0 at the end.
  std::size_t wanted() const noexcept;

  /// @param bytes the next `wanted()` bytes.
  state take(std::string_view bytes);

  state current() const noexcept {
    return state_;
  }

  /// Returns the reason why the other process was not admitted, or did not
  /// admit this one.
  const std::string& problem() const noexcept {
    return problem_;
  }

  /// Returns whether the reason is that the other process has another token.
  bool other_token() const noexcept {
    return other_token_;
  }

private:
  /// Returns the MAC that proves that a side knows the token.
  std::string proof_of(side party) const;

  state refuse(std::string problem);

  side self_;
  std::string token_;
  std::string binding_;
  std::string own_;   // nonce
  std::string other_; // nonce; empty while it is unknown
  std::string output_;
  std::string problem_;
  bool other_token_ = false;
  state state_ = state::open;
};

} // namespace caf::rosia::detail
