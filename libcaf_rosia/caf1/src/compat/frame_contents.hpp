// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/bytes.hpp"
#include "compat/worker.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

// The payloads of messages to nodes of another process, as bytes. Equal for all
// versions of CAF.

namespace caf::rosia::detail {

using contents_writer = basic_byte_writer<std::string>;

/// Reads payloads of another process, which may be invalid. Tests:
/// test/distributed/frame_codec_test.cpp.
class contents_reader {
public:
  /// @param bytes must outlive this object.
  contents_reader(caf::actor_system& sys, worker&, std::string_view bytes)
    : source_(&sys, bytes) {
    // nop
  }

  /// Returns the bytes that were not read yet.
  std::string_view rest() const noexcept {
    return source_.rest();
  }

  /// @pre There are at least `n` bytes left.
  void skip(std::size_t n) {
    source_.skip(n);
  }

  /// Reads a payload. Rejects messages that are nested too deep, or of a type
  /// that this process does not know.
  /// @param load takes a `caf::deserializer&`, and an error to set.
  /// @returns why it cannot be read.
  template <class Load>
  caf::error read(Load&& load) {
    caf::error problem;
    std::forward<Load>(load)(source_, problem);
    return problem;
  }

private:
  byte_reader source_;
};

} // namespace caf::rosia::detail
