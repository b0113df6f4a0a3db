// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Mutual authentication before CAF's protocol begins: each process proves that
/// it knows the token, without sending it (challenge and response). Both begin
/// with a nonce. The process that connects sends a MAC of both nonces, with the
/// token as its key; the other one answers with its own MAC, or refuses. The
/// first bytes name the version of this exchange. Reads and writes nothing
/// itself.
class admission {
public:
  enum class side { accepts, connects };

  enum class state { open, admitted, refused };

  /// @param binding a secret of the connection, if it has one: then nobody can
  ///        pass on to another connection what is said over this one.
  /// @throws std::runtime_error if there are no random numbers to be had.
  admission(side self, std::string token, std::string binding = {});

  /// What is to be sent now, ahead of all else. It is not returned again.
  std::string output();

  /// How many bytes are to be read next; 0 once it is over.
  std::size_t wanted() const noexcept;

  /// @param bytes the next ones, `wanted()` of them.
  state take(std::string_view bytes);

  state current() const noexcept {
    return state_;
  }

  /// Why the other process was not admitted, or did not admit this one.
  const std::string& problem() const noexcept {
    return problem_;
  }

  /// Whether that is because it has another token.
  bool other_token() const noexcept {
    return other_token_;
  }

private:
  /// The MAC that proves that a side knows the token.
  std::string proof_of(side who) const;

  state refuse(std::string why);

  side self_;
  std::string token_;
  std::string binding_;
  std::string own_;   // nonce
  std::string other_; // nonce; empty as long as it is not known
  std::string output_;
  std::string problem_;
  bool other_token_ = false;
  state state_ = state::open;
};

} // namespace caf::rosia::detail
