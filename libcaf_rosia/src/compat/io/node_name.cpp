// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#include "compat/io/node_name.hpp"

#include "caf/rosia/detail/compat.hpp"
#include "compat/io/loop_buffer.hpp"

#include <caf/actor_system.hpp>
#include <caf/binary_deserializer.hpp>
#include <caf/binary_serializer.hpp>

namespace caf::rosia::detail {

std::string write_node_name(caf::actor_system& sys, const caf::node_id& x) {
  loop_buffer bytes;
  caf::binary_serializer sink{sys, bytes};
  // Writing into memory cannot fail.
  static_cast<void>(save_content(sink, x));
  return std::string{text_of(bytes)};
}

caf::node_id read_node_name(caf::actor_system& sys, std::string_view bytes) {
  caf::node_id result;
  caf::binary_deserializer source{sys, bytes.data(), bytes.size()};
  static_cast<void>(load_content(source, result));
  return result;
}

} // namespace caf::rosia::detail
