// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

namespace caf::rosia::detail {

/// Returns whether the handled exception is that of `pthread_exit` or
/// `pthread_cancel`. @pre Called in a handler of all exceptions.
bool is_end_of_thread() noexcept;

/// Blocks this thread forever if `is_end_of_thread`: the C library ends the
/// process where a handler does not throw this exception again, and functions
/// that throw nothing are on the stack. The application or the shutdown ends
/// without this thread. @pre As above.
void hold_end_of_thread() noexcept;

} // namespace caf::rosia::detail
