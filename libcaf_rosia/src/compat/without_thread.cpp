// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/without_thread.hpp"

#include "base/exception_text.hpp"

namespace caf::rosia::detail {

std::string text_of(const std::system_error& x) {
  std::string result = exception_text(x);
  if (x.code() == std::errc::resource_unavailable_try_again)
    result
      += "; it takes another thread: raise the limit for processes and "
         "threads (ulimit -u, or pids.max of the control group), or the "
         "one for memory (ulimit -v)";
  return result;
}

} // namespace caf::rosia::detail
