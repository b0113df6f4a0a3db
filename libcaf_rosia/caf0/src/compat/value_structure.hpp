// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "caf/rosia/detail/pass_members.hpp"
#include "compat/visitor.hpp"

#include <caf/error.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace caf::rosia::detail {

/// The functions of a `value_sink` that CAF calls. Tests:
/// test/nodes/value_text_test.cpp.
template <class Sink>
class value_structure : public write_visitor<Sink>, public unpacked_flags {
public:
  caf::error begin_object(std::uint16_t&, std::string&) final {
    sink().begin();
    return caf::none;
  }

  caf::error end_object() final {
    sink().end();
    return caf::none;
  }

  caf::error begin_sequence(std::size_t&) final {
    sink().begin();
    return caf::none;
  }

  caf::error end_sequence() final {
    sink().end();
    return caf::none;
  }

  caf::error apply_raw(std::size_t size, void* data) final {
    sink().raw({static_cast<const char*>(data), size});
    return caf::none;
  }

  template <class T>
  caf::error visit(const T& x) {
    sink().add(x);
    return caf::none;
  }

protected:
  /// Returns whether a number is one of several bytes, which are passed as a
  /// whole.
  template <class T>
  static constexpr bool collect(T) noexcept {
    return false;
  }

private:
  Sink& sink() noexcept {
    return static_cast<Sink&>(*this);
  }
};

} // namespace caf::rosia::detail
