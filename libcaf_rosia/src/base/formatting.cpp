// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/formatting.hpp"

#if FMT_VERSION / 10000 == 9
template void fmt::detail::vformat_to<char>(
  buffer<char>&, string_view, format_args, locale_ref);
#endif
