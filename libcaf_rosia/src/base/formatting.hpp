// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spdlog/fmt/fmt.h>

// fmt's formatter is a template that each file with log calls would
// instantiate: 1.6 s with g++. This declaration, in the precompiled headers,
// restricts it to formatting.cpp. Other versions of fmt differ here.
#if FMT_VERSION / 10000 == 9
extern template void fmt::detail::vformat_to<char>(
  buffer<char>&, string_view, format_args, locale_ref);
#endif
