// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "../libcaf_rosia/pch.hpp"
#include "catch.hpp"
