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

/// A frame from the nodes of one process to those of another, before it is
/// sent. `frame_codec` defines the meaning of the bytes. (CAF's own frames,
/// which use the same connection, are in `compat/io/`.) Tests:
/// test/distributed/frame_codec_test.cpp.
struct value_frame {
  /// Everything except the payloads.
  std::string heads;

  /// The payloads of the messages, in CAF's format, except for long texts.
  std::string contents;

  /// Minimum size of a long text (`std::string`). Sharing such a text is faster
  /// than copying it.
  static constexpr std::size_t long_text = 16 * 1024;

  /// The payloads that are long texts. The sender's nodes may share them.
  std::vector<engine::value> texts;

  /// Empties the frame, but keeps some memory for the next one.
  void clear();
};

/// The bytes of a frame for sending, in pieces. Tests:
/// test/distributed/frame_codec_test.cpp.
class frame_pieces {
public:
  /// @param frame must outlive this object.
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

/// A frame that arrived. Refers to the bytes.
struct arrived_frame {
  std::string_view heads;
  std::string_view contents;
  std::vector<std::string_view> texts;

  /// Divides the bytes. If the sizes are invalid, the result has no heads,
  /// which its readers report.
  static arrived_frame of(std::string_view bytes);
};

} // namespace caf::rosia::detail
