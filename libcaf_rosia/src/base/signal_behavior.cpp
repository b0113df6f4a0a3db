// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/signal_behavior.hpp"

namespace caf::rosia {

std::string to_string(signal_behavior x) {
  switch (x) {
    case signal_behavior::handle:
      return "handle";
    case signal_behavior::ignore:
      return "ignore";
    case signal_behavior::none:
      return "none";
  }
  return std::to_string(static_cast<int>(x));
}

} // namespace caf::rosia
