// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <spdlog/fmt/fmt.h>

// How fmt formats is a template of its own, which each file that logs would
// instantiate: 1.6 s with g++. As a part of the precompiled headers this
// declaration keeps it to formatting.cpp. Other versions of fmt differ here.
#if FMT_VERSION / 10000 == 9
extern template void fmt::detail::vformat_to<char>(
  buffer<char>&, string_view, format_args, locale_ref);
#endif
