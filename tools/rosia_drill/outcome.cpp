// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "rosia_drill/outcome.hpp"

namespace rosia_drill {

std::string_view to_string(round_event_kind x) {
  switch (x) {
    case round_event_kind::fault:
      return "fault";
    case round_event_kind::step:
      return "step";
    case round_event_kind::log:
      return "log";
    default:
      return "end";
  }
}

} // namespace rosia_drill
