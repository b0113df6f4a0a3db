// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/visitor.hpp"

#if CAF_MAJOR_VERSION >= 1
#  include <caf/type_id.hpp>

#  include <utility>
#endif

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

// -- the layout ---------------------------------------------------------------

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

/// Returns whether a sequence of this size may have this number of bytes.
constexpr bool may_have_bytes(std::size_t size, std::size_t bytes) noexcept {
  return size <= bytes * 8 + most_empty_elements;
}

inline constexpr auto other_long_double
  = "there is a long double of another kind of processor";

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

// -- writing ------------------------------------------------------------------

/// Appends values to bytes.
/// @tparam Bytes a container of `char`.
template <class Bytes>
class basic_byte_writer final : public write_visitor<basic_byte_writer<Bytes>> {
public:
  /// @param to must outlive this object.
  explicit basic_byte_writer(Bytes& to) : to_(to) {
    // nop
  }

#if CAF_MAJOR_VERSION >= 1
  basic_byte_writer(caf::actor_system&, Bytes& to) : to_(to) {
    // nop
  }

  bool begin_object(caf::type_id_t, std::string_view) override {
    return true;
  }

  bool end_object() override {
    return true;
  }

  bool begin_field(std::string_view) override {
    return true;
  }

  bool begin_field(std::string_view, bool is_present) override {
    return visit(is_present);
  }

  bool begin_field(std::string_view, caf::span<const caf::type_id_t>,
                   std::size_t index) override {
    return visit(static_cast<std::uint32_t>(index));
  }

  bool begin_field(
    std::string_view name, bool is_present,
    caf::span<const caf::type_id_t> types, std::size_t index) override {
    return visit(is_present)
           && (!is_present || begin_field(name, types, index));
  }

  bool end_field() override {
    return true;
  }

  bool begin_tuple(std::size_t) override {
    return true;
  }

  bool end_tuple() override {
    return true;
  }

  bool begin_sequence(std::size_t size) override {
    return enter_sequence(size);
  }

  bool end_sequence() override {
    return leave_sequence();
  }

  bool list(const std::vector<bool>& xs) override {
    if (!put_count(xs.size()))
      return false;
    if (xs.empty())
      return true;
    // The bytes are preceded by their number.
    auto bytes = packed(xs);
    put_size(to_, bytes.size());
    to_.insert(to_.end(), bytes.begin(), bytes.end());
    return true;
  }
#else
  /// @param sys makes handles of actors writable.
  basic_byte_writer(caf::actor_system& sys, Bytes& to)
    : write_visitor<basic_byte_writer>(sys), to_(to) {
    // nop
  }

  caf::error begin_object(std::uint16_t& type, std::string& name) override {
    put_number(to_, type);
    return type != 0 ? caf::error{} : visit(name);
  }

  caf::error end_object() override {
    return caf::none;
  }

  caf::error begin_sequence(std::size_t& size) override {
    return enter_sequence(size);
  }

  caf::error end_sequence() override {
    return leave_sequence();
  }

  caf::error apply_raw(std::size_t size, void* data) override {
    auto* begin = static_cast<const char*>(data);
    to_.insert(to_.end(), begin, begin + size);
    return caf::none;
  }
#endif

  template <class T>
  visited visit(const T& x) {
    if constexpr (std::is_same_v<T, long double>) {
      put_long_double(to_, x);
    } else if constexpr (is_number_type<T>) {
      put_number(to_, std::bit_cast<unsigned_of<T>>(x));
    } else if constexpr (is_text_type<T>) {
      if (auto result = put_count(x.size()); is_error(result))
        return result;
      if constexpr (sizeof(typename T::value_type) == 1)
        to_.insert(to_.end(), x.begin(), x.end());
      else
        for (auto unit : x)
          put_number(to_, static_cast<unsigned_of<decltype(unit)>>(unit));
    } else {
      auto* begin = reinterpret_cast<const char*>(x.data());
      to_.insert(to_.end(), begin, begin + x.size());
    }
    return visited_well();
  }

private:
  visited put_count(std::size_t size) {
    if (size > most_elements)
      return visited_badly(*this, caf::sec::runtime_error, too_many_elements);
    put_size(to_, size);
    return visited_well();
  }

  visited enter_sequence(std::size_t size) {
    auto result = put_count(size);
    if (size > most_empty_elements)
      long_sequences_.push_back({depth_, size, to_.size()});
    ++depth_;
    return result;
  }

  /// Refuses what the reader would refuse.
  visited leave_sequence() {
    --depth_;
    if (long_sequences_.empty() || long_sequences_.back().depth != depth_)
      return visited_well();
    auto [depth, size, begin] = long_sequences_.back();
    long_sequences_.pop_back();
    if (!may_have_bytes(size, to_.size() - begin))
      return visited_badly(
        *this, caf::sec::runtime_error, too_many_empty_elements);
    return visited_well();
  }

  struct long_sequence {
    std::size_t depth; // number of sequences that contain it
    std::size_t size;
    std::size_t begin; // the position of its elements
  };

  Bytes& to_;
  std::size_t depth_ = 0;
  std::vector<long_sequence> long_sequences_;
};

using byte_writer = basic_byte_writer<std::vector<char>>;

// -- reading ------------------------------------------------------------------

/// Reads values from bytes. With CAF 1 it rejects messages that are nested too
/// deep, and messages of a type that this process does not know.
class byte_reader : public read_visitor<byte_reader> {
public:
  /// @param from must outlive this object.
  explicit byte_reader(const std::vector<char>& from)
    : rest_(from.data(), from.size()) {
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

#if CAF_MAJOR_VERSION >= 1
  /// @param sys makes handles of actors readable.
  byte_reader(caf::actor_system* sys, std::string_view from) : rest_(from) {
    context_ = sys;
  }

  bool fetch_next_object_type(caf::type_id_t&) override;

  bool begin_object(caf::type_id_t type, std::string_view) override;

  bool end_object() override;

  bool begin_field(std::string_view) override {
    // This is the first field of a message.
    reads_types_ = std::exchange(awaits_types_, false);
    return true;
  }

  bool begin_field(std::string_view, bool& is_present) override;

  bool begin_field(std::string_view, caf::span<const caf::type_id_t> types,
                   std::size_t& index) override;

  bool begin_field(
    std::string_view, bool& is_present, caf::span<const caf::type_id_t> types,
    std::size_t& index) override;

  bool end_field() override {
    return true;
  }

  bool begin_tuple(std::size_t) override {
    return true;
  }

  bool end_tuple() override {
    return true;
  }

  bool begin_sequence(std::size_t& size) override;

  bool end_sequence() override {
    return true;
  }

  bool list(std::vector<bool>& xs) override;
#else
  /// @param unit has the proxies of the actors whose handles are read.
  /// @param from must outlive this object.
  byte_reader(caf::execution_unit* unit, std::string_view from)
    : read_visitor<byte_reader>(unit), rest_(from) {
    // nop
  }

  caf::error begin_object(std::uint16_t& type, std::string& name) override {
    name.clear();
    if (auto err = visit(type))
      return err;
    return type != 0 ? caf::error{} : visit(name);
  }

  caf::error end_object() override {
    return caf::none;
  }

  caf::error begin_sequence(std::size_t& size) override {
    return take_sequence_size(rest_, size) ? caf::error{} : fail();
  }

  caf::error end_sequence() override {
    return caf::none;
  }

  caf::error apply_raw(std::size_t size, void* data) override {
    if (size > rest_.size())
      return fail();
    rest_.copy(static_cast<char*>(data), size);
    skip(size);
    return caf::none;
  }
#endif

  template <class T>
  visited visit(T& x) {
    std::size_t size = 0;
    if constexpr (std::is_same_v<T, long double>) {
      if (!take_size(rest_, size) || size > rest_.size())
        return fail();
      if (size != long_double_size)
        return visited_badly(*this, caf::sec::runtime_error, other_long_double);
      x = take_long_double(rest_);
    } else if constexpr (is_number_type<T>) {
      if (rest_.size() < sizeof(T))
        return fail();
      auto number = take_number<unsigned_of<T>>(rest_);
      if constexpr (std::is_same_v<T, bool>)
        x = number != 0;
      else
        x = std::bit_cast<T>(number);
#if CAF_MAJOR_VERSION >= 1
      if constexpr (std::is_same_v<T, std::uint16_t>)
        return check_type(x);
#endif
    } else if constexpr (is_text_type<T>) {
      using unit = unsigned_of<typename T::value_type>;
      if (!take_size(rest_, size) || size > rest_.size() / sizeof(unit))
        return fail();
      x.clear();
      if constexpr (sizeof(unit) == 1) {
        x.assign(rest_.substr(0, size));
        skip(size);
      } else {
        for (; size > 0; --size)
          x.push_back(
            static_cast<typename T::value_type>(take_number<unit>(rest_)));
      }
    } else {
      if (x.size() > rest_.size())
        return fail();
      std::memcpy(x.data(), rest_.data(), x.size());
      skip(x.size());
    }
    return visited_well();
  }

protected:
  visited fail() {
    return visited_badly(*this, caf::sec::end_of_stream);
  }

#if CAF_MAJOR_VERSION >= 1
  /// Returns the number of objects that contain the next value.
  std::size_t objects() const noexcept {
    return objects_;
  }

  /// Returns the number of messages among them.
  std::size_t messages() const noexcept {
    return messages_.size();
  }

private:
  /// Refuses the type of a message's content if this process does not know it.
  bool check_type(std::uint16_t type);

  std::size_t objects_ = 0;           // that contain the next value
  std::vector<std::size_t> messages_; // the messages among them
  bool awaits_types_ = false;
  bool reads_types_ = false;
#endif

private:
  std::string_view rest_;
};

} // namespace caf::rosia::detail
