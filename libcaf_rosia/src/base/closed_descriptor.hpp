// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// Ends the process with status 1 and a message on stderr, because another part
/// of the program closed a descriptor of the library. Safe in a signal handler.
[[noreturn]] void end_without_descriptor() noexcept;

} // namespace caf::rosia::detail
