// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/engine/value.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace caf::rosia {

namespace detail {

std::uint64_t hash_bytes(const void* data, std::size_t size) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t result = 0xcbf29ce484222325;
  auto bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i)
    result = (result ^ bytes[i]) * prime;
  return result;
}

} // namespace detail

namespace engine {

value::~value() {
  // nop
}

std::string type_name(const std::type_info& type) {
  auto status = 0;
  std::unique_ptr<char, void (*)(void*)> demangled{
    abi::__cxa_demangle(type.name(), nullptr, nullptr, &status), std::free};
  std::string result = status == 0 ? demangled.get() : type.name();
  // The inline namespace of the standard library's strings says nothing.
  const std::string verbose
    = "std::__cxx11::basic_string<char, std::char_traits<char>, "
      "std::allocator<char> >";
  for (auto i = result.find(verbose); i != std::string::npos;
       i = result.find(verbose))
    result.replace(i, verbose.size(), "std::string");
  return result;
}

} // namespace engine

} // namespace caf::rosia
