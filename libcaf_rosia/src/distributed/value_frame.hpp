// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/value.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace caf::rosia::detail {

/// A frame of the nodes of one process for those of another, before it is sent:
/// `frame_codec` knows what the bytes mean. (CAF's own frames, which travel
/// over the same connection, are in `compat/io/`.)
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

  /// Makes it empty, but keeps some memory for what comes next.
  void clear();
};

/// The bytes of a frame as they travel, in pieces.
class frame_pieces {
public:
  /// @param frame outlives it.
  explicit frame_pieces(const value_frame& frame);

  frame_pieces(const frame_pieces&) = delete;

  frame_pieces& operator=(const frame_pieces&) = delete;

  std::span<const std::string_view> all() const noexcept {
    return pieces_;
  }

private:
  std::string sizes_;
  std::vector<std::string_view> pieces_;
};

/// A frame that has arrived. Refers to the bytes.
struct arrived_frame {
  std::string_view heads;
  std::string_view contents;
  std::vector<std::string_view> texts;

  /// Divides what has arrived. A frame whose sizes cannot be right has no
  /// heads: who reads it says so.
  static arrived_frame of(std::string_view bytes);
};

} // namespace caf::rosia::detail
