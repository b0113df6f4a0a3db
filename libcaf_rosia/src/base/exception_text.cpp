// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/exception_text.hpp"

#include "base/ended_thread.hpp"
#include "base/limit_advice.hpp"
#include "base/type_name.hpp"

#include <system_error>
#include <typeinfo>

namespace caf::rosia::detail {

std::string exception_text(const std::exception& x) {
  if (auto* text = x.what(); text != nullptr && *text != '\0') {
    std::string result = text;
    if (auto* of_system = dynamic_cast<const std::system_error*>(&x))
      result += limit_advice(of_system->code());
    return result;
  }
  return "an exception of type " + type_name(typeid(x)) + " without a text";
}

std::string current_exception_text() {
  if (is_end_of_thread())
    return "the code ended its thread (pthread_exit, pthread_cancel) "
           "instead of returning";
  try {
    throw;
  } catch (const std::exception& x) {
    return exception_text(x);
  } catch (...) {
    return "an exception that is not derived from std::exception";
  }
}

} // namespace caf::rosia::detail
