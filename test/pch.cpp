// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

// The source with which CMake compiles pch.hpp. main.cpp cannot be used,
// because Catch2 defines main() only at the first include of its header.
