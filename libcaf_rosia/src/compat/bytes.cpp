// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/bytes.hpp"

#include <caf/sec.hpp>

#if CAF_MAJOR_VERSION >= 1
#  include "compat/message_nesting.hpp"

#  include <caf/detail/meta_object.hpp>
#  include <caf/message.hpp>

#  include <type_traits>
#else
#  include <caf/error.hpp>
#endif

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>

namespace caf::rosia::detail {

namespace {

// -- the layout ---------------------------------------------------------------

/// Maximum number of elements of a sequence.
constexpr std::size_t most_elements = std::numeric_limits<std::uint32_t>::max();

/// Maximum number of elements of a sequence beyond one element per bit that is
/// left: elements may have no members, and so no bytes. CAF allocates memory
/// before it reads the elements.
constexpr std::size_t most_empty_elements = 1 << 20;

constexpr auto too_many_elements
  = "there is a sequence of more than 4294967295 elements";

constexpr auto other_long_double
  = "there is a long double of another kind of processor";

/// Size of a long double. On x86, its bytes end with padding, which is omitted.
constexpr std::size_t long_double_size
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

/// @returns whether it is complete, and has 32 bits at most.
bool take_size(std::string_view& from, std::size_t& size) {
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 35 && !from.empty(); shift += 7) {
    auto next = take_number<std::uint8_t>(from);
    result |= static_cast<std::uint64_t>(next & 0x7f) << shift;
    if ((next & 0x80) == 0) {
      size = static_cast<std::size_t>(result);
      return result <= most_elements;
    }
  }
  return false;
}

/// Reads the size of a sequence. @returns whether the elements may follow.
bool take_sequence_size(std::string_view& from, std::size_t& size) {
  return take_size(from, size) && size <= from.size() * 8 + most_empty_elements;
}

/// Converts the bytes of a long double from or to big endian.
void order(long_double_bytes& bytes) noexcept {
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
long double take_long_double(std::string_view& from) {
  long_double_bytes bytes;
  from.copy(bytes.data(), bytes.size());
  from.remove_prefix(bytes.size());
  order(bytes);
  long double result = 0;
  std::memcpy(&result, bytes.data(), bytes.size());
  return result;
}

} // namespace

#if CAF_MAJOR_VERSION >= 1

// -- writing ------------------------------------------------------------------

template <class Bytes>
template <class T>
bool basic_byte_writer<Bytes>::number(T x) {
  put_number(to_, x);
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::begin_field(std::string_view, bool is_present) {
  return value(is_present);
}

template <class Bytes>
bool basic_byte_writer<Bytes>::begin_field(
  std::string_view, caf::span<const caf::type_id_t>, std::size_t index) {
  return value(static_cast<std::uint32_t>(index));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::begin_field(
  std::string_view name, bool is_present, caf::span<const caf::type_id_t> types,
  std::size_t index) {
  return value(is_present) && (!is_present || begin_field(name, types, index));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::begin_sequence(std::size_t size) {
  if (size > most_elements) {
    this->emplace_error(caf::sec::runtime_error, too_many_elements);
    return false;
  }
  put_size(to_, size);
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::byte x) {
  return number(static_cast<std::uint8_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(bool x) {
  return number(static_cast<std::uint8_t>(x ? 1 : 0));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::int8_t x) {
  return number(static_cast<std::uint8_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::uint8_t x) {
  return number(x);
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::int16_t x) {
  return number(static_cast<std::uint16_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::uint16_t x) {
  return number(x);
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::int32_t x) {
  return number(static_cast<std::uint32_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::uint32_t x) {
  return number(x);
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::int64_t x) {
  return number(static_cast<std::uint64_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::uint64_t x) {
  return number(x);
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(float x) {
  return number(std::bit_cast<std::uint32_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(double x) {
  return number(std::bit_cast<std::uint64_t>(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(long double x) {
  put_long_double(to_, x);
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::string_view x) {
  if (!begin_sequence(x.size()))
    return false;
  to_.insert(to_.end(), x.begin(), x.end());
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(const std::u16string& x) {
  if (!begin_sequence(x.size()))
    return false;
  for (auto unit : x)
    number(static_cast<std::uint16_t>(unit));
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(const std::u32string& x) {
  if (!begin_sequence(x.size()))
    return false;
  for (auto unit : x)
    number(static_cast<std::uint32_t>(unit));
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(caf::span<const std::byte> x) {
  auto* begin = reinterpret_cast<const char*>(x.data());
  to_.insert(to_.end(), begin, begin + x.size());
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::list(const std::vector<bool>& xs) {
  if (!begin_sequence(xs.size()))
    return false;
  if (xs.empty())
    return true;
  // Packs eight values in a byte, preceded by the number of bytes.
  std::vector<std::uint8_t> packed((xs.size() - 1) / 8 + 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (xs[i])
      packed[i / 8] = static_cast<std::uint8_t>(packed[i / 8] | 1u << i % 8);
  put_size(to_, packed.size());
  to_.insert(to_.end(), packed.begin(), packed.end());
  return true;
}

template class basic_byte_writer<std::vector<char>>;

template class basic_byte_writer<std::string>;

// -- reading ------------------------------------------------------------------

bool byte_reader::fail() {
  emplace_error(caf::sec::end_of_stream);
  return false;
}

template <class T>
bool byte_reader::number(T& x) {
  if (rest_.size() < sizeof(T))
    return fail();
  x = take_number<T>(rest_);
  return true;
}

template <class Text>
bool byte_reader::code_units(Text& x) {
  using unit = std::conditional_t<
    std::is_same_v<Text, std::u16string>, std::uint16_t, std::uint32_t>;
  std::size_t size = 0;
  if (!begin_sequence(size) || size > rest_.size() / sizeof(unit))
    return fail();
  x.clear();
  for (unit y = 0; size > 0; --size) {
    number(y);
    x.push_back(static_cast<typename Text::value_type>(y));
  }
  return true;
}

bool byte_reader::fetch_next_object_type(caf::type_id_t&) {
  emplace_error(caf::sec::unsupported_operation);
  return false;
}

bool byte_reader::begin_object(caf::type_id_t type, std::string_view) {
  ++objects_;
  awaits_types_ = type == caf::type_id_v<caf::message>;
  if (!awaits_types_)
    return true;
  messages_.push_back(objects_);
  if (messages_.size() <= most_nested)
    return true;
  emplace_error(
    caf::sec::runtime_error,
    "there are messages within messages, more than "
      + std::to_string(most_nested) + " deep");
  return false;
}

bool byte_reader::end_object() {
  if (!messages_.empty() && messages_.back() == objects_)
    messages_.pop_back();
  --objects_;
  return true;
}

bool byte_reader::begin_field(std::string_view, bool& is_present) {
  return value(is_present);
}

bool byte_reader::begin_field(
  std::string_view, caf::span<const caf::type_id_t> types, std::size_t& index) {
  std::uint32_t x = 0;
  if (!number(x) || x >= types.size())
    return fail();
  index = x;
  return true;
}

bool byte_reader::begin_field(
  std::string_view name, bool& is_present,
  caf::span<const caf::type_id_t> types, std::size_t& index) {
  return value(is_present) && (!is_present || begin_field(name, types, index));
}

bool byte_reader::begin_sequence(std::size_t& size) {
  return take_sequence_size(rest_, size) || fail();
}

bool byte_reader::value(std::byte& x) {
  std::uint8_t number_of_it = 0;
  auto result = number(number_of_it);
  x = static_cast<std::byte>(number_of_it);
  return result;
}

bool byte_reader::value(bool& x) {
  std::uint8_t flag = 0;
  auto result = number(flag);
  x = flag != 0;
  return result;
}

bool byte_reader::value(std::int8_t& x) {
  return number(x);
}

bool byte_reader::value(std::uint8_t& x) {
  return number(x);
}

bool byte_reader::value(std::int16_t& x) {
  return number(x);
}

bool byte_reader::value(std::uint16_t& x) {
  if (!number(x))
    return false;
  if (!reads_types_ || caf::detail::global_meta_object_or_null(x) != nullptr)
    return true;
  emplace_error(
    caf::sec::unknown_type,
    "there is a message with the type id " + std::to_string(x)
      + ", which this process does not know (CAF_ADD_TYPE_ID, "
        "caf::init_global_meta_objects)");
  return false;
}

bool byte_reader::value(std::int32_t& x) {
  return number(x);
}

bool byte_reader::value(std::uint32_t& x) {
  return number(x);
}

bool byte_reader::value(std::int64_t& x) {
  return number(x);
}

bool byte_reader::value(std::uint64_t& x) {
  return number(x);
}

bool byte_reader::value(float& x) {
  std::uint32_t bits = 0;
  auto result = number(bits);
  x = std::bit_cast<float>(bits);
  return result;
}

bool byte_reader::value(double& x) {
  std::uint64_t bits = 0;
  auto result = number(bits);
  x = std::bit_cast<double>(bits);
  return result;
}

bool byte_reader::value(long double& x) {
  std::size_t size = 0;
  if (!begin_sequence(size) || size > rest_.size())
    return fail();
  if (size != long_double_size) {
    emplace_error(caf::sec::runtime_error, other_long_double);
    return false;
  }
  x = take_long_double(rest_);
  return true;
}

bool byte_reader::value(std::string& x) {
  std::size_t size = 0;
  if (!begin_sequence(size) || size > rest_.size())
    return fail();
  x.assign(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return true;
}

bool byte_reader::value(std::u16string& x) {
  return code_units(x);
}

bool byte_reader::value(std::u32string& x) {
  return code_units(x);
}

bool byte_reader::value(caf::span<std::byte> x) {
  if (x.size() > rest_.size())
    return fail();
  std::transform(rest_.begin(), rest_.begin() + x.size(), x.begin(),
                 [](char c) { return static_cast<std::byte>(c); });
  rest_.remove_prefix(x.size());
  return true;
}

bool byte_reader::list(std::vector<bool>& xs) {
  std::size_t size = 0;
  if (!begin_sequence(size))
    return false;
  xs.clear();
  if (size == 0)
    return true;
  std::size_t bytes = 0;
  if (!begin_sequence(bytes) || bytes != (size - 1) / 8 + 1
      || bytes > rest_.size())
    return fail();
  for (std::size_t i = 0; i < size; ++i)
    xs.push_back((static_cast<unsigned char>(rest_[i / 8]) >> i % 8 & 1) != 0);
  rest_.remove_prefix(bytes);
  return true;
}

#else

// -- writing ------------------------------------------------------------------

template <class Bytes>
template <class T>
caf::error basic_byte_writer<Bytes>::number(T x) {
  put_number(to_, x);
  return caf::none;
}

template <class Bytes>
template <class Unit, class Text>
caf::error basic_byte_writer<Bytes>::code_units(const Text& x) {
  auto size = x.size();
  if (auto err = begin_sequence(size))
    return err;
  for (auto unit : x)
    put_number(to_, static_cast<Unit>(unit));
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::begin_object(
  std::uint16_t& type, std::string& name) {
  put_number(to_, type);
  return type != 0 ? caf::error{} : apply_impl(name);
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::end_object() {
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::begin_sequence(std::size_t& size) {
  if (size > most_elements)
    return caf::make_error(caf::sec::runtime_error, too_many_elements);
  put_size(to_, size);
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::end_sequence() {
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_raw(std::size_t size, void* data) {
  auto* begin = static_cast<const char*>(data);
  to_.insert(to_.end(), begin, begin + size);
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::int8_t& x) {
  return number(static_cast<std::uint8_t>(x));
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::uint8_t& x) {
  return number(x);
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::int16_t& x) {
  return number(static_cast<std::uint16_t>(x));
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::uint16_t& x) {
  return number(x);
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::int32_t& x) {
  return number(static_cast<std::uint32_t>(x));
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::uint32_t& x) {
  return number(x);
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::int64_t& x) {
  return number(static_cast<std::uint64_t>(x));
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::uint64_t& x) {
  return number(x);
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(float& x) {
  return number(std::bit_cast<std::uint32_t>(x));
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(double& x) {
  return number(std::bit_cast<std::uint64_t>(x));
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(long double& x) {
  put_long_double(to_, x);
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::string& x) {
  auto size = x.size();
  if (auto err = begin_sequence(size))
    return err;
  to_.insert(to_.end(), x.begin(), x.end());
  return caf::none;
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::u16string& x) {
  return code_units<std::uint16_t>(x);
}

template <class Bytes>
caf::error basic_byte_writer<Bytes>::apply_impl(std::u32string& x) {
  return code_units<std::uint32_t>(x);
}

template class basic_byte_writer<std::vector<char>>;

template class basic_byte_writer<std::string>;

// -- reading ------------------------------------------------------------------

template <class T>
caf::error byte_reader::number(T& x) {
  if (rest_.size() < sizeof(T))
    return caf::sec::end_of_stream;
  x = take_number<T>(rest_);
  return caf::none;
}

template <class Unit, class Text>
caf::error byte_reader::code_units(Text& x) {
  std::size_t size = 0;
  if (!take_size(rest_, size) || size > rest_.size() / sizeof(Unit))
    return caf::sec::end_of_stream;
  x.clear();
  for (; size > 0; --size)
    x.push_back(
      static_cast<typename Text::value_type>(take_number<Unit>(rest_)));
  return caf::none;
}

caf::error byte_reader::begin_object(std::uint16_t& type, std::string& name) {
  name.clear();
  if (auto err = number(type))
    return err;
  return type != 0 ? caf::error{} : apply_impl(name);
}

caf::error byte_reader::end_object() {
  return caf::none;
}

caf::error byte_reader::begin_sequence(std::size_t& size) {
  if (!take_sequence_size(rest_, size))
    return caf::sec::end_of_stream;
  return caf::none;
}

caf::error byte_reader::end_sequence() {
  return caf::none;
}

caf::error byte_reader::apply_raw(std::size_t size, void* data) {
  if (size > rest_.size())
    return caf::sec::end_of_stream;
  rest_.copy(static_cast<char*>(data), size);
  rest_.remove_prefix(size);
  return caf::none;
}

caf::error byte_reader::apply_impl(std::int8_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::uint8_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::int16_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::uint16_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::int32_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::uint32_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::int64_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(std::uint64_t& x) {
  return number(x);
}

caf::error byte_reader::apply_impl(float& x) {
  std::uint32_t bits = 0;
  if (auto err = number(bits))
    return err;
  x = std::bit_cast<float>(bits);
  return caf::none;
}

caf::error byte_reader::apply_impl(double& x) {
  std::uint64_t bits = 0;
  if (auto err = number(bits))
    return err;
  x = std::bit_cast<double>(bits);
  return caf::none;
}

caf::error byte_reader::apply_impl(long double& x) {
  std::size_t size = 0;
  if (!take_size(rest_, size) || size > rest_.size())
    return caf::sec::end_of_stream;
  if (size != long_double_size)
    return caf::make_error(caf::sec::runtime_error, other_long_double);
  x = take_long_double(rest_);
  return caf::none;
}

caf::error byte_reader::apply_impl(std::string& x) {
  std::size_t size = 0;
  if (!take_size(rest_, size) || size > rest_.size())
    return caf::sec::end_of_stream;
  x.assign(rest_.substr(0, size));
  rest_.remove_prefix(size);
  return caf::none;
}

caf::error byte_reader::apply_impl(std::u16string& x) {
  return code_units<std::uint16_t>(x);
}

caf::error byte_reader::apply_impl(std::u32string& x) {
  return code_units<std::uint32_t>(x);
}

#endif

} // namespace caf::rosia::detail
