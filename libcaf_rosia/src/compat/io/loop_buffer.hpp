// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/io/system_messages.hpp>

#include <string_view>

namespace caf::rosia::detail {

/// The type of a broker's buffers for reading and writing.
using loop_buffer = decltype(caf::io::new_data_msg::buf);

inline std::string_view text_of(const loop_buffer& x) noexcept {
  return {reinterpret_cast<const char*>(x.data()), x.size()};
}

inline void assign(loop_buffer& to, std::string_view bytes) {
  auto* begin = reinterpret_cast<const loop_buffer::value_type*>(bytes.data());
  to.assign(begin, begin + bytes.size());
}

} // namespace caf::rosia::detail
