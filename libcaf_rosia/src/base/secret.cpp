// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "base/secret.hpp"

#include <cerrno>
#include <cstring>
#include <system_error>

#include <spdlog/fmt/fmt.h>
#include <sys/random.h>

namespace caf::rosia::detail {

std::string random_bytes(std::size_t size) {
  std::string result(size, '\0');
  // At most 256 bytes are always returned at once.
  if (::getrandom(result.data(), size, 0) != static_cast<ssize_t>(size))
    throw std::system_error(
      errno, std::generic_category(), "there are no random numbers");
  return result;
}

std::string random_text(std::size_t size) {
  std::string result;
  for (auto x : random_bytes(size))
    result += fmt::format("{:02x}", static_cast<unsigned char>(x));
  return result;
}

std::uint64_t random_number() {
  std::uint64_t result = 0;
  std::memcpy(&result, random_bytes(sizeof result).data(), sizeof result);
  return result;
}

bool same_secret(std::string_view x, std::string_view y) noexcept {
  if (x.size() != y.size())
    return false;
  unsigned difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    difference |= static_cast<unsigned char>(x[i] ^ y[i]);
  return difference == 0;
}

} // namespace caf::rosia::detail
