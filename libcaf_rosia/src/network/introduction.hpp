// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "network/admission.hpp"
#include "security/channel.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace caf::rosia::detail {

/// The handshake before CAF's protocol on a new connection: TLS, if the
/// connection uses it, and the admission. Does not block: `go_on` returns which
/// event of the socket to wait for. From one thread at a time.
class introduction {
public:
  /// What to wait for, or how it ended.
  enum class step { read, write, done, failed };

  introduction(channel way, admission::side self, std::string token);

  step go_on();

  /// Goes on to the end, and waits for what that needs.
  /// @returns whether it has succeeded; false also if the deadline comes first.
  bool finish(std::chrono::steady_clock::time_point deadline);

  // -- once it has ended ------------------------------------------------------

  /// Why it failed.
  const std::string& problem() const noexcept {
    return problem_;
  }

  /// Whether that is because the other side has another token.
  bool other_token() const noexcept {
    return admission_ && admission_->other_token();
  }

  channel& way() noexcept {
    return way_;
  }

private:
  bool write_all();

  bool read_wanted();

  /// @returns false, because the handshake cannot go on now.
  bool stop(channel::state x);

  void fail(std::string problem);

  channel way_;
  admission::side self_;
  std::string token_;
  std::optional<admission> admission_; // once there is TLS
  std::string output_;
  std::string input_;
  step step_ = step::read;
  std::string problem_;
};

} // namespace caf::rosia::detail
