// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/exception_text.hpp"

#include "base/type_name.hpp"

#include <typeinfo>

namespace caf::rosia::detail {

std::string exception_text(const std::exception& x) {
  if (auto* text = x.what())
    return text;
  return "an exception of type " + type_name(typeid(x)) + " without a text";
}

std::string current_exception_text() {
  try {
    throw;
  } catch (const std::exception& x) {
    return exception_text(x);
  } catch (...) {
    return "an exception that is not derived from std::exception";
  }
}

} // namespace caf::rosia::detail
