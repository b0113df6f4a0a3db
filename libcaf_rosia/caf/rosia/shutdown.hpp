// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

// The orderly shutdown of any actor system.

#include "caf/rosia/shutdown/actor_names.hpp"
#include "caf/rosia/shutdown/line_reader.hpp"
#include "caf/rosia/shutdown/shutdown.hpp"
#include "caf/rosia/shutdown/shutdown_config.hpp"
