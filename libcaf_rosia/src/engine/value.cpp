// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "caf/rosia/engine/value.hpp"

#include <caf/binary_serializer.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <vector>

namespace caf::rosia {

namespace engine {

namespace {

/// FNV-1a.
std::uint64_t hash_bytes(const std::vector<char>& x) noexcept {
  constexpr std::uint64_t prime = 0x100000001b3;
  std::uint64_t result = 0xcbf29ce484222325;
  for (auto c : x)
    result = (result ^ static_cast<unsigned char>(c)) * prime;
  return result;
}

} // namespace

value::~value() {
  // nop
}

std::optional<std::uint64_t> value::digest() const {
  std::vector<char> buffer;
  caf::binary_serializer sink{nullptr, buffer};
  try {
    if (save(sink))
      return std::nullopt;
  } catch (...) {
    return std::nullopt;
  }
  return hash_bytes(buffer);
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
