// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/bytes.hpp"

#if CAF_MAJOR_VERSION >= 1

#  include "compat/message_nesting.hpp"

#  include <caf/detail/ieee_754.hpp>
#  include <caf/detail/meta_object.hpp>
#  include <caf/message.hpp>
#  include <caf/sec.hpp>

#  include <algorithm>
#  include <iomanip>
#  include <limits>
#  include <sstream>
#  include <type_traits>

namespace caf::rosia::detail {

// -- writing ------------------------------------------------------------------

template <class Bytes>
template <class T>
bool basic_byte_writer<Bytes>::number(T x) {
  for (auto shift = sizeof(T) * 8; shift > 0; shift -= 8)
    to_.push_back(static_cast<char>((x >> (shift - 8)) & 0xff));
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
  auto rest = static_cast<std::uint32_t>(size);
  for (; rest > 0x7f; rest >>= 7)
    to_.push_back(static_cast<char>((rest & 0x7f) | 0x80));
  to_.push_back(static_cast<char>(rest));
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
  return number(caf::detail::pack754(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(double x) {
  return number(caf::detail::pack754(x));
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(long double x) {
  std::ostringstream out;
  out << std::setprecision(std::numeric_limits<long double>::digits) << x;
  return value(std::string_view{out.str()});
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(std::string_view x) {
  begin_sequence(x.size());
  to_.insert(to_.end(), x.begin(), x.end());
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(const std::u16string& x) {
  begin_sequence(x.size());
  for (auto unit : x)
    number(static_cast<std::uint16_t>(unit));
  return true;
}

template <class Bytes>
bool basic_byte_writer<Bytes>::value(const std::u32string& x) {
  begin_sequence(x.size());
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
  begin_sequence(xs.size());
  if (xs.empty())
    return true;
  // Eight in a byte, and how many bytes that are.
  std::vector<std::uint8_t> packed((xs.size() - 1) / 8 + 1);
  for (std::size_t i = 0; i < xs.size(); ++i)
    if (xs[i])
      packed[i / 8] = static_cast<std::uint8_t>(packed[i / 8] | 1u << i % 8);
  begin_sequence(packed.size());
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
  std::uint64_t result = 0;
  for (auto c : rest_.substr(0, sizeof(T)))
    result = result << 8 | static_cast<unsigned char>(c);
  x = static_cast<T>(result);
  rest_.remove_prefix(sizeof(T));
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
  std::uint64_t result = 0;
  for (unsigned shift = 0; shift < 35; shift += 7) {
    std::uint8_t next = 0;
    if (!number(next))
      return false;
    result |= static_cast<std::uint64_t>(next & 0x7f) << shift;
    if ((next & 0x80) == 0) {
      size = static_cast<std::uint32_t>(result);
      return true;
    }
  }
  return fail();
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
  std::uint32_t packed = 0;
  auto result = number(packed);
  x = caf::detail::unpack754(packed);
  return result;
}

bool byte_reader::value(double& x) {
  std::uint64_t packed = 0;
  auto result = number(packed);
  x = caf::detail::unpack754(packed);
  return result;
}

bool byte_reader::value(long double& x) {
  std::string text;
  if (!value(text))
    return false;
  std::istringstream in{text};
  return (in >> x) ? true : fail();
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

} // namespace caf::rosia::detail

#endif
