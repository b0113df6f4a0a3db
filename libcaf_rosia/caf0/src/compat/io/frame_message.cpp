// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/frame_message.hpp"

#include "compat/io/frame_reader.hpp"
#include "compat/io/protocol_names.hpp"
#include "compat/message_reader.hpp"

#include <caf/atom.hpp>

#include <algorithm>

namespace caf::rosia::detail {

namespace {

/// Maximum number of actors that forward a message.
constexpr std::size_t most_stages = 64;

constexpr std::uint64_t value(caf::atom_value x) {
  return static_cast<std::uint64_t>(x);
}

} // namespace

std::string_view frame_reader::node() {
  auto all = rest_;
  auto kind = number<std::uint64_t>();
  if (kind == value(caf::atom("")))
    return all.substr(0, ok_ ? sizeof(kind) : 0);
  bytes(node_name_size - sizeof(kind));
  // CAF has other kinds of names, which no process uses here.
  if (kind != value(caf::atom("default")))
    ok_ = false;
  return ok_ ? all.substr(0, node_name_size) : std::string_view{};
}

std::string read_message(std::string_view bytes, frame_message& into) {
  frame_reader from{bytes};
  auto stages = from.size();
  if (stages > most_stages)
    return "it sent a message that is forwarded by " + std::to_string(stages)
           + " actors";
  for (std::size_t i = 0; i < stages && from.ok(); ++i) {
    from.number<std::uint64_t>();
    from.node();
  }
  auto registered = from.number<std::uint16_t>();
  auto size = from.size();
  auto types = from.bytes(std::min(size, longest_type + 1));
  if (!from.ok() || registered != 0 || size > longest_type
      || !types.starts_with(type_prefix))
    return not_a_message;
  types.remove_prefix(std::min(type_prefix.size() + 1, types.size()));
  into = {bytes, std::string{types}, from.rest(), stages > 0};
  return {};
}

std::string check_trusted(const frame_message& x, const message_origin& from) {
  // CAF trusts these messages without a check.
  auto category = from.id.category();
  if (category == caf::message_id::upstream_message_category
        ? x.types != "@upstream_msg"
        : category == caf::message_id::downstream_message_category
            && x.types != "@downstream_msg")
    return "it sent a message " + quoted_types(x.types) + " as one of a stream";
  if (x.types == "@atom+@strong_actor_ptr") {
    frame_reader content{x.content};
    content.number<std::uint64_t>();
    content.number<std::uint64_t>();
    if (auto node = content.node(); !content.ok() || node == from.self)
      return links_own_actors;
  }
  return {};
}

std::string check_values(const frame_message& x, const message_origin&) {
  return !all_plain(x.types) && may_nest_too_deep(x.content)
           ? nested_too_deep
           : std::string{};
}

std::string check_error(std::string_view content, caf::actor_system*) {
  return may_nest_too_deep(content) ? nested_too_deep : std::string{};
}

} // namespace caf::rosia::detail
