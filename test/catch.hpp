// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// Catch2 for all tests. Debian 12 has version 2, later releases version 3.
// Tests use names that exist in both versions, or those of version 3.

#pragma once

#if __has_include(<catch2/catch_test_macros.hpp>)

#  include <catch2/catch_approx.hpp>
#  include <catch2/catch_template_test_macros.hpp>
#  include <catch2/catch_test_macros.hpp>
#  include <catch2/catch_tostring.hpp>
#  include <catch2/generators/catch_generators_all.hpp>
#  include <catch2/matchers/catch_matchers_all.hpp>

using Catch::Approx;

#else

#  include <catch2/catch.hpp>

namespace Catch::Matchers {

/// Matches a text that contains `text`; the name in version 3.
inline auto ContainsSubstring(const std::string& text) {
  return Contains(text);
}

} // namespace Catch::Matchers

#endif
