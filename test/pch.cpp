// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The source for which CMake compiles pch.hpp: main.cpp cannot use it, because
// Catch2's main() comes out of its header only before the first include of it.
