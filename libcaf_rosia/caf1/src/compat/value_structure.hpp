// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include "compat/visitor.hpp"

#include <caf/type_id.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace caf::rosia::detail {

/// The functions of a `value_sink` that CAF calls. Tests:
/// test/nodes/value_text_test.cpp.
template <class Sink>
class value_structure : public write_visitor<Sink> {
public:
  bool begin_object(caf::type_id_t, std::string_view) final {
    collects_bytes_ = false;
    return true;
  }

  bool begin_tuple(std::size_t) final {
    collects_bytes_ = false;
    return true;
  }

  bool begin_sequence(std::size_t) final {
    sink().begin();
    bytes_.clear();
    collects_bytes_ = true;
    return true;
  }

  bool end_sequence() final {
    if (std::exchange(collects_bytes_, false) && !bytes_.empty())
      sink().raw(bytes_);
    sink().end();
    return true;
  }

  template <class T>
  bool visit(const T& x) {
    sink().add(x);
    return true;
  }

protected:
  /// Returns whether a number is one of several bytes, which are passed as a
  /// whole.
  template <class T>
  bool collect([[maybe_unused]] T x) {
    if constexpr (std::is_same_v<
                    T, std::int8_t> || std::is_same_v<T, std::uint8_t>)
      if (collects_bytes_) {
        bytes_ += static_cast<char>(x);
        return true;
      }
    return false;
  }

private:
  Sink& sink() noexcept {
    return static_cast<Sink&>(*this);
  }

  // Bytes of the innermost sequence, while it has nothing else.
  std::string bytes_;
  bool collects_bytes_ = false;
};

} // namespace caf::rosia::detail
