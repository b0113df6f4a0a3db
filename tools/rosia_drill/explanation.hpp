// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "rosia_drill/drill_file.hpp"

#include <string>
#include <string_view>

namespace rosia_drill {

/// Returns a text as indented lines that fit a terminal.
std::string paragraph(std::string_view text);

/// Describes a drill as text.
std::string explain(const drill& x);

/// Describes all faults, injection points and expectations.
std::string explain_words();

} // namespace rosia_drill
