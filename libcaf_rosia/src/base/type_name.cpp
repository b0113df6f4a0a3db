// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/type_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

namespace caf::rosia::detail {

namespace {

std::string demangle(const char* name) {
  auto status = 0;
  std::unique_ptr<char, void (*)(void*)> demangled{
    abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free};
  std::string result = status == 0 ? demangled.get() : name;
  // Shorten the inline namespace of the standard library's strings.
  const std::string verbose
    = "std::__cxx11::basic_string<char, std::char_traits<char>, "
      "std::allocator<char> >";
  for (auto i = result.find(verbose); i != std::string::npos;
       i = result.find(verbose))
    result.replace(i, verbose.size(), "std::string");
  return result;
}

} // namespace

std::string type_name(const std::type_info& type) {
  // The ports of large graphs have few types. The keys are copies, because the
  // names of a library's types end when it is unloaded. Nothing destroys the
  // map, because threads may run while the process exits.
  static std::mutex mutex;
  static auto& known = *new std::map<std::string, std::string, std::less<>>;
  std::lock_guard guard{mutex};
  auto found = known.find(std::string_view{type.name()});
  if (found == known.end())
    found = known.emplace(type.name(), demangle(type.name())).first;
  return found->second;
}

} // namespace caf::rosia::detail
