// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Values as bytes, for traces, for files, and for nodes of other processes. The
// layout is that of CAF 0.17, for each version of CAF. The bits of a real
// number are copied: CAF 0.17 computes them, never returns for infinity, and
// changes NaN, -0 and denormal numbers.

namespace caf::rosia::detail {

/// Maximum number of elements of a sequence.
inline constexpr std::size_t most_elements
  = std::numeric_limits<std::uint32_t>::max();

/// Maximum number of elements of a sequence beyond one element per bit that is
/// left: elements may have no members, and so no bytes. CAF allocates memory
/// before it reads the elements.
inline constexpr std::size_t most_empty_elements = 1 << 20;

inline constexpr auto too_many_elements
  = "there is a sequence of more than 4294967295 elements";

inline constexpr auto too_many_empty_elements
  = "there is a sequence of more than 1048576 elements without bytes";

inline constexpr auto other_long_double
  = "there is a long double of another kind of processor";

/// Returns whether a sequence of this size may have this number of bytes.
constexpr bool may_have_bytes(std::size_t size, std::size_t bytes) noexcept {
  return size <= bytes * 8 + most_empty_elements;
}

/// Finds sequences that a reader refuses, while they are written. Tests:
/// test/compat/bytes_test.cpp.
class sequence_check {
public:
  /// @param position that of the first element.
  void enter(std::size_t size, std::size_t position);

  /// @param position the end of the last element.
  /// @returns false if the reader refuses the sequence.
  bool leave(std::size_t position);

private:
  struct long_one {
    std::size_t depth; // number of sequences that contain it
    std::size_t size;
    std::size_t begin; // the position of its elements
  };

  std::size_t depth_ = 0;
  std::vector<long_one> long_ones_;
};

/// Size of a long double. On x86, its bytes end with padding, which is omitted.
inline constexpr std::size_t long_double_size
  = std::numeric_limits<long double>::digits == 64 ? 10 : sizeof(long double);

using long_double_bytes = std::array<char, long_double_size>;

/// Appends an unsigned number, the highest byte first.
template <class Bytes, class T>
void put_number(Bytes& to, T x) {
  std::array<char, sizeof(T)> bytes;
  auto shift = sizeof(T) * 8;
  for (auto& byte : bytes) {
    shift -= 8;
    byte = static_cast<char>((x >> shift) & 0xff);
  }
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// Reads an unsigned number. @pre It is complete.
template <class T>
T take_number(std::string_view& from) {
  std::uint64_t result = 0;
  for (auto c : from.substr(0, sizeof(T)))
    result = result << 8 | static_cast<unsigned char>(c);
  from.remove_prefix(sizeof(T));
  return static_cast<T>(result);
}

template <class Bytes>
void put_size(Bytes& to, std::size_t size) {
  auto rest = static_cast<std::uint32_t>(size);
  for (; rest > 0x7f; rest >>= 7)
    to.push_back(static_cast<char>((rest & 0x7f) | 0x80));
  to.push_back(static_cast<char>(rest));
}

/// Reads a size. @returns whether it is complete, and has 32 bits at most.
bool take_size(std::string_view& from, std::size_t& size);

/// Reads the size of a sequence. @returns whether the elements may follow.
bool take_sequence_size(std::string_view& from, std::size_t& size);

/// Converts the bytes of a long double from or to big endian.
inline void order(long_double_bytes& bytes) noexcept {
  if constexpr (std::endian::native == std::endian::little)
    std::reverse(bytes.begin(), bytes.end());
}

template <class Bytes>
void put_long_double(Bytes& to, long double x) {
  long_double_bytes bytes;
  std::memcpy(bytes.data(), &x, bytes.size());
  order(bytes);
  put_size(to, bytes.size());
  to.insert(to.end(), bytes.begin(), bytes.end());
}

/// @pre The bytes are complete.
inline long double take_long_double(std::string_view& from) {
  long_double_bytes bytes;
  from.copy(bytes.data(), bytes.size());
  from.remove_prefix(bytes.size());
  order(bytes);
  long double result = 0;
  std::memcpy(&result, bytes.data(), bytes.size());
  return result;
}

/// Packs eight flags in a byte.
std::vector<std::uint8_t> packed(const std::vector<bool>& xs);

/// The unsigned number of the same size.
template <class T>
using unsigned_of = std::conditional_t<
  sizeof(T) == 1, std::uint8_t,
  std::conditional_t<
    sizeof(T) == 2, std::uint16_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>>;

/// A text with units of any size.
template <class T>
concept is_text_type = requires {
  typename T::traits_type;
};

template <class T>
concept is_number_type
  = std::is_arithmetic_v<T> || std::is_same_v<T, std::byte>;

/// Appends the size of a sequence. @returns false if it is too large.
template <class Bytes>
bool put_sequence_size(Bytes& to, std::size_t size) {
  if (size > most_elements)
    return false;
  put_size(to, size);
  return true;
}

/// Appends a number, a text, or bytes without their number.
/// @returns false if the text is too long.
template <class Bytes, class T>
bool put_value(Bytes& to, const T& x) {
  if constexpr (std::is_same_v<T, long double>) {
    put_long_double(to, x);
  } else if constexpr (is_number_type<T>) {
    put_number(to, std::bit_cast<unsigned_of<T>>(x));
  } else if constexpr (is_text_type<T>) {
    if (!put_sequence_size(to, x.size()))
      return false;
    if constexpr (sizeof(typename T::value_type) == 1)
      to.insert(to.end(), x.begin(), x.end());
    else
      for (auto unit : x)
        put_number(to, static_cast<unsigned_of<decltype(unit)>>(unit));
  } else {
    auto* begin = reinterpret_cast<const char*>(x.data());
    to.insert(to.end(), begin, begin + x.size());
  }
  return true;
}

/// Bytes that are read from their beginning on. Tests:
/// test/compat/bytes_test.cpp.
class byte_source {
public:
  explicit byte_source(std::string_view all) noexcept : rest_(all) {
    // nop
  }

  /// Returns the number of bytes left.
  std::size_t remaining() const noexcept {
    return rest_.size();
  }

  std::string_view rest() const noexcept {
    return rest_;
  }

  /// @pre There are at least `n` bytes left.
  void skip(std::size_t n) noexcept {
    rest_.remove_prefix(n);
  }

protected:
  std::string_view rest_;
};

/// The result of reading a value.
enum class read_result { done, cut_off, other_processor };

/// Reads a number, a text, or as many bytes as `x` has.
template <class T>
read_result take_value(std::string_view& from, T& x) {
  std::size_t size = 0;
  if constexpr (std::is_same_v<T, long double>) {
    if (!take_size(from, size) || size > from.size())
      return read_result::cut_off;
    if (size != long_double_size)
      return read_result::other_processor;
    x = take_long_double(from);
  } else if constexpr (is_number_type<T>) {
    if (from.size() < sizeof(T))
      return read_result::cut_off;
    auto number = take_number<unsigned_of<T>>(from);
    if constexpr (std::is_same_v<T, bool>)
      x = number != 0;
    else
      x = std::bit_cast<T>(number);
  } else if constexpr (is_text_type<T>) {
    using unit = unsigned_of<typename T::value_type>;
    if (!take_size(from, size) || size > from.size() / sizeof(unit))
      return read_result::cut_off;
    x.clear();
    if constexpr (sizeof(unit) == 1) {
      x.assign(from.substr(0, size));
      from.remove_prefix(size);
    } else {
      for (; size > 0; --size)
        x.push_back(
          static_cast<typename T::value_type>(take_number<unit>(from)));
    }
  } else {
    if (x.size() > from.size())
      return read_result::cut_off;
    std::memcpy(x.data(), from.data(), x.size());
    from.remove_prefix(x.size());
  }
  return read_result::done;
}

} // namespace caf::rosia::detail
