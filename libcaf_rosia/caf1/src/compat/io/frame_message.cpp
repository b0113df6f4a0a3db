// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_message.hpp"

#include "compat/bytes.hpp"
#include "compat/io/frame_reader.hpp"
#include "compat/io/protocol_names.hpp"
#include "compat/message_nesting.hpp"

#include <caf/detail/meta_object.hpp>
#include <caf/error.hpp>
#include <caf/message.hpp>
#include <caf/sec.hpp>
#include <caf/type_id.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <iterator>
#include <limits>
#include <utility>
#include <vector>

namespace caf::rosia::detail {

namespace {

/// Maximum nesting of values: CAF reads them recursively, and its stack has
/// room for more.
constexpr std::size_t most_objects = 1000;

/// Maximum number of types of a message. CAF accepts thousands.
constexpr std::size_t most_types = 256;

/// Reads bytes of CAF's protocol, which may be invalid, before CAF does.
class wire_reader : public byte_reader {
public:
  using byte_reader::byte_reader;

  bool begin_object(caf::type_id_t type, std::string_view name) override {
    if (objects() < most_objects)
      return byte_reader::begin_object(type, name);
    emplace_error(caf::sec::runtime_error, "there are values within values");
    return false;
  }

  using byte_reader::begin_field;

  bool begin_field(std::string_view, caf::span<const caf::type_id_t> types,
                   std::size_t& index) override {
    bool is_present = false;
    return read_index(types, is_present, index) && (is_present || fail());
  }

  bool begin_field(
    std::string_view, bool& is_present, caf::span<const caf::type_id_t> types,
    std::size_t& index) override {
    return read_index(types, is_present, index);
  }

  using byte_reader::value;

  /// CAF writes a long double as text.
  bool value(long double& x) override {
    std::string text;
    x = 0;
    return byte_reader::value(text);
  }

  bool list(std::vector<bool>& xs) override {
    std::size_t size = 0;
    if (!begin_sequence(size))
      return false;
    xs.clear();
    for (bool x = false; size > 0; --size) {
      if (!value(x))
        return false;
      xs.push_back(x);
    }
    return end_sequence();
  }

  /// Returns whether CAF's stack would overflow.
  bool nests_too_deep() const noexcept {
    return objects() >= most_objects || messages() > most_nested;
  }

private:
  /// Reads an index; a negative one means that there is no value.
  bool read_index(caf::span<const caf::type_id_t> types, bool& is_present,
                  std::size_t& index) {
    std::int64_t x = -1;
    auto read = [&](auto number) {
      auto result = value(number);
      x = number;
      return result;
    };
    auto n = static_cast<std::int64_t>(types.size());
    auto good
      = n < std::numeric_limits<std::int8_t>::max()
          ? read(std::int8_t{})
          : (n < std::numeric_limits<std::int16_t>::max()
               ? read(std::int16_t{})
               : read(std::int32_t{}));
    if (!good || x >= n)
      return fail();
    is_present = x >= 0;
    index = is_present ? static_cast<std::size_t>(x) : 0;
    return true;
  }
};

/// @param required whether CAF must be able to read the value.
template <class T>
std::string try_to_read(std::string_view bytes, caf::actor_system* sys,
                        bool required) {
  constexpr auto unreadable = "it sent a message that cannot be read";
  wire_reader from{sys, bytes};
  T x;
  try {
    if (from.apply(x))
      return {};
  } catch (const std::exception&) {
    // Thrown by a type of the program.
    return unreadable;
  }
  if (from.nests_too_deep())
    return nested_too_deep;
  return required ? unreadable : std::string{};
}

/// Returns whether values of a type contain no other values.
bool is_plain(std::string_view type) {
  constexpr std::string_view all[] = {
    "bool",
    "double",
    "float",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "ldouble",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "std::string",
    "std::u16string",
    "std::u32string",
    "std::set<std::string>",
    "caf::byte_buffer",
    "caf::timespan",
    "caf::timestamp",
    "caf::unit_t"};
  return std::find(std::begin(all), std::end(all), type) != std::end(all)
         || (type.starts_with("caf::") && type.ends_with("_atom"));
}

bool all_plain(std::string_view types) {
  while (!types.empty()) {
    auto end = std::min(types.find('+'), types.size());
    if (!is_plain(types.substr(0, end)))
      return false;
    types.remove_prefix(std::min(end + 1, types.size()));
  }
  return true;
}

} // namespace

std::string_view frame_reader::node() {
  constexpr std::uint8_t nobody = 0xff;
  constexpr std::uint8_t of_host = 1;
  auto all = rest_;
  auto kind = number<std::uint8_t>();
  if (ok_ && kind == nobody)
    return all.substr(0, sizeof(kind));
  bytes(node_name_size - sizeof(kind));
  // CAF has other kinds of names, which no process uses here.
  if (kind != of_host)
    ok_ = false;
  return ok_ ? all.substr(0, node_name_size) : std::string_view{};
}

std::string read_message(std::string_view bytes, frame_message& into) {
  frame_reader from{bytes};
  auto size = from.size();
  if (size > most_types)
    return "it sent a message of " + std::to_string(size) + " values";
  std::string types;
  for (std::size_t i = 0; i < size && from.ok(); ++i) {
    auto id = from.number<std::uint16_t>();
    auto* type = caf::detail::global_meta_object_or_null(id);
    types += i == 0 ? "" : "+";
    types += type != nullptr ? std::string{type->type_name}
                             : "type " + std::to_string(id);
  }
  if (!from.ok())
    return not_a_message;
  into = {bytes, std::move(types), from.rest()};
  return {};
}

std::string check_trusted(const frame_message& x, const message_origin& from) {
  // CAF takes the actor for a proxy.
  if (x.types == "caf::link_atom+caf::strong_actor_ptr"
      || x.types == "caf::unlink_atom+caf::strong_actor_ptr") {
    frame_reader content{x.content};
    content.number<std::uint64_t>();
    if (auto node = content.node(); !content.ok() || node == from.self)
      return links_own_actors;
  }
  return {};
}

std::string check_values(const frame_message& x, const message_origin& from) {
  // If CAF cannot read the message, it replies to the sender, without a check
  // that there is one.
  if (from.has_sender && all_plain(x.types))
    return {};
  return try_to_read<caf::message>(x.whole, from.system, !from.has_sender);
}

std::string check_error(std::string_view content, caf::actor_system* sys) {
  return try_to_read<caf::error>(content, sys, false);
}

} // namespace caf::rosia::detail
