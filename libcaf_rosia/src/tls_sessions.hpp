// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <cstdint>

namespace caf::rosia::detail {

/// Keeps TLS sessions of one thread from taking each other's errors for their
/// own: CAF 0.17 does not clear OpenSSL's list of errors before it asks for the
/// outcome of an operation. Whoever hangs up, or sends garbage, would cost the
/// program a healthy connection. Before the first session; for all that follow,
/// but for those whose context has an info callback.
void separate_session_errors();

/// Hangs up on all who are connected to a port of this process: CAF waits with
/// its end until they do so themselves.
void hang_up(std::uint16_t port) noexcept;

} // namespace caf::rosia::detail
