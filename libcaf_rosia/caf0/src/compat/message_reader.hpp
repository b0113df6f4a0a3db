// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/visitor.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace caf::rosia::detail {

/// Maximum length of a message's list of types that is examined.
constexpr std::size_t longest_type = 4096;

/// The beginning of a message's list of types.
constexpr std::string_view type_prefix = "@<>";

/// Returns whether values of all these types, separated by '+', contain no
/// other values.
bool all_plain(std::string_view types);

/// Returns whether bytes written by CAF may contain messages that are nested
/// too deep. It does not know the types: many adjacent messages count as
/// nested.
bool may_nest_too_deep(std::string_view content);

/// Reads from another deserializer, and rejects messages that are nested too
/// deep. Keeps the error, because CAF 0.17 loses it if the message is part of
/// another value. Tests: test/distributed/nested_messages_test.cpp.
class message_reader : public read_visitor<message_reader> {
public:
  /// @param from must outlive this object.
  explicit message_reader(caf::deserializer& from);

  caf::error begin_object(std::uint16_t& type, std::string& name) override;

  caf::error end_object() override;

  caf::error begin_sequence(std::size_t& size) override;

  caf::error end_sequence() override;

  caf::error apply_raw(std::size_t size, void* data) override;

  /// Returns the first error.
  const caf::error& problem() const noexcept {
    return problem_;
  }

  template <class T>
  caf::error visit(T& x) {
    return noted(from_.apply(x));
  }

private:
  caf::error noted(caf::error x);

  /// Checks whether CAF can read a message with these types.
  caf::error check_types(std::string_view types);

  caf::deserializer& from_;
  std::size_t depth_ = 0;
  caf::error problem_;
};

} // namespace caf::rosia::detail
