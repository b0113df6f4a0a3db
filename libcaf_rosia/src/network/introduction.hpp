// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "network/admission.hpp"
#include "security/channel.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// The handshake on a new connection before CAF's protocol: TLS, if the
/// connection uses it, and the admission. Does not block: `go_on` returns the
/// event of the socket to wait for. One thread at a time may use it. Tests:
/// test/network/introduction_test.cpp.
class introduction {
public:
  /// The event to wait for, or the result.
  enum class step { read, write, done, failed };

  introduction(channel way, admission::side self, std::string token);

  step go_on();

  /// Completes the handshake. Blocks until the deadline at most.
  /// @returns whether it succeeded; false after the deadline.
  bool finish(std::chrono::steady_clock::time_point deadline);

  // -- results
  // -----------------------------------------------------------------

  /// Returns the reason of the failure.
  const std::string& problem() const noexcept {
    return problem_;
  }

  /// Returns whether the reason is that the other side has another token.
  bool other_token() const noexcept {
    return admission_ && admission_->other_token();
  }

  channel& way() noexcept {
    return way_;
  }

private:
  bool write_all();

  bool read_wanted();

  /// @returns false, because the handshake cannot continue now.
  bool stop(channel::state x);

  void fail(std::string problem);

  channel way_;
  admission::side self_;
  std::string token_;
  std::optional<admission> admission_; // present after the TLS handshake
  std::string output_;
  std::string input_;
  step step_ = step::read;
  std::string problem_;
};

} // namespace caf::rosia::detail
