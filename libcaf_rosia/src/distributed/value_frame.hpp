// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"

#include <caf/error.hpp>
#include <caf/fwd.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace caf::rosia {

/// A frame of the nodes of one process for those of another, as it travels:
/// `detail::frame_codec` knows what the bytes mean. (CAF's own frames, which
/// carry it, are in `compat/io/`.)
struct value_frame {
  /// All but the payloads.
  std::string heads;

  /// The payloads of the messages, as CAF writes them, but for long texts.
  std::string contents;

  /// A text (`std::string`) is long from this size on: it takes less time to
  /// share it than to copy it.
  static constexpr std::size_t long_text = 16 * 1024;

  /// The payloads that are long texts. The nodes of the sender may have them as
  /// well.
  std::vector<engine::value> texts;
};

caf::error inspect(caf::serializer& to, value_frame& x);

/// Never fails, as CAF would drop the frame then, and its receiver would learn
/// nothing of it: a frame that is cut off has no heads.
caf::error inspect(caf::deserializer& from, value_frame& x);

std::string to_string(const value_frame& x);

} // namespace caf::rosia
