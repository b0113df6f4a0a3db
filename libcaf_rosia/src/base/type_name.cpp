// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/type_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace caf::rosia::detail {

std::string type_name(const std::type_info& type) {
  auto status = 0;
  std::unique_ptr<char, void (*)(void*)> demangled{
    abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free};
  std::string result = status == 0 ? demangled.get() : type.name();
  // Shorten the inline namespace of the standard library's strings.
  const std::string verbose
    = "std::__cxx11::basic_string<char, std::char_traits<char>, "
      "std::allocator<char> >";
  for (auto i = result.find(verbose); i != std::string::npos;
       i = result.find(verbose))
    result.replace(i, verbose.size(), "std::string");
  return result;
}

} // namespace caf::rosia::detail
