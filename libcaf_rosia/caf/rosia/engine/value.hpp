// Part of libcaf_rosia: Rosia's semantics for the C++ Actor Framework.
// SPDX-License-Identifier: BSD-3-Clause

#pragma once

#include <caf/deserializer.hpp>
#include <caf/detail/type_traits.hpp>
#include <caf/error.hpp>
#include <caf/intrusive_ptr.hpp>
#include <caf/ref_counted.hpp>
#include <caf/sec.hpp>
#include <caf/serializer.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <typeinfo>
#include <utility>

namespace caf::rosia::engine {

/// A payload whose type the engine does not know: immutable once it is sent,
/// shared by all who hold it, from any thread.
class value : public caf::ref_counted {
public:
  ~value() override;

  /// The payload's type.
  virtual const std::type_info& type() const noexcept = 0;

  /// Writes the payload as CAF does. @returns an error if CAF cannot.
  virtual caf::error save(caf::serializer& to) const = 0;

  /// A number that is equal for equal payloads, for traces: the hash of what
  /// CAF would put on the wire; none if it cannot be serialised.
  std::optional<std::uint64_t> digest() const;
};

/// A share of a payload.
using value_ptr = caf::intrusive_ptr<const value>;

/// A payload of type `T`: the one allocation that a message costs.
template <class T>
class box final : public value {
public:
  template <class... Ts>
  explicit box(std::in_place_t, Ts&&... xs) : content(std::forward<Ts>(xs)...) {
    // nop
  }

  const std::type_info& type() const noexcept override {
    return typeid(T);
  }

  caf::error save(caf::serializer& to) const override {
    if constexpr (caf::detail::is_serializable<T>::value)
      return to(content);
    else
      return caf::sec::unknown_type;
  }

  const T content;
};

/// The human-readable name of a type.
std::string type_name(const std::type_info& type);

/// What there is to know of the payloads of a port.
struct payload_type {
  const std::type_info* info;

  /// Reads a payload as CAF writes it. Null if it cannot come from another
  /// process: CAF cannot serialise the type, or it has no default constructor.
  value_ptr (*load)(caf::deserializer& from, caf::error& problem);
};

/// The payloads of type `T`.
template <class T>
const payload_type& payload_type_of() noexcept {
  if constexpr (caf::detail::is_serializable<T>::value
                && std::default_initializable<T> && std::movable<T>) {
    static constexpr payload_type result{
      &typeid(T),
      [](caf::deserializer& from, caf::error& problem) -> value_ptr {
        T content{};
        problem = from(content);
        if (problem)
          return nullptr;
        return value_ptr{new box<T>(std::in_place, std::move(content)), false};
      }};
    return result;
  } else {
    static constexpr payload_type result{&typeid(T), nullptr};
    return result;
  }
}

} // namespace caf::rosia::engine
