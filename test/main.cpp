// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The main() of all tests with Catch2 version 2. Version 3 has its own.

#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
